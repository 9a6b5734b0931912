"""Which kind each column gets, why, and how to change it."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from latentforest._base._errors import SchemaError
from latentforest.table import ColumnKind, TableCodec
from latentforest.table._columns import count_decimals, round_decimals


def spec_of(column, **options):
    table = pd.DataFrame({"x": column})
    return TableCodec(**options).fit(table).schema_.columns[0]


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        ([True, False], "boolean", (False, True)),
        ([True, True], "boolean", (False, True)),
        (["b", "a"], "category", ("a", "b")),
        ([1, 2, 3, 4, 5], "ordered", (1, 2, 3, 4, 5)),
        ([1, 2, 3, 4, 5, 6], "integer", ()),
        ([1.0, 2.0], "continuous", ()),
        (pd.Series([2, None], dtype=object), "ordered", (2,)),
        (pd.Series([2, 0.5], dtype=object), "continuous", ()),
        (pd.Series([True, None], dtype=object), "boolean", (False, True)),
        (pd.Series([None, None], dtype=object), "category", ()),
        (pd.Categorical(["b"], categories=["z", "b"]), "category", ("z", "b")),
        (pd.Categorical([2], categories=[3, 2], ordered=True), "ordered", (3, 2)),
    ],
)
def test_pandas_kinds(column, kind, levels):
    spec = spec_of(column)
    assert spec.kind == kind
    assert spec.levels == levels
    assert [type(level) for level in spec.levels] == [type(level) for level in levels]


def test_the_sixth_value_may_come_late():
    column = np.repeat([1, 2, 3, 4, 5], 1000)
    assert spec_of(column).kind == "ordered"
    assert spec_of(np.append(column, 6)).kind == "integer"


def test_polars_lists_are_not_ordered():
    table = pl.DataFrame(
        {
            "e": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])),
            "c": pl.Series(["b", "a"], dtype=pl.Categorical),
        }
    )
    enum, categorical = TableCodec().fit(table).schema_.columns
    assert (enum.kind, enum.levels) == ("category", ("b", "a", "c"))
    assert (categorical.kind, categorical.levels) == ("category", ("a", "b"))
    ordered = TableCodec({"e": "ordered"}).fit(table).schema_.columns[0]
    assert (ordered.kind, ordered.levels) == ("ordered", ("b", "a", "c"))


def test_arrow_dictionaries_may_be_ordered():
    column = pa.DictionaryArray.from_arrays([0, 1], ["b", "a"], ordered=True)
    spec = TableCodec().fit(pa.table({"x": column})).schema_.columns[0]
    assert (spec.kind, spec.levels) == ("ordered", ("b", "a"))


@pytest.mark.parametrize(
    ("array", "kinds"),
    [
        (np.array([[1.0, 2.0]]), ["continuous", "continuous"]),
        (np.array([[1, 2]]), ["ordered", "ordered"]),
        (np.arange(12).reshape(6, 2), ["integer", "integer"]),
        (np.array([[True, False]]), ["boolean", "boolean"]),
        (np.array([["a", "b"]]), ["category", "category"]),
        (np.array([[1, 2]], dtype=object), ["continuous", "continuous"]),
        (np.array([["a", 2]], dtype=object), ["category", "continuous"]),
        (np.array([[True, None]], dtype=object), ["boolean", "continuous"]),
    ],
)
def test_array_kinds(array, kinds):
    schema = TableCodec().fit(array).schema_
    assert schema.names == ("x0", "x1")
    assert [column.kind for column in schema.columns] == kinds


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1.0, 2.0, 1e15], 0),
        ([0.1, 0.25], 2),
        ([3e-06, 1.0], 6),
        ([3e-06], 6),
        ([1e-12], 12),
        ([1e-13], None),
        ([0.1 + 0.2], 1),
        ([1 / 3], None),
        ([5000 / 7], None),
        ([1e300], 0),
        ([1e300, 0.5], None),
        ([1.7e307, 0.5], None),
        ([-0.125, 0.0], 3),
    ],
)
def test_decimals(values, decimals):
    assert count_decimals(np.array(values), np.finfo(float).eps) == decimals


def test_decimals_of_all_rows_count_not_only_of_the_first():
    values = np.append(np.full(5000, 0.5), 0.125)
    assert count_decimals(values, np.finfo(float).eps) == 3


def test_random_numbers_have_no_decimals():
    values = np.random.default_rng(0).normal(size=(50, 1)) * 10.0 ** np.arange(-5, 9)
    for column in values.T:
        assert count_decimals(column, np.finfo(float).eps) is None


def test_single_precision_has_decimals_too():
    spec = spec_of(np.array([0.1, 0.25, 7.5], dtype="float32"))
    assert spec.decimals == 2


def test_rounding_leaves_large_numbers_alone():
    values = np.array([1e300, -1e17 - 16, 2.5, 3.5, np.nan])
    out = round_decimals(values, 0)
    np.testing.assert_array_equal(out, [1e300, -1e17 - 16, 2.0, 4.0, np.nan])


def test_decoded_numbers_are_rounded_as_the_column_was():
    table = pd.DataFrame({"a": [0.25, 3e-06], "b": [0.5, 1.5], "c": [1.0, 2.0]})
    codec = TableCodec().fit(table)
    out = codec.decode(np.array([[3.2e-06, 0.449, 1.6]]))
    assert out.iloc[0].tolist() == [3e-06, 0.4, 2.0]


def test_range_and_missing():
    spec = spec_of([3.5, np.nan, -1.0])
    assert (spec.lower, spec.upper, spec.has_missing) == (-1.0, 3.5, True)
    spec = spec_of(pd.Categorical(["b", "c"], categories=["a", "b", "c", "d"]))
    assert (spec.lower, spec.upper, spec.has_missing) == (1.0, 2.0, False)
    spec = spec_of([np.nan, np.nan])
    assert spec.kind == "continuous"
    assert np.isnan([spec.lower, spec.upper]).all()
    assert spec.decimals is None


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        ([1, 2], "integer", ()),
        ([1, 2], "continuous", ()),
        ([1, 2], ColumnKind.ordered, (1, 2)),
        ([0, 1], "boolean", (False, True)),
        ([0.5, 2.0], "category", (0.5, 2.0)),
        ([2.0, 3.0, np.nan], "integer", ()),
        ([True, False], "ordered", (False, True)),
        ([True, False], "category", (False, True)),
        (pd.Categorical(["b"], ordered=True), "category", ("b",)),
    ],
)
def test_kinds_can_be_set_and_the_dtype_still_comes_back(column, kind, levels):
    table = pd.DataFrame({"x": column})
    codec = TableCodec({"x": kind})
    codes = codec.fit_encode(table).values
    assert codec.schema_.columns[0].kind == kind
    assert codec.schema_.columns[0].levels == levels
    pd.testing.assert_frame_equal(codec.decode(codes), table)


ORDER = ["low", "mid", "high", "top"]


def words_of(library):
    """A column of words of each library, in no order."""
    words = ["mid", "low", None, "high", "mid"]
    if library == "pandas":
        return pd.DataFrame({"x": pd.Series(words, dtype=object)})
    if library == "categories":
        # As astype("category") makes them: in the order of the alphabet.
        return pd.DataFrame({"x": pd.Series(words).astype("category")})
    if library == "polars":
        return pl.DataFrame({"x": words})
    column = pa.array(words)
    return pa.table(
        {"x": column.dictionary_encode() if library == "dictionary" else column}
    )


LIBRARIES = ["pandas", "categories", "polars", "pyarrow", "dictionary"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_list_of_levels_is_their_order(library):
    table = words_of(library)
    codec = TableCodec({"x": ORDER})
    codes = codec.fit_encode(table).values
    spec = codec.schema_.columns[0]
    assert (spec.kind, spec.levels) == ("ordered", tuple(ORDER))
    assert (spec.lower, spec.upper) == (0, 2)  # no row has the fourth
    np.testing.assert_array_equal(codes[:, 0], [1, 0, np.nan, 2, 1])
    back = nw.from_native(codec.decode(codes), eager_only=True)["x"]
    same = nw.from_native(table, eager_only=True)["x"]
    assert back.cast(nw.String).to_list() == same.cast(nw.String).to_list()
    again = TableCodec.from_schema(codec.schema_)
    assert TableCodec(again.kinds).fit(table).schema_ == codec.schema_


@pytest.mark.parametrize("library", LIBRARIES)
def test_words_whose_order_nobody_says_are_refused(library):
    wanted = r"'x' holds .* without an order .*kinds=\{'x': \['high', 'low', …\]\}"
    with pytest.raises(SchemaError, match=wanted):
        TableCodec({"x": "ordered"}).fit(words_of(library))


@pytest.mark.parametrize("library", LIBRARIES)
def test_levels_that_the_order_lacks_are_listed(library):
    with pytest.raises(SchemaError, match="'x' holds 'high', 'mid', which the order"):
        TableCodec({"x": ["low", "top"]}).fit(words_of(library))


@pytest.mark.parametrize(
    ("column", "order", "levels"),
    [
        ([3, 1, 2], [2, 3, 1, 9], (2, 3, 1, 9)),
        ([3, 1, 2], ["2", "3", "1"], (2, 3, 1)),  # as the command line gives them
        ([0.5, 2.0], [2, 0.5], (2.0, 0.5)),
        ([True, False], [True, False], (True, False)),
    ],
)
def test_numbers_take_an_order_too(column, order, levels):
    table = pd.DataFrame({"x": column})
    codec = TableCodec({"x": order})
    codes = codec.fit_encode(table).values
    spec = codec.schema_.columns[0]
    assert spec.levels == levels
    assert [type(level) for level in spec.levels] == [type(level) for level in levels]
    assert (spec.lower, spec.upper) == (codes.min(), codes.max())
    pd.testing.assert_frame_equal(codec.decode(codes), table)


@pytest.mark.parametrize(
    ("column", "order", "told"),
    [
        (["a"], [], "is empty"),
        (["a"], ["a", "b", "a"], "names 'a' twice"),
        ([1.0], [1.0, float("nan")], "names nan twice, or as a level"),
        (["a"], ["a", 1], "its cells are text"),
        ([1, 2], [1, 2, 2.5], "its cells are integer"),
        (["a"], ["a", None], "levels of type NoneType"),
        (pd.to_datetime(["2020-01-05"]), ["2020-01-05"], "it holds dates"),
    ],
)
def test_orders_that_cannot_be(column, order, told):
    with pytest.raises(SchemaError, match=told):
        spec_of(column, kinds={"x": order})


def test_kinds_of_arrays_go_by_position_or_name():
    array = np.array([[1, 2], [3, 4]])
    schema = TableCodec({0: "integer", "x1": "ordered"}).fit(array).schema_
    assert [column.kind for column in schema.columns] == ["integer", "ordered"]


@pytest.mark.parametrize(
    ("column", "kind", "reason"),
    [
        (["a"], "continuous", "it holds text or categories"),
        (["a"], "boolean", "it holds text or categories"),
        ([0.5], "integer", "it holds fractions"),
        ([0, 2], "boolean", "it holds values other than 0 and 1"),
        ([True], "integer", "it holds booleans"),
    ],
)
def test_impossible_kinds(column, kind, reason):
    with pytest.raises(SchemaError, match=rf"'x' cannot be read as {kind}: {reason} "):
        spec_of(column, kinds={"x": kind})


def test_wrong_kinds_argument():
    with pytest.raises(SchemaError, match=r"does not have: 'y'. It has: 'x'"):
        spec_of([1], kinds={"y": "integer"})
    with pytest.raises(ValueError, match=r"kinds\['x'\]='number' is not known"):
        spec_of([1], kinds={"x": "number"})
    with pytest.raises(TypeError, match=r"is a list. Give a dict"):
        spec_of([1], kinds=["integer"])


def whole_lines(told):
    """Join lines of a report that go on with those before them."""
    lines = []
    for line in told:
        if line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return lines


def test_report_tells_what_and_why():
    table = pd.DataFrame(
        {
            "a": [1, 2, 1],
            "b": [0.25, 0.5, np.nan],
            "c": [np.nan] * 3,
            "d": ["u"] * 3,
            "e": pd.Categorical(["x", "y", "x"], ordered=True),
        }
    )
    told = TableCodec({"d": ["u"]}).fit(table).schema_.report().split("\n")[2:]
    for line, parts in zip(
        whole_lines(told),
        [
            [
                "a",
                "ordered",
                "2 levels: 1, 2",
                "no",
                "2 distinct values (fewer than 6)",
            ],
            ["b", "continuous", "0.25 to 0.5, 2 decimals", "1", "floats"],
            ["c", "continuous", "all missing", "3", "all cells missing"],
            ["d", "ordered", "1 level: u (constant)", "no", "set by kinds"],
            ["e", "ordered", "2 levels: x, y", "no", "declared levels, in order"],
        ],
        strict=True,
    ):
        places = [line.index(part) for part in parts]
        assert places == sorted(places)


def test_the_report_fits_a_terminal():
    table = pd.DataFrame(
        {
            "a name that is much longer than names should be, but is one": [1, 2, 3],
            "x" * 90: ["word " * 30, "long" * 40, "c"],
            "number": [1.5, 2.25, 1e9],
        }
    )
    schema = TableCodec().fit(table).schema_
    told = schema.report().splitlines()
    assert max(map(len, told)) <= 80
    packed = "".join("".join(told).split())
    for column in schema.columns:
        assert "".join(column.reason.split()) in packed
    one = TableCodec().fit(table[["number"]]).schema_.report()
    assert one.startswith("pandas table with 1 column\n")


def test_the_report_shows_long_and_hostile_cells_in_few_lines():
    """No terminal is sent a control character, and no text fills the screen."""
    words = [f"\x1b[31mred{i}\0\u202e" for i in range(3)]
    texts = [f"{i} {'long text ' * 600}" for i in range(3)]
    table = pd.DataFrame({"words": words, "texts": texts, "\x07" + "n" * 900: words})
    report = TableCodec().fit(table).schema_.report()
    told = report.splitlines()
    assert len(told) < 25
    assert max(map(len, told)) <= 80
    assert all(line.isprintable() for line in told)
    assert r"\x1b[31mred0\x00\u202e" in report
    assert r"\x07nnn" in report
    assert report.count("long text l…") == 3


def test_ids_are_pointed_out():
    table = pd.DataFrame(
        {"uid": [f"u{i}" for i in range(100)], "town": ["a", "b", "c", "d"] * 25}
    )
    uid, town = TableCodec().fit(table).schema_.columns
    assert "drop an id" in uid.reason
    assert town.reason == "text"
    assert TableCodec().fit(table[:20]).schema_.columns[0].reason == "text"
