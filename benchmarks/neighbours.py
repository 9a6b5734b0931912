"""Exact and approximate search for neighbours: time, recall and what is lost.

    python benchmarks/neighbours.py            # all cases, some minutes
    python benchmarks/neighbours.py 10000      # up to so many rows

Needs ``pip install "latentforest[ann]"``, and LATENTFOREST_DATA for the digits. One
thread; seconds are processor time. ``results/neighbours.md`` holds what it printed.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from data import data_folder
from latentforest import KNNDecoder, LocalLinearDecoder
from latentforest.metrics import distortion
from latentforest.neighbours import ApproximateSearch, NeighbourSearch

N_QUERIES = 1_000
N_COLUMNS = 12  # of the table that is decoded


def bent_sheets(n_rows: int, n_components: int) -> tuple[Any, Any]:
    """Twenty bent sheets of six dimensions, and a table that depends on the place."""
    rng = np.random.default_rng(n_components)
    middles = 3 * rng.normal(size=(20, n_components))
    sheets = rng.normal(size=(20, 6, n_components))
    blends = rng.normal(size=(6, N_COLUMNS))
    which, along = rng.integers(20, size=n_rows), rng.normal(size=(n_rows, 6))
    Z = np.tanh(np.einsum("ni,nid->nd", along, sheets[which])) + middles[which]
    Z += 0.1 * rng.normal(size=Z.shape)
    return Z, np.sin(along @ blends) + 0.1 * rng.normal(size=(n_rows, N_COLUMNS))


def noise(n_rows: int, n_components: int) -> tuple[Any, Any]:
    """Points that fill all directions evenly: the worst case for any search."""
    rng = np.random.default_rng(n_components)
    Z = rng.normal(size=(n_rows, n_components))
    return Z, np.sin(Z @ rng.normal(size=(n_components, N_COLUMNS)) / 4)


def digits(n_rows: int, n_components: int) -> tuple[Any, Any]:
    """Principal components of MNIST, and sixteen of its pixels."""
    with np.load(data_folder() / "mnist" / "mnist.npz") as arrays:
        images = next(arrays[name] for name in arrays.files if arrays[name].ndim > 1)
    pixels = images.reshape(len(images), -1)
    rows = np.random.default_rng(0).permutation(len(pixels))[:n_rows]
    Z = PCA(n_components, random_state=0).fit_transform(pixels[rows] / 255.0)
    inner = np.arange(28 * 28).reshape(28, 28)[6:24:5, 6:24:5].ravel()
    return Z, pixels[rows][:, inner].astype(np.float64)


SOURCES: dict[str, Callable[[int, int], tuple[Any, Any]]] = {
    "sheets": bent_sheets,
    "digits": digits,
    "noise": noise,
}


def cases(most: int) -> Iterator[tuple[str, int, int]]:
    """Source, rows and coordinates."""
    for n_rows in (10_000, 50_000, 100_000, 1_000_000):
        for n_components in (16, 32):
            for name in SOURCES:
                fits = (name == "digits") == (n_rows == 50_000) or n_rows == 10_000
                if n_rows == 1_000_000:  # an index takes minutes
                    fits = name == "sheets" and n_components == 16
                if n_rows <= most and fits:
                    yield name, n_rows, n_components


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of a call, and what it returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure(name: str, n_rows: int, n_components: int) -> None:
    """Print one line for each decoder."""
    Z, cells = SOURCES[name](n_rows + N_QUERIES, n_components)
    known, new = Z[N_QUERIES:], np.ascontiguousarray(Z[:N_QUERIES])
    table = pd.DataFrame(cells).add_prefix("c")
    truth = table[:N_QUERIES]
    boxes = NeighbourSearch(known)
    build_boxes, _ = seconds(lambda: boxes.nearest(new[:1], 1, n_jobs=1))
    index = ApproximateSearch(known)
    build_index, _ = seconds(lambda: index.nearest(new[:1], 1, n_jobs=1))
    rows = np.arange(0, n_rows, n_rows // 1_000)  # as decoders measure `recall_`
    for decoder in (KNNDecoder(20, prototypes="rows"), LocalLinearDecoder(80)):
        k = decoder.set_params(n_jobs=1).n_neighbors
        decoder.fit(known, table[N_QUERIES:], random_state=0)
        recall = index.learn_effort(known[rows], rows, k, n_jobs=1)
        found, lost, spent = {}, {}, {}
        for name_of, search in (("exact", boxes), ("approximate", index)):
            decoder.search_ = search  # the index is built once for all decoders
            spent[name_of], found[name_of] = seconds(lambda d=decoder: d.find(new))
            lost[name_of] = distortion(truth, decoder.predict(new)).mean
        last = found["exact"].distances[:, -1:]
        of_new = (found["approximate"].distances <= last * (1 + 1e-9)).mean()
        effort = index.effort
        gain = spent["exact"] - spent["approximate"]
        pays = N_QUERIES * (build_index - build_boxes) / gain if gain > 0 else np.inf
        print(
            f"| {name} | {n_rows:,} | {n_components} | {k} "
            f"| {build_boxes:.2f} | {build_index:.1f} "
            f"| {1e6 * spent['exact'] / N_QUERIES:.0f} "
            f"| {1e6 * spent['approximate'] / N_QUERIES:.0f} | {effort} "
            f"| {recall:.3f} | {of_new:.3f} "
            f"| {lost['exact']:.4f} | {lost['approximate']:.4f} "
            f"| {'never' if np.isinf(pays) else f'{pays:,.0f}'} |",
            flush=True,
        )


def main() -> None:
    """Measure all cases up to a number of rows."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    warm = np.random.default_rng(0).normal(size=(500, 12))
    NeighbourSearch(warm).nearest(warm, 3)
    ApproximateSearch(warm).nearest(warm, 3)
    print(
        "| points | rows | coords | k | boxes, s | index, s | exact, µs | approx., µs "
        "| effort | `recall_` | recall, new rows | lost, exact | lost, approx. "
        "| index pays from |"
    )
    print("|---|" + "---:|" * 13)
    for case in cases(most):
        measure(*case)


if __name__ == "__main__":
    main()
