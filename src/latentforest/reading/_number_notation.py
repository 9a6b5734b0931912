"""One way of writing numbers: signs, currency, percent, as a pattern that is kept."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

BLANKS = " \u00a0\u2007\u2009\u202f"
BLANK = f"[{BLANKS}]"
# What stands between thousands: alike in reading, told apart in writing.
GROUPS = {",": ",", ".": r"\.", "'": "['’]", " ": BLANK}
MINUS = "−-"  # the hyphen last, or it would be a range
SIGN = f"[+{MINUS}]"
_VALUE = ("whole", "part", "power")
_PATTERN = re.compile(
    r"(?P<before>[^#0]*)(?:#(?P<thousands>.)##)?0(?:(?P<decimal>[.,])(?P<places>0+|#))?"
    r"(?P<after>[^#0;]*)(?P<parentheses>;\(\))?"
)


def group_of(sign: str) -> str:
    """Return the sign that stands for all that are read like it."""
    if sign in BLANKS:
        return " "
    return "'" if sign == "’" else sign


@dataclass(frozen=True)
class NumberNotation:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : {".", ","}, default="."
        The decimal sign.
    thousands : str, default=""
        What stands between thousands; "" is nothing.
    before, after : str, default=""
        Currency or percent sign, with the blank that parts it from the number.
    places : int, default=0
        Decimals that are always written, with zeros.
    fraction : bool, default=False
        Whether there are decimals at all.
    parentheses : bool, default=False
        Whether negative numbers are written in parentheses.
    """

    decimal: str = "."
    thousands: str = ""
    before: str = ""
    after: str = ""
    places: int = 0
    fraction: bool = False
    parentheses: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether every program writes numbers so."""
        signs = self.thousands + self.before + self.after
        return not signs and self.decimal == "." and not self.parentheses

    @property
    def is_percent(self) -> bool:
        """Whether 5 % is written for 0.05."""
        return self.after.endswith("%")

    @property
    def pattern(self) -> str:
        """The notation as text, as spreadsheets have it: ``#,##0.00 €``."""
        whole = f"#{self.thousands}##0" if self.thousands else "0"
        places = "0" * self.places or "#"
        fraction = f"{self.decimal}{places}" if self.fraction else ""
        negative = ";()" if self.parentheses else ""
        return f"{self.before}{whole}{fraction}{self.after}{negative}"

    @classmethod
    def from_pattern(cls, pattern: str) -> "NumberNotation":
        """Return the notation of a pattern, or raise ValueError."""
        found = _PATTERN.fullmatch(pattern)
        known = found is not None and (
            group_of(found["thousands"] or "") in GROUPS
            and found["thousands"] != (found["decimal"] or "")
        )
        if found is None or not known or len(pattern) > 60:
            message = f"{pattern[:60]!r} is no way of writing numbers"
            raise ValueError(message)
        thousands, places = found["thousands"] or "", found["places"] or ""
        return cls(
            found["decimal"] or ("," if thousands == "." else "."),
            thousands,
            found["before"],
            found["after"],
            places.count("0"),
            bool(places),
            bool(found["parentheses"]),
        )

    @property
    def example(self) -> str:
        """A number as it is written."""
        if self.is_percent:
            return self._word(0.125 if self.fraction else 0.12)
        value = 1234.5 if self.fraction else 1234
        return self._word(-value if self.parentheses else value)

    @cached_property
    def _regex(self) -> str:
        blank = f"{BLANK}*"
        before = f"(?:{re.escape(self.before.strip())}{blank})?" if self.before else ""
        after = f"{blank}{re.escape(self.after.strip())}" if self.after else ""
        if after and not self.is_percent:
            after = f"(?:{after})?"  # a bare 0 among amounts is one
        whole = whole_regex(self.thousands and group_of(self.thousands))
        exponent = "" if self.is_percent else "[eE][+-]?[0-9]+"
        return (
            rf"^(?P<open>\(?)(?P<first>{SIGN}?){blank}{before}(?P<second>{SIGN}?)"
            rf"(?P<whole>(?:{whole})?)(?:{re.escape(self.decimal)}(?P<part>[0-9]*))?"
            rf"(?P<power>(?:{exponent})?){after}(?P<close>\)?)$"
        )

    def read(self, words: Any, *, whole: bool = False) -> Any:
        """Return the numbers, null where a word is not written in this way.

        Parameters
        ----------
        words : pyarrow array of strings
            Cells without blanks around them.
        whole : bool, default=False
            Return integers; no word may have a fraction.
        """
        found = pc.extract_regex(words, self._regex)
        open_, first, second, digits, part, power, close = found.flatten()
        digits = pc.replace_substring_regex(digits, r"[^0-9]", "")
        some = pc.or_(pc.not_equal(digits, ""), pc.not_equal(part, ""))
        closed = pc.equal(pc.utf8_length(open_), pc.utf8_length(close))
        signs = pc.binary_join_element_wise(open_, first, second, "")
        negative = pc.match_substring_regex(signs, rf"[({MINUS}]")
        sign = pc.if_else(negative, "-", "")
        if whole:
            text = pc.binary_join_element_wise(sign, digits, "")
        else:
            power = "e-2" if self.is_percent else power
            number = pc.binary_join_element_wise(digits, part, ".")
            zero = pc.if_else(pc.equal(digits, ""), "0", "")
            text = pc.binary_join_element_wise(sign, zero, number, power, "")
        good = pc.fill_null(pc.and_(some, closed), fill_value=False)
        text = pc.if_else(good, text, pa.nulls(len(words), pa.string()))
        return pc.cast(text, pa.int64() if whole else pa.float64())

    def whole_digits(self, words: Any) -> Any:
        """Return the digits of words without a fraction or a power; null for others."""
        parts = pc.extract_regex(words, self._regex)
        digits, part, power = (pc.struct_field(parts, k) for k in _VALUE)
        digits = pc.replace_substring_regex(digits, r"[^0-9]", "")
        bare = pc.and_(pc.equal(part, ""), pc.equal(power, ""))
        return pc.if_else(bare, digits, pa.nulls(len(words), pa.string()))

    def write(self, values: Any) -> Any:
        """Return words for numbers; null stays null."""
        words = [None if v is None else self._word(v) for v in values.to_pylist()]
        return pa.array(words, pa.string())

    def _word(self, value: float) -> str:
        exact = Decimal(repr(value))
        if not exact.is_finite():
            return str(value)
        if self.is_percent:
            exact = exact.scaleb(2)
        whole, _, part = format(abs(exact), "f").partition(".")
        part = part.rstrip("0")
        if self.fraction:
            part = part.ljust(self.places, "0")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
        number = f"{whole}{self.decimal}{part}" if part else whole
        word = f"{self.before}{number}{self.after}"
        if not exact.is_signed():
            return word
        return f"({word})" if self.parentheses else f"-{word}"


def whole_regex(thousands: str) -> str:
    """Return what the part before the decimal sign looks like."""
    if not thousands:
        return "[0-9]+"
    return f"[1-9][0-9]{{0,2}}(?:{GROUPS[thousands]}[0-9]{{3}})+|[0-9]+"
