"""What decoders that blend neighbouring rows have in common."""

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np

from latentforest._base._checks import check_integer, check_option
from latentforest._base._errors import RecallWarning
from latentforest._base._optional import require
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords, Floats
from latentforest._base._values import damaged
from latentforest._base._warn import warn
from latentforest.decode._bounds import code_bounds
from latentforest.decode._context import DecoderContext, Rows
from latentforest.decode._contract import SpreadingDecoder
from latentforest.decode._gaps import LOST, limits_for, rows_to_try, weight_of_gaps
from latentforest.neighbours import (
    EXTRA,
    MOST,
    ApproximateSearch,
    CellSpread,
    LevelPriority,
    Neighbours,
    NeighbourSearch,
    Weights,
    approximate_demand,
    blend_rows,
    draw_priority,
    search_demand,
    spread_of_rows,
)
from latentforest.table import TableSchema

SEARCHES = ("exact", "approximate")
RECALL_ROWS = 1_000  # whose neighbours are searched both ways
ENOUGH = 0.9  # share of neighbours found that needs no warning


class NeighbourDecoder(SpreadingDecoder):
    """Blend rows that lie near in coordinate space.

    Subclasses say in ``points`` where the rows lie, in ``make_prototypes`` what is
    blended, and in ``weigh`` how much each neighbour counts.
    """

    n_neighbors: int
    search: str

    def check(self) -> None:
        """Check the parameters, and that there is a package that can search so."""
        check_integer("n_neighbors", self.n_neighbors, minimum=1)
        if check_option("search", self.search, SEARCHES) == "approximate":
            require("voyager", extra=EXTRA)

    @abstractmethod
    def points(self, context: DecoderContext) -> Coords:
        """Where the rows lie."""

    @abstractmethod
    def make_prototypes(
        self, context: DecoderContext, rng: np.random.Generator
    ) -> Codes:
        """Codes of the rows that are blended."""

    @abstractmethod
    def weigh(self, found: Neighbours, queries: Coords) -> Weights:
        """Weights of the neighbours that were found."""

    def margin(self) -> float:
        """How far numbers may leave their observed range, in widths of it."""
        return 0.0

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Make the prototypes and index the points."""
        self.priority_ = draw_priority(context.table.schema, rng)
        self._place(context)
        self.prototypes_ = self.make_prototypes(context, rng)
        self.bound(context.table.schema, self.margin())
        self._learn_gaps(context)

    def _place(self, context: DecoderContext) -> None:
        """Make the search among the rows, and note how much of them it finds."""
        points, self.recall_ = self.points(context), 1.0
        if self.search == "exact":
            self.search_: NeighbourSearch | ApproximateSearch = NeighbourSearch(points)
            return
        self.search_ = search = ApproximateSearch(points)
        rows = rows_to_try(len(points), RECALL_ROWS)
        coords = np.ascontiguousarray(context.new_coords[rows])
        self.recall_ = search.learn_effort(
            coords, rows, self.n_neighbors, n_jobs=self.n_jobs
        )
        if self.recall_ < ENOUGH:
            message = (
                f"of the {self.n_neighbors} true neighbours of {len(rows)} training "
                f"rows, the approximate search finds {self.recall_:.0%} (recall_). "
                "Decoded rows will differ from those of an exact one. Give "
                "search='exact'."
            )
            warn(message, RecallWarning)

    def _learn_gaps(self, context: DecoderContext) -> None:
        """Learn how much weight makes a cell missing, from rows as if they were new."""
        missing = np.isnan(context.table.values)
        share = missing.mean(axis=0)
        if not (share > LOST).any() or len(missing) < 2:
            return
        rows = rows_to_try(len(missing))

        def weight(coords: Coords, own: Rows | None) -> Floats:
            n_neighbors = min(self.n_neighbors + (own is not None), len(missing))
            found = self.search_.nearest(coords, n_neighbors, n_jobs=self.n_jobs)
            found = found if own is None else found.without(own)
            weights = self.weigh(found, coords)
            return weight_of_gaps(found, weights, self.prototypes_)

        new = weight(context.place_anew(rows), rows)
        known = weight(np.ascontiguousarray(context.coords[rows]), None)
        limits = limits_for(new, known, share)
        self.priority_ = replace(self.priority_, absent_above=limits)

    def bound(self, schema: TableSchema, margin: float) -> None:
        """Keep the smallest and the largest code of each column that may come out."""
        self.margin_ = margin
        self.lower_, self.upper_ = code_bounds(schema, margin)

    def without_gaps(self) -> Self:
        """Return a decoder for which the weight of gaps is never enough."""
        full, never = copy(self), np.full_like(self.priority_.absent_above, np.inf)
        full.priority_ = replace(self.priority_, absent_above=never)
        return full

    def with_context(self, context: DecoderContext) -> Self:
        """Return a decoder with the same prototypes at other coordinates."""
        moved = copy(self)
        moved.n_components_ = context.coords.shape[1]
        moved._place(context)
        moved._learn_gaps(context)
        return moved

    def keep(self, rows: Rows, context: DecoderContext | None = None) -> Self:
        """Return a decoder that knows the given rows only; it searches exactly.

        It is asked for few rows, and an index takes longer to make than they take.
        """
        fewer = copy(self)
        fewer.recall_ = 1.0
        fewer.prototypes_ = self.prototypes_[rows]
        fewer.search_ = NeighbourSearch(
            self.search_.points[rows] if context is None else self.points(context)
        )
        return fewer

    def find(self, coords: Coords) -> Neighbours:
        """Find the rows that will be blended."""
        n_neighbors = min(self.n_neighbors, len(self.prototypes_))
        return self.search_.nearest(coords, n_neighbors, n_jobs=self.n_jobs)

    def blend(self, found: Neighbours, coords: Coords) -> Codes:
        """Blend the rows that were found, nearest first, and no more than wanted."""
        found = found.first(self.n_neighbors)
        return self.mix(found, self.weigh(found, coords))

    def mix(self, found: Neighbours, weights: Weights) -> Codes:
        """Blend the rows that were found with given weights."""
        blended = blend_rows(
            found.rows,
            weights.average,
            self.prototypes_,
            self.priority_,
            linear=weights.linear,
            n_jobs=self.n_jobs,
        )
        if weights.linear is None:
            return blended
        return np.clip(blended, self.lower_, self.upper_)

    def decode(self, coords: Coords) -> Codes:
        """Blend the rows nearest to each row of coordinates."""
        return self.blend(self.find(coords), coords)

    def decode_with_spread(self, coords: Coords) -> tuple[Codes, CellSpread]:
        """Decode, and say how far the blended rows disagree, cell by cell."""
        found = self.find(coords)
        weights = self.weigh(found, coords)
        decoded = self.mix(found, weights)
        spread = spread_of_rows(
            found.rows,
            *weights,
            self.prototypes_,
            decoded,
            self.priority_,
            n_jobs=self.n_jobs,
        )
        return decoded, spread

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write points and prototypes, unless they are the rows themselves."""
        super().put(new, context)
        own_points = not _same_bits(self.search_.points, context.coords)
        own_prototypes = not _same_bits(self.prototypes_, context.table.values)
        new.array("rank", self.priority_.rank)
        new.data["absent_above"] = self.priority_.absent_above.tolist()
        if own_points:
            new.array("points", self.search_.points)
        if own_prototypes:
            new.array("prototypes", self.prototypes_)
        new.put("own_points", own_points)
        new.put("own_prototypes", own_prototypes)
        new.put("margin", self.margin_)
        if isinstance(self.search_, ApproximateSearch):
            new.put("effort", self.search_.effort)
            new.put("recall", self.recall_)
        new.need(self._demand(self.search_.points))

    def _demand(self, points: Coords) -> Demand:
        is_exact = self.search == "exact"
        return search_demand(points) if is_exact else approximate_demand(points)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read points and prototypes."""
        super().take(section, context)
        schema, points = context.table.schema, context.coords
        if section.flag("own_points"):
            points = section.coords("points", points.shape)
        section.need(self._demand(points))
        self.search_, self.recall_ = NeighbourSearch(points), 1.0
        if self.search == "approximate":
            effort = section.integer("effort", lowest=1, highest=MOST)
            self.search_ = ApproximateSearch(points, effort)
            self.recall_ = section.number("recall")
            if not 0 <= self.recall_ <= 1:
                raise damaged(f"the recall of the decoder is {self.recall_}")
        self.prototypes_ = context.table.values
        if section.flag("own_prototypes"):
            n_rows = context.table.n_rows
            self.prototypes_ = schema.take_codes(section, "prototypes", n_rows)
        self.priority_ = LevelPriority.take(section, schema)
        # Files that say nothing are older than numbers beyond the observed range.
        margin = section.number("margin") if section.has("margin") else 0.0
        if not 0 <= margin <= 1:
            raise damaged(f"the margin of the decoder is {margin}")
        self.bound(schema, margin)


def _same_bits(one: Floats, other: Floats) -> bool:
    bits = [np.ascontiguousarray(array).view(np.uint64) for array in (one, other)]
    return np.array_equal(bits[0], bits[1])
