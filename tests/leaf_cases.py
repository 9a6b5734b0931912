"""A small forest with everything that the search for leaves needs."""

import numpy as np
import scipy.sparse as sp

from forest_oracles import grow
from latentforest.decode._leaves._greedy import consistent_leaves, draw_leaf_order
from latentforest.regions import (
    column_facts,
    first_meeting,
    leaf_boxes,
    narrow_to_leaf,
    observed_region,
    rows_of_regions,
)


class Case:
    """A table, a forest on it, and everything that the search needs."""

    def __init__(self, table, *, sort="completely random", n_trees=8, seed=0):
        self.values = table.values
        grown = grow(sort, table, seed=seed, n_estimators=n_trees)
        self.forest, self.leaf_ids = grown.forest, grown.leaf_ids
        whole = [spec.kind.value != "continuous" for spec in table.schema.columns]
        self.facts = column_facts(
            table.values, table.schema.split_levels, np.array(whole)
        )
        self.boxes = leaf_boxes(self.forest, self.facts.whole)
        self.start = observed_region(self.facts, self.forest.split_levels)
        size = np.bincount(self.leaf_ids.ravel(), minlength=self.boxes.n_leaves)
        self.order = draw_leaf_order(self.boxes, size, np.random.default_rng(seed))

    def indicators(self, leaf_ids):
        shape = (len(leaf_ids), self.boxes.n_leaves)
        row = np.repeat(np.arange(len(leaf_ids)), leaf_ids.shape[1])
        return sp.csr_array((np.ones(row.size), (row, leaf_ids.ravel())), shape)

    def random_beliefs(self, n_rows, seed, share=0.4):
        rng = np.random.default_rng(seed)
        size = (n_rows, self.boxes.n_leaves)
        # Few distinct values, so that there are ties, and zeros that are stored.
        return sp.csr_array((rng.random(size) < share) * rng.integers(4, size=size))

    def search(self, beliefs, **options):
        return consistent_leaves(self.boxes, self.start, beliefs, self.order, **options)

    def rows_in(self, regions, how="middle", seed=0):
        u = np.random.default_rng(seed).random(regions.lower.shape)
        return rows_of_regions(regions, self.facts, how=how, u=u)

    def meet(self, leaves):
        """Whether some leaves meet all together, within what was observed."""
        region = [part[0].copy() for part in self.parts(self.start)]
        for leaf in np.asarray(leaves, np.int64):
            alone = np.array([leaf])
            if first_meeting(alone, 0, 1, self.boxes.arrays(), tuple(region)):
                return False
            narrow_to_leaf(leaf, self.boxes.arrays(), tuple(region))
        return True

    @staticmethod
    def parts(regions):
        return regions.lower, regions.upper, regions.levels
