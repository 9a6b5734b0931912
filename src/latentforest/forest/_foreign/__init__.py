"""Fitted models of other libraries: their trees as ours, and their own leaf call."""

from latentforest.forest._foreign._contract import ForeignForest as ForeignForest
from latentforest.forest._foreign._open import LIBRARIES as LIBRARIES
from latentforest.forest._foreign._open import is_known as is_known
from latentforest.forest._foreign._open import open_foreign as open_foreign
from latentforest.forest._foreign._ranger import from_ranger as from_ranger
from latentforest.forest._foreign._read import check_kinds as check_kinds
from latentforest.forest._foreign._read import kinds_for as kinds_for
from latentforest.forest._foreign._read import read_model as read_model
from latentforest.forest._foreign._read import read_trees as read_trees
from latentforest.forest._foreign._sklearn import from_sklearn as from_sklearn
