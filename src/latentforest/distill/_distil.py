"""From a fitted encoder to one that places rows nearly alike, with fewer bytes."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from latentforest._base._checks import check_real
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Floats
from latentforest.decode import AutoDecoder, Decoder, SpreadingDecoder
from latentforest.distill._judge import Judge
from latentforest.distill._report import Distillation, Fidelity
from latentforest.distill._size import size_of
from latentforest.distill._student import Lesson
from latentforest.distill._teacher import Teacher
from latentforest.encoder import Encoder
from latentforest.forest import SupervisedForest

SIZES = (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)  # that "auto" tries
ENOUGH = 0.99  # of fidelity

KERNELS = ("rf", "scornet")  # whose leaf tables are sums over leaves


class Distilled(NamedTuple):
    """A smaller encoder, what its leaves predict, and what became of it."""

    encoder: Encoder
    predictions: Floats | None
    distillation: Distillation


def distil(
    encoder: Encoder,
    decoder: Decoder,
    grower: Any,
    size: float | str,
    random_state: RandomState,
) -> Distilled:
    """Distil an encoder.

    Parameters
    ----------
    encoder : Encoder
        A plain map, with its training rows.
    decoder : Decoder
        What decodes its coordinates.
    grower : estimator
        The forest; what one of ours predicts is kept.
    size : float or "auto"
        Share of the bytes of trees and leaf table, or the smallest that keeps 99 %.
    random_state : int, Generator, RandomState or None
        Seed.

    Returns
    -------
    Distilled
    """
    known = _check(encoder, decoder, size)
    rngs = stage_rngs(random_state, "held", "judged", "rows")
    training = encoder.trained_on("distill")
    supervised = isinstance(grower, SupervisedForest)
    teacher = Teacher(
        encoder.forest,
        encoder.leaf_table,
        encoder.kind,
        encoder.spectrum.eigenvalues,
        training.table.at_edges().values,
        training.leaf_ids,
        grower.leaf_values_ if supervised else None,
        supervised and grower.classes_ is not None,
        encoder.n_jobs,
    )
    judge = Judge.of(encoder, known, teacher, rngs["held"])
    large = judge.large()
    found, ridge, tried = _smallest(judge, large, size, rngs["judged"])
    is_number = training.table.schema.is_number
    student = Lesson.prepare(teacher, found.size, is_number, rngs["rows"]).learn(ridge)
    small = replace(
        found,
        n_bytes=size_of(student.forest, encoder.n_components),
        n_leaves=student.forest.n_leaves,
    )
    return Distilled(
        encoder.with_forest(student.forest, student.table),
        student.predictions,
        Distillation(large, small, tried, ridge),
    )


def _check(encoder: Encoder, decoder: Decoder, size: float | str) -> SpreadingDecoder:
    """Refuse what cannot be distilled; return the decoder that blends rows."""
    if isinstance(size, str):
        if size != "auto":
            message = f"size={size!r} is not known. Give a share, or 'auto'."
            raise ValueError(message)
    elif check_real("size", size, minimum=0.0, maximum=1.0) == 0:
        message = "size=0 leaves nothing. Give a share above 0, such as 0.25."
        raise ValueError(message)
    if encoder.refined is not None:
        message = (
            "this map is refined: new rows are placed among refined rows, and the "
            "trees, few as they are, only propose relatives. Fit with refine=None to "
            "distil, or save with drop_training=True for a smaller file."
        )
        raise ValueError(message)
    if encoder.tree_weights is not None or encoder.kind not in KERNELS:
        message = (
            f"this map has kernel={encoder.kind!r} and "
            f"{'no' if encoder.tree_weights is None else 'own'} weights of trees, and "
            "only plain ones are distilled. Fit with kernel='rf' or 'scornet', and "
            "tree_weights=None."
        )
        raise ValueError(message)
    if encoder.taught is not None:
        message = (
            "this model is distilled already. Distil the large one to another size."
        )
        raise ValueError(message)
    inner = decoder.chosen_ if isinstance(decoder, AutoDecoder) else decoder
    if not isinstance(inner, SpreadingDecoder):
        message = (
            f"{decoder!r} infers leaves of the whole forest, and cannot do with fewer. "
            "Fit with decoder='auto', 'knn' or 'local_linear' to distil."
        )
        raise ValueError(message)
    return inner


def _smallest(
    judge: Judge, large: Fidelity, size: float | str, rng: np.random.Generator
) -> tuple[Fidelity, float, tuple[Fidelity, ...]]:
    """Judge one size, or smaller and smaller ones until one keeps too little."""
    if not isinstance(size, str):
        found, ridge = judge.small(float(size), rng)
        return found, ridge, (found,)
    best, tried = None, []
    for share in SIZES:
        found, ridge = judge.small(share, rng)
        tried.append(found)
        if found.kept(large) < ENOUGH:
            break
        best = found, ridge
    if best is None:
        message = (
            f"at half of its size the model keeps {found.kept(large):.1%} of its "
            f"fidelity, less than {ENOUGH:.0%}. Give the size you need, such as 0.75."
        )
        raise ValueError(message)
    return *best, tuple(tried)
