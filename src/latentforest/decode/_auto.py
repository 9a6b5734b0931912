"""Choose the decoder by what it loses on rows that it has not seen."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from latentforest._base._types import Codes, Coords
from latentforest.decode._context import DecoderContext
from latentforest.decode._contract import Decoder
from latentforest.decode._held_out import Part, column_distortions, held_out_parts
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._local_linear import LocalLinearDecoder
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.neighbours import Neighbours, Weights

KNN_NEIGHBOURS = (5, 20, 50)
LINEAR_NEIGHBOURS = (20, 40, 80, 160, 320)
RIDGES = (0.0003, 0.003, 0.03, 0.3)


@dataclass(frozen=True, slots=True)
class Trial:
    """One decoder that was tried, and its mean distortion on held-back rows."""

    decoder: NeighbourDecoder
    distortion: float


class AutoDecoder(Decoder):
    """Try several decoders on held-back training rows and keep the best.

    The distinct training rows are cut into five parts. Each part (of a long table, a
    sample of it) is decoded by the other rows, from coordinates in which each row was
    left out of its own leaves. Tried are `KNNDecoder` with 5, 20 and 50 neighbours,
    blending rows or, where there is a forest, the middles of their regions, and
    `LocalLinearDecoder` with 20 to 320 neighbours and four ridges; on coordinates that
    come from no forest, such as principal components, also with ``extrapolate``. The
    decoder with the smallest mean distortion is kept.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
    chosen_ : NeighbourDecoder
        The decoder that was kept, fitted on all rows.
    tried_ : list of Trial
        What was tried, best first; ``report()`` prints it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(2, decoder="auto", random_state=0).fit(table)
    >>> print(model.decoder_.report())
    distortion  decoder
    0.1...      LocalLinearDecoder(n_neighbors=20)
    ...
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters; there are none that could be wrong."""

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Fit one decoder of each sort, then compare their settings."""
        sorts = [KNNDecoder(prototypes="rows"), LocalLinearDecoder()]
        if context.grown is None:
            sorts.append(LocalLinearDecoder(extrapolate=True))
        else:
            sorts.insert(1, KNNDecoder(prototypes="middle"))
        self.sorts_: list[NeighbourDecoder] = [
            sort.set_params(n_jobs=self.n_jobs).fit_context(context, rng)
            for sort in sorts
        ]
        self.seed_ = int(rng.integers(2**63))
        self._choose(context)

    def with_context(self, context: DecoderContext) -> Self:
        """Choose again for other coordinates, with the same prototypes and parts."""
        moved = copy(self)
        moved.n_components_ = context.coords.shape[1]
        moved.sorts_ = [sort.with_context(context) for sort in self.sorts_]
        moved._choose(context)
        return moved

    def _choose(self, context: DecoderContext) -> None:
        rng = np.random.default_rng(self.seed_)
        parts = list(held_out_parts(context.table, rng))
        trials = [
            trial for sort in self.sorts_ for trial in _compare(sort, context, parts)
        ]
        # A table of copies of one row leaves nothing to compare.
        self.tried_ = sorted(trials, key=lambda trial: trial.distortion)
        self.chosen_ = self.tried_[0].decoder if trials else self.sorts_[0]

    def decode(self, coords: Coords) -> Codes:
        """Decode with the decoder that was kept."""
        return self.chosen_.decode(coords)

    def report(self) -> str:
        """Tell what was tried, best first."""
        lines = [f"{t.distortion:<10.4f}  {t.decoder!r}" for t in self.tried_]
        return "\n".join(["distortion  decoder", *lines])


def _compare(
    sort: NeighbourDecoder, context: DecoderContext, parts: list[Part]
) -> Iterator[Trial]:
    """Try all settings of one sort of decoder; each part is searched once."""
    is_linear = isinstance(sort, LocalLinearDecoder)
    # More neighbours than there are rows would be the same decoder again.
    n_known = min((len(part.known) for part in parts), default=0)
    first, *more = LINEAR_NEIGHBOURS if is_linear else KNN_NEIGHBOURS
    sizes = [first, *(size for size in more if size <= n_known)]
    settings: list[dict[str, Any]] = [
        {"n_neighbors": size} | setting
        for size in sizes
        for setting in ([{"ridge": ridge} for ridge in RIDGES] if is_linear else [{}])
    ]
    decoded: list[list[Codes]] = [[] for _ in settings]
    for part in parts:
        coords = np.ascontiguousarray(context.new_coords[part.held])
        known = sort.keep(part.known).set_params(n_neighbors=sizes[-1])
        found = known.find(coords)
        rows = (
            known.mix(near, weights)
            for near in map(found.first, sizes)
            for weights in _weights(known, near, coords)
        )
        for codes, made in zip(decoded, rows, strict=True):
            codes.append(made)
    if not parts:
        return
    original = context.table.values[np.concatenate([part.held for part in parts])]
    for codes, setting in zip(decoded, settings, strict=True):
        lost = column_distortions(context.table.schema, original, np.concatenate(codes))
        yield Trial(copy(sort).set_params(**setting), float(np.nanmean(lost)))


def _weights(
    decoder: NeighbourDecoder, found: Neighbours, coords: Coords
) -> list[Weights]:
    """Weights for each ridge that is tried, or the only ones there are."""
    if isinstance(decoder, LocalLinearDecoder):
        return decoder.weigh_ridges(found, coords, RIDGES)
    return [decoder.weigh(found, coords)]
