"""Trees as flat arrays, and how rows go down them.

Users find `ForestArrays` in ``latentforest.forest``.
"""

from latentforest.trees._arrays import ROW_BLOCK as ROW_BLOCK
from latentforest.trees._arrays import ForestArrays as ForestArrays
from latentforest.trees._arrays import join_trees as join_trees
from latentforest.trees._cut import cut_trees as cut_trees
from latentforest.trees._depth import cut_at_depth as cut_at_depth
from latentforest.trees._depth import longest_ways as longest_ways
from latentforest.trees._depth import node_depths as node_depths
from latentforest.trees._packed import pack_trees as pack_trees
from latentforest.trees._packed import unpack_trees as unpack_trees
from latentforest.trees._packed import words_needed as words_needed
from latentforest.trees._route_loops import lay_out_rows as lay_out_rows
from latentforest.trees._route_loops import walk_tree as walk_tree
from latentforest.trees._router import routed_together as routed_together
from latentforest.trees._stored import put_trees as put_trees
from latentforest.trees._stored import take_routes as take_routes
from latentforest.trees._stored import take_trees as take_trees
from latentforest.trees._tree import Tree as Tree
from latentforest.trees._walk_loops import goes_left as goes_left
from latentforest.trees._walk_loops import has_level as has_level
from latentforest.trees._walk_loops import route_rest as route_rest
