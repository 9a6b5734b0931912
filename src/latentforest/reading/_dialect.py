"""How a user says that a table is written; what is not said is found out."""

import shlex
from codecs import lookup
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from latentforest._base._errors import UsageError

# What the user says of columns: a kind, or levels in order.
Kinds: TypeAlias = Mapping[str, str | Sequence[Any]]
# What pandas takes for missing, too.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan"),
    *("1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a"),
    *("nan", "null"),
)
DATES = ("day-first", "month-first", "year-first")
_NAMED = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
    "point": ".",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the user says that tables are written; None is found out.

    Parameters
    ----------
    separator : str or None, default=None
        The character between cells of text.
    na : tuple of str, default=()
        Further words that mean missing.
    only_na : bool, default=False
        Only the empty cell and the words of ``na`` mean missing.
    stream_format : str or None, default=None
        Format of standard streams.
    safe_csv : bool, default=False
        Guard spreadsheets against formulas; written only.
    decimal, thousands : str or None, default=None
        The decimal sign, and what separates thousands.
    strip : bool, default=True
        Take away blanks around text.
    encoding : str or None, default=None
        Name of the encoding of text; None is UTF-8, or UTF-16 with its mark.
    header : bool or None, default=None
        Whether the first line holds names.
    dates : {"day-first", "month-first", "year-first"} or None, default=None
        The order of day, month and year in dates that are written with numbers.
    sheet : str or None, default=None
        Which sheet of a workbook, or which table of a database.
    skip_rows : int or None, default=None
        Lines of text, or of a sheet, before the line of names.
    last_year : int or None, default=None
        The latest year that two digits mean; None is 2068.
    quotes : bool, default=True
        Whether a quote opens a cell of text; else it is a sign like others.
    in_python : bool, default=False
        Whether messages name arguments of Python or options of the command line.
    """

    separator: str | None = None
    na: tuple[str, ...] = ()
    only_na: bool = False
    stream_format: str | None = None
    safe_csv: bool = False
    decimal: str | None = None
    thousands: str | None = None
    strip: bool = True
    encoding: str | None = None
    header: bool | None = None
    dates: str | None = None
    sheet: str | None = None
    skip_rows: int | None = None
    last_year: int | None = None
    quotes: bool = True
    in_python: bool = False

    def __post_init__(self) -> None:
        for name, signs in (("decimal", ".,"), ("thousands", ".,' ")):
            given = getattr(self, name)
            if given is None:
                continue
            sign = _NAMED.get(given, given)
            if len(sign) != 1 or sign not in signs:
                shown = " ".join("space" if s == " " else s for s in signs)
                self._refuse(name, given, f"Give one of {shown}")
            object.__setattr__(self, name, sign)
        if self.decimal is not None and self.decimal == self.thousands:
            message = (
                f"{self.option('decimal', self.decimal)} and "
                f"{self.option('thousands', self.thousands)} are the same sign. Give "
                "two."
            )
            raise UsageError(message)
        if self.dates not in {None, *DATES}:
            self._refuse("dates", self.dates, f"Choose one of {', '.join(DATES)}")
        if self.skip_rows is not None and self.skip_rows < 0:
            self._refuse("skip_rows", self.skip_rows, "Give 0 or more")
        if self.last_year is not None and not 1000 <= self.last_year <= 9999:
            self._refuse("last_year", self.last_year, "Give a year of four digits")
        if self.encoding is not None:
            try:
                lookup(self.encoding)
            except LookupError:
                self._refuse("encoding", self.encoding, "Give one such as cp1252")

    @property
    def missing(self) -> frozenset[str]:
        """Words that mean missing."""
        usual = ("",) if self.only_na else MISSING
        return frozenset((*usual, *self.na))

    def missing_in(self, kind: str | Sequence[Any] | None) -> frozenset[str]:
        """Words that mean missing in a column; those that the user lists do not."""
        if kind is None or isinstance(kind, str):
            return self.missing
        return self.missing - {level for level in kind if isinstance(level, str)}

    def option(self, name: str, value: Any) -> str:
        """Return an option in the words of who reads the message."""
        if self.in_python:
            return f"{name}={value!r}"
        return (
            f"{self.name(name)} {'tab' if value == chr(9) else shlex.quote(str(value))}"
        )

    @property
    def no_header(self) -> str:
        """The option that says that a file has no line of names."""
        return "header=False" if self.in_python else "--no-header"

    @property
    def with_header(self) -> str:
        """The option that says that the first line holds names."""
        return "header=True" if self.in_python else "--header"

    @property
    def no_strip(self) -> str:
        """The option that keeps blanks around text."""
        return "strip=False" if self.in_python else "--no-strip"

    @property
    def no_quotes(self) -> str:
        """The option that says that a quote is a sign like others."""
        return "quotes=False" if self.in_python else "--no-quotes"

    @property
    def with_only_na(self) -> str:
        """The option that says that only the user's words mean missing."""
        return "only_na=True" if self.in_python else "--only-na"

    def name(self, option: str) -> str:
        """Return the name of an option in the words of who reads the message."""
        return option if self.in_python else f"--{option.replace('_', '-')}"

    def separator_or(self, usual: str) -> str:
        """Return the character between cells: the user's, or the usual one."""
        if self.separator is None:
            return usual
        sign = _NAMED.get(self.separator, self.separator)
        if len(sign) != 1 or sign in '"\r\n' or not sign.isascii():
            advice = "is not a single character. Give one, such as ';', or the word tab"
            message = f"{self.option('separator', self.separator)} {advice}."
            raise UsageError(message)
        return sign

    def _refuse(self, name: str, value: Any, advice: str) -> None:
        message = f"{self.option(name, value)} is not known. {advice}."
        raise UsageError(message)
