"""How sure decoded cells are: spreads, intervals that cover, level probabilities."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_real
from latentforest._base._types import Bools, Codes, Floats
from latentforest.choice import HoldOut, held_out_parts
from latentforest.decode._auto import AutoDecoder
from latentforest.decode._context import DecoderContext, Rows
from latentforest.decode._contract import Decoder, SpreadingDecoder
from latentforest.neighbours import CellSpread
from latentforest.table import (
    ColumnSpec,
    EncodedTable,
    TableSchema,
    time_cells,
    time_spans,
)

ONE_SIGMA = 0.6827  # share of a normal distribution within one standard deviation
# Maps are made again without the rows of each part: the more parts, the more these maps
# are like that of all rows.
TWENTY_PARTS = HoldOut(n_parts=20, one_in=20, rows_per_part=500)
FIVE_PARTS = HoldOut(n_parts=5, one_in=5, rows_per_part=500)
TWO_PARTS = HoldOut(n_parts=2, one_in=10, rows_per_part=2_500)
SHORT, LONG = 1_000, 5_000
KNOWN_ROWS, SLACK = 2_000, 1e-9  # whose errors are looked at, at most; of rounding
# Part of the error at large that is added to the spread of the neighbours.
FLOORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
USUAL_FLOOR, ENOUGH_SCORES = 1.0, 50
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class Calibration:
    """Errors on held-back training rows, in units of the spread found there.

    Split conformal prediction: a new row is as likely to be off by a given multiple
    of its own spread as the held-back rows were.
    """

    scores: Floats  # (n_held, n_columns) sorted; NaN, for missing cells, last
    n_scores: Floats  # (n_columns,)
    floor: Floats  # (n_columns,) the spread that is always assumed
    shares: tuple[Floats, ...]  # of levels in the training rows, missing last

    def width(self, std: Floats, coverage: float) -> Floats:
        """Half-width of the interval that covers such a share of new cells."""
        rank = np.ceil((self.n_scores + 1) * coverage).astype(np.int64)
        last = np.maximum(self.n_scores.astype(np.int64), 1) - 1
        factor = self.scores[np.minimum(rank - 1, last), np.arange(std.shape[1])]
        # Too few held-back cells to promise anything.
        factor = np.where(rank > self.n_scores, np.inf, factor)
        scale = self.scale(std)
        return np.where(scale > 0, factor * np.where(scale > 0, scale, 1.0), 0.0)

    def scale(self, std: Floats) -> Floats:
        """Spread of the neighbours, and a part of the error at large."""
        return np.hypot(std, self.floor)


def spreading(decoder: Decoder) -> SpreadingDecoder:
    """Return the decoder that can say how sure it is, or raise."""
    inner = decoder.chosen_ if isinstance(decoder, AutoDecoder) else decoder
    if not isinstance(inner, SpreadingDecoder):
        message = (
            f"{decoder!r} cannot say how sure it is, since it does not blend rows. "
            "Use decoder='knn', 'local_linear' or 'auto'."
        )
        raise TypeError(message)
    return inner


def _held_back(
    decoder: SpreadingDecoder, context: DecoderContext, rng: np.random.Generator
) -> Iterator[tuple[Rows, Codes, CellSpread]]:
    """Decode parts of the training rows from the others, each with its numbers."""
    if context.table.n_rows < SHORT:
        policy = TWENTY_PARTS
    elif context.table.n_rows < LONG:
        policy = FIVE_PARTS
    else:
        policy = TWO_PARTS
    for part in held_out_parts(context.table, rng, policy):
        if context.hold_out is None:
            fewer, coords = None, np.ascontiguousarray(context.new_coords[part.held])
        else:
            fewer, coords = context.hold_out(part.known, part.held)
        decoded, spread = decoder.keep(part.known, fewer).decode_with_spread(coords)
        yield part.held, decoded, spread


def decode_held_back(
    decoder: SpreadingDecoder, context: DecoderContext, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Return training rows that are held back in turn, and what they decode to."""
    assert context.given is not None, "set where a context is made"
    given, found = context.given.values, _held_back(decoder, context, rng)
    pairs = [(given[rows], back) for rows, back, _ in found]
    nothing = np.empty((0, context.table.schema.n_columns))
    truth, decoded = zip(*pairs, strict=True) if pairs else ((nothing,), (nothing,))
    return np.concatenate(truth), np.concatenate(decoded)


def calibrate(
    decoder: SpreadingDecoder, context: DecoderContext, rng: np.random.Generator
) -> Calibration:
    """Decode held-back training rows from the others and note the errors.

    Where a map loses nothing, rows that have shaped it come back worse than new ones,
    and so do new rows that are copies of them: these are covered, too.
    """
    errors, spreads = [], []
    for rows, decoded, spread in _held_back(decoder, context, rng):
        errors.append(np.abs(context.table.values[rows] - decoded))
        spreads.append(spread.std)
    nothing = np.empty((1, context.table.schema.n_columns))
    nothing[:] = np.nan
    error, std = np.concatenate([nothing, *errors]), np.concatenate([nothing, *spreads])
    known = ~np.isnan(error) & ~np.isnan(std)
    n_known = known.sum(axis=0).astype(np.float64)
    floor = _likeliest_floor(error, std, known)
    scores = np.where(known, _in_units(error, std, floor), np.nan)
    scores.sort(axis=0)
    _cover_copies(scores, n_known.astype(np.int64), floor, decoder, context)
    return Calibration(scores, n_known, floor, _level_shares(context.table))


def _in_units(error: Floats, std: Floats, floor: Floats) -> Floats:
    scale = np.hypot(std, floor)
    return np.divide(error, scale, out=np.zeros_like(error), where=scale > 0)


def _cover_copies(
    scores: Floats,
    n_scores: NDArray[np.int64],
    floor: Floats,
    decoder: SpreadingDecoder,
    context: DecoderContext,
) -> None:
    """Raise sorted scores to the quantiles of new rows of which some are copies."""
    copies = 0.0 if context.copies is None else context.copies()
    if not copies:
        return
    rows = np.unique(np.linspace(0, context.table.n_rows - 1, KNOWN_ROWS, dtype=int))
    decoded, spread = decoder.decode_with_spread(context.coords[rows])
    error = np.abs(context.table.values[rows] - decoded)
    own = _in_units(error, spread.std, floor)
    for column, n in enumerate(n_scores):
        known = own[~np.isnan(own[:, column]), column]
        if not n or not len(known):
            continue
        both = np.concatenate([scores[:n, column], known])
        parts = (1 - copies) / n, copies / len(known)
        order = np.argsort(both)
        reached = np.cumsum(np.repeat(parts, (n, len(known)))[order])
        at = np.searchsorted(reached, np.arange(1, n + 1) / n - SLACK)
        mixed = both[order][np.minimum(at, len(both) - 1)]
        scores[:n, column] = np.maximum(scores[:n, column], mixed)


def _level_shares(table: EncodedTable) -> tuple[Floats, ...]:
    """Share of each level in the rows, missing last; nothing for numbers."""
    shares = []
    for codes, spec in zip(table.values.T, table.schema.columns, strict=True):
        if spec.is_number:
            shares.append(np.empty(0))
            continue
        level = np.where(np.isnan(codes), spec.n_levels, codes).astype(np.int64)
        counts = np.bincount(level, minlength=spec.n_levels + 1)
        shares.append(counts / len(codes))
    return tuple(shares)


def _likeliest_floor(error: Floats, std: Floats, known: Bools) -> Floats:
    """Choose how much of the error at large counts in the scale of each column.

    The scale is √(std² + floor²), and the floor a multiple of the root mean square
    error. The multiple is the one with the largest likelihood if errors follow a
    Laplace distribution with that scale, up to a factor. Neighbours that agree by
    chance then do not promise more than they can keep.
    """
    count = np.maximum(known.sum(axis=0), 1)

    def mean(cells: Floats) -> Floats:
        return np.where(known, cells, 0.0).sum(axis=0) / count

    at_large = np.sqrt(mean(error**2))
    best, lowest = USUAL_FLOOR * at_large, np.full(len(at_large), np.inf)
    for multiple in FLOORS:
        floor = multiple * at_large
        scale = np.hypot(std, np.where(floor > 0, floor, 1.0))
        loss = mean(np.log(scale)) + np.log(np.maximum(mean(error / scale), TINY))
        better = (loss < lowest) & (floor > 0) & (count >= ENOUGH_SCORES)
        best, lowest = np.where(better, floor, best), np.where(better, loss, lowest)
    return best


class Uncertainty:
    """How sure each decoded cell is.

    Made by ``RFAE.inverse_transform(Z, return_uncertainty=True)``. Numbers have a
    standard deviation and intervals, calibrated on training rows that were held back;
    categories have a probability for each level. All tables are pandas data frames
    with one row per decoded row. Dates and times are numbers here: their standard
    deviations are durations, the ends of their intervals dates and times.
    """

    def __init__(
        self,
        schema: TableSchema,
        decoded: Codes,
        spread: CellSpread,
        calibration: Calibration,
        index: Any,
        stretch: Floats,
    ) -> None:
        self._schema = schema
        self._decoded = decoded
        self._spread = spread
        self._calibration = calibration
        self._index = index
        self._stretch = stretch  # (n_rows,) above 1 where a row is far from all others

    @property
    def std(self) -> Any:
        """Standard deviation of each number: half its 68 % interval."""
        return self._frame(self._width(ONE_SIGMA), time_spans)

    def interval(self, coverage: float = 0.9) -> tuple[Any, Any]:
        """Lower and upper ends that hold a share of the true numbers.

        Parameters
        ----------
        coverage : float, default=0.9
            Share of new cells, in each column, that shall lie in their interval.

        Returns
        -------
        lower, upper : pandas data frames
            One column for each number. Numbers that were never negative, or never
            positive, stay so. With too few training rows to tell, ends are infinite.
            Ends of dates and times are moved outwards to the resolution of their
            column, and are missing (NaT) where they would be infinite.
        """
        if not 0.0 < check_real("coverage", coverage, minimum=0.0) < 1.0:
            message = (
                f"coverage={coverage} is not a share. Give a number between 0 and 1."
            )
            raise ValueError(message)
        width = self._width(coverage)
        lower, upper = self._decoded - width, self._decoded + width
        # n rows of one sign leave a chance of about 1 / (n + 1) for the other: where
        # that is too much for the coverage, the width is infinite too.
        instants = [spec.storage.is_instant for spec in self._schema.columns]
        told = np.isfinite(width) & ~np.array(instants)
        lower[told & (self._schema.lower >= 0) & (lower < 0)] = 0.0
        upper[told & (self._schema.upper <= 0) & (upper > 0)] = 0.0
        for column, spec in enumerate(self._schema.columns):
            if spec.ticks is not None:
                lower[:, column] = np.floor(lower[:, column])
                upper[:, column] = np.ceil(upper[:, column])
        return self._frame(lower, time_cells), self._frame(upper, time_cells)

    @property
    def probabilities(self) -> dict[Hashable, Any]:
        """One data frame for each category: a column for each level.

        Far from all rows, where intervals are wider by a factor s, a probability is
        p / s + q (1 − 1 / s): p the level's share of the blended rows' weight, and q
        its share of the training rows, which is all that is known far away. Where
        missing cells were seen in training, the last column, named None, is the
        probability that the cell is missing.
        """
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        frames: dict[Hashable, Any] = {}
        for column, spec in enumerate(self._schema.columns):
            if spec.is_number:
                continue
            shares = self._spread.of_column(column, spec.n_levels)
            near = 1.0 / self._stretch[:, None]
            shares = near * shares + (1.0 - near) * self._calibration.shares[column]
            levels = [*spec.levels, None] if spec.has_missing else spec.levels
            frames[spec.name] = pd.DataFrame(
                shares[:, : len(levels)],
                columns=pd.Index(list(levels), dtype=object),
                index=self._index,
            )
        return frames

    def _width(self, coverage: float) -> Floats:
        width = self._calibration.width(self._spread.std, coverage)
        return width * self._stretch[:, None]

    def _frame(
        self, cells: Floats, of_times: Callable[[ColumnSpec, Floats], Any]
    ) -> Any:
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        numbers = np.flatnonzero(self._schema.is_number)
        all_names = self._schema.names
        names = [all_names[column] for column in numbers]
        frame = pd.DataFrame(cells[:, numbers])
        for place, column in enumerate(numbers):
            spec, known = self._schema.columns[column], cells[:, column]
            if spec.ticks is not None:
                known = np.where(np.isfinite(known), known, np.nan)
                frame[place] = of_times(spec, known)
        frame.columns = pd.Index(names, tupleize_cols=False)
        if self._index is not None:
            frame.index = self._index
        return frame
