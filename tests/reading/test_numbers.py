"""Numbers as people write them: found over the whole column, read and written back."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest._base._errors import DataError, ModelFileError, UsageError
from latentforest.reading import Dialect, Notation, infer_columns
from latentforest.reading._number_notation import NumberNotation


def read(*words, said=None, kinds=None, **more):
    columns = {"x": pa.array(words), **{k: pa.array(v) for k, v in more.items()}}
    return infer_columns(columns, said or Dialect(), kinds or {})["x"]


def values(*words, **more):
    return read(*words, **more).values.to_pylist()


WAYS = {
    "1,234.50 €": NumberNotation(".", ",", "", " €", 2, True),
    "1.234,50 €": NumberNotation(",", ".", "", " €", 2, True),
    "€1,234.50": NumberNotation(".", ",", "€", "", 2, True),
    "$1,234": NumberNotation(".", ",", "$"),
    "EUR 1234.5": NumberNotation(".", "", "EUR ", "", 0, True),
    "1 234,50 kr": NumberNotation(",", " ", "", " kr", 2, True),
    "1\u202f234,50": NumberNotation(",", "\u202f", places=2, fraction=True),
    "1'234.50 CHF": NumberNotation(".", "'", "", " CHF", 2, True),
    "1234,5": NumberNotation(",", fraction=True),
    "12.5%": NumberNotation(after="%", fraction=True),
    "12,5 %": NumberNotation(",", after=" %", fraction=True),
    "(1,234.50)": NumberNotation(".", ",", "", "", 2, True, True),
    "($1,234.50)": NumberNotation(".", ",", "$", "", 2, True, True),
}
CENTS = st.integers(-(10**12), 10**12)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_notation_is_kept_as_text(way):
    kept = Notation(way, ("n.a.", "not: known"))
    assert Notation.from_text(kept.text) == kept


def test_the_plain_notation_is_empty():
    assert Notation().text == ""
    assert Notation.from_text("") == Notation()
    assert Notation.from_text("\n?") == Notation(None, ("?",))


NONE = [
    *(
        "number:abc",
        "roman:IV",
        "number:" + "0" * 80,
        "number:#x##0",
        "number:#,##0,00",
    ),
    *("date:yyyy", "date:yyyy-yyyy-dd", "date:HH:mm yyyy-MM-dd", "date:'T'yyyy-MM-dd"),
    *("date:yyyy-MM-dd HH", "date:yyyy-MM-dd HH:HH", "date:dd.MM.yyyy mm:ss"),
    *("time:yyyy-MM-dd", "time:mm:ss", "time:HH:mmXXX", "duration:HH:mm", "duration:"),
]


@pytest.mark.parametrize("text", NONE)
def test_a_notation_that_is_none_is_refused(text):
    with pytest.raises(ModelFileError, match=r"not known"):
        Notation.from_text(text)


@settings(max_examples=25, deadline=None)
@given(cents=st.lists(CENTS, min_size=1, max_size=20), way=st.sampled_from([*WAYS]))
def test_numbers_written_in_a_notation_are_read_to_the_last_bit(cents, way):
    way = WAYS[way]
    numbers = [c / 100 if way.fraction else float(c) for c in cents]
    words = way.write(pa.array([*numbers, None]))
    assert words[-1].as_py() is None
    assert way.read(words).to_pylist() == [*numbers, None]


@settings(max_examples=25, deadline=None)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_any_number_survives_any_notation(numbers):
    for way in WAYS.values():
        words = way.write(pa.array(numbers, pa.float64()))
        back = way.read(words).to_pylist()
        if way.is_percent:
            assert np.allclose(back, numbers, rtol=1e-15, atol=5e-324)
        else:
            assert back == numbers


@settings(max_examples=25, deadline=None)
@given(
    cents=st.lists(CENTS, min_size=1, max_size=30),
    gaps=st.lists(st.sampled_from(["n.a.", "-", "?", "Unknown", "N/A", ""])),
    way=st.sampled_from([*WAYS]),
)
def test_the_notation_of_a_column_is_found(cents, gaps, way):
    """Cells that show all signs are among them, so that nothing is left open."""
    way = WAYS[way]
    sure = [-1234567.5, 0.1234, 1234.25, 100] * (1 + len(gaps))
    cents = [c / 100 for c in cents] + sure
    if not way.fraction:
        cents = [float(round(c)) for c in cents] + [-1e6, 1234567.0]
    words = [*way.write(pa.array(cents)).to_pylist(), *gaps]
    found = read(*words)
    assert found.values.to_pylist() == [*cents, *[None] * len(gaps)]
    kept = Notation.from_text(found.notation)
    # What is found writes the same words, or the same numbers in other places.
    again = kept.cells.write(pa.array(cents))
    assert kept.cells.read(again).to_pylist() == cents
    assert (kept.cells.before, kept.cells.after) == (way.before, way.after)
    assert kept.cells.decimal == way.decimal
    assert set(kept.gaps) == {word for word in gaps if word not in {"", "N/A"}}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("1,234.50 €", "12.00 €"), [1234.5, 12.0]),
        (("$1,234", "$56"), [1234, 56]),
        (("-$5.00", "$6.00"), [-5.0, 6.0]),
        (("−5,5", "+6,25"), [-5.5, 6.25]),
        (("5%", "12.5 %"), [0.05, 0.125]),
        (("1.234", "1.234.567"), [1234, 1234567]),
        (("0,123", "1,234"), [0.123, 1.234]),
        (("5 €", "7€", "0"), [5, 7, 0]),
        (("1e-3", "-", "2.5"), [0.001, None, 2.5]),
        (("US$ 5", "US$ 6"), [5, 6]),
    ],
)
def test_numbers_in_disguise(words, expected):
    assert values(*words) == expected


@pytest.mark.parametrize(
    "words",
    [
        ("007", "012"),
        ("00.7", "1.2"),
        ("1.2.3", "1.2", "1.3"),
        ("10.0.0.1", "10.0.0.2", "192.168.100.101"),
        ("192.168.100.101", "10.100.200.100"),
        ("555 123 456", "555 123 457"),
        ("555.123.456", "555.987.654"),
        ("+49 301 234", "+49 301 235"),
        ("030 123 456", "040 123 456"),
        ("555-1234", "555-1235"),
        ("12345-6789", "12345-6780"),
        ("A12", "A13"),
        ("3rd", "4th"),
        ("12 kg", "13 kg"),
        ("$5", "€6"),
        ("1,23,4", "1,2,3"),
    ],
)
def test_names_made_of_digits_stay_text(words):
    found = read(*words)
    assert found.values.to_pylist() == list(words)
    assert found.notation == ""


def test_a_comma_that_can_mean_two_things():
    found = read("1,234", "999,100", "12")
    assert found.values.to_pylist() == [1234, 999100, 12]
    assert "commas part thousands" in found.note
    assert "--decimal ," in found.note
    assert values("1,234", said=Dialect(decimal=",")) == [1.234]
    assert values("1,234", said=Dialect(thousands=",")) == [1234]
    for word in ("£63,794", "$1,234", "1,234 €"):
        found = read(word, word)
        assert f"such as {word}. If not, give --decimal ," in found.note


def test_other_columns_tell_what_a_sign_means():
    assert values("1,234", "5,678", y=["0,5", "1,5"]) == [1.234, 5.678]
    assert values("1,234", "5,678", y=["0.5", "1.5"]) == [1234, 5678]
    assert values("1.234", "5.678", y=["0,5", "1,5"]) == [1234, 5678]
    assert values("1.234", "5.678", y=["0.5", "1.5"]) == [1.234, 5.678]


def test_a_point_is_decimal_where_nothing_tells():
    found = read("1.234", "5.678")
    assert found.values.to_pylist() == [1.234, 5.678]
    assert "--thousands ." in found.note
    found = read("$1.234", "$5.678")
    assert found.values.to_pylist() == [1.234, 5.678]
    assert "such as $1.234. If not, give --thousands ." in found.note
    assert values("1.234", said=Dialect(thousands=".")) == [1234]


def test_between_semicolons_a_comma_is_asked_for():
    cells = {"x": pa.array(["1,234", "5,678"])}
    with pytest.raises(DataError, match=r"--decimal , or --thousands ,"):
        infer_columns(cells, Dialect(), {}, commas_are_decimal=True)


def test_few_cells_that_are_no_numbers_are_missing_and_said():
    found = read(*map(str, range(100)), "tall", "n.a.", "n.a.")
    assert found.values.to_pylist() == [*range(100), None, None, None]
    assert "3 cells are no numbers and count as missing" in found.note
    assert "'n.a.' (2), 'tall' (1)" in found.note
    assert Notation.from_text(found.notation).gaps == ("n.a.", "tall")


def test_many_cells_that_are_no_numbers_make_text_and_advice():
    found = read(*map(str, range(90)), *["tall"] * 7, *["wide"] * 3)
    assert pa.types.is_string(found.values.type)
    assert "90 % of the cells look like numbers" in found.note
    assert "'tall' (7), 'wide' (3)" in found.note
    assert "--na tall --na wide" in found.note
    cured = read(
        *map(str, range(90)), *["tall"] * 10, said=Dialect(na=("tall", "wide"))
    )
    assert cured.values.null_count == 10
    assert cured.notation == "\ntall"


def test_too_many_words_to_name_are_not_all_named():
    found = read(*map(str, range(90)), *[f"about {n}" for n in range(10)])
    assert "and 5 more words" in found.note
    assert "--na with each, or write all cells alike" in found.note


HALVES = {
    "signs": (lambda n: f"{n}.00 €", lambda n: f"${n}.00"),
    "decimals": (lambda n: f"{n}.5", lambda n: f"{n},5"),
    "thousands": (lambda n: f"1.{n:03d},50", lambda n: f"1{n:03d}.50"),
    "dates": (lambda n: f"2021-01-{n % 28 + 1:02d}", lambda n: f"{n % 28 + 1}.2.2021"),
}


@pytest.mark.parametrize("in_python", [True, False])
@pytest.mark.parametrize("share", [50, 60, 90])
@pytest.mark.parametrize("name", HALVES)
def test_cells_in_two_ways_are_said(name, share, in_python):
    one, other = HALVES[name]
    words = [*map(one, range(share)), *map(other, range(100 - share))]
    found = read(*words, said=Dialect(in_python=in_python))
    assert found.values.to_pylist() == words
    assert found.note.startswith(f"x: {share} % of the cells are written like ")
    assert f", {100 - share} % like " in found.note
    assert f"like {one(0)!r}" in found.note
    assert f"like {other(0)!r}" in found.note
    assert ("--kind x=category" in found.note) != in_python
    if name != "dates":
        assert f"{share} % of the cells look like" in found.told


def test_words_beside_numbers_are_no_other_way():
    found = read(*map(str, range(60)), *[f"about {n}" for n in range(40)])
    assert found.note == ""
    assert "60 % of the cells look like numbers" in found.told


def test_only_na_means_only_na():
    found = read("1", "2", "?", said=Dialect(only_na=True))
    assert found.values.to_pylist() == ["1", "2", "?"]


def test_a_category_keeps_its_words():
    words = ("1,234", "5,678")
    assert values(*words, kinds={"x": "category"}) == list(words)


def test_what_must_be_numbers_is_read_or_named():
    kinds = {"x": "continuous"}
    assert values("1,5", "2", "-", kinds=kinds) == [1.5, 2.0, None]
    with pytest.raises(DataError, match=r"'tall' in row 1 .*--na 'tall'"):
        read("1,5", "tall", kinds=kinds)


def test_blanks_are_no_part_of_text():
    found = read(" a", "a ", "b")
    assert found.values.to_pylist() == ["a", "a", "b"]
    assert "blanks" in found.told
    assert values(" a", "a ", said=Dialect(strip=False)) == [" a", "a "]


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"decimal": ";"}, "--decimal ';' is not known"),
        ({"thousands": "x"}, "Give one of . , ' space"),
        ({"decimal": ",", "thousands": ","}, "same sign"),
        ({"dates": "french"}, "day-first, month-first, year-first"),
        ({"encoding": "utf-99"}, "cp1252"),
        ({"decimal": ";", "in_python": True}, "decimal=';'"),
    ],
)
def test_options_that_cannot_be(said, match):
    with pytest.raises(UsageError, match=match):
        Dialect(**said)


def test_infinite_and_nan_are_plain_numbers():
    assert values("inf", "1.5") == [math.inf, 1.5]
