"""The best consistent leaves for a kernel row, in the sense of Eq. 5."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from latentforest._base._types import Floats, LeafIds
from latentforest.decode._leaves._branch_loops import branch, expand
from latentforest.regions import LeafBoxes, Regions

STEPS = 1_000  # branches between two looks at the clock
SLACK = 1e-9  # objectives that agree to this share of Σ |B k̂₀| are equal


@dataclass(frozen=True, slots=True)
class KernelRowGroups:
    """Rows of the kernel that share all leaves, merged, with their number as weight."""

    group_of: NDArray[np.int64]  # (n_kernel_rows,)
    size: Floats  # (n_groups,) m, rows in each group
    matrix: sp.csc_array  # Π S, (n_groups, n_leaves)
    n_trees: int

    def targets(self, kernel_row: Floats) -> Floats:
        """B k̂₀ of each group: the mean of its rows, which differ by rounding only."""
        sums = np.bincount(self.group_of, kernel_row, minlength=len(self.size))
        return self.n_trees * sums / self.size

    def objective(self, targets: Floats, leaves: NDArray[np.integer]) -> float:
        """‖B k̂₀ᵀ − Π S ψᵀ‖₁ for one leaf in each tree."""
        explained = self.matrix[:, leaves].sum(axis=1)
        return float((self.size * np.abs(targets - explained)).sum())


def group_kernel_rows(
    leaf_ids: LeafIds, n_trees: int, leaf_scale: Floats
) -> KernelRowGroups:
    """Merge rows that share all leaves of the whole forest, hence all of K̂₀.

    ``leaf_ids`` holds all trees of the kernel; the first ``n_trees`` are in use.
    """
    _, first, group_of = np.unique(
        leaf_ids, axis=0, return_index=True, return_inverse=True
    )
    used = leaf_ids[first, :n_trees].ravel()
    row = np.repeat(np.arange(len(first)), n_trees)
    matrix = sp.coo_array(
        (leaf_scale[used], (row, used)), shape=(len(first), leaf_scale.size)
    )
    group_of = group_of.ravel()
    size = np.bincount(group_of).astype(np.float64)
    return KernelRowGroups(group_of, size, matrix.tocsc(), n_trees)


@dataclass(frozen=True, slots=True)
class BestLeaves:
    """The best leaves found for a row, and what is known about all others."""

    leaves: NDArray[np.int64]  # (n_trees,)
    objective: float
    bound: float  # no assignment has a smaller objective
    proven: bool


def best_leaves(
    groups: KernelRowGroups,
    boxes: LeafBoxes,
    start: Regions,
    targets: Floats,
    known: NDArray[np.integer],
    *,
    time_limit: float,
) -> BestLeaves:
    """Search for the leaves that meet with the smallest ‖B k̂₀ᵀ − Π S ψᵀ‖₁.

    Parameters
    ----------
    groups : KernelRowGroups
        The rows of the kernel.
    boxes : LeafBoxes
        The boxes of all leaves.
    start : Regions
        One region in which the leaves shall meet.
    targets : array of float, shape (n_groups,)
        B k̂₀, see `KernelRowGroups.targets`.
    known : array of int, shape (n_trees,)
        Leaves that meet; the result is never worse.
    time_limit : float
        Seconds of search after which the best found so far is returned.

    Returns
    -------
    BestLeaves
    """
    n_trees, n_leaves = boxes.n_trees, boxes.n_leaves
    per_tree = np.diff(boxes.tree_start)
    kernel = (
        targets,
        groups.size,
        _leaf_scale(groups.matrix),
        groups.matrix.indptr.astype(np.int64),
        groups.matrix.indices.astype(np.int64),
    )
    problem = (kernel, boxes.tree_start, boxes.arrays())
    # One row for each depth of the search, see `branch`.
    depths = n_trees + 1
    region = (
        np.repeat(start.lower, depths, axis=0),
        np.repeat(start.upper, depths, axis=0),
        np.repeat(start.levels, depths, axis=0),
    )
    explained, height = np.zeros((depths, len(targets))), np.zeros(depths)
    height[0] = (groups.size * np.abs(targets)).sum()
    open_leaves = np.tile(np.arange(n_leaves), (depths, 1))
    possible = (open_leaves, np.tile(per_tree, (depths, 1)))
    tree_at, n_children, next_child = np.zeros((3, depths), np.int64)
    child = np.zeros((depths, per_tree.max()), np.int64)
    child_bound = np.zeros(child.shape)
    children = (tree_at, child, child_bound, n_children, next_child)
    stack = (region, (explained, height), possible, children)

    leaves = np.array(known, np.int64)
    found = (np.zeros(n_trees, np.int64), leaves)
    best = groups.objective(targets, leaves)
    slack = SLACK * max(1.0, height[0])
    nothing = np.zeros(n_trees, np.bool_)
    expand(0, nothing, *problem, stack, np.empty(n_leaves), best - slack)
    # No branch is taken: whoever comes first waits here until all is compiled.
    branch(0, *problem, stack, found, 0, slack, best)
    begin = perf_counter()
    depth = 0
    while depth >= 0 and perf_counter() - begin < time_limit:
        depth, best = branch(STEPS, *problem, stack, found, depth, slack, best)
    waiting = [
        child_bound[d, next_child[d]]
        for d in range(depth + 1)
        if next_child[d] < n_children[d]
    ]
    leaves = np.sort(leaves)  # leaves are numbered tree by tree
    objective = groups.objective(targets, leaves)
    bound = min([objective, *waiting])
    return BestLeaves(leaves, objective, bound, proven=bound >= objective - slack)


def _leaf_scale(matrix: sp.csc_array) -> Floats:
    """1/|l| of each leaf, the one value in its column; 0 for a leaf without rows."""
    filled = np.diff(matrix.indptr) > 0
    scale = np.zeros(matrix.shape[1])
    scale[filled] = matrix.data[matrix.indptr[:-1][filled]]
    return scale
