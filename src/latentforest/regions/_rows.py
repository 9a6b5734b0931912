"""Rows made in regions: of rows, of leaves, of nodes."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._random import draw_seeds
from latentforest._base._random_loops import fill_uniform
from latentforest._base._types import Codes, Floats, LeafIds
from latentforest.regions._climb import Climber
from latentforest.regions._draw_loops import make_rows
from latentforest.regions._facts import ColumnFacts
from latentforest.regions._regions import Regions, observed_region
from latentforest.trees import ROW_BLOCK, ForestArrays

NODE_BLOCK = 64


def rows_in_regions(
    forest: ForestArrays,
    values: Codes,
    leaf_ids: LeafIds,
    facts: ColumnFacts,
    *,
    how: Literal["draw", "middle"],
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Codes:
    """Make one row x̃ in the region of each given row, whose leaves are given too.

    ``how="draw"`` draws uniformly in the region, ``"middle"`` takes the middle of
    each interval and the most frequent level of each set. Numbers stay in their
    observed range, whole numbers whole, levels among the observed ones; a column that
    no tree bounds gets its mean or mode; missing cells stay missing. The result
    falls into the same leaves as the given rows.
    """
    values, climber = forest.check_values(values), Climber(forest)
    blocks = list(enumerate(blocks_of(len(values), ROW_BLOCK)))
    seeds = draw_seeds(rng, len(blocks))
    made = np.empty_like(values)

    def work(block: tuple[int, tuple[int, int]]) -> None:
        number, (begin, end) = block
        missing = np.isnan(values[begin:end])
        u = np.random.default_rng(seeds[number]).random(missing.shape[::-1]).T
        regions, _ = climber.meet(climber.node_of_leaf[leaf_ids[begin:end]])
        rows = rows_of_regions(regions.opened(missing), facts, how=how, u=u)
        made[begin:end] = np.where(missing, np.nan, rows)

    run_blocks(work, blocks, n_jobs=n_jobs)
    return made


def rows_of_regions(
    regions: Regions, facts: ColumnFacts, *, how: Literal["draw", "middle"], u: Floats
) -> Codes:
    """Make one row in each region, as `rows_in_regions` does.

    ``u`` holds one uniform number for each cell; ``how="middle"`` needs none.
    """
    middle, made = how == "middle", np.empty_like(regions.lower)
    make_rows(
        (regions.lower, regions.upper, regions.levels),
        regions.word_start,
        regions.split_levels,
        (facts.lower, facts.upper, facts.whole, facts.centre, facts.level_counts),
        middle,
        np.full(made.shape, 0.5) if middle else np.ascontiguousarray(u),
        made,
    )
    return made


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
        self.climber = Climber(forest)
        self.observed = observed_region(facts, forest.split_levels)
        # Without centres all columns are drawn, bounded or not.
        self.facts = replace(facts, centre=np.full_like(facts.centre, np.nan))

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
        facts = self.facts
        drawn = np.empty((start[-1], len(facts.lower)))

        def work(block: tuple[int, int]) -> None:
            begin, end = block
            regions, _ = self.climber.meet(nodes[begin:end, None])
            regions = regions.within(self.observed)
            nothing = regions.empty(facts.whole) | np.isnan(facts.lower)
            node = np.repeat(np.arange(end - begin), np.diff(start[begin : end + 1]))
            u = np.empty((len(node), len(facts.lower)))
            fill_uniform(seeds[begin:end], start[begin : end + 1] - start[begin], u)
            rows = rows_of_regions(regions.take(node), facts, how="draw", u=u)
            rows[nothing[node]] = np.nan
            drawn[start[begin] : start[end]] = rows

        run_blocks(work, list(blocks_of(len(nodes), NODE_BLOCK)), n_jobs=n_jobs)
        return drawn
