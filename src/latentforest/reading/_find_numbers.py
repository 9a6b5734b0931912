"""Find out how the numbers of a column are written, from all its cells."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._types import Bools, Floats
from latentforest.reading._dialect import Dialect
from latentforest.reading._number_notation import (
    BLANK,
    BLANKS,
    GROUPS,
    SIGN,
    NumberNotation,
    group_of,
    whole_regex,
)
from latentforest.reading._tally import Tally

_CODES = (
    "EUR USD GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK ISK PLN CZK HUF RON BGN "
    "TRY RUB UAH ILS ZAR BRL MXN ARS CLP COP PEN KRW TWD HKD SGD THB MYR IDR PHP VND "
    "AED SAR QAR EGP NGN KES"
)
_CURRENCY = (
    rf"(?:[A-Z]{{0,3}}\p{{Sc}}|{'|'.join(_CODES.split())}"
    r"|kr\.?|zł|Kč|Ft|Fr\.?|SFr\.?|Rs\.?)"
)
_SHAPE = (
    rf"^(?P<open>\(?){SIGN}?(?P<before>(?:{_CURRENCY}{BLANK}*)?){SIGN}?"
    rf"(?P<body>[0-9](?:[0-9.,'’{BLANKS}]*[0-9])?[.,]?|[.,][0-9]+)"
    rf"(?P<power>(?:[eE][+-]?[0-9]+)?)"
    rf"(?P<after>(?:{BLANK}*(?:{_CURRENCY}|%))?)(?P<close>\)?)$"
)
_PARTS = ("open", "before", "body", "power", "after", "close")
_LEADING_ZERO = "^0[0-9]"
_VERSION = r"^v?[0-9]+(?:\.[0-9]+){2,}$"  # and addresses: 10.0.0.1
_PLUS_PHONE = rf"^\+[0-9]+{BLANK}"
_MANY_DIGITS = 7  # as phone numbers have
_MOSTLY = 0.9
_HEAD = 1_000


@dataclass(frozen=True)
class Numbers:
    """What was found: ways to read the numbers, and the words they leave over.

    Parameters
    ----------
    options : tuple of NumberNotation
        The ways that read most cells; two where cells leave it open.
    good : ndarray of bool
        Per distinct word, whether the options read it.
    sign : str, default=""
        The sign whose meaning is open, where there are two options.
    """

    options: tuple[NumberNotation, ...]
    good: Bools
    sign: str = ""


def find_numbers(tally: Tally, dialect: Dialect) -> Numbers | None:
    """Find the notation that reads most cells; None if they are not numbers.

    Parameters
    ----------
    tally : Tally
        The words of a column, without blanks around them.
    dialect : Dialect
        What the user says of decimal sign and thousands.
    """
    words, counts = tally.words, tally.counts
    head = pc.match_substring_regex(words.slice(0, _HEAD), _SHAPE)
    if 10 * (pc.sum(head).as_py() or 0) < len(head):
        return None  # most columns of text are ruled out by their first words
    found = pc.extract_regex(words, _SHAPE)
    parts = dict(zip(_PARTS, found.flatten(), strict=True))
    before, after, fits = _signs_around(parts, counts)
    found = _best(parts["body"], counts * fits, dialect)
    if not found:
        return None
    good = found[0][1] & fits
    around = before + after
    if not good.any() or _is_name(words, parts["body"], good, around, found[0][0]):
        return None
    options = tuple(
        replace(
            _with_places(option, parts["body"], counts * good),
            before=before,
            after=after,
        )
        for option, _ in found
    )
    if _any(pc.equal(parts["open"], "("), good):
        options = tuple(replace(option, parentheses=True) for option in options)
    sign = ""
    if len(options) > 1:
        sign = options[0].decimal if options[0].fraction else options[0].thousands
    return Numbers(options, good, sign)


def _signs_around(parts: dict[str, Any], counts: Floats) -> tuple[str, str, Bools]:
    """Return the currency or percent signs of most cells, and which cells fit them."""
    around = pc.binary_join_element_wise(parts["before"], parts["after"], "\n")
    shown = around.dictionary_encode()
    index = _numpy(pc.fill_null(shown.indices, -1))
    weights = np.bincount(index[index >= 0], counts[index >= 0])
    pairs = [pair.split("\n") for pair in shown.dictionary.to_pylist()]
    bare = [(pair[0].strip(), pair[1].strip()) for pair in pairs]
    total: dict[tuple[str, str], float] = {}
    for pair, weight in zip(bare, weights, strict=True):
        total[pair] = total.get(pair, 0.0) + weight
    main = max(total, key=lambda pair: total[pair])
    alike = [number for number, pair in enumerate(bare) if pair == main]
    before, after = pairs[max(alike, key=lambda number: weights[number])]
    allowed = {main} if main[1] == "%" else {main, ("", "")}
    fits = np.array([pair in allowed for pair in bare] + [False])
    return before, after, fits[index]


def _best(
    body: Any, weights: Floats, dialect: Dialect
) -> list[tuple[NumberNotation, Bools]]:
    """Return the ways to read most bodies, with the fewest signs."""
    tried = []
    for notation in _ways(body, weights > 0, dialect):
        group = notation.thousands and group_of(notation.thousands)
        sign = GROUPS[notation.decimal]
        part = f"(?:{sign}[0-9]*)?" if notation.fraction else ""
        only = f"|{sign}[0-9]+" if notation.fraction else ""
        good = _flags(body, f"^(?:(?:{whole_regex(group)}){part}{only})$")
        n_signs = notation.fraction + bool(group)
        tried.append(((float(weights[good].sum()), -n_signs), notation, good))
    if not tried:
        return []
    best = max(key for key, _, _ in tried)
    return [(way, good) for key, way, good in tried if key == best and key[0]]


def _ways(body: Any, used: Bools, dialect: Dialect) -> Iterator[NumberNotation]:
    """Yield what the signs in the cells may mean, as far as the user leaves it open."""
    seen = [s for s in f".,'’{BLANKS}" if _any(pc.match_substring(body, s), used)]
    decimals = [s for s in seen if s in ".," and dialect.decimal in {None, s}]
    for thousands in ("", *seen):
        group = thousands and group_of(thousands)
        if group and dialect.thousands not in {None, group}:
            continue
        if group and group == dialect.decimal:
            continue
        usual = "," if group == "." else "."
        yield NumberNotation(dialect.decimal or usual, thousands)
        for decimal in decimals:
            if decimal not in {thousands, dialect.thousands}:
                yield NumberNotation(decimal, thousands, fraction=True)


def _with_places(
    notation: NumberNotation, body: Any, weights: Floats
) -> NumberNotation:
    """Add the number of decimals, if nearly all cells have so many."""
    if not notation.fraction:
        return notation
    cut = pc.find_substring(body, notation.decimal)
    length = _numpy(pc.fill_null(pc.subtract(pc.binary_length(body), cut), 0))
    has = _numpy(pc.fill_null(pc.greater_equal(cut, 0), fill_value=False))
    places = np.where(has, length - 1, 0)
    totals = np.bincount(np.maximum(places, 0), weights)
    usual = int(totals.argmax())
    enough = totals[usual] >= _MOSTLY * totals.sum()
    return replace(notation, places=usual if enough and usual <= 12 else 0)


def _is_name(
    words: Any, body: Any, good: Bools, around: str, way: NumberNotation
) -> bool:
    """Whether numbers only tell things apart: ids, phones, versions, addresses."""
    if _any(pc.match_substring_regex(body, _LEADING_ZERO), good):
        return True
    if around:
        return False
    if _any(pc.match_substring_regex(words, _VERSION), ~good):
        return True
    if _any(pc.match_substring_regex(words, _PLUS_PHONE), good):
        return True
    return not way.fraction and _like_phones(body.filter(pa.array(good)), way)


def _like_phones(body: Any, way: NumberNotation) -> bool:
    """Whether groups of digits are all alike, as in phone numbers or addresses."""
    if way.thousands not in {".", *BLANKS} or len(body) < 2:
        return False
    parts = pc.count_substring_regex(body, "[^0-9]").unique().to_pylist()
    digits = pc.replace_substring_regex(body, "[^0-9]", "")
    lengths = pc.utf8_length(digits).unique().to_pylist()
    if len(parts) > 1 or parts[0] < 2:
        return False
    address = way.thousands == "." and parts[0] == 3
    return address or (len(lengths) == 1 and lengths[0] >= _MANY_DIGITS)


def _flags(words: Any, regex: str) -> Bools:
    return _numpy(
        pc.fill_null(pc.match_substring_regex(words, regex), fill_value=False)
    )


def _any(flags: Any, among: Bools) -> bool:
    return bool((_numpy(pc.fill_null(flags, fill_value=False)) & among).any())


def _numpy(array: Any) -> Any:
    return array.to_numpy(zero_copy_only=False)
