"""What a column means (kind) and how its library keeps it (storage)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Level: TypeAlias = str | int | float | bool

# The paper's benchmark calls integers with fewer distinct values categorical.
FEW_DISTINCT = 6


class ColumnKind(StrEnum):
    """What the values of a column mean.

    ``continuous`` and ``integer`` are numbers: they have distances and means. So are
    ``datetime``: instants, dates, times of day and durations, counted in ticks.
    ``boolean`` and ``category`` are names without an order: only equality counts.
    ``ordered`` are names with an order: they can be cut by a threshold, but they
    have no distances.
    """

    continuous = "continuous"
    integer = "integer"
    boolean = "boolean"
    category = "category"
    ordered = "ordered"
    datetime = "datetime"

    @property
    def is_number(self) -> bool:
        """Whether the codes are the values themselves, not level numbers."""
        return self in {
            ColumnKind.continuous,
            ColumnKind.integer,
            ColumnKind.datetime,
        }


@dataclass(frozen=True, slots=True)
class Said:
    """What the user says that a column is."""

    kind: ColumnKind
    order: tuple[Level, ...] = ()  # its levels, the lowest first; none: not said


class Storage(StrEnum):
    """How a library keeps a column, whatever it means."""

    boolean = "boolean"
    integer = "integer"
    float = "float"
    text = "text"  # one string per row
    dictionary = "dictionary"  # a declared list of levels and one index per row
    decimal = "decimal"  # numbers with a fixed number of decimals
    datetime = "datetime"  # an instant, or the date and time on some clock
    date = "date"
    time = "time"  # of day
    duration = "duration"

    @property
    def is_numeric(self) -> bool:
        """Whether the cells can be read as floats."""
        return self not in {Storage.text, Storage.dictionary}

    @property
    def is_time(self) -> bool:
        """Whether the cells are dates or times of any sort."""
        return self.is_instant or self in {Storage.time, Storage.duration}

    @property
    def is_instant(self) -> bool:
        """Whether the cells are points in time, so that no zero is given by nature."""
        return self in {Storage.datetime, Storage.date}
