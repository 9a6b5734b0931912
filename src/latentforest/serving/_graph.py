"""The graph: cells to codes, codes to leaves, leaves to coordinates.

A tree ensemble gives each tree's leaf as a number, and the leaf table is looked up by
it. So coordinates are sums of the model's own doubles: the ensemble itself would return
sums in single precision or, in its newer form, only one number per leaf.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latentforest._base._types import Floats
from latentforest.encoder import LeafTable
from latentforest.serving._builder import ML, GraphBuilder
from latentforest.serving._ports import OUTPUT, Port
from latentforest.serving._trees import TreeNodes

_MODES = np.array([b"BRANCH_LEQ", b"LEAF"], dtype=object)
_INT32 = 6  # as TensorProto counts types


def build_graph(
    ports: Sequence[Port],
    codes: Sequence[Floats],
    groups: Sequence[TreeNodes],
    table: LeafTable,
) -> Any:
    """Build the model.

    ``codes`` are what the trees call the levels; the trees of one of ``groups`` are
    looked up together, which bounds the memory per row and stays in the cache.
    """
    graph = GraphBuilder()
    columns = [
        port.name if port.spec.is_number else add_codes(graph, j, port, codes[j])
        for j, port in enumerate(ports)
    ]
    cells = graph.add("Concat", columns, "codes", axis=1)
    rows = np.column_stack([table.values, table.degree])
    axis = graph.constant("axis_of_trees", np.array([1]))
    parts = [
        _add_trees(graph, cells, trees, rows[trees.leaf[trees.is_leaf]], axis, number)
        for number, trees in enumerate(groups)
    ]
    n_components = table.values.shape[1]
    _add_quotient(graph, graph.add("Sum", parts, "sums"), n_components)
    return graph.model(ports, n_components)


def add_codes(graph: GraphBuilder, j: int, port: Port, codes: Floats) -> str:
    """Look up the code of each level; whatever is not a level becomes NaN."""
    # The missing cell is a key too: a column may have no level at all.
    return graph.add(
        "LabelEncoder",
        [port.name],
        f"code_{j}",
        domain=ML,
        keys_tensor=graph.tensor(port.known_cells()),
        values_tensor=graph.tensor(np.append(codes, np.nan)),
        default_tensor=graph.tensor(np.array([np.nan])),
    )


def _add_trees(
    graph: GraphBuilder,
    cells: str,
    trees: TreeNodes,
    rows: Floats,
    axis: str,
    number: int,
) -> str:
    """Route to leaves, and sum the ``rows`` of the leaf table that belong to them."""
    is_leaf = trees.is_leaf
    leaf = graph.add(
        "TreeEnsembleRegressor",
        [cells],
        f"leaf_{number}",
        domain=ML,
        aggregate_function="SUM",
        n_targets=trees.n_trees,
        arrays={
            "nodes_treeids": trees.tree,
            "nodes_nodeids": trees.node,
            "nodes_modes": _MODES[is_leaf.astype(np.int64)],
            "nodes_featureids": trees.feature,
            "nodes_values_as_tensor": trees.threshold,
            "nodes_truenodeids": trees.true,
            "nodes_falsenodeids": trees.false,
            "nodes_missing_value_tracks_true": trees.missing_true,
            "target_treeids": trees.tree[is_leaf],
            "target_nodeids": trees.node[is_leaf],
            "target_ids": trees.tree[is_leaf],
            "target_weights_as_tensor": np.arange(len(rows), dtype=np.float64),
        },
    )
    row = graph.add("Cast", [leaf], f"row_{number}", to=_INT32)
    table = graph.constant(f"table_{number}", rows)
    found = graph.add("Gather", [table, row], f"found_{number}", axis=0)
    return graph.add("ReduceSum", [found, axis], f"sum_{number}", keepdims=0)


def _add_quotient(graph: GraphBuilder, sums: str, n_components: int) -> None:
    """Divide by the degree; a row whose leaves are all empty goes to the origin."""
    coordinates = graph.constant("coordinates", np.arange(n_components))
    last = graph.constant("last", np.array([n_components]))
    zero, one = graph.constant("zero", np.zeros(1)), graph.constant("one", np.ones(1))
    values = graph.add("Gather", [sums, coordinates], "values", axis=1)
    degree = graph.add("Gather", [sums, last], "degree", axis=1)
    known = graph.add("Greater", [degree, zero], "known")
    divisor = graph.add("Where", [known, degree, one], "divisor")
    quotient = graph.add("Div", [values, divisor], "quotient")
    graph.add("Where", [known, quotient, zero], OUTPUT)
