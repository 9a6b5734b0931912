"""Columns whose cells are written in two ways, which no one notation reads."""

import shlex

from latentforest._base._types import Bools
from latentforest.reading._dialect import Dialect
from latentforest.reading._find_dates import find_dates
from latentforest.reading._find_numbers import find_numbers
from latentforest.reading._tally import Tally

_NEARLY_ALL = 80  # % of the cells must be written in one of two ways


def two_ways(name: str, odd: Bools, tally: Tally, dialect: Dialect) -> str:
    """Say that numbers or dates are written in two ways; nothing if they are not.

    Parameters
    ----------
    name : str
        The column.
    odd : ndarray of bool
        Which of its words the best notation does not read.
    tally : Tally
        Its words.
    dialect : Dialect
        Who is told what to do.
    """
    rest = tally.only(odd)
    found = find_dates(rest, dialect, packed=False) or find_numbers(rest, dialect)
    if found is None:
        return ""
    first, second = tally.only(~odd), rest.only(found.good)
    total = tally.counts.sum()
    shares = [100 * part.counts.sum() / total for part in (first, second)]
    if sum(shares) < _NEARLY_ALL:
        return ""
    one, other = (repr(part.words[0].as_py()) for part in (first, second))
    words = ""
    if not dialect.in_python:
        words = f"; if they are words, give fit --kind {shlex.quote(name)}=category"
    return (
        f"{name}: {shares[0]:.0f} % of the cells are written like {one}, "
        f"{shares[1]:.0f} % like {other}, so that all are read as text. Write them "
        f"alike{words}"
    )
