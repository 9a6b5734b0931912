"""Clocks of time zones, against what pandas says of them."""

import numpy as np
import pandas as pd
import pytest

from latentforest.table._zones import to_clock, to_instants, zone_object

ZONES = ("Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata")
ZONES += ("Europe/Dublin", "UTC", "+05:30", "-11:00")
EACH = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def times(zone, unit):
    """Times of all sorts, most of them near changes of the clocks."""
    rng = np.random.default_rng(0)
    days = np.arange(0, 2**31, 86_400)
    there = pd.DatetimeIndex(days.view("M8[s]"), tz="UTC").tz_convert(zone_object(zone))
    shown = there.tz_localize(None).to_numpy().view(np.int64) - days
    changes = days[np.flatnonzero(np.diff(shown))[:40]]
    near = (changes[:, None] + rng.integers(0, 2 * 86_400, (len(changes), 30))).ravel()
    seconds = np.concatenate([rng.integers(0, 2**31, 50), near, near // 900 * 900])
    return seconds * EACH[unit] + rng.integers(0, EACH[unit], len(seconds))


@pytest.mark.parametrize("unit", EACH)
@pytest.mark.parametrize("zone", ZONES)
def test_clocks_are_those_of_pandas(zone, unit):
    counts = times(zone, unit)
    cells = pd.DatetimeIndex(counts.view(f"M8[{unit}]"))
    there = cells.tz_localize("UTC").tz_convert(zone_object(zone)).tz_localize(None)
    found = to_clock(counts, unit, zone)
    np.testing.assert_array_equal(found, there.to_numpy().view(np.int64))
    instants = cells.tz_localize(
        zone_object(zone), ambiguous=np.ones(len(cells), bool), nonexistent="NaT"
    )
    wanted = instants.tz_convert("UTC").tz_localize(None).to_numpy().view(np.int64)
    known = ~instants.isna()
    found = to_instants(counts, unit, zone)
    np.testing.assert_array_equal(found[known], wanted[known])
    # Where clocks leave a time out, they show the next one right after the change.
    left_out = found[~known]
    assert (to_clock(left_out, unit, zone) > counts[~known]).all()
    assert (to_clock(left_out - 1, unit, zone) < counts[~known]).all()


def test_years_beyond_those_of_python_keep_the_last_offset():
    far = np.array([-(2**62), 2**62])
    assert (np.abs(to_clock(far, "s", "Europe/Berlin") - far) < 2 * 3_600).all()
    assert (np.abs(to_instants(far, "s", "Europe/Berlin") - far) < 2 * 3_600).all()
