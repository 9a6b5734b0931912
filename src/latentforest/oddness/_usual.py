"""Which training rows are usual: those that random cuts do not set apart early."""

import numpy as np

from latentforest._base._types import Bools, Floats
from latentforest.forest import CompletelyRandomForest, GrownForest
from latentforest.table import EncodedTable
from latentforest.trees import node_depths

N_SAMPLES, TREES_PER_SAMPLE, SAMPLE_ROWS = 16, 8, 256
DEPTH = 8  # log2 of the rows of a sample
EULER = 0.5772156649015329


def usual_rows(
    table: EncodedTable,
    share: float,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> Bools:
    """Tell which rows are hardest to set apart.

    Whoever learns what is usual from a table that holds odd rows learns from them, too;
    left out, they cannot vouch for each other.
    """
    n_kept = max(min(table.n_rows, 10), round(share * table.n_rows))
    depth = isolation_depth(table, rng, n_jobs=n_jobs)
    usual = np.zeros(table.n_rows, np.bool_)
    usual[np.argsort(-depth, kind="stable")[:n_kept]] = True
    return usual


def isolation_depth(
    table: EncodedTable, rng: np.random.Generator, *, n_jobs: int | None = None
) -> Floats:
    """Count the splits that it takes, on average, to be alone.

    As isolation forests do (Liu, Ting and Zhou, 2008): h(x) is the mean over trees of
    depth(leaf) + c(|leaf|), where c(m) = 2 H(m − 1) − 2 (m − 1) / m splits would be
    left in a leaf of m rows, and each completely random tree is grown on 256 rows.
    """
    total = np.zeros(table.n_rows)
    for _ in range(N_SAMPLES):
        n_drawn = min(SAMPLE_ROWS, table.n_rows)
        sample = rng.choice(table.n_rows, n_drawn, replace=False)
        grower = CompletelyRandomForest(
            TREES_PER_SAMPLE, min_samples_leaf=1, max_depth=DEPTH, n_jobs=n_jobs
        )
        grown = grower.grow(table.take(sample), None, rng)
        depths = _leaf_depths(grown)
        ids = grown.forest.leaves(table.values, n_jobs=n_jobs)
        for tree in range(ids.shape[1]):
            total += depths[ids[:, tree]]
    return total / (N_SAMPLES * TREES_PER_SAMPLE)


def _leaf_depths(grown: GrownForest) -> Floats:
    forest = grown.forest
    size = np.bincount(grown.leaf_ids.ravel(order="K"), minlength=forest.n_leaves)
    more = np.maximum(size, 2) - 1.0
    left = 2 * (np.log(more) + EULER) - 2 * more / (more + 1)
    left[size == 2] = 1.0
    is_leaf = forest.leaf >= 0
    depths = np.empty(forest.n_leaves)
    depths[forest.leaf[is_leaf]] = node_depths(forest)[is_leaf]
    return depths + np.where(size > 1, left, 0.0)
