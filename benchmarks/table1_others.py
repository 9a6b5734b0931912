"""Methods of others in Table 1's study: PCA, UMAP and eForest, on the same rows."""

import warnings
from collections.abc import Iterator

import pandas as pd

from data import n_components
from latentforest import AutoDecoder, CompletelyRandomForest, EForest
from latentforest.metrics import Distortion, distortion
from pca import MixedPCA, WideTable
from quantise import quantised

BITS = (4, 8, 12)
# UMAP inverts by a triangulation: none in one dimension, ever more corners in many.
UMAP_SIZES = range(2, 6)
UMAP_WORK, UMAP_GROWTH = 400_000, 5
WHOLE_TREES = 500

Reconstructions = Iterator[tuple[float, Distortion, dict[str, float]]]


def run_pca(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """Plain PCA; ``seed`` is not needed."""
    model = MixedPCA().fit(train)
    known = model.transform(train)
    for factor in factors:
        size = n_components(train.shape[1], factor)
        coords, extras = model.transform(test)[:, :size], {}
        for bits in BITS:
            rows = model.inverse_transform(quantised(coords, known[:, :size], bits))
            lost = distortion(test, rows, kinds=model.codec.schema_)
            extras[f"{bits} bits"] = lost.mean
        rows = model.inverse_transform(coords)
        yield factor, distortion(test, rows, kinds=model.codec.schema_), extras


def run_pca_local(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """PCA coordinates, decoded by the best of our decoders for them."""
    model = MixedPCA().fit(train)
    known, new = model.transform(train), model.transform(test)
    for factor in factors:
        size = n_components(train.shape[1], factor)
        decoder = AutoDecoder().fit(known[:, :size], train, random_state=seed)
        rows = decoder.predict(new[:, :size])
        yield factor, distortion(test, rows, kinds=decoder.codec_.schema_), {}


def run_umap(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """UMAP of what PCA sees, and its own ``inverse_transform``."""
    import umap

    wide = WideTable().fit(train)
    known, new, done = wide.widen(train), wide.widen(test), {}
    for factor in factors:
        size = n_components(train.shape[1], factor)
        if size not in UMAP_SIZES or len(test) * UMAP_GROWTH**size > UMAP_WORK:
            continue
        if size not in done:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a seed means one thread
                model = umap.UMAP(n_components=size, random_state=seed).fit(known)
                rows = wide.narrow(model.inverse_transform(model.transform(new)))
            done[size] = distortion(test, rows, kinds=wide.codec.schema_)
        yield factor, done[size], {}


def run_eforest(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """Forests with a tree for every coordinate of the others: as many leaf numbers."""
    for factor in factors:
        trees = n_components(train.shape[1], factor)
        yield factor, eforest(train, test, trees, seed), {}


def run_eforest_whole(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """Grow the forest of their paper; a box has two numbers for each column."""
    yield 2.0, eforest(train, test, WHOLE_TREES, seed), {}


def eforest(
    train: pd.DataFrame, test: pd.DataFrame, n_trees: int, seed: int
) -> Distortion:
    """Completely random trees, grown to single rows, as Feng and Zhou grow them."""
    forest = CompletelyRandomForest(n_trees, min_samples_leaf=1)
    model = EForest(forest, unseen="nearest", random_state=seed).fit(train)
    return distortion(test, model.reconstruct(test), kinds=model.schema_)
