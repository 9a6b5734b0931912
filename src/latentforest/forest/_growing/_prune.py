"""Take leaves with too few real rows out of a grown tree."""

from latentforest.forest._growing._bins import BinnedTable
from latentforest.forest._growing._grow import route_tree
from latentforest.forest._growing._prune_loops import survivors
from latentforest.trees import Tree

KEPT_FIELDS = ("feature", "threshold", "cut", "missing_left", "category", "sums")


def prune_tree(tree: Tree, table: BinnedTable, min_rows: int) -> Tree:
    """Let every leaf with fewer than ``min_rows`` rows of the table give way.

    Its sibling takes the place of their parent, so that the rows of the leaf go down
    the sibling's branch instead. ``tree.leaf_of`` must hold the leaves of all rows.
    """
    kept, moved, left, right = survivors(
        tree.left, tree.right, tree.leaf_of, float(min_rows)
    )
    leaf_of = moved[tree.leaf_of]
    pruned = tree._replace(
        left=left,
        right=right,
        leaf_of=leaf_of,
        **{name: getattr(tree, name)[kept] for name in KEPT_FIELDS},
    )
    route_tree(table, pruned)
    return pruned
