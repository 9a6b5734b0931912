"""Dates, times and durations in text: found, never guessed, and written back."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest._base._errors import DataError
from latentforest.reading import (
    DateNotation,
    Dialect,
    Notation,
    infer_columns,
    read_cells,
)
from latentforest.table import ColumnKind, ColumnSpec, Storage, Ticks


def read(*words, said=None, kinds=None, **more):
    columns = {"x": pa.array(words), **{k: pa.array(v) for k, v in more.items()}}
    return infer_columns(columns, said or Dialect(), kinds or {})["x"]


def texts(column):
    """Return values as people read them, to compare."""
    return [None if v is None else str(v) for v in column.values.to_pylist()]


DATES = [
    *("M/d/yy", "d/M/yy"),
    *("yyyy-MM-dd", "dd.MM.yyyy", "d.M.yyyy", "MM/dd/yyyy", "M/d/yyyy", "dd/MM/yyyy"),
    *("dd-MM-yyyy", "yyyy/MM/dd", "MMM dd, yyyy", "MMMM d, yyyy", "d MMMM yyyy"),
    *("dd MMM yyyy", "dd-MMM-yyyy", "d. MMMM yyyy", "dd.MM.yy", "MM/dd/yy"),
]
TIMES = ["", " HH:mm", " HH:mm:ss", " HH:mm:ss.SSS", " h:mm a", " h:mm:ss a"]
SECONDS = st.integers(-20_000_000, 1_900_000_000)  # within 1969 to 2030


@settings(max_examples=60, deadline=None)
@given(
    seconds=st.lists(SECONDS, min_size=1, max_size=20),
    date=st.sampled_from(DATES),
    time=st.sampled_from(TIMES),
)
def test_dates_written_in_a_notation_are_found_and_read(seconds, date, time):
    """With a date that shows the order, every way of writing is told apart."""
    way = DateNotation(date + time)
    seconds = [*seconds, 1_609_372_800 + 86_400, 1_609_372_800, 981_173_106]
    step = 1 if "ss" in time else 60 if time else 86_400
    counts = [s // step * step for s in seconds]
    given_cells = pa.array(counts, pa.int64()).cast(pa.timestamp("s"))
    words = way.write(given_cells)
    found = read(*words.to_pylist())
    assert found.values.cast(pa.timestamp("s")).to_pylist() == given_cells.to_pylist()
    kept = Notation.from_text(found.notation)
    assert Notation.from_text(kept.text) == kept
    assert kept.cells.read(kept.cells.write(given_cells)).equals(found.values)
    assert kept.cells.write(given_cells).to_pylist() == words.to_pylist()


@settings(max_examples=25, deadline=None)
@given(
    seconds=st.lists(st.integers(0, 86_399), min_size=1),
    pattern=st.sampled_from(["HH:mm:ss", "h:mm:ss a", "hh:mm:ss a"]),
)
def test_times_of_day_are_found_and_read(seconds, pattern):
    seconds = [*seconds, 36_605]
    cells = pa.array([s * 10**6 for s in seconds], pa.int64()).cast(pa.time64("us"))
    words = DateNotation(pattern, "time").write(cells)
    found = read(*words.to_pylist())
    assert found.values.equals(cells)
    assert found.notation.startswith("time:")


@settings(max_examples=25, deadline=None)
@given(seconds=st.lists(st.integers(-(10**8), 10**8)))
def test_durations_are_those_beyond_a_day(seconds):
    seconds = [*seconds, 90_000]
    cells = pa.array(seconds, pa.int64()).cast(pa.duration("s"))
    words = DateNotation("H:mm:ss", "duration").write(cells)
    found = read(*words.to_pylist())
    assert found.values.equals(cells)
    assert Notation.from_text(found.notation).cells.sort == "duration"


def test_durations_with_fractions_are_written_back():
    words = ["-0:00:01.5", "0:00:01.5", "-0:00:00.25", "26:15:00", "0:00:00.000001"]
    found = read(*words)
    assert found.values.cast(pa.int64()).to_pylist()[:2] == [-1_500_000, 1_500_000]
    assert Notation.from_text(found.notation).cells.write(found.values).to_pylist() == (
        words
    )


def test_hours_of_one_day_are_times_of_day():
    assert read("1:23:45", "22:00:01").notation == "time:H:mm:ss"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("2021-01-05T10:00:00Z",), "2021-01-05 10:00:00+00:00"),
        (("2021-01-05 10:00:00+01:00",), "2021-01-05 10:00:00+01:00"),
        (("2021-01-05 10:00:00-0530",), "2021-01-05 10:00:00-05:30"),
        (("2021-01-05T10:00:00.25",), "2021-01-05 10:00:00.250000"),
        (("05.01.2021 14:30", "31.01.2021"), "2021-01-05 14:30:00"),
        (("Sept 5, 2021", "Sep 6, 2021"), "2021-09-05 00:00:00"),
        (("5 January 2021, 2:30 PM",), "2021-01-05 14:30:00"),
        (("1/5/21", "12/31/21"), "2021-01-05 00:00:00"),
        (("12/31/2021 12:00 AM", "01/05/2021 12:00 PM"), "2021-12-31 00:00:00"),
    ],
)
def test_dates_of_many_sorts(words, expected):
    found = read(*words)
    assert texts(found)[0] == expected
    way = Notation.from_text(found.notation).cells
    assert way.read(way.write(found.values)).equals(found.values)


def test_several_offsets_are_told_in_utc():
    found = read("2021-01-05 10:00:00+01:00", "2021-07-05 10:00:00+02:00")
    assert str(found.values.type) == "timestamp[s, tz=UTC]"
    assert texts(found) == ["2021-01-05 09:00:00+00:00", "2021-07-05 08:00:00+00:00"]


@pytest.mark.parametrize("words", [("01/05/2021", "02/06/2021"), ("01-05-2021",)])
def test_day_and_month_are_not_guessed(words):
    with pytest.raises(
        DataError, match=r"'x' holds dates such as.*--dates day-first or --dates month"
    ):
        read(*words)
    first = read(*words, said=Dialect(dates="day-first"))
    assert texts(first)[0].startswith("2021-05-01")
    second = read(*words, said=Dialect(dates="month-first"))
    assert texts(second)[0].startswith("2021-01-05")
    with pytest.raises(DataError, match=r"dates='day-first'"):
        read(*words, said=Dialect(in_python=True))


def test_the_same_day_and_month_need_no_guess():
    assert texts(read("01/01/2021", "02/02/2021"))[1].startswith("2021-02-02")


def test_other_columns_show_the_order():
    found = read("01/05/2021", "02/06/2021", y=["12/31/2021", "01/30/2021"])
    assert texts(found)[0].startswith("2021-01-05")


def test_with_points_the_day_comes_first():
    found = read("05.01.2021", "06.02.2021")
    assert texts(found)[0].startswith("2021-01-05")
    assert "--dates month-first" in found.note


def test_packed_dates_only_if_said():
    assert read("20210105", "20211231").values.to_pylist() == [20210105, 20211231]
    for said, kinds in ((Dialect(dates="year-first"), {}), (None, {"x": "datetime"})):
        found = read("20210105", "20211231", said=said, kinds=kinds)
        assert texts(found)[0].startswith("2021-01-05")
        assert found.notation == "date:yyyyMMdd"


@pytest.mark.parametrize(
    "words",
    [
        ("9.4.12", "10.12.13"),
        ("1.2.3", "1.2.4"),
        ("12:3", "3:2"),
        ("10.0.0.1", "10.0.0.2"),
        ("2021-13-45", "2021-99-01"),
        ("May", "June"),
        ("Mon 5", "Tue 6"),
        ("0171-1234567", "030-7654321"),
    ],
)
def test_what_is_no_date_stays_text(words):
    assert read(*words).values.to_pylist() == list(words)


def test_few_cells_that_are_no_dates_are_missing_and_said():
    days = [f"2021-01-{d:02d}" for d in range(1, 32)] * 4
    found = read(*days, "unknown", "soon")
    assert found.values.null_count == 2
    assert "2 cells are no dates" in found.note
    many = read(*days, *["soon"] * 20)
    assert "86 % of the cells look like dates" in many.note
    assert "--na soon" in many.note


def test_a_day_that_is_none_is_missing():
    days = [f"2021-01-{d:02d}" for d in range(1, 32)] * 2
    assert "'2021-02-30' (1)" in read(*days, "2021-02-30").note


def test_what_must_be_dates_is_read_or_named():
    with pytest.raises(DataError, match=r"'soon' in row 1 "):
        read("2021-01-05", "soon", kinds={"x": "datetime"})
    with pytest.raises(DataError, match=r"should hold dates"):
        read("late", "soon", kinds={"x": "datetime"})


def spec(storage, notation="", zone=""):
    ticks = Ticks("s", 0, zone)
    return ColumnSpec(
        "x",
        ColumnKind.datetime,
        dtype="datetime64[s]",
        storage=storage,
        decimals=0,
        ticks=ticks,
        notation=notation,
    )


def test_a_model_reads_dates_as_it_has_seen_them():
    """Though nothing in a block shows which is the day."""
    cells = pa.array(["01/05/2021", " 02/06/2021 14:30", "-", ""])
    column = read_cells(spec(Storage.datetime, "date:MM/dd/yyyy"), cells, Dialect(), 0)
    assert column.to_pylist() == [
        dt.datetime(2021, 1, 5),
        dt.datetime(2021, 2, 6, 14, 30),
        None,
        None,
    ]
    with pytest.raises(
        DataError, match=r"'31/01/2021' in row 7 .*like 01/05/2021 in fit"
    ):
        read_cells(
            spec(Storage.datetime, "date:MM/dd/yyyy"),
            pa.array(["31/01/2021"]),
            Dialect(),
            7,
        )


def test_a_model_of_real_dates_reads_iso_and_what_is_said():
    iso = pa.array(["2021-01-05", "2021-01-05T10:00:00"])
    assert read_cells(spec(Storage.datetime), iso, Dialect(), 0).null_count == 0
    words = pa.array(["05.01.2021"])
    with pytest.raises(DataError, match=r"like 2021-01-05"):
        read_cells(spec(Storage.datetime), words, Dialect(), 0)
    said = Dialect(dates="day-first")
    found = read_cells(spec(Storage.datetime), words, said, 0)
    assert found.to_pylist() == [dt.datetime(2021, 1, 5)]
    said = Dialect(dates="year-first")
    years = pa.array(["2021/01/05", "20210105"])
    found = read_cells(spec(Storage.datetime), years, said, 0)
    assert found.to_pylist() == [dt.datetime(2021, 1, 5)] * 2
    with pytest.raises(DataError, match=r"like 2021-01-05"):
        read_cells(spec(Storage.datetime), words, said, 0)
    zoned = pa.array(["2021-01-05 10:00+01:00"])
    found = read_cells(spec(Storage.datetime, zone="UTC"), zoned, Dialect(), 0)
    assert found.cast(pa.int64()).to_pylist() == [1_609_837_200]
    clock = pa.array(["14:30", "2:30 PM"])
    assert (
        read_cells(spec(Storage.time), clock, Dialect(), 0).to_pylist()
        == [dt.time(14, 30)] * 2
    )


def test_years_of_two_digits_are_near():
    found = read("05.01.69", "31.12.68")
    assert [t[:10] for t in texts(found)] == ["1969-01-05", "2068-12-31"]


def test_leap_days_follow_the_calendar():
    days = np.arange("1899-12-25", "2101-01-05", dtype="M8[D]").astype(str)
    found = read(*days.tolist())
    assert found.values.null_count == 0
    back = found.values.cast(pa.date32()).cast(pa.string())
    assert back.to_pylist() == days.tolist()


def test_several_offsets_are_kept_in_utc_and_said():
    found = read("2021-03-05T10:00:00+01:00", "2021-07-05T10:00:00+0200")
    assert found.values.type.tz == "UTC"
    assert "several offsets ('+01:00', '+02:00')" in found.note
    assert "UTC" in found.note
    for alike in ("Z", "+00:00"), ("+01:00", "+0100"):
        one = read(*(f"2021-03-05T10:00:00{offset}" for offset in alike))
        assert one.note == ""
