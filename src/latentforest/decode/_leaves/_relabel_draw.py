"""Synthetic rows, drawn uniformly in the regions of nodes."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np
from numpy.typing import NDArray

from latentforest._base._compiled import compiled
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Codes
from latentforest.forest import ColumnFacts, ForestArrays
from latentforest.forest._boxes import level_sets
from latentforest.forest._draw import below, uniform
from latentforest.forest._route import has_level

NODE_BLOCK = 64


class NodeDraws:
    """Draw rows that reach given nodes of a forest.

    Numbers are uniform in the part of the node's interval that was observed, whole
    numbers whole, levels uniform among the observed ones. Where a region holds no
    observed value of a column, the cell is missing: only missing cells reach the node.

    Parameters
    ----------
    forest : ForestArrays
        The forest.
    facts : ColumnFacts
        What was observed in each column.
    """

    def __init__(self, forest: ForestArrays, facts: ColumnFacts) -> None:
        self.forest, self.facts = forest, facts
        self.parent = forest.parents()
        self.observed, self.word_start = level_sets(
            forest.split_levels, [counts > 0 for counts in facts.level_counts]
        )

    def rows(
        self,
        nodes: NDArray[np.int64],
        start: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        *,
        n_jobs: int | None = None,
    ) -> Codes:
        """Rows ``start[j]`` to ``start[j + 1]`` are drawn in the region of node j.

        Every node has a seed of its own, so that threads and blocks change nothing.
        """
        forest, facts = self.forest, self.facts
        drawn = np.empty((start[-1], forest.n_columns))
        root = forest.start[np.searchsorted(forest.start, nodes, side="right") - 1]

        def work(block: tuple[int, int]) -> None:
            _draw_rows(
                nodes,
                root,
                *block,
                seeds,
                start,
                self.parent,
                forest.left,
                forest.feature,
                forest.threshold,
                forest.category,
                forest.words,
                facts.lower,
                facts.upper,
                facts.whole,
                self.observed,
                self.word_start,
                forest.split_levels,
                drawn,
            )

        run_blocks(work, list(blocks_of(len(nodes), NODE_BLOCK)), n_jobs=n_jobs)
        return drawn


@compiled
def _draw_rows(
    nodes,
    root,
    begin,
    end,
    seeds,
    start,
    parent,
    left,
    feature,
    threshold,
    category,
    words,
    least,
    most,
    whole,
    observed,
    word_start,
    split_levels,
    drawn,
):
    """Climb from each node to its root to find its region, then draw in it."""
    n_columns = len(split_levels)
    lower, upper = np.empty(n_columns), np.empty(n_columns)
    levels = np.empty(len(observed), np.uint32)
    for j in range(begin, end):
        lower[:] = -np.inf
        upper[:] = np.inf
        levels[:] = observed
        node = nodes[j]
        while node != root[j]:
            above = root[j] + parent[node]
            from_left = root[j] + left[above] == node
            column, cut = feature[above], threshold[above]
            if np.isnan(cut):
                for w in range(word_start[column], word_start[column + 1]):
                    allowed = words[category[above] + w - word_start[column]]
                    levels[w] &= allowed if from_left else ~allowed
            elif from_left:
                upper[column] = min(upper[column], cut)
            else:
                lower[column] = max(lower[column], cut)
            node = above
        state = seeds[j : j + 1].copy()
        for column in range(n_columns):
            if np.isnan(least[column]):
                drawn[start[j] : start[j + 1], column] = np.nan
                continue
            if split_levels[column]:
                first, n_allowed = word_start[column], 0
                for level in range(split_levels[column]):
                    n_allowed += has_level(levels, first, level)
                for i in range(start[j], start[j + 1]):
                    drawn[i, column] = np.nan
                    pick = below(state, n_allowed)
                    for level in range(split_levels[column]):
                        if has_level(levels, first, level):
                            if pick == 0:
                                drawn[i, column] = level
                            pick -= 1
                continue
            low = max(np.nextafter(lower[column], np.inf), least[column])
            high = min(upper[column], most[column])
            if whole[column]:
                low = max(np.floor(lower[column]) + 1.0, least[column])
                high = np.floor(high)
            if low > high:
                drawn[start[j] : start[j + 1], column] = np.nan
                continue
            for i in range(start[j], start[j + 1]):
                if whole[column]:
                    cell = low + np.floor(uniform(state) * (high - low + 1.0))
                else:
                    cell = low + uniform(state) * (high - low)
                drawn[i, column] = min(cell, high)
