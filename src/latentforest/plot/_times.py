"""Axes of dates and times: days inside, dates at the ticks."""

from typing import Any

from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.table import Storage, Ticks, TimeColumn, clock_days

DAY = 86_400.0
# Seconds between ticks of lengths of time and times of day.
STEPS = (
    *(1e-9 * m * 10**k for k in range(9) for m in (1, 2, 5)),
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800),
    *(3_600, 7_200, 10_800, 21_600, 43_200),
    *(DAY * m * 10**k for k in range(8) for m in (1, 2, 5)),
)


def days_of(column: TimeColumn, zone: str | None = None) -> Floats:
    """Days since 1970, or of a length of time, on the clock of a zone or its own."""
    ticks = Ticks(column.unit, 0, column.zone if zone is None else zone)
    return clock_days(ticks, ticks.codes(column.counts, column.unit))


def write_dates(axis: Any, sort: Storage, *, most: int = 6) -> None:
    """Put ticks on an axis of days where dates are round, and write them as dates."""
    if sort.is_instant:
        dates = require("matplotlib.dates", extra="plot")
        locator = dates.AutoDateLocator(minticks=2, maxticks=most)
        axis.set_major_locator(locator)
        axis.set_major_formatter(dates.ConciseDateFormatter(locator))
        return
    ticker = require("matplotlib.ticker", extra="plot")
    low, high = axis.get_view_interval()
    step = next((s for s in STEPS if (high - low) * DAY / s <= most), STEPS[-1])
    axis.set_major_locator(ticker.MultipleLocator(step / DAY))
    axis.set_major_formatter(ticker.FuncFormatter(lambda x, _: length_text(x, step)))


def length_text(days: float, step: float) -> str:
    """Write a length of time as 3 days, 14:30, 14:30:05 or 0.25 s."""
    if step >= DAY:
        count = round(days)
        return f"{count} day" if abs(count) == 1 else f"{count} days"
    if step < 1:
        return f"{days * DAY:.9g} s"
    sign, seconds = "-" if days < 0 else "", round(abs(days) * DAY)
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    text = f"{sign}{hours:02d}:{minutes:02d}"
    return f"{text}:{seconds % 60:02d}" if step < 60 else text
