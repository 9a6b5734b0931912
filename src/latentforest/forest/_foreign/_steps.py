"""What the steps of a pipeline make of a column, found by asking them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Codes, Floats
from latentforest.forest._foreign._contract import refuse
from latentforest.table import ColumnKind, ColumnSpec, TableSchema

MOST_PROBES = 2_000  # integers whose order is looked at
PROBES = 12  # rows in which columns are changed, one after the other
HALVINGS = 64  # all bits of a double
REMEDY = (
    "Give RFAE the last step, and to fit the table that the steps before it return."
)


class StepTable:
    """Rows of a table on their way through the steps, without being rounded."""

    def __init__(
        self, schema: TableSchema, values: Codes, transform: Callable[[Any], Floats]
    ) -> None:
        self.schema, self.values, self._transform = schema, values, transform
        self.levels = {
            number: _as_array(column.levels)
            for number, column in enumerate(schema.columns)
            if column.levels and not column.is_scale
        }
        self.row = values[:1].copy()
        for number in range(schema.n_columns):
            known = values[~np.isnan(values[:, number]), number]
            self.row[0, number] = known[0] if len(known) else np.nan
        self.never_missing = frozenset(
            number
            for number in range(schema.n_columns)
            if self._fails(self.with_cells(number, np.array([np.nan])))
        )

    @classmethod
    def of_schema(
        cls, schema: TableSchema, transform: Callable[[Any], Floats]
    ) -> "StepTable":
        """Make up rows, within the ranges of the columns, before the table is read."""
        rng = np.random.default_rng(0)
        values = np.empty((PROBES, schema.n_columns))
        for number, column in enumerate(schema.columns):
            cells = rng.uniform(*_range(column), PROBES)
            is_whole = column.kind is not ColumnKind.continuous
            values[:, number] = np.round(cells) if is_whole else cells
        return cls(schema, values, transform)

    def keeps_order(self, column: int) -> bool:
        """Whether all that is made of an integer rises or falls with it."""
        low, high = _range(self.schema.columns[column])
        cells = np.unique(np.linspace(low - 1, high + 1, MOST_PROBES).round())
        rows = self.with_cells(column, np.sort([*cells, *(cells + 0.5)]))
        if self._fails(rows):
            return False  # it knows some of the numbers only, and so no order
        moved = np.diff(self.make(rows), axis=0)
        return bool(((moved >= 0).all(axis=0) | (moved <= 0).all(axis=0)).all())

    def keep_order(self, column: int, numbers: NDArray[Any]) -> bool:
        """Whether what is made of a column rises or falls with its numbers."""
        own = np.unique(self.values[:, column])
        own = own[~np.isnan(own)]
        if not len(own):
            return True
        moved = np.diff(self.make(self.with_cells(column, own))[:, numbers], axis=0)
        return bool(((moved >= 0).all(axis=0) | (moved <= 0).all(axis=0)).all())

    def made_of_levels(self, column: int) -> Floats:
        """Return what the steps make of each level, (n_levels, n_made)."""
        cells = np.arange(len(self.levels[column]), dtype=np.float64)
        return self.make(self.with_cells(column, cells))

    def make(self, codes: Codes) -> Floats:
        """Send rows through the steps."""
        import warnings  # noqa: PLC0415

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._transform(self._frame(codes))

    def _fails(self, codes: Codes) -> bool:
        try:
            self.make(codes)
        except Exception:  # steps raise what they like
            return True
        return False

    def with_cells(self, column: int, cells: Codes) -> Codes:
        """Return a row as often as there are cells, which it gets in one column."""
        rows = np.repeat(self.row, len(cells), axis=0)
        rows[:, column] = cells
        return rows

    def _frame(self, codes: Codes) -> Any:
        columns: list[Any] = []
        for number in range(codes.shape[1]):
            cells = codes[:, number]
            if number in self.levels:
                levels, known = self.levels[number], ~np.isnan(cells)
                is_flag = levels.dtype == bool and known.all()
                dtype = object if levels.dtype == object else np.float64
                own = np.full(len(cells), np.nan, bool if is_flag else dtype)
                own[known] = levels[cells[known].astype(int)]
                cells = own
            columns.append(cells)
        if self.schema.container == "numpy":
            dtype = object if self.levels else np.float64
            return np.stack([np.asarray(c, dtype) for c in columns], axis=1)
        import pandas as pd  # noqa: PLC0415

        table = dict(zip(self.schema.names, columns, strict=True))
        return pd.DataFrame(
            {name: pd.Series(cells, dtype=cells.dtype) for name, cells in table.items()}
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A number that the steps make, as a function of one column."""

    number: int
    column: int
    at_missing: float
    at_levels: Floats | None  # value for each level; None: the column is a number

    def thresholds(self, cuts: Floats, table: StepTable) -> tuple[Floats, Bools]:
        """Find s with x <= s where f(x) <= t; or x > s, if f reverses the order."""
        low, high = self._ends(table)
        at_low, at_high = self._at(np.array([low, high]), table)
        falls = at_high < at_low
        different, back = np.unique(cuts, return_inverse=True)
        below = np.full(len(different), _order(np.array([low]))[0])
        above = np.full(len(different), _order(np.array([high]))[0])

        # Whether x lies on the lower side: f(x) <= t, or f(x) > t where f falls.
        def is_below(x: Floats) -> Bools:
            return (self._at(x, table) <= different) != falls

        never, always = ~is_below(_number(below)), is_below(_number(above))
        for _ in range(HALVINGS):
            middle = (below >> 1) + (above >> 1) + (below & above & 1)
            inside = is_below(_number(middle))
            below, above = (
                np.where(inside, middle, below),
                np.where(inside, above, middle),
            )
        found = _number(below)
        found[never], found[always] = -np.inf, np.inf
        return found[back], np.full(len(cuts), falls)

    def _at(self, cells: Floats, table: StepTable) -> Floats:
        return table.make(table.with_cells(self.column, cells))[:, self.number]

    def _ends(self, table: StepTable) -> tuple[float, float]:
        """Return numbers between which the order of all that was tried is kept."""
        own = table.values[:, self.column]
        own = np.unique(own[~np.isnan(own)])
        own = own if len(own) else np.zeros(1)
        scale = 10.0 ** np.arange(-30, 31, 3)
        cells = np.unique(np.concatenate([own, scale, -scale, [0.0]]))
        found = self._at(cells, table)
        first, last = np.searchsorted(cells, [own[0], own[-1]])
        rises = found[last] >= found[first]
        for step in (-1, 1):
            at = first if step < 0 else last
            while 0 <= at + step < len(cells):
                moved = (found[at + step] - found[at]) * step
                if not (moved >= 0 if rises else moved <= 0):
                    break
                at += step
            first, last = (at, last) if step < 0 else (first, at)
        return float(cells[first]), float(cells[last])


def find_steps(table: StepTable, title: str) -> list[Step]:
    """Find which column each made number depends on, or refuse what mixes columns."""
    depends = _dependences(table)
    steps: dict[int, Step] = {}
    # A number that depends on nothing is taken for one of the first column.
    for column in range(depends.shape[1]):
        alone = ~depends.any(axis=1) & (column == 0)
        own = np.flatnonzero(depends[:, column] | alone)
        steps |= {step.number: step for step in _steps_of(column, own, table)}
        mixed = own[depends[own].sum(axis=1) > 1]
        if len(mixed):
            names = [table.schema.names[c] for c in np.flatnonzero(depends[mixed[0]])]
            raise refuse(title, f"its steps mix the columns {names}", REMEDY)
        if column not in table.levels and not table.keep_order(column, own):
            raise refuse(
                title,
                "its steps neither keep nor reverse the order of the column "
                f"{table.schema.names[column]!r}",
                REMEDY,
            )
    return [steps[number] for number in range(len(depends))]


def _dependences(table: StepTable) -> Bools:
    """Whether numbers that the steps make, (n_made, n_columns), depend on columns."""
    rng = np.random.default_rng(0)
    rows = table.values[rng.integers(len(table.values), size=PROBES)].copy()
    # Rows with gaps among them: what fills a gap may look at other columns.
    with_gaps = np.flatnonzero(np.isnan(table.values).any(axis=1))[:PROBES]
    rows = np.concatenate([rows, table.values[with_gaps]])
    for number in table.never_missing:
        rows[np.isnan(rows[:, number]), number] = table.row[0, number]
    made = table.make(rows)
    depends = np.zeros((made.shape[1], rows.shape[1]), bool)
    for number in range(rows.shape[1]):
        cells = table.values[rng.integers(len(table.values), size=PROBES), number]
        cells = np.where(np.isnan(cells), table.row[0, number], cells)
        gap = [] if number in table.never_missing else [np.nan]
        tried = np.unique([*cells, *gap])
        other = np.tile(rows, (len(tried), 1))
        other[:, number] = np.repeat(tried, len(rows))
        found = table.make(other)
        depends[:, number] |= ~_same(found, np.tile(made, (len(tried), 1))).all(axis=0)
        if number in table.levels:
            found = table.made_of_levels(number)
            depends[:, number] |= ~_same(found, found[:1]).all(axis=0)
    return depends


def _steps_of(column: int, numbers: NDArray[Any], table: StepTable) -> Iterator[Step]:
    """Tell what the steps make of a column: of each level, and of a gap."""
    missing = np.full(numbers.max(initial=0) + 1, np.nan)
    if column not in table.never_missing:
        missing = table.make(table.with_cells(column, np.array([np.nan])))[0]
    levels = table.made_of_levels(column) if column in table.levels else None
    for number in numbers.tolist():
        at_levels = None if levels is None else levels[:, number]
        yield Step(number, column, float(missing[number]), at_levels)


def _as_array(levels: tuple[Any, ...]) -> NDArray[Any]:
    """Return levels as numbers, flags, or objects."""
    found = np.array(levels)
    return found if found.dtype.kind in "bif" else np.array(levels, object)


def _range(column: ColumnSpec) -> tuple[float, float]:
    """Return the lowest and the highest code; of integers in order, themselves."""
    ends: tuple[Any, Any] = (column.lower, column.upper)
    if column.is_scale:
        ends = (column.levels[0], column.levels[-1])
    low, high = np.nan_to_num(np.array(ends, np.float64))
    return float(low), float(high)


def _same(found: Floats, made: Floats) -> Bools:
    same: Bools = (found == made) | (np.isnan(found) & np.isnan(made))
    return same


def _order(numbers: Floats) -> Any:
    """Turn doubles into integers of the same order."""
    bits = (numbers + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def _number(order: Any) -> Floats:
    found: Floats = (order ^ ((order >> 63) & np.int64(2**63 - 1))).view(np.float64)
    return found
