"""What options say of cells goes before what a model remembers of them."""

import datetime as dt

import pyarrow as pa
import pytest

from latentforest._base._errors import DataError
from latentforest.reading import Dialect, read_cells
from latentforest.table import ColumnKind, ColumnSpec, Storage, Ticks


def numbers(word, notation="", **said):
    """Return the number that a word is to a model, or what is said of it."""
    spec = ColumnSpec("x", ColumnKind.continuous, notation=notation)
    try:
        return read_cells(spec, pa.array([word]), Dialect(**said), 0).to_pylist()[0]
    except DataError as error:
        return str(error)


GERMAN, ENGLISH = "number:#.##0,00", "number:#,##0.00"


@pytest.mark.parametrize(
    ("notation", "word", "said", "value"),
    [
        (GERMAN, "1.234", {}, 1234.0),
        (GERMAN, "1.234", {"decimal": "."}, 1.234),
        (GERMAN, "1.234", {"thousands": ","}, 1.234),
        (GERMAN, "1,234.5", {"decimal": "."}, 1234.5),
        (GERMAN, "1234.5", {"decimal": "."}, 1234.5),
        (GERMAN, "1 234,5", {"thousands": " "}, 1234.5),
        (GERMAN, "1.234", {"decimal": ","}, 1234.0),
        (ENGLISH, "1,234", {}, 1234.0),
        (ENGLISH, "1,234", {"decimal": ","}, 1.234),
        (ENGLISH, "1,234", {"thousands": "."}, 1.234),
        (ENGLISH, "1,234", {"thousands": "'"}, None),
        ("number:# ##0,00", "1 234.5", {"decimal": "."}, 1234.5),
        ("number:# ##0,00", "1,234.5", {"decimal": "."}, 1234.5),
        ("number:#.##0,00 €", "1.234 €", {"decimal": "."}, 1.234),
        ("number:0,# %", "12.5 %", {"decimal": "."}, 0.125),
        ("", "1,234", {"decimal": ","}, 1.234),
        ("", "1.5", {"decimal": ","}, 1.5),
        ("", "1,234.5", {"decimal": "."}, 1234.5),
        ("", "1.234", {"decimal": ",", "thousands": "."}, 1234.0),
    ],
)
def test_numbers_are_read_as_is_said(notation, word, said, value):
    found = numbers(word, notation, **said)
    if value is None:
        assert "holds" in found
    else:
        assert found == value


def test_a_point_that_may_mean_two_things_is_asked_about():
    told = numbers("1.234", decimal=",")
    assert "--thousands . too" in told
    assert "leave --decimal , out" in told


@pytest.mark.parametrize(
    ("notation", "word", "said", "advice"),
    [
        (GERMAN, "1234.5", {}, "give --decimal . if the file writes its cells so"),
        (ENGLISH, "1234,5", {}, "give --decimal , if"),
        ("", "1,5", {}, "give --decimal , if"),
        ("", "1,234", {}, "give --decimal . or --decimal , if"),
        (GERMAN, "1234,5", {"decimal": "."}, "give --decimal , if"),
        (GERMAN, "1234.5", {"in_python": True}, "read_table(…, decimal='.') if"),
    ],
)
def test_an_error_names_the_option_that_helps(notation, word, said, advice):
    assert advice in numbers(word, notation, **said)
    assert "--decimal" not in numbers("tall", notation, **said)


def days(word, pattern, **said):
    """Return the day that a word is to a model, or what is said of it."""
    notation = f"date:{pattern}" if pattern else ""
    spec = ColumnSpec(
        "x",
        ColumnKind.datetime,
        dtype="datetime64[s]",
        storage=Storage.datetime,
        decimals=0,
        ticks=Ticks("s", 0, ""),
        notation=notation,
    )
    try:
        found = read_cells(spec, pa.array([word]), Dialect(**said), 0).to_pylist()[0]
    except DataError as error:
        return str(error)
    return found if found.time() != dt.time() else str(found.date())


@pytest.mark.parametrize(
    ("pattern", "word", "order", "day"),
    [
        ("dd.MM.yyyy", "05.06.2021", None, "2021-06-05"),
        ("dd.MM.yyyy", "05.06.2021", "month-first", "2021-05-06"),
        ("dd.MM.yyyy", "5/6/2021", "month-first", "2021-05-06"),
        ("dd.MM.yyyy", "05.06.21", "month-first", "2021-05-06"),
        ("dd.MM.yyyy", "31.12.2021", "month-first", None),
        ("dd.MM.yyyy", "20210506", "year-first", "2021-05-06"),
        ("dd.MM.yyyy", "05.06.2021", "year-first", "2021-06-05"),
        ("dd.MM.yy", "21.05.06", "year-first", "2021-05-06"),
        ("MM/dd/yyyy", "05/06/2021", "day-first", "2021-06-05"),
        ("d MMM yyyy", "05.06.2021", "month-first", "2021-05-06"),
        ("d MMM yyyy", "5 Jun 2021", "month-first", "2021-06-05"),
        ("yyyy/MM/dd", "2021/05/06", "day-first", "2021-05-06"),
        ("", "05.06.2021", "month-first", "2021-05-06"),
    ],
)
def test_dates_are_read_as_is_said(pattern, word, order, day):
    found = days(word, pattern, dates=order)
    if day is None:
        assert "holds" in found
    else:
        assert found == day


def test_halves_of_days_are_read_in_the_order_that_is_said():
    found = days("05/06/2021 2:30 PM", "MM/dd/yyyy h:mm a", dates="day-first")
    assert found == dt.datetime(2021, 6, 5, 14, 30)


def test_an_error_names_the_order_that_helps():
    told = days("12/31/2021", "dd/MM/yyyy")
    assert "give --dates month-first if the file writes its cells so" in told
    assert "--dates" not in days("soon", "dd/MM/yyyy")
