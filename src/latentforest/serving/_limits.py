"""What a graph cannot hold is refused before it is built."""

import numpy as np

from latentforest.encoder import LeafTable
from latentforest.serving._questions import Questions
from latentforest.trees import ForestArrays

GROUP = 16  # trees whose leaves are looked up together
LARGEST = 2**31 - 1  # bytes of a protobuf message
LARGEST_NUMBER = 2**24  # of a leaf in its group: what single precision holds
LONGEST = 1_000  # questions on a path
NODE_BYTES = 46  # at most, of a question or a leaf

_INSTEAD = "or serve the model with save() and load()."


def check_limits(forest: ForestArrays, questions: Questions, table: LeafTable) -> None:
    """Refuse graphs that are too large, or trees that are too deep."""
    n_leaves = np.add.reduceat(forest.left < 0, forest.start[:-1])
    if (
        graph_bytes(questions, table) > LARGEST
        or n_leaves.max() * GROUP > LARGEST_NUMBER
    ):
        message = (
            f"The graph would take about {graph_bytes(questions, table) / 1e9:.1f} GB "
            f"({questions.n_nodes:,} questions and leaves), more than the 2 GB that "
            f"ONNX allows. Fit fewer trees, larger leaves or fewer levels, {_INSTEAD}"
        )
        raise ValueError(message)
    longest = longest_path(forest, questions)
    if longest > LONGEST:
        # onnxruntime loads trees by recursion and would crash without a message.
        message = (
            f"A tree of this model asks up to {longest:,} questions on the way to a "
            f"leaf; runtimes load trees of at most {LONGEST:,} safely. Fit larger "
            f"leaves or columns with fewer levels, {_INSTEAD}"
        )
        raise ValueError(message)


def graph_bytes(questions: Questions, table: LeafTable) -> int:
    """Size of the graph, or a little more."""
    return NODE_BYTES * questions.n_nodes + table.values.nbytes + table.degree.nbytes


def longest_path(forest: ForestArrays, questions: Questions) -> int:
    """Most questions that any row may be asked in one tree."""
    root = np.repeat(forest.start[:-1], np.diff(forest.start))
    nodes, depth = forest.start[:-1], np.zeros(forest.n_trees, np.int64)
    longest = 0
    while len(nodes):
        depth = depth + questions.n_asked[nodes]
        longest = max(longest, int(depth.max()))
        inner = forest.left[nodes] >= 0
        nodes, depth = nodes[inner], depth[inner]
        below = forest.left[nodes], forest.right[nodes]
        nodes = np.concatenate([root[nodes] + child for child in below])
        depth = np.concatenate([depth, depth])
    return longest
