"""Neighbours: their search, the plane through them, their blend and their spread."""

from latentforest.neighbours._approximate import EXTRA as EXTRA
from latentforest.neighbours._approximate import MOST as MOST
from latentforest.neighbours._approximate import ApproximateSearch as ApproximateSearch
from latentforest.neighbours._approximate import (
    approximate_demand as approximate_demand,
)
from latentforest.neighbours._blend import LevelPriority as LevelPriority
from latentforest.neighbours._blend import Weights as Weights
from latentforest.neighbours._blend import blend_rows as blend_rows
from latentforest.neighbours._blend import draw_priority as draw_priority
from latentforest.neighbours._plane import plane_demand as plane_demand
from latentforest.neighbours._plane import plane_weights as plane_weights
from latentforest.neighbours._plane_loops import plane_as_slopes as plane_as_slopes
from latentforest.neighbours._plane_loops import regularise as regularise
from latentforest.neighbours._reach import Reach as Reach
from latentforest.neighbours._search import LARGEST as LARGEST
from latentforest.neighbours._search import TREE_UP_TO as TREE_UP_TO
from latentforest.neighbours._search import Neighbours as Neighbours
from latentforest.neighbours._search import NeighbourSearch as NeighbourSearch
from latentforest.neighbours._search import check_coords_size as check_coords_size
from latentforest.neighbours._search import (
    inverse_distance_weights as inverse_distance_weights,
)
from latentforest.neighbours._search import near_order as near_order
from latentforest.neighbours._search import search_demand as search_demand
from latentforest.neighbours._spread import CellSpread as CellSpread
from latentforest.neighbours._spread import spread_of_rows as spread_of_rows
