"""What decoders that infer leaves have in common: from leaves to rows."""

from abc import abstractmethod
from dataclasses import replace
from typing import Literal

import numpy as np

from latentforest._base._checks import check_integer, check_option
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Codes, Coords, Floats
from latentforest._base._values import damaged
from latentforest.decode._context import DecoderContext
from latentforest.decode._contract import Decoder
from latentforest.regions import (
    ColumnFacts,
    Regions,
    boxes_demand,
    column_facts,
    rows_of_regions,
)
from latentforest.table import TableSchema, round_decimals

POINTS = ("middle", "draw")


class LeafDecoder(Decoder):
    """Infer the leaves of a row, then make a row where they meet.

    Subclasses learn in ``learn_leaves`` and give, in ``regions``, one region per row
    of coordinates that holds at least one legal row. ``forest_`` are the trees in use
    and ``facts_`` the observed ranges and levels.
    """

    n_trees: int | None
    point: Literal["middle", "draw"]

    def needs(self) -> frozenset[str]:
        """Return what is needed: the forest."""
        return frozenset({"forest"})

    def check(self) -> None:
        """Check the parameters."""
        if self.n_trees is not None:
            check_integer("n_trees", self.n_trees, minimum=1)
        check_option("point", self.point, POINTS)

    @abstractmethod
    def learn_leaves(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Learn to infer leaves; all randomness comes from ``rng``."""

    @abstractmethod
    def regions(self, coords: Coords) -> Regions:
        """Region of each row of coordinates."""

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Choose the trees, read off the columns, then learn to infer leaves."""
        self._read_columns(context)
        self.seed_ = int(rng.integers(2**63))
        self.learn_leaves(context, rng)

    def _read_columns(self, context: DecoderContext) -> None:
        assert context.grown is not None, "needs() was checked"
        forest, schema = context.grown.forest, context.table.schema
        n_trees = forest.n_trees if self.n_trees is None else self.n_trees
        if n_trees > forest.n_trees:
            message = (
                f"n_trees={n_trees} is more than the {forest.n_trees} trees of the "
                "forest. Lower it, or give None for all trees."
            )
            raise ValueError(message)
        self.forest_ = forest.first_trees(n_trees)
        self.facts_ = column_facts(
            context.table.values, forest.split_levels, schema.is_whole
        )

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write the centres of the columns; ranges and levels follow from the rows."""
        super().put(new, context)
        new.need(self.demand(context))
        new.put("seed", self.seed_)
        new.array("centre", self.facts_.centre)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read the centres of the columns."""
        super().take(section, context)
        self.seed_ = section.integer("seed", lowest=0)
        self._read_columns(context)
        section.need(self.demand(context))
        centre = section.array("centre", np.float64, self.facts_.centre.shape)
        _check_centre(centre, self.facts_, context.table.schema.is_number)
        self.facts_ = replace(self.facts_, centre=centre)

    def demand(self, context: DecoderContext) -> Demand:
        """Tell what it takes to find the boxes of leaves, and which of them meet.

        Boxes are worked out for the file; the rest is asked for with every row.
        """
        pairs = self.forest_.n_trees**2
        return boxes_demand(self.forest_) + Demand(16 * pairs, 16 * pairs)

    def decode(self, coords: Coords) -> Codes:
        """Make a row in the region of each row of coordinates."""
        return self.rows_in(self.regions(coords), coords)

    def rows_in(self, regions: Regions, coords: Coords) -> Codes:
        """Make one row in each region, with the decimals of its columns."""
        u = hashed_uniforms(coords, self.seed_, len(self.facts_.centre))
        rows = rows_of_regions(regions, self.facts_, how=self.point, u=u)
        return settle_in_regions(rows, regions, self.codec_.schema_)


def _check_centre(centre: Floats, facts: ColumnFacts, is_number: Bools) -> None:
    """Refuse centres out of range; those of levels are known exactly."""
    inside = (centre >= facts.lower) & (centre <= facts.upper)
    whole = ~facts.whole | (centre == np.rint(centre))
    legal = np.where(is_number, inside & whole, centre == facts.centre)
    if not (legal | (np.isnan(centre) & np.isnan(facts.centre))).all():
        raise damaged("the centre of a column is not one of its cells")


def settle_in_regions(rows: Codes, regions: Regions, schema: TableSchema) -> Codes:
    """Round numbers to the decimals of their column, without leaving their region.

    Where the region holds no number with so few decimals, the cell stays as it is.
    """
    rows = rows.copy()
    for column, spec in enumerate(schema.columns):
        if not spec.is_number or not spec.decimals:
            continue
        lower, upper = regions.lower[:, column], regions.upper[:, column]
        step = 10.0**-spec.decimals
        rounded = round_decimals(rows[:, column], spec.decimals)
        moved = rounded + step * (rounded <= lower) - step * (rounded > upper)
        moved = round_decimals(moved, spec.decimals)
        inside = (moved > lower) & (moved <= upper)
        rows[inside, column] = moved[inside]
    return rows


def without_numbers(regions: Regions, schema: TableSchema) -> Bools:
    """Cells whose region holds no number with the decimals of its column."""
    nothing = np.zeros(regions.lower.shape, np.bool_)
    for column, spec in enumerate(schema.columns):
        if spec.is_number and spec.decimals:
            lower, upper = regions.lower[:, column], regions.upper[:, column]
            last = round_decimals(upper, spec.decimals)
            last = np.where(last > upper, last - 10.0**-spec.decimals, last)
            nothing[:, column] = round_decimals(last, spec.decimals) <= lower
    return nothing


def hashed_uniforms(coords: Coords, seed: int, size: int) -> Floats:
    """Uniform numbers that depend on the seed and on one row of coordinates only.

    A generator would give a row another number in another batch.
    """
    bits = (np.ascontiguousarray(coords, np.float64) + 0.0).view(np.uint64)
    state = np.full(len(coords), seed, np.uint64)
    for column in bits.T:
        state = _mix(state ^ column)
    cells = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    top = _mix(state[:, None] + cells) >> np.uint64(11)
    return top.astype(np.float64) * 2.0**-53


def _mix(state: np.ndarray) -> np.ndarray:
    """Scramble 64 bits, so that inputs one bit apart give unrelated outputs."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
