"""How many bytes trees and leaf tables take in a model file, before compression."""

import numpy as np

from latentforest._base._types import Floats
from latentforest.trees import ForestArrays, words_needed

BIT = 1 / 8  # a node has children, or has none; a gap goes left, or does not
TREE_BYTES = 8  # where its nodes begin
NUMBER_BYTES, COUNT_BYTES, WORD_BYTES = 8, 4, 4


def split_bytes(forest: ForestArrays) -> Floats:
    """Bytes of the split of each node, (n_nodes,); 0 at a leaf."""
    inner = forest.left >= 0
    sets = inner & (forest.category >= 0)
    feature = 1 if forest.n_columns <= 2**8 else 2 if forest.n_columns <= 2**16 else 4
    taken = np.where(inner, feature + NUMBER_BYTES + BIT, 0.0)
    words = words_needed(forest.feature[sets], forest.split_levels)
    taken[sets] += WORD_BYTES * words - NUMBER_BYTES
    return taken


def leaf_bytes(n_components: int) -> int:
    """Bytes of one leaf in the leaf table: its vector, and how many rows it has."""
    return NUMBER_BYTES * n_components + COUNT_BYTES


def size_of(forest: ForestArrays, n_components: int) -> int:
    """Bytes of a forest and its leaf table."""
    trees = TREE_BYTES * (forest.n_trees + 1) + BIT * len(forest.left)
    leaves = leaf_bytes(n_components) * forest.n_leaves
    return int(np.ceil(trees + leaves + split_bytes(forest).sum()))
