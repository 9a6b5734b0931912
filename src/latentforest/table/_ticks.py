"""Instants, dates, times of day and durations as numbers: ticks of a clock."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged
from latentforest.table._calendar import FIRSTS, firsts_of, nearest_first
from latentforest.table._kinds import Storage
from latentforest.table._zones import Counts, to_clock, to_instants, zone_object

# From coarse to fine, in nanoseconds.
UNITS = {
    "D": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
UNIT_NAMES = {
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
NAT = int(np.iinfo(np.int64).min)  # a missing cell among counts
MOST = 2**63 - 1
_EXACT = 2**53  # floats hold every integer below
_FAR = 2**62
_HEAD = 1_000


@dataclass(frozen=True, slots=True)
class Ticks:
    """What a code of a column of dates or times counts.

    Parameters
    ----------
    unit : {'D', 'h', 'm', 's', 'ms', 'us', 'ns'}
        The resolution: the coarsest that writes every fitted value exactly.
    origin : int, default=0
        The code 0 means so many units after 1970 began; for durations and times of
        day it is 0 and means no time and midnight.
    zone : str, default=''
        Time zone, as a name or an offset such as ``+01:00``; empty for none.
    local : bool, default=False
        Whether units are counted on the clocks of the zone, not in UTC: local
        midnights are whole days there, and 23 or 25 hours apart twice a year.
    first_of : {'', 'month', 'year'}, default=''
        Whether all fitted days are the first of a month or year: decoded ones are too.

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest import TableCodec
    >>> table = pd.DataFrame({"day": pd.to_datetime(["2021-03-01", "2021-03-05"])})
    >>> codec = TableCodec().fit(table)
    >>> codec.schema_.columns[0].ticks
    Ticks(unit='D', origin=18687, zone='', local=False, first_of='')
    >>> codec.encode(table).values.ravel()
    array([0., 4.])
    """

    unit: str
    origin: int = 0
    zone: str = ""
    local: bool = False
    first_of: str = ""

    @classmethod
    def of(cls, counts: Counts, unit: str, zone: str, storage: Storage) -> "Ticks":
        """Choose unit and origin for a column whose cells count a unit."""
        return TickSurvey.of(counts, unit, zone).ticks(storage)

    def codes(self, counts: Counts, unit: str) -> Floats:
        """Cells that count a unit, in UTC, as codes; NaN is missing."""
        missing = counts == NAT
        known = np.where(missing, 0, counts)
        clock = to_clock(known, unit, self.zone) if self.local else known
        codes = _since(clock, UNITS[unit], self.origin, UNITS[self.unit])
        if self.local:
            # A day that begins at 1:00, since clocks leave out midnight, is whole.
            whole = np.rint(codes)
            same = self.counts(whole, unit) == known
            codes[same] = whole[same]
        codes[missing] = np.nan
        return codes

    def counts(
        self, codes: Floats, unit: str, lowest: int = -MOST, highest: int = MOST
    ) -> Counts:
        """Codes as cells that count a unit, in UTC; `NAT` is missing.

        What the cells cannot hold stops at the last whole tick that they can.
        """
        missing = np.isnan(codes)
        known = np.clip(np.where(missing, 0.0, codes), -_FAR, _FAR)
        whole = np.rint(known).astype(np.int64)
        own, theirs = UNITS[self.unit], UNITS[unit]
        if own >= theirs:
            each = own // theirs
            first, last = -(-lowest // each), highest // each
            origin = min(max(self.origin, first), last)
            most, least = min(last - origin, _FAR), max(first - origin, -_FAR)
            units = np.clip(whole, least, most) + origin
            if self.first_of:
                units = np.clip(nearest_first(units, self.first_of), first, last)
            out = units * each
        else:
            out = (whole + self.origin) // (theirs // own)
            out = np.clip(out, lowest, highest)
        if self.local:
            out = np.clip(to_instants(out, unit, self.zone), lowest, highest)
        out[missing] = NAT
        return out

    def writes(self, counts: Counts, unit: str) -> bool:
        """Whether all cells come back from whole codes."""
        whole = np.rint(self.codes(counts, unit))
        return bool((self.counts(whole, unit) == counts).all())

    def put(self, new: NewSection) -> None:
        """Write to a model file."""
        new.data |= {
            "unit": self.unit,
            "origin": self.origin,
            "zone": self.zone,
            "local": self.local,
            "first_of": self.first_of,
        }

    @classmethod
    def take(cls, section: Section) -> "Ticks":
        """Read from a model file."""
        unit = section.text("unit")
        if unit not in UNITS:
            raise damaged(f"{unit[:40]!r} is not a unit of time")
        origin = section.integer("origin", lowest=-MOST, highest=MOST)
        zone, local = section.text("zone"), section.flag("local")
        if (zone and zone_object(zone) is None) or (local and not zone):
            raise damaged(f"{zone[:40]!r} is not a time zone")
        first_of = section.text("first_of") if section.has("first_of") else ""
        if first_of and (first_of not in FIRSTS or unit != "D"):
            raise damaged(f"there are no first {unit} of a {first_of[:40]!r}")
        return cls(unit, origin, zone, local, first_of)


@dataclass(frozen=True, slots=True)
class TickSurvey:
    """What `Ticks` have to know of the cells of a column; two surveys merge into one.

    Parameters
    ----------
    unit : str
        What the cells count.
    zone : str
        Their time zone, or ''.
    ends : tuple of int, default=()
        The first and the last cell, and, in a zone, the cells at which its clocks show
        the first and the last time; () if there are none.
    whole : frozenset of str
        Units of which every cell is a whole number; "month" and "year" if it is
        the first day of one.
    local : frozenset of str
        The same on the clocks of the zone.
    """

    unit: str
    zone: str = ""
    ends: tuple[int, ...] = ()
    whole: frozenset[str] = frozenset(UNITS)
    local: frozenset[str] = frozenset(UNITS)

    @classmethod
    def of(cls, counts: Counts, unit: str, zone: str) -> "TickSurvey":
        """Look at the cells of a column."""
        present = counts[counts != NAT]
        if not len(present):
            return cls(unit, zone)
        ends: tuple[int, ...] = (int(present.min()), int(present.max()))
        # Most units are ruled out by the first rows.
        parts = (present[:_HEAD], present)
        whole = {u for u in UNITS if all(_are_whole(part, unit, u) for part in parts)}
        if "D" in whole:
            whole.update(firsts_of(present // (UNITS["D"] // UNITS[unit])))
        local: set[str] = set()
        if zone:
            clock = to_clock(present, unit, zone)
            ends += (int(present[clock.argmin()]), int(present[clock.argmax()]))
            for coarse in list(UNITS)[: list(UNITS).index(unit)]:
                origin = _origin(int(clock.min()), unit, coarse)
                ticks = Ticks(coarse, origin, zone, local=True)
                if all(ticks.writes(part, unit) for part in parts):
                    local.add(coarse)
                    if coarse == "D":
                        days = np.rint(ticks.codes(present, unit)).astype(np.int64)
                        local.update(firsts_of(days + origin))
        return cls(unit, zone, ends, frozenset(whole), frozenset(local))

    def merge(self, other: "TickSurvey") -> "TickSurvey":
        """Return what is known of the cells of both."""
        if not self.ends or not other.ends:
            return self if self.ends else other
        both = np.array([*self.ends, *other.ends])
        ends: tuple[int, ...] = (int(both.min()), int(both.max()))
        if self.zone:
            clock = to_clock(both, self.unit, self.zone)
            ends += (int(both[clock.argmin()]), int(both[clock.argmax()]))
        whole, local = self.whole & other.whole, self.local & other.local
        return TickSurvey(self.unit, self.zone, ends, whole, local)

    def ticks(self, storage: Storage) -> Ticks:
        """Choose unit and origin.

        Notes
        -----
        Codes are exact up to 2⁵³ units: 104 days in nanoseconds, 285 years in
        microseconds. Over longer spans a coarser unit is taken.
        """
        unit, zone = self.unit, self.zone
        if not self.ends:
            return Ticks(unit, 0, zone)
        first, last = self.ends[:2]
        chosen = next((u for u in UNITS if u in self.whole), unit)
        if zone:
            clock = int(to_clock(np.array(self.ends), unit, zone).min())
            for coarse in list(UNITS)[: list(UNITS).index(chosen)]:
                if coarse in self.local:
                    origin = _origin(clock, unit, coarse)
                    firsts = _coarsest(self.local) if coarse == "D" else ""
                    return Ticks(coarse, origin, zone, local=True, first_of=firsts)
        span = last - first if storage.is_instant else max(abs(first), abs(last))
        exact = [u for u in UNITS if span * UNITS[unit] // UNITS[u] < _EXACT]
        chosen = chosen if chosen in exact else exact[-1]
        if not storage.is_instant:
            return Ticks(chosen, 0, zone)
        firsts = _coarsest(self.whole) if chosen == "D" else ""
        return Ticks(chosen, _origin(first, unit, chosen), zone, first_of=firsts)


def _coarsest(found: frozenset[str]) -> str:
    return next((of for of in FIRSTS if of in found), "")


def _are_whole(counts: Counts, unit: str, coarse: str) -> bool:
    each = UNITS[coarse] // UNITS[unit]
    return each == 1 or (each > 1 and not (counts % each).any())


def _origin(first: int, unit: str, coarse: str) -> int:
    return first * UNITS[unit] // UNITS[coarse]


def _since(counts: Counts, theirs: int, origin: int, own: int) -> Floats:
    """Turn counts of one unit, in nanoseconds, as floats in another, from an origin."""
    if theirs < own:
        whole, rest = np.divmod(counts, own // theirs)
        return _less(whole, 1, origin) + rest / (own // theirs)
    return _less(counts, theirs // own, origin)


def _less(counts: Counts, each: int, origin: int) -> Floats:
    """Work out ``counts · each - origin``, in integers where these can hold it."""
    room = (MOST - abs(origin)) // each
    near = np.abs(counts) <= room
    exact = np.where(near, counts, 0) * each - origin
    return np.where(near, exact.astype(np.float64), counts * float(each) - origin)
