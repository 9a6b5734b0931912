"""Settings of the refinement."""

from copy import copy
from typing import TYPE_CHECKING, Self

from latentforest._base._checks import check_integer, check_option, check_real
from latentforest._base._parameters import Parameters
from latentforest._base._types import Coords
from latentforest.neighbours import TREE_UP_TO

if TYPE_CHECKING:
    from latentforest.decode import Decoder

MOST_ROUNDS = 1_000  # and steps; some dozen are enough
MANY_ROWS, FEW_ROWS = 100_000, 10_000
STARTS = ("forest", "linear", "neighbours", "packed", "auto")
UNITS = ("columns", "common")
# Coordinates: over the paper's tables the layout loses least on new rows up to there,
# and principal components beyond.
LAID_OUT_UP_TO = 8


class Refinement(Parameters):
    """How coordinates are moved until the decoder loses least.

    Each round fits a plane to the neighbours of every row, itself left out, as
    `LocalLinearDecoder` does, and moves the row to where its plane comes closest to
    it: a damped Gauss–Newton step on ‖x − h(z)‖². New rows are given a start and then
    moved in the same way.

    Parameters
    ----------
    rounds : int, default=4
        Rounds over the training rows, at most 1,000.
    n_neighbors : int or None, default=None
        Rows that each plane is fitted to: fewer lose less, and many more blur what is
        near. None stands for 24, or three for each coordinate if that is more, but at
        most half of the rows.
    ridge : float, default=0.03
        Penalty on the slopes, as in `LocalLinearDecoder`.
    steps : int, default=5
        Steps for a new row, at most 1,000; it stops when they gain nothing.
    start : {"auto", "neighbours", "linear", "forest", "packed"}, default="auto"
        Where rows begin: a layout that keeps neighbours together, principal
        components, or the diffusion map of the forest. New rows begin in the same way;
        with "neighbours" where their nearest refined rows lie. "auto" takes the layout
        for up to eight coordinates, and principal components for more. "packed" is for
        reconstruction, not for looking: each coordinate carries some columns, as places
        on a curve through what rows have there, which no round could improve.
    max_rows : int or None, default=None
        Distinct training rows, drawn at random, that are refined together; the
        others are placed like new rows. None stands for 100,000 with up to 8
        coordinates or packed ones, and else for 10,000: there neighbours are searched
        by brute force.
    units : {"columns", "common"}, default="columns"
        What an error counts in. "columns": the standard deviation of its column, so
        that all columns count alike, as in `distortion`. "common": one unit for all
        numbers, so that the squared error itself is made small; for columns that
        measure the same thing, such as pixels, of which some hardly vary.
    """

    def __init__(
        self,
        rounds: int = 4,
        *,
        n_neighbors: int | None = None,
        ridge: float = 0.03,
        steps: int = 5,
        start: str = "auto",
        max_rows: int | None = None,
        units: str = "columns",
    ) -> None:
        self.rounds = rounds
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.steps = steps
        self.start = start
        self.max_rows = max_rows
        self.units = units

    def resolved(self, n_components: int) -> Self:
        """Return these settings with the start that "auto" stands for."""
        few = n_components <= LAID_OUT_UP_TO
        auto = "neighbours" if few else "linear"
        start = auto if self.start == "auto" else self.start
        return copy(self).set_params(start=start)

    def neighbors_for(self, coords: Coords) -> int:
        """Return how many rows planes are fitted to, among rows at these coordinates.

        Half of the rows leave as large a share when some are held back.
        """
        if self.n_neighbors is not None:
            return self.n_neighbors
        n_rows, n_components = coords.shape
        return max(1, min(max(24, 3 * n_components), n_rows // 2))

    def decoder(
        self, coords: Coords, *, extrapolate: bool = False, n_jobs: int | None = None
    ) -> "Decoder":
        """Return the decoder that rows are refined for, which end at ``coords``."""
        # Decoders load scikit-learn, which takes a second; placing rows needs none.
        from latentforest.decode import (  # noqa: PLC0415
            LocalLinearDecoder,
            PackedDecoder,
        )

        if self.start == "packed":
            return PackedDecoder(extrapolate=extrapolate, n_jobs=n_jobs)
        n_neighbors = self.neighbors_for(coords)
        return LocalLinearDecoder(
            n_neighbors,
            ridge=self.ridge,
            follow=True,
            extrapolate=extrapolate,
            n_jobs=n_jobs,
        )

    def most_rows(self, n_components: int) -> int:
        """Return how many rows are refined together at most."""
        if self.max_rows is not None:
            return self.max_rows
        found_at_once = n_components <= TREE_UP_TO or self.start == "packed"
        return MANY_ROWS if found_at_once else FEW_ROWS

    def check(self) -> None:
        """Check the parameters."""
        check_integer("rounds", self.rounds, minimum=0, maximum=MOST_ROUNDS)
        if self.n_neighbors is not None:
            check_integer("n_neighbors", self.n_neighbors, minimum=1)
        check_integer("steps", self.steps, minimum=0, maximum=MOST_ROUNDS)
        if self.max_rows is not None:
            check_integer("max_rows", self.max_rows, minimum=2)
        check_real("ridge", self.ridge, minimum=0.0)
        check_option("start", self.start, STARTS)
        check_option("units", self.units, UNITS)


class AutoRefinement(Parameters):
    """Choose the start, the neighbours and the rounds on held-back training rows.

    A quarter of the training rows (of a long table, of a sample of 2,000) is held
    back; few rows are judged in two parts in turn. First the starts are tried: packed,
    principal components, the layout of neighbours. If packed coordinates lose less than
    half of what the next best start does, that is all. Else the diffusion map is tried
    too, and neighbours and rounds on the best start that is not packed. With
    ``forest="auto"`` the forests are completely random ones with large and with small
    leaves. What reconstructs the held-back rows best is fitted on all rows. No other
    row is looked at.

    Parameters
    ----------
    time_budget : float or None, default=None
        Seconds for the choice: no setting is tried that would end later, but always
        one; the fit of the chosen one comes on top. With a budget the result depends
        on the machine. None sets no limit.
    """

    def __init__(self, time_budget: float | None = None) -> None:
        self.time_budget = time_budget

    def check(self) -> None:
        """Check the parameters."""
        if self.time_budget is not None:
            check_real("time_budget", self.time_budget, minimum=0.0)
