"""The exclusive lasso that relaxes leaf assignment to fuzzy leaves. Compiled.

For a row with neighbours j = 1 … a among the rows that define the kernel:

    min over ψ in [0, 1] of Σ_j (B k̂_j − Σ_{l ∋ j} s_l ψ_l)² + λ Σ_b (Σ_{l in b} ψ_l)²

where l runs over the leaves that hold a neighbour, s_l = 1/|l| counts all rows of
the kernel, and b over trees. With ψ >= 0 the penalty is a square like the others, so
this is a least-squares problem with bounds; cyclic coordinate descent solves it.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.decode._leaves._kernel_rows_loops import largest_entries

PATH = (1e3, 1e2, 1e1, 1e0)  # multiples of the penalty, each solved from the last
TOLERANCE = 1e-3  # of the largest slope at ψ = 0
MAX_SWEEPS = 2_000


@compiled
def leaf_columns(ids, slot_of_leaf, first, leaves, entry_start, entries):
    """List the leaves that some rows reach, tree by tree, and the rows in each.

    ``ids`` has shape (n_rows, n_trees). Leaf k of the list is ``leaves[k]``, holds rows
    ``entries[entry_start[k]:entry_start[k + 1]]``, and belongs to tree b if
    ``first[b] <= k < first[b + 1]``. ``slot_of_leaf`` is -1 before and after.
    """
    n_rows, n_trees = ids.shape
    n_leaves = 0
    for tree in range(n_trees):
        first[tree] = n_leaves
        for j in range(n_rows):
            leaf = ids[j, tree]
            if slot_of_leaf[leaf] < 0:
                slot_of_leaf[leaf] = n_leaves
                leaves[n_leaves] = leaf
                entry_start[n_leaves + 1] = 0
                n_leaves += 1
            entry_start[slot_of_leaf[leaf] + 1] += 1
        entry_start[first[tree]] = tree * n_rows
        for k in range(first[tree], n_leaves):
            entry_start[k + 1] += entry_start[k]
        # Filled from the back: entry_start[k + 1] then counts down to the start of k.
        for j in range(n_rows - 1, -1, -1):
            k = slot_of_leaf[ids[j, tree]]
            entry_start[k + 1] -= 1
            entries[entry_start[k + 1]] = j
        for k in range(first[tree], n_leaves):
            entry_start[k] = entry_start[k + 1]
            slot_of_leaf[leaves[k]] = -1
        entry_start[n_leaves] = (tree + 1) * n_rows
    first[n_trees] = n_leaves
    return n_leaves


@compiled
def solve_exclusive_lasso(
    target, scale, first, entry_start, entries, penalty, tolerance, max_sweeps, psi
):
    """Solve for ψ, in place, from where it stands; return whether it has converged.

    Converged means that no slope violates the conditions of the optimum by more than
    ``tolerance`` times the largest slope at ψ = 0. Between sweeps over all leaves,
    only those with ψ > 0 are swept.
    """
    n_trees = len(first) - 1
    residual, total = target.copy(), np.zeros(n_trees)
    steepest = 0.0
    for tree in range(n_trees):
        for k in range(first[tree], first[tree + 1]):
            slope = 0.0
            for e in range(entry_start[k], entry_start[k + 1]):
                slope += target[entries[e]]
                residual[entries[e]] -= scale[k] * psi[k]
            steepest = max(steepest, scale[k] * slope)
            total[tree] += psi[k]
    allowed = tolerance * steepest
    everywhere = True
    for _ in range(max_sweeps):
        worst = 0.0
        for tree in range(n_trees):
            for k in range(first[tree], first[tree + 1]):
                old = psi[k]
                if not everywhere and old == 0:
                    continue
                begin, end = entry_start[k], entry_start[k + 1]
                slope = 0.0
                for e in range(begin, end):
                    slope += residual[entries[e]]
                slope = scale[k] * slope - penalty * total[tree]
                curvature = scale[k] * scale[k] * (end - begin) + penalty
                new = min(max(old + slope / curvature, 0.0), 1.0)
                if new == old:
                    continue
                psi[k] = new
                total[tree] += new - old
                for e in range(begin, end):
                    residual[entries[e]] -= scale[k] * (new - old)
                worst = max(worst, abs(slope))
        if worst <= allowed:
            if everywhere:
                return True
            everywhere = True
        else:
            everywhere = False
    return False


@compiled
def fuzzy_leaves(
    kernel_rows,
    leaf_ids,
    leaf_scale,
    sparsity,
    path,
    tolerance,
    max_sweeps,
    row_start,
    leaves,
    values,
):
    """Solve for every given kernel row; return how many rows have converged.

    ``leaf_ids`` has shape (n_kernel_rows, n_trees). Row q believes in the leaves
    ``leaves[row_start[q]:row_start[q + 1]]``, tree by tree, with ``values`` above 0.
    """
    n_trees = leaf_ids.shape[1]
    slot_of_leaf = np.full(len(leaf_scale), -1)
    neighbours = np.empty(sparsity, np.int64)
    first = np.empty(n_trees + 1, np.int64)
    column_leaves = np.empty(sparsity * n_trees, np.int64)
    entry_start = np.empty(sparsity * n_trees + 1, np.int64)
    entries = np.empty(sparsity * n_trees, np.int64)
    n_converged, n_kept = 0, 0
    row_start[0] = 0
    for q in range(len(kernel_rows)):
        n_neighbours = largest_entries(kernel_rows[q], neighbours)
        chosen = neighbours[:n_neighbours]
        n_columns = leaf_columns(
            leaf_ids[chosen], slot_of_leaf, first, column_leaves, entry_start, entries
        )
        target = n_trees * kernel_rows[q][chosen]
        scale = leaf_scale[column_leaves[:n_columns]]
        psi = np.zeros(n_columns)
        converged = True
        for penalty in path:
            converged = solve_exclusive_lasso(
                target,
                scale,
                first,
                entry_start,
                entries,
                penalty,
                tolerance,
                max_sweeps,
                psi,
            )
        n_converged += converged
        for k in range(n_columns):
            if psi[k] > 0:
                leaves[n_kept], values[n_kept] = column_leaves[k], psi[k]
                n_kept += 1
        row_start[q + 1] = n_kept
    return n_converged
