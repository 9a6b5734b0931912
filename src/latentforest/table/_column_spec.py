"""All that is known of one column."""

import math
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Floats
from latentforest._base._values import damaged, encode_value
from latentforest.table._dtypes import fits
from latentforest.table._kinds import ColumnKind, Level, Storage
from latentforest.table._names import one_nan
from latentforest.table._ticks import Ticks
from latentforest.table._wild import MOST_CELLS, WildCell, stands_apart

MOST_DECIMALS = 15
# Room that a fixed-width text may have beyond its longest level.
WIDE_TEXT = 64
LEVEL_TYPES: dict[Storage, tuple[type, ...]] = {
    Storage.boolean: (bool,),
    Storage.integer: (int,),
    Storage.float: (int, float),
    Storage.text: (str,),
    Storage.dictionary: (str, int, float, bool),
    Storage.decimal: (int, float),
}


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSpec:
    """All that is known of one column after fitting.

    Parameters
    ----------
    name : hashable
        The name in the table; arrays have ``x0``, ``x1``, ….
    kind : ColumnKind
        What the values mean.
    levels : tuple of str, int, float or bool, default=()
        The values in level order: code ``i`` stands for ``levels[i]``. Empty for
        numbers, ``(False, True)`` for booleans.
    decimals : int or None, default=None
        Decoded numbers are rounded to so many decimals; None leaves them alone.
    lower, upper : float, default=nan
        Smallest and largest code seen in fit, but for wild cells; NaN if all cells
        were missing.
    has_missing : bool, default=False
        Whether fit saw a missing cell.
    dtype : str, default='float64'
        The dtype in the table's own library, as text, to restore it.
    storage : Storage, default=Storage.float
        How the library keeps the column.
    reason : str, default=''
        Why the column has this kind.
    ticks : Ticks or None, default=None
        What the codes of dates and times count; None for all other kinds.
    notation : str, default=''
        How cells were written in the text file that was fitted, such as
        ``number:#,##0.00 €``, so that new files are read and written alike; '' for
        plain cells.
    wild : tuple of WildCell, default=()
        Cells of the fitted table that stand apart from all others: row, code, and the
        label of the row. They count as the nearer end of the range.
    n_missing : int or None, default=None
        How many cells were missing in fit; None if older files do not say.
    """

    name: Hashable
    kind: ColumnKind
    levels: tuple[Level, ...] = ()
    decimals: int | None = None
    lower: float = math.nan
    upper: float = math.nan
    has_missing: bool = False
    dtype: str = "float64"
    storage: Storage = Storage.float
    reason: str = ""
    ticks: Ticks | None = None
    notation: str = ""
    wild: tuple[WildCell, ...] = ()
    n_missing: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", one_nan(self.name))
        if self.is_number and self.levels:
            message = f"column {self.name!r} is a number, so it has no levels"
            raise ValueError(message)
        if self.kind is ColumnKind.boolean and self.levels != (False, True):
            message = f"boolean column {self.name!r} needs the levels (False, True)"
            raise ValueError(message)
        is_time = self.kind is ColumnKind.datetime
        if self.storage.is_time != is_time or (self.ticks is not None) != is_time:
            message = f"column {self.name!r} has the dtype of dates, but not their kind"
            raise ValueError(message)
        if len(set(self.levels)) != len(self.levels):
            message = f"the levels of column {self.name!r} are not distinct"
            raise ValueError(message)

    @property
    def is_number(self) -> bool:
        """Whether the kind is continuous, integer or datetime."""
        return self.kind.is_number

    @property
    def n_levels(self) -> int:
        """How many levels there are; 0 for numbers."""
        return len(self.levels)

    @property
    def is_scale(self) -> bool:
        """Whether the levels are numbers in their order, so that any number has one."""
        numbers = all(map(is_plain_number, self.levels))
        ordered = self.kind is ColumnKind.ordered and self.n_levels > 0
        return ordered and numbers and list(self.levels) == sorted(self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold."""
        out = asdict(self)
        out.update(kind=str(self.kind), storage=str(self.storage))
        out.update(levels=list(self.levels))
        if self.ticks is None:
            del out["ticks"]
        del out["wild"]
        if self.wild:
            out["wild"] = [
                {name: cell for name, cell in c._asdict().items() if cell is not None}
                for c in self.wild
            ]
        # JSON has no NaN.
        for bound in ("lower", "upper"):
            out[bound] = None if math.isnan(out[bound]) else out[bound]
        return out

    def put(self, new: NewSection) -> None:
        """Write the column to a model file."""
        new.data |= self.to_dict()
        new.put("name", self.name, f"the column name {self.name!r}")
        what = f"a level of column {self.name!r}"
        new.data["levels"] = [encode_value(level, what=what) for level in self.levels]
        if self.ticks is not None:
            self.ticks.put(new.section("ticks"))

    @classmethod
    def take(cls, section: Section, container: str) -> "ColumnSpec":
        """Rebuild a column from a model file, or say what is wrong with it."""
        name = section.value("name")
        if not _is_name(name, container):
            raise damaged(f"{name!r} is not a name of a column")
        for key, kinds in (("kind", ColumnKind), ("storage", Storage)):
            if section.text(key) not in list(kinds):
                raise damaged(f"the {key} of column {name!r} is not known")
        kind, storage = (
            ColumnKind(section.text("kind")),
            Storage(section.text("storage")),
        )
        is_time = kind is ColumnKind.datetime
        if storage.is_time != is_time or section.has("ticks") != is_time:
            raise damaged(f"column {name!r} has the dtype of dates, but not their kind")
        column = cls(
            name,
            kind,
            tuple(section.values("levels")),
            _decimals(section),
            _bound(section, "lower"),
            _bound(section, "upper"),
            section.flag("has_missing"),
            section.text("dtype"),
            storage,
            section.text("reason"),
            Ticks.take(section.section("ticks")) if is_time else None,
            section.text("notation") if section.has("notation") else "",
            _wild(section) if section.has("wild") else (),
            _n_missing(section),
        )
        zone = None if column.ticks is None else column.ticks.zone
        if not fits(container, column.dtype, column.storage, zone):
            raise damaged(
                f"the dtype {column.dtype[:40]!r} of column {name!r} is not known"
            )
        _check_levels(column)
        _check_range(column)
        return column

    def can_hold(self, codes: Floats) -> bool:
        """Whether cells of the column can have these codes."""
        present = codes[~np.isnan(codes)]
        if self.is_number:
            # A column of text that is a number by decree has no cells.
            legal = np.isfinite(present) & self.storage.is_numeric
        else:
            whole = present == np.rint(present)
            legal = whole & (present >= 0) & (present < self.n_levels)
        return bool(legal.all())

    def is_wild(self, codes: Floats) -> Bools:
        """Tell which cells stand apart from the range, farther than twice its width."""
        apart: Bools = stands_apart(codes, self.lower, self.upper) & self.is_number
        return apart

    def _key(self) -> tuple[Hashable, ...]:
        # Tuples hold NaN equal only if it is the same object: compare None instead.
        # 1, 1.0 and True are equal levels to Python, but not to a dtype.
        types = tuple(type(level) for level in self.levels)
        out = self.to_dict()
        plain = (out[k] for k in out if k not in {"levels", "ticks", "wild"})
        return (*plain, self.levels, types, self.ticks, self.wild)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def is_plain_number(level: Level) -> bool:
    """Whether a level is a number, not a truth value or a word."""
    return isinstance(level, int | float) and not isinstance(level, bool)


def _is_name(name: Any, container: str) -> bool:
    if container != "pandas":
        return isinstance(name, str)
    try:
        return hash(name) is not None
    except TypeError:
        return False


def _decimals(section: Section) -> int | None:
    if not section.has("decimals"):
        return None
    return section.integer("decimals", lowest=0, highest=MOST_DECIMALS)


def _n_missing(section: Section) -> int | None:
    if not section.has("n_missing"):
        return None
    count = section.integer("n_missing", lowest=0)
    if (count > 0) != section.flag("has_missing"):
        raise damaged(f"n_missing of {section.where} is {count}")
    return count


def _bound(section: Section, key: str) -> float:
    return section.number(key) if section.has(key) else math.nan


def _wild(section: Section) -> tuple[WildCell, ...]:
    parts = section.sections("wild")
    if len(parts) > MOST_CELLS:
        raise damaged(f"{section.where} has {len(parts)} wild cells")
    cells = []
    for part in parts:
        label = part.value("label") if part.has("label") else None
        if not isinstance(label, int | str | None):
            raise damaged(f"label of {part.where} is not a label of a row")
        row = part.integer("row", lowest=0)
        cells.append(WildCell(row, part.number("value"), label))
    return tuple(cells)


def _check_levels(column: ColumnSpec) -> None:
    types = LEVEL_TYPES.get(column.storage, ())
    if column.kind is ColumnKind.boolean:
        types = (bool,)
    legal = all(
        type(level) in types and level == level  # noqa: PLR0124 (NaN is no level)
        for level in column.levels
    )
    if not legal:
        raise damaged(f"column {column.name!r} has levels that do not fit its dtype")
    if column.dtype[1:2] == "U":
        longest = max((len(str(level)) for level in column.levels), default=0)
        if int(column.dtype[2:]) > max(WIDE_TEXT, 16 * longest):
            raise damaged(f"the text of column {column.name!r} is far too wide")


def _check_range(column: ColumnSpec) -> None:
    lower, upper = column.lower, column.upper
    values = np.array([cell.value for cell in column.wild])
    if not column.is_wild(values).all():
        raise damaged(f"wild cells of column {column.name!r} lie in its range")
    if math.isnan(lower) and math.isnan(upper):
        return
    legal = lower <= upper
    if not column.is_number:
        levels = range(column.n_levels)
        legal = legal and lower in levels and upper in levels
    if not legal:
        raise damaged(f"column {column.name!r} has the range {lower} to {upper}")
    whole = column.kind in {ColumnKind.integer, ColumnKind.datetime}
    whole = whole or column.storage is Storage.integer
    if column.is_number and whole and column.decimals != 0:
        raise damaged(f"the integers of column {column.name!r} have decimals")
