"""MNIST as in the paper: ten test digits through 2 to 32 coordinates.

    python benchmarks/mnist.py
    python benchmarks/mnist.py --studies d_Z refined
    python benchmarks/mnist.py --studies            # only pages and pictures

Appends one JSON line per setting to ``benchmarks/results/mnist.jsonl``, with the
reconstructed digits of those that are drawn, and skips what is there already; then
writes ``mnist.md`` and its pictures beside it. The digits are the first of each kind in
the test set, those of which the authors stored their reconstructions.

``d_Z``: a completely random forest of 1,000 trees and all 60,000 images; the diffusion
map is found once, and smaller ones are its first coordinates. ``full`` does the same
with trees of any depth, ``seeds`` finds two coordinates of other forests, ``pairs`` and
``full pairs`` decode other two of the first four. ``refined`` is our refined map of the
same images, ``supervised`` the map of a classifier, ``conv`` a convolutional
autoencoder (needs torch), ``film`` the map of a classifier while its trees grow. ``B``,
``n_train_enc``, ``t`` and ``k`` change one thing at 32 coordinates, with trees of any
depth grown on all images and a map of 30,000, as in the authors' stored results.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

import mnist_report
from latentforest import (
    RFAE,
    CompletelyRandomForest,
    KNNDecoder,
    Refinement,
    SupervisedForest,
)
from mnist_conv import convolutional
from mnist_data import Found, authors, images_of, judge, keep, load, measured
from mnist_film import DEPTHS, FILM, film

SIZES = (2, 4, 8, 16, 32)
TREES, MOST, NEIGHBOURS, LEAST, DEPTH = 1_000, max(SIZES), 50, 5, 12
ALL = np.arange(MOST)
PAIRS = (12, 13, 14, 23, 24, 34)
SWEEP_ROWS = 30_000
REFINED_ROWS = 20_000  # that are refined together; the cells of more are not kept


def plain(forest: object) -> RFAE:
    """Build the paper's model: nothing refined, rows drawn in regions and blended."""
    return RFAE(
        MOST,
        forest=forest,
        decoder=KNNDecoder(NEIGHBOURS),
        refine=None,
        max_samples=None,
        random_state=0,
    )


def grown(
    n_trees: int = TREES, depth: int | None = DEPTH, seed: int = 0
) -> CompletelyRandomForest:
    """Build the forest."""
    return CompletelyRandomForest(
        n_trees, min_samples_leaf=LEAST, max_depth=depth, random_state=seed
    )


def sizes(wanted: list[int], depth: int | None = DEPTH) -> Found:
    """Fit once, and cut the map."""
    begin = time.perf_counter()
    model = plain(grown(depth=depth))
    print(model.estimate(load().train), file=sys.stderr)
    yield from cut(model.fit(load().train), wanted, begin)


def supervised(wanted: list[int]) -> Found:
    """Fit the map of a classifier, and cut it."""
    begin = time.perf_counter()
    model = plain(SupervisedForest(TREES)).fit(load().train, load().labels)
    yield from cut(model, wanted, begin)


def cut(model: RFAE, wanted: list[int], begin: float) -> Found:
    """Judge the first coordinates of a model."""
    took = time.perf_counter() - begin
    for value in wanted:
        begin = time.perf_counter() - took
        yield value, judge(model.truncate(value).reconstruct, begin, kept=True)


def seeds(wanted: list[int]) -> Found:
    """Fit two coordinates of forests from other seeds."""
    for value in wanted:
        begin = time.perf_counter()
        model = plain(grown(seed=value)).set_params(n_components=2, random_state=value)
        yield value, judge(model.fit(load().train).reconstruct, begin)


def pairs(wanted: list[int], depth: int | None = DEPTH) -> Found:
    """Decode other two of the first coordinates: 13 are the first and the third.

    Also how like the authors' digits through two coordinates what comes back is: the
    correlation of what both differ by from the mean image.
    """
    begin = time.perf_counter()
    model = plain(grown(depth=depth)).set_params(n_components=4).fit(load().train)
    took = time.perf_counter() - begin
    mean, theirs = load().train.mean(axis=0), authors("d_Z/CRFAE/2").reshape(10, -1)
    for value in wanted:
        begin = time.perf_counter() - took
        chosen = np.array([int(number) - 1 for number in str(value)])
        decode = decoded_by(model, chosen, np.ones(2), NEIGHBOURS)
        row = judge(decode, begin, kept=True)
        own = images_of(row).reshape(10, -1)
        like = np.corrcoef((own - mean).ravel(), (theirs - mean).ravel())[0, 1]
        del row["digits"]
        row["eigenvalues"] = np.round(model.eigenvalues_, 4).tolist()
        yield value, row | {"like": round(float(like), 3)}


def decoded_by(
    model: RFAE, chosen: np.ndarray, factors: np.ndarray, n_neighbors: int
) -> Callable[[np.ndarray], object]:
    """Decode chosen coordinates of a model, stretched, by so many neighbours.

    What is blended are the rows that the model drew, so that other neighbours or
    diffusion times give what fitting anew would give.
    """
    decoder = KNNDecoder(n_neighbors, prototypes="rows")
    decoder.fit(model.embedding_[:, chosen] * factors, model.decoder_.prototypes_)
    return lambda rows: decoder.predict(model.transform(rows)[:, chosen] * factors)


def refined(wanted: list[int]) -> Found:
    """Move rows until planes through their neighbours lose least."""
    for value in wanted:
        begin = time.perf_counter()
        settings = Refinement(start="linear", max_rows=REFINED_ROWS, units="common")
        model = RFAE(value, refine=settings, random_state=0).fit(load().train)
        yield value, judge(model.reconstruct, begin, kept=True)


@lru_cache(maxsize=1)
def grown_fully(n_trees: int) -> CompletelyRandomForest:
    """Grow trees of any depth on all images, once for sweeps that follow each other."""
    return grown(n_trees, depth=None).fit(load().train)


@lru_cache(maxsize=1)
def swept(n_trees: int, n_rows: int) -> tuple[RFAE, float]:
    """Fit the map of some images; also how many seconds it took."""
    begin = time.perf_counter()
    model = plain(grown_fully(n_trees)).fit(load().train[:n_rows])
    return model, time.perf_counter() - begin


def swept_trees(wanted: list[int]) -> Found:
    """Fewer trees."""
    for value in wanted:
        model, took = swept(value, SWEEP_ROWS)
        yield value, judge(model.reconstruct, time.perf_counter() - took)


def swept_rows(wanted: list[int]) -> Found:
    """Fewer images in the map, the forest being the same."""
    for value in wanted:
        model, took = swept(TREES, value)
        yield value, judge(model.reconstruct, time.perf_counter() - took)


def swept_times(wanted: list[int]) -> Found:
    """Other diffusion times: coordinates times powers of their eigenvalues."""
    for value in wanted:
        model, took = swept(TREES, SWEEP_ROWS)
        begin = time.perf_counter() - took
        factors = model.eigenvalues_ ** (value - 1)
        yield value, judge(decoded_by(model, ALL, factors, NEIGHBOURS), begin)


def swept_neighbours(wanted: list[int]) -> Found:
    """Fewer neighbours that are blended."""
    for value in wanted:
        model, took = swept(TREES, SWEEP_ROWS)
        begin = time.perf_counter() - took
        yield value, judge(decoded_by(model, ALL, np.ones(MOST), value), begin)


class Study(NamedTuple):
    """How a setting is run, and its values."""

    run: Callable[[list[int]], Found]
    values: tuple[int, ...]


STUDIES = {
    "film": Study(film, DEPTHS),
    "d_Z": Study(sizes, SIZES),
    "refined": Study(refined, (8, 16, 32, 4, 2)),
    "full": Study(partial(sizes, depth=None), SIZES),
    "seeds": Study(seeds, (1, 2, 3, 4)),
    "pairs": Study(pairs, PAIRS),
    "full pairs": Study(partial(pairs, depth=None), PAIRS),
    "supervised": Study(supervised, (8, 32)),
    "conv": Study(convolutional, (32, 8)),
    "B": Study(swept_trees, (50, 100, 200, 500, 1_000)),
    "t": Study(swept_times, (0, 1, 2, 3, 10, 50)),
    "k": Study(swept_neighbours, (1, 2, 3, 5, 10, 20, 50)),
    "n_train_enc": Study(swept_rows, (30_000, 1_000, 5_000, 10_000)),
}


def main() -> None:
    """Measure what is not there yet, then report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", nargs="*", choices=STUDIES, default=list(STUDIES))
    args = parser.parse_args()
    load()
    done = {(row["study"], row["value"]) for row in measured()}
    if not FILM.exists():
        done -= {("film", depth) for depth in DEPTHS}
    for study in args.studies:
        run, values = STUDIES[study]
        wanted = [value for value in values if (study, value) not in done]
        for value, row in run(wanted) if wanted else ():
            keep(study, value, row)
    mnist_report.write()


if __name__ == "__main__":
    main()
