"""Regions: where leaves lie, where they meet, and rows drawn there.

Users find `Regions` and what makes them in ``latentforest.forest``.
"""

from latentforest.regions._boxes import LeafBoxes as LeafBoxes
from latentforest.regions._boxes import boxes_demand as boxes_demand
from latentforest.regions._boxes import leaf_boxes as leaf_boxes
from latentforest.regions._climb import compatible_regions as compatible_regions
from latentforest.regions._climb import meet_leaves as meet_leaves
from latentforest.regions._climb import regions_of_leaves as regions_of_leaves
from latentforest.regions._facts import ColumnFacts as ColumnFacts
from latentforest.regions._facts import column_facts as column_facts
from latentforest.regions._meet_loops import first_meeting as first_meeting
from latentforest.regions._meet_loops import narrow_to_leaf as narrow_to_leaf
from latentforest.regions._regions import Regions as Regions
from latentforest.regions._regions import level_sets as level_sets
from latentforest.regions._regions import observed_region as observed_region
from latentforest.regions._rows import NodeDraws as NodeDraws
from latentforest.regions._rows import rows_in_regions as rows_in_regions
from latentforest.regions._rows import rows_of_regions as rows_of_regions
