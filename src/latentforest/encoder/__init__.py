"""Rows to coordinates: forest, kernel and map put together."""

from latentforest.encoder._encoder import Encoder
from latentforest.encoder._encoder import Regrow as Regrow
from latentforest.encoder._fill import fill_from_rows as fill_from_rows
from latentforest.encoder._fit import draw_landmarks as draw_landmarks
from latentforest.encoder._fit import fit_encoder
from latentforest.encoder._forest_kernel import ForestKernel
from latentforest.encoder._saved import put_encoder as put_encoder
from latentforest.encoder._saved import take_encoder as take_encoder
from latentforest.encoder._training import Training
from latentforest.encoder._tree_weights import TreeWeights as TreeWeights
from latentforest.encoder._tree_weights import check_tree_weights as check_tree_weights
from latentforest.placing import LeafTable, leave_one_out, make_leaf_table

__all__ = [
    "Encoder",
    "ForestKernel",
    "LeafTable",
    "Training",
    "fit_encoder",
    "leave_one_out",
    "make_leaf_table",
]
