"""Dates and times: numbers inside, the same dtype, zone, unit and resolution out."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal

from latentforest import metrics
from latentforest._base._errors import ModelFileError, SchemaError
from latentforest._base._section import NewSection, Section
from latentforest.table import Storage, TableCodec, TableSchema, Ticks
from latentforest.table._ticks import TickSurvey
from mixed_tables import saved_and_read

law = settings(max_examples=25, deadline=None)
SECONDS = {"D": 86_400, "h": 3_600, "m": 60, "s": 1}
FINE = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # units in a second
ZONES = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata", "+05:45"]
YEAR = 366 * 86_400


def back(table):
    """Through codes and through a schema that went to a file and back."""
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    np.testing.assert_array_equal(codes, codec.encode(table).values)
    assert np.array_equal(codes, np.rint(codes), equal_nan=True)
    kept = saved_and_read(codec.schema_)
    assert kept == codec.schema_
    return TableCodec.from_schema(kept).decode(codes)


@st.composite
def seconds(draw, *, lowest=-YEAR, highest=80 * YEAR):
    """Whole seconds since 1970, of one resolution; None is missing."""
    step = draw(st.sampled_from(list(SECONDS.values())))
    cell = st.integers(lowest // step, highest // step).map(lambda k: k * step)
    return draw(st.lists(cell | st.none(), min_size=1, max_size=6))


instants, lengths = seconds(), seconds(lowest=-YEAR, highest=YEAR)
times = seconds(lowest=0, highest=86_399)


def cells(values, unit="us"):
    scale = FINE[unit]
    return np.array(
        [np.iinfo(np.int64).min if v is None else v * scale for v in values], np.int64
    )


def python_times(values, make):
    return [None if v is None else make(v) for v in values]


def as_time(second):
    return (dt.datetime.min + dt.timedelta(seconds=second)).time()


def as_day(second):
    return dt.date(1970, 1, 1) + dt.timedelta(second // 86_400)


def as_datetime(second):
    return dt.datetime(1970, 1, 1) + dt.timedelta(seconds=second)


def as_length(second):
    return dt.timedelta(seconds=second)


@law
@given(instants, lengths, times, st.sampled_from(ZONES))
def test_pandas(when, length, time, zone):
    columns = {}
    for unit in FINE:
        naive = pd.Series(cells(when, unit).view(f"M8[{unit}]"))
        columns[f"naive {unit}"] = naive
        columns[f"aware {unit}"] = naive.dt.tz_localize("UTC").dt.tz_convert(zone)
        columns[f"length {unit}"] = pd.Series(cells(length, unit).view(f"m8[{unit}]"))
        aware = pa.timestamp(unit, "UTC")
        for name, kind, cell in (
            ("arrow", pa.timestamp(unit), python_times(when, as_datetime)),
            ("arrow utc", aware, python_times(when, as_datetime)),
            ("arrow length", pa.duration(unit), python_times(length, as_length)),
        ):
            columns[f"{name} {unit}"] = pd.Series(
                pd.arrays.ArrowExtensionArray(pa.array(cell, kind))
            )
    for kind in (pa.date32(), pa.date64()):
        days = pa.array(python_times(when, as_day), kind)
        columns[str(kind)] = pd.Series(pd.arrays.ArrowExtensionArray(days))
    clock = pa.array(python_times(time, as_time), pa.time64("us"))
    columns["arrow time"] = pd.Series(pd.arrays.ArrowExtensionArray(clock))
    table = pd.DataFrame({k: v for k, v in columns.items() if len(v) == len(when)})
    assert_frame_equal(back(table), table)
    others = pd.DataFrame({k: v for k, v in columns.items() if "length" in k})
    assert_frame_equal(back(others), others)
    assert_frame_equal(
        back(columns["arrow time"].to_frame("x")), columns["arrow time"].to_frame("x")
    )


@law
@given(instants, lengths, times, st.sampled_from(ZONES[:4]))
def test_polars(when, length, time, zone):
    def series(name, kind, cell):
        return pl.DataFrame([pl.Series(name, cell, dtype=pl.Int64).cast(kind)])

    for unit in ("ms", "us", "ns"):
        count = [None if v is None else v * FINE[unit] for v in when]
        for kind in (pl.Datetime(unit), pl.Datetime(unit, zone)):
            table = series("x", kind, count)
            assert_polars_equal(back(table), table)
        count = [None if v is None else v * FINE[unit] for v in length]
        table = series("x", pl.Duration(unit), count)
        assert_polars_equal(back(table), table)
    day = [None if v is None else v // 86_400 for v in when]
    nanoseconds = [None if v is None else v * 10**9 for v in time]
    for kind, cell in ((pl.Date, day), (pl.Time, nanoseconds)):
        table = series("x", kind, cell)
        assert_polars_equal(back(table), table)


@law
@given(instants, lengths, times, st.sampled_from(ZONES))
def test_pyarrow(when, length, time, zone):
    moments, spans = python_times(when, as_datetime), python_times(length, as_length)
    clock = python_times(time, as_time)
    arrays = [
        *(pa.array(moments, pa.timestamp(unit)) for unit in FINE),
        *(pa.array(moments, pa.timestamp(u)).cast(pa.timestamp(u, zone)) for u in FINE),
        *(pa.array(spans, pa.duration(unit)) for unit in FINE),
        *(pa.array(clock, kind) for kind in (pa.time32("s"), pa.time32("ms"))),
        *(pa.array(clock, kind) for kind in (pa.time64("us"), pa.time64("ns"))),
        *(pa.array(python_times(when, as_day), k) for k in (pa.date32(), pa.date64())),
    ]
    for array in arrays:
        table = pa.table({"x": array})
        out = back(table)
        assert out.schema == table.schema
        assert out.equals(table)


@law
@given(instants, lengths)
@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns", "W", "M", "Y"])
def test_arrays(unit, when, length):
    kinds = {"M": when, "m": length} if unit not in {"M", "Y"} else {"M": when}
    for letter, values in kinds.items():
        table = cells(values, "s").view(f"{letter}8[s]").astype(f"{letter}8[{unit}]")
        out = back(table[:, None])
        assert out.dtype == table.dtype
        np.testing.assert_array_equal(out[:, 0], table)


@law
@given(instants, lengths, times, st.sampled_from([None, *ZONES]))
@pytest.mark.parametrize("missing", [None, pd.NaT, pd.NA, np.nan])
def test_objects(missing, when, length, time, zone):
    tz = None if zone is None else pd.Timestamp(0, tz=zone).tzinfo

    def aware(second):
        moment = as_datetime(second)
        return moment if tz is None else moment.replace(tzinfo=dt.UTC).astimezone(tz)

    for values, make in (
        (when, aware),
        (when, lambda v: pd.Timestamp(aware(v))),
        (when, as_day),
        (length, as_length),
        (length, lambda v: pd.Timedelta(seconds=v)),
        (time, as_time),
    ):
        made = [missing if v is None else make(v) for v in values]
        if all(v is None for v in values):
            continue  # nothing says that these were dates
        table = pd.DataFrame({"x": pd.Series(made, dtype=object)})
        for out in (back(table)["x"], back(table.to_numpy(dtype=object))[:, 0]):
            assert len(out) == len(made)
            for cell, wanted in zip(out, made, strict=True):
                assert type(cell) is type(wanted)
                assert cell is wanted or cell == wanted
                if isinstance(wanted, dt.datetime) and wanted is not missing:
                    assert cell.utcoffset() == wanted.utcoffset()


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "America/Havana", "America/Sao_Paulo"]
)
def test_local_midnights_are_days_and_decode_to_local_midnights(zone):
    # Clocks of Havana show midnight twice in autumn, those of São Paulo left it out.
    days = pd.date_range("2016-01-01", "2018-12-31", freq="D")
    local = days.tz_localize(
        zone, ambiguous=np.ones(len(days), bool), nonexistent="shift_forward"
    )
    table = pd.DataFrame({"day": local})
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    ticks = codec.schema_.columns[0].ticks
    assert (ticks.unit, ticks.zone, ticks.local) == ("D", zone, True)
    np.testing.assert_array_equal(codes[:, 0], np.arange(len(days)))
    near = codes + np.random.default_rng(0).uniform(-0.49, 0.49, codes.shape)
    assert_frame_equal(codec.decode(near), table)
    utc = table.assign(day=local.tz_convert("UTC"))
    np.testing.assert_array_equal(codec.encode(utc).values, codes)


def test_hours_across_the_end_of_summer_time_stay_apart():
    hours = pd.date_range("2021-10-30", periods=72, freq="h", tz="Europe/Berlin")
    table = pd.DataFrame({"hour": hours})
    codec = TableCodec()
    codes = codec.fit_encode(table).values[:, 0]
    np.testing.assert_array_equal(codes, np.arange(72))
    assert codec.schema_.columns[0].ticks.unit == "h"
    assert_frame_equal(codec.decode(codes[:, None]), table)


@pytest.mark.parametrize(
    ("step", "unit"),
    [
        ("1D", "D"),
        ("7D", "D"),
        ("6h", "h"),
        ("15min", "m"),
        ("10s", "s"),
        ("5ms", "ms"),
        ("5us", "us"),
        ("5ns", "ns"),
    ],
)
def test_the_resolution_is_kept(step, unit):
    when = pd.Timestamp("2021-03-05") + np.arange(9) * pd.Timedelta(step).as_unit("ns")
    table = pd.DataFrame({"x": when, "length": when - when[0]})
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    for spec in codec.schema_.columns:
        assert (spec.kind, spec.ticks.unit, spec.decimals) == ("datetime", unit, 0)
    between = codec.decode(codes + 0.3)
    assert_frame_equal(between, table)
    whole = pd.Timedelta(1, {"m": "min"}.get(unit, unit))
    moved = codec.decode(codes + 0.6)
    assert ((moved["x"] - table["x"]) == whole).all()


def test_nanoseconds_over_years_are_kept_to_the_microsecond():
    ends = pd.to_datetime(
        ["2001-01-01 00:00:00.123456789", "2021-01-01"], format="mixed"
    )
    table = pd.DataFrame({"x": ends.as_unit("ns")})
    codec = TableCodec().fit(table)
    assert codec.schema_.columns[0].ticks.unit == "us"
    out = codec.decode(codec.encode(table).values)["x"]
    assert out.dtype == "datetime64[ns]"
    assert (abs(out - table["x"]) < pd.Timedelta("1us")).all()
    near = table["x"][0] + np.arange(3) * pd.Timedelta(days=40, nanoseconds=1)
    table = pd.DataFrame({"x": near})
    assert_frame_equal(back(table), table)


def test_decoded_cells_stop_at_the_bounds_of_their_dtype():
    table = pd.DataFrame(
        {"x": pd.to_datetime(["2020-01-01", "2020-01-02"]).as_unit("ns")}
    )
    codec = TableCodec().fit(table)
    out = codec.decode(np.array([[1e9], [-1e300], [np.nan]]))["x"]
    assert out[0] == pd.Timestamp("2262-04-11")
    assert out[1] == pd.Timestamp("1677-09-22")
    assert out[2] is pd.NaT
    clock = pa.table({"x": pa.array([dt.time(1), dt.time(23)])})
    out = TableCodec().fit(clock).decode(np.array([[-3.0], [24.0], [99.0]]))
    assert out["x"].to_pylist() == [dt.time(0), dt.time(23), dt.time(23)]
    days = pl.DataFrame({"x": [dt.date(2020, 1, 1)]})
    assert TableCodec().fit(days).decode(np.array([[1e15]]))["x"].dtype == pl.Date
    python = pd.DataFrame({"x": pd.Series([dt.date(2020, 1, 1)], dtype=object)})
    out = TableCodec().fit(python).decode(np.array([[1e15], [-1e15]]))["x"]
    assert out.tolist() == [dt.date.max, dt.date.min]
    last = pd.DataFrame({"x": pd.Series([pd.Timestamp.max, pd.Timestamp.max])})
    assert_frame_equal(back(last), last)
    last = last.assign(x=last["x"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert (
        back(last)["x"].dt.tz_convert("UTC") == last["x"].dt.tz_convert("UTC")
    ).all()
    assert "2262-04-11 23:47:16" in TableCodec().fit(last).schema_.report()


@pytest.fixture
def days():
    return pd.DataFrame({"when": pd.date_range("2021-03-01", periods=9, freq="D")})


def test_the_same_instants_in_another_unit_zone_or_library_are_the_same_codes(days):
    codec = TableCodec()
    codes = codec.fit_encode(days).values
    naive = days["when"]
    for other in (
        days.astype("datetime64[s]"),
        days.astype("datetime64[ns]"),
        days.assign(when=naive.dt.date),
        days.astype(pd.ArrowDtype(pa.date32())),
        pl.from_pandas(days),
        pl.from_pandas(days).cast(pl.Date),
        pa.Table.from_pandas(days),
        naive.to_numpy()[:, None],
    ):
        np.testing.assert_array_equal(codec.encode(other).values, codes)
    noon = days.assign(when=naive + pd.Timedelta("12h"))
    np.testing.assert_array_equal(codec.encode(noon).values, codes + 0.5)
    aware = days.assign(when=naive.dt.tz_localize("Europe/Berlin"))
    codec.fit(aware)
    codes = codec.encode(aware).values
    tokyo = aware["when"].dt.tz_convert("Asia/Tokyo")
    for other in (
        aware.assign(when=tokyo),
        pl.from_pandas(aware),
        pa.Table.from_pandas(aware),
        aware.assign(when=pd.Series([t.to_pydatetime() for t in tokyo], dtype=object)),
    ):
        np.testing.assert_array_equal(codec.encode(other).values, codes)
    far = pd.DataFrame({"when": np.array(["20000-01-01"], "M8[s]")})
    assert TableCodec().fit(days).encode(far).values[0, 0] > 6_000_000


def test_missing_cells_of_any_dtype_are_missing(days):
    codec = TableCodec().fit(days)
    nothing = [None] * 3
    for cell in (
        pd.Series(nothing, dtype=object),
        pd.Series(nothing, dtype=float),
        pd.Series(nothing, dtype="str"),
        pd.Series(nothing, dtype="datetime64[s]"),
    ):
        assert np.isnan(codec.encode(pd.DataFrame({"when": cell})).values).all()
    empty = pd.DataFrame({"when": pd.Series([pd.NaT, pd.NaT], dtype="datetime64[s]")})
    codec = TableCodec().fit(empty)
    assert "all missing" in codec.schema_.report()
    assert_frame_equal(back(empty), empty)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda x: x.dt.tz_localize("Asia/Tokyo"),
            r"'when' had no time zone in fit and has one now \(Asia/Tokyo\). Take it",
        ),
        (lambda x: x.astype(str), "held dates and times in fit and holds text now"),
        (lambda x: x.dt.year, "held dates and times in fit and holds numbers now"),
        (lambda x: x - x[0], "held dates and times in fit and holds durations now"),
        (lambda x: x.dt.time, "held dates and times in fit and holds times of day now"),
    ],
)
def test_columns_that_changed_are_refused(days, change, text):
    with pytest.raises(SchemaError, match=text):
        TableCodec().fit(days).encode(days.assign(when=change(days["when"])))


def test_dates_where_there_were_none_are_refused(days):
    aware = days.assign(when=days["when"].dt.tz_localize("Asia/Tokyo"))
    with pytest.raises(SchemaError, match=r"tz_localize\('Asia/Tokyo'\)"):
        TableCodec().fit(aware).encode(days)
    for before, held in (("year", "numbers"), ("day_name", "names")):
        found = getattr(days["when"].dt, before)
        codec = TableCodec({"when": "integer"} if held == "numbers" else None)
        codec.fit(days.assign(when=found() if callable(found) else found))
        with pytest.raises(SchemaError, match=f"held {held} in fit and holds dates"):
            codec.encode(days)


@pytest.mark.parametrize(
    "kind", ["continuous", "integer", "boolean", "category", "ordered"]
)
def test_dates_are_no_other_kind(days, kind):
    text = rf"'when' cannot be read as {kind}: it holds dates and times \(dtype"
    with pytest.raises(SchemaError, match=text):
        TableCodec({"when": kind}).fit(days)


def test_only_dates_are_of_the_kind_datetime(days):
    spec = TableCodec({"when": "datetime"}).fit(days).schema_.columns[0]
    assert (spec.kind, spec.reason) == ("datetime", "set by kinds")
    for cell, held in (
        ("a", "text"),
        (2020, "numbers"),
        (True, "numbers"),
        (None, "nothing that says which sort"),
    ):
        with pytest.raises(SchemaError, match=f"read as datetime: it holds {held} "):
            TableCodec({"x": "datetime"}).fit(pd.DataFrame({"x": [cell]}))


def test_zones_that_cannot_be_kept_are_refused():
    mixed = [dt.datetime(2020, 1, 1, tzinfo=ZoneInfo(z)) for z in ("UTC", "Asia/Tokyo")]
    with pytest.raises(SchemaError, match="mixes time zones: Asia/Tokyo, UTC"):
        TableCodec().fit(pd.DataFrame({"x": pd.Series(mixed, dtype=object)}))
    odd = dt.timezone(dt.timedelta(seconds=3_601))
    table = pd.DataFrame({"x": pd.Series([dt.datetime(2020, 1, 1, tzinfo=odd)])})
    with pytest.raises(
        SchemaError, match=r"which cannot be kept. Convert it to a zone"
    ):
        TableCodec().fit(table)
    noon = pd.DataFrame({"x": pd.Series([dt.time(12, tzinfo=dt.UTC)], dtype=object)})
    with pytest.raises(SchemaError, match="times of day with a time zone"):
        TableCodec().fit(noon)
    mixed = pd.Series([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)], dtype=object)
    with pytest.raises(SchemaError, match="mixes values of the types date, datetime"):
        TableCodec().fit(pd.DataFrame({"x": mixed}))
    months = pd.DataFrame({"x": pd.period_range("2020", periods=3, freq="M")})
    with pytest.raises(SchemaError, match=r"periods .*to_timestamp"):
        TableCodec().fit(months)


def test_the_report_shows_range_resolution_and_zone(days):
    aware = days["when"].dt.tz_localize("Europe/Berlin")
    table = days.assign(
        zone=aware + pd.Timedelta("90min"),
        date=days["when"].dt.date,
        clock=[dt.time(hour) for hour in range(9)],
        length=pd.to_timedelta(np.arange(-1, 8), "h") * 5,
    )
    report = " ".join(TableCodec().fit(table).schema_.report().split())
    places = [
        report.index(text)
        for text in [
            "when datetime 2021-03-01 to 2021-03-09, days ",
            "2021-03-01 01:30 to 2021-03-09 01:30,",
            "minutes, Europe/Berlin",
            "date datetime 2021-03-01 to 2021-03-09, days ",
            "00:00 to 08:00, hours no times of day",
            "-05:00 to 1 day 11:00, hours",
        ]
    ]
    assert places == sorted(places)


def test_distortion_is_that_of_ticks_across_libraries(days):
    gap = np.array([0, 1, 0, -2, 0, 0, 3, 0, 0])
    moved = days + pd.to_timedelta(gap, "D").to_numpy()[:, None]
    number = pd.DataFrame({"when": np.arange(9.0)})
    other = pd.DataFrame({"when": np.arange(9.0) + gap})
    wanted = float(metrics.distortion(number, other))
    assert 0 < wanted < 1
    for after in (moved, pl.from_pandas(moved), pa.Table.from_pandas(moved)):
        assert float(metrics.distortion(days, after)) == pytest.approx(wanted)
    running = metrics.RunningDistortion(TableCodec().fit(days).schema_)
    running.add(days[:4], moved[:4])
    running.add(days[4:], moved[4:])
    assert float(running.result()) == pytest.approx(wanted)
    with pytest.raises(SchemaError, match="holds text now"):
        metrics.distortion(days, moved.astype(str))


def hostile(**changes):
    """Return a schema as a file has it, with some of its words changed."""
    when = pd.date_range("2021", periods=3, freq="D", tz="Europe/Berlin")
    new = NewSection()
    TableCodec().fit(pd.DataFrame({"x": when})).schema_.put(new)
    column = new.data["columns"][0]
    for key, value in changes.items():
        where, _, name = key.rpartition("__")
        (column[where] if where else column)[name] = value
    return Section(new.data, "the schema")


@pytest.mark.parametrize(
    "changes",
    [
        {"ticks": None},
        {"kind": "continuous"},
        {"storage": "float"},
        {"storage": "date"},
        {"dtype": "datetime64[us]"},
        {"dtype": "datetime64[us, Asia/Tokyo]"},
        {"dtype": "datetime64[us, ../../etc/passwd]"},
        {"decimals": 2},
        {"ticks__first_of": "moon"},
        {"ticks__unit": "Y"},
        {"ticks__unit": 3},
        {"ticks__zone": ""},
        {"ticks__zone": "../../../etc/passwd"},
        {"ticks__zone": "dateutil//etc/passwd"},
        {"ticks__zone": "Mars/Olympus"},
        {"ticks__origin": 2**70},
        {"ticks__origin": 0.5},
        {"ticks__local": 1},
    ],
)
def test_hostile_files_are_refused(changes):
    assert TableSchema.take(hostile()).columns[0].ticks.local
    with pytest.raises(ModelFileError):
        TableCodec.take(hostile(**changes))


@pytest.mark.parametrize("origin", [2**63 - 1, -(2**63) + 1, 0])
def test_any_origin_decodes_to_something(origin):
    codec = TableCodec.take(hostile(ticks__origin=origin))
    assert len(codec.decode(np.array([[0.0], [1e300], [np.nan]]))) == 3


def test_instants_far_beyond_the_unit_keep_their_size():
    ticks = Ticks("ns", 1_600_000_000 * 10**9)
    seconds = np.array([0, 10**10, -(10**12), 1_600_000_001])
    wanted = (seconds - 1_600_000_000) * 1e9
    np.testing.assert_allclose(ticks.codes(seconds, "s"), wanted, rtol=1e-15)


def test_ticks_of_a_column_are_public():
    ticks = Ticks.of(np.array([0, 86_400]), "s", "", Storage.datetime)
    assert ticks == Ticks("D")
    np.testing.assert_array_equal(ticks.codes(np.array([43_200]), "s"), [0.5])


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+05:45"])
@pytest.mark.parametrize(("letter", "word"), [("M", "month"), ("Y", "year")])
def test_first_days_of_months_and_years_come_back_as_such(letter, word, zone):
    days = pd.date_range("1995-01-01", periods=60, freq=f"{letter}S", tz=zone)
    table = pd.DataFrame({"day": days})
    codec = TableCodec().fit(table)
    ticks = codec.schema_.columns[0].ticks
    assert (ticks.unit, ticks.first_of) == ("D", word)
    assert f", {word}s" in codec.schema_.report()
    assert_frame_equal(back(table), table)
    # Days between two firsts go to the nearer one, whatever day new rows have.
    codes = codec.encode(table).values
    for days_later, stays in ((10.0, True), (25.0, word == "year")):
        found = codec.decode(codes[:-1] + days_later)["day"]
        wanted = days[:-1] if stays else days[1:]
        assert list(found) == list(wanted)
    later = codec.encode(table + pd.Timedelta("3D")).values
    assert np.allclose(later - codes, 3, atol=0.05)  # clocks may have changed


def test_one_other_day_makes_it_a_column_of_days():
    days = pd.date_range("2001-01-01", periods=20, freq="MS").to_series()
    days.iloc[7] += pd.Timedelta("1D")
    codec = TableCodec().fit(pd.DataFrame({"day": days}))
    assert codec.schema_.columns[0].ticks.first_of == ""
    halves = [days.iloc[:7], days.iloc[7:]]
    surveys = [
        TickSurvey.of(part.astype("M8[s]").astype(np.int64).to_numpy(), "s", "")
        for part in halves
    ]
    assert surveys[0].merge(surveys[1]).ticks(Storage.datetime).first_of == ""
    assert surveys[0].ticks(Storage.datetime).first_of == "month"


def test_lengths_of_time_have_no_calendar():
    table = pd.DataFrame({"stay": pd.to_timedelta([0, 31, 59], "D")})
    assert TableCodec().fit(table).schema_.columns[0].ticks == Ticks("D")
