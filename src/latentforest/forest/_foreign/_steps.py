"""What the steps of a pipeline make of a column, found by asking them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats
from latentforest.forest._foreign._contract import refuse
from latentforest.forest._foreign._step_table import PROBES, StepTable

HALVINGS = 64  # all bits of a double
SCALE = 10.0 ** np.arange(-30, 31, 3)
REMEDY = (
    "Give RFAE the last step, and to fit the table that the steps before it return."
)


@dataclass(frozen=True, slots=True)
class Step:
    """A number that the steps make, as a function of one column."""

    number: int
    column: int
    at_missing: float
    at_levels: Floats | None  # value for each level; None: the column is a number


class Passage:
    """Where a number passes thresholds of what is made of it: x <= s, or x > s."""

    def __init__(self, step: Step, cuts: Floats, table: StepTable) -> None:
        self.step = step
        self._cuts, self._back = np.unique(cuts, return_inverse=True)
        low, high = _ends(step, table)
        at_low, at_high = table.make(
            table.with_cells(step.column, np.array([low, high]))
        )[:, step.number]
        self.falls = bool(at_high < at_low)
        self.size = len(self._cuts)
        self._below = np.full(self.size, _order(np.array([low]))[0])
        self._above = np.full(self.size, _order(np.array([high]))[0])
        # Whether x lies on the lower side: f(x) <= t, or f(x) > t where f falls.
        self._never = ~((at_low <= self._cuts) != self.falls)
        self._always = (at_high <= self._cuts) != self.falls

    def middle(self) -> Floats:
        """Return numbers half way between those known to lie on either side."""
        low, high = self._below, self._above
        self._middle = (low >> 1) + (high >> 1) + (low & high & 1)
        return _number(self._middle)

    def halve(self, made: Floats) -> None:
        """Go on with the half where the threshold is passed."""
        inside = (made <= self._cuts) != self.falls
        self._below = np.where(inside, self._middle, self._below)
        self._above = np.where(inside, self._above, self._middle)

    def found(self) -> Floats:
        """Return the largest numbers of the lower side."""
        found = _number(self._below)
        found[self._never], found[self._always] = -np.inf, np.inf
        return found[self._back]


def find_passages(wanted: list[tuple[Step, Floats]], table: StepTable) -> list[Passage]:
    """Search for all thresholds at once: as no step mixes columns, rows serve all."""
    passages = [Passage(step, cuts, table) for step, cuts in wanted]
    place: dict[int, int] = {}
    begin = []
    for passage in passages:
        begin.append(place.get(passage.step.column, 0))
        place[passage.step.column] = begin[-1] + passage.size
    rows = np.repeat(table.row, max(place.values(), default=0), axis=0)
    for _ in range(HALVINGS if passages else 0):
        for passage, at in zip(passages, begin, strict=True):
            rows[at : at + passage.size, passage.step.column] = passage.middle()
        made = table.make(rows)
        for passage, at in zip(passages, begin, strict=True):
            passage.halve(made[at : at + passage.size, passage.step.number])
    return passages


def _ends(step: Step, table: StepTable) -> tuple[float, float]:
    """Return numbers between which the order of all that was tried is kept."""
    own = table.known(step.column, 2)
    own = own if len(own) else np.zeros(1)
    at_own = table.make(table.with_cells(step.column, own[[0, -1]]))[:, step.number]
    ends = []
    for sign in (-1.0, 1.0):
        first = own[-1] if sign > 0 else own[0]
        far = np.unique([first, *(sign * SCALE)])
        far = far[far >= first] if sign > 0 else far[far <= first][::-1]
        found = table.makes(step.column, far)
        rises = sign if at_own[1] >= at_own[0] else -sign
        at = 0
        if found is not None:
            moved = np.diff(found[:, step.number]) * rises
            at = int(np.argmin(np.append(moved >= 0, False)))
        ends.append(float(far[at]))
    return ends[0], ends[1]


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
        known = table.known(column)
        is_number = column not in table.levels and len(known) > 0
        if is_number and not table.keeps_order(column, known, own):
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
        gap = [] if number in table.never_missing else [np.nan]
        tried = np.array([*table.known(number, PROBES), *gap])
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
