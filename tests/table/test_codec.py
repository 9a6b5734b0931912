"""What encode and decode accept, what they refuse, and how they say so."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from latentforest._base._errors import (
    SchemaError,
    UnseenLevelsError,
    UnseenLevelsWarning,
)
from latentforest.table import TableCodec, index_of


@pytest.fixture
def table():
    return pd.DataFrame({"a": [1.5, 2.5], "b": ["u", "v"], "c": [True, False]})


def test_unseen_categories_are_refused_or_missing(table):
    new = table.assign(b=["w", "u"])
    message = r"Column 'b' .* not seen in fit: 'w'. Known are: 'u', 'v'."
    with pytest.raises(SchemaError, match=message):
        TableCodec(unseen="error").fit(table).encode(new)
    with pytest.warns(UnseenLevelsWarning, match=message):
        codes = TableCodec().fit(table).encode(new).values
    np.testing.assert_array_equal(codes[:, 1], [np.nan, 0])
    # What "missing" was called once, without a warning.
    codes = TableCodec(unseen="nearest").fit(table).encode(new).values
    np.testing.assert_array_equal(codes[:, 1], [np.nan, 0])
    with pytest.raises(ValueError, match=r"unseen='drop' is not known"):
        TableCodec(unseen="drop").fit(table)


def test_unseen_levels_that_no_row_uses_do_no_harm(table):
    new = table.assign(b=pd.Categorical(["u", "v"], categories=["new", "v", "u"]))
    codes = TableCodec().fit(table).encode(new).values
    np.testing.assert_array_equal(codes[:, 1], [0, 1])


def test_unseen_message_counts_what_it_leaves_out(table):
    new = pd.concat([table] * 4).assign(b=list("ABCDEFGH"))
    with pytest.raises(SchemaError, match=r"'A', 'B', 'C', 'D', 'E' and 3 more"):
        TableCodec(unseen="error").fit(table).encode(new)


@pytest.mark.parametrize("unseen", ["missing", "error", "nearest"])
def test_levels_that_are_numbers_in_order_take_any_number(unseen):
    codec = TableCodec(unseen=unseen).fit(pd.DataFrame({"children": [0, 1, 3]}))
    assert codec.schema_.columns[0].kind == "ordered"
    new = pd.DataFrame({"children": [5.0, -2.0, 1.9, 2.1, np.nan, 3.0]})
    codes = codec.encode(new).values[:, 0]
    np.testing.assert_array_equal(codes, [2, 0, 1, 2, np.nan, 2])


def test_few_numbers_stay_numbers():
    codec = TableCodec().fit(pd.DataFrame({"children": [0, 1, 3]}))
    with pytest.raises(SchemaError, match="held numbers in fit and holds text now"):
        codec.encode(pd.DataFrame({"children": ["1", "3"]}))


def test_only_numbers_in_their_order_take_any_number():
    kinds = pd.CategoricalDtype([3, 1, 2], ordered=True)  # not the order of numbers
    for column, kind in (
        (pd.Series([3, 1, 2], dtype=kinds), None),
        (pd.Series([1, 2, 3]), {"x": "category"}),
        (pd.Series(["a", "b", "c"]), {"x": ["c", "a", "b"]}),
    ):
        codec = TableCodec(kind, unseen="error").fit(pd.DataFrame({"x": column}))
        with pytest.raises(UnseenLevelsError):
            codec.encode(pd.DataFrame({"x": [4]}))


def test_categories_may_come_back_as_another_dtype():
    codec = TableCodec().fit(pd.DataFrame({"x": [3, 1, 2]}))
    new = pd.DataFrame({"x": [1.0, np.nan, 3.0]})
    np.testing.assert_array_equal(codec.encode(new).values[:, 0], [0, np.nan, 2])
    flags = TableCodec().fit(pd.DataFrame({"x": [True]}))
    new = pd.DataFrame({"x": pd.Series([1, None, 0], dtype="Int64")})
    np.testing.assert_array_equal(flags.encode(new).values[:, 0], [1, np.nan, 0])


def test_numbers_stay_numbers(table):
    codec = TableCodec().fit(table)
    with pytest.raises(SchemaError, match=r"Column 'a' held numbers in fit and holds"):
        codec.encode(table.assign(a=["1", "2"]))
    codes = codec.encode(table.assign(a=pd.Series([None, None], dtype=object))).values
    assert np.isnan(codes[:, 0]).all()


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a", "b", "z"], "Feature names unseen at fit time:\n- z\nFeature names seen"),
        (["a", "b"], "Feature names seen at fit time, yet now missing:\n- c\n"),
    ],
)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_wrong_names(table, library, names, text):
    codec = TableCodec().fit(table)
    start = "The feature names should match those that were passed during fit.\n"
    with pytest.raises(SchemaError, match="^" + re.escape(start + text)):
        codec.encode(library({name: [1.5] for name in names}))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_named_columns_are_found_in_any_order(table, library):
    codec = TableCodec().fit(table)
    turned = library({name: table[name].to_list() for name in ["c", "b", "a"]})
    np.testing.assert_array_equal(
        codec.encode(turned).values, codec.encode(table).values
    )


def test_many_wrong_names_are_cut_short():
    codec = TableCodec().fit(pd.DataFrame({f"c{i}": [1.0] for i in range(9)}))
    with pytest.raises(SchemaError, match=r"- c4\n- \.\.\.\n$"):
        codec.encode(pd.DataFrame({"c8": [1.0]}))


def test_arrays_go_by_position(table):
    codec = TableCodec().fit(table)
    codes = codec.encode(np.array([[1.5, "v", True]], dtype=object)).values
    np.testing.assert_array_equal(codes, [[1.5, 1, 1]])
    with pytest.raises(
        ValueError, match="X has 2 features, but RFAE is expecting 3 features as input"
    ):
        codec.encode(np.ones((4, 2)), caller="RFAE")
    from_array = TableCodec().fit(np.array([[1.5, 2.5]]))
    frame = pd.DataFrame({"any": [0.5], "name": [1.0]})
    np.testing.assert_array_equal(from_array.encode(frame).values, [[0.5, 1.0]])


@pytest.mark.parametrize(
    ("X", "error", "text"),
    [
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (np.array([[1j, 2]], dtype=object), ValueError, "Complex data not supported"),
        (pd.DataFrame({"a": [1j]}), ValueError, "Complex data not supported"),
        (sparse.eye_array(3), TypeError, r"sparse.*X.toarray\(\)"),
        (np.ones(3), ValueError, "Expected 2D array, got 1D .*Reshape your data"),
        (
            np.zeros(3, [("a", "i8"), ("b", "f8")]),
            TypeError,
            r"named fields \(a, b.*pandas.DataFrame",
        ),
        (np.ones((2, 2, 2)), ValueError, "Expected 2D array, got 3D"),
        (5.0, ValueError, "Expected 2D array, got 0D"),
        (pd.Series([1.0]), ValueError, "Expected 2D array.*Reshape your data"),
        (pl.Series([1.0]), ValueError, "Expected 2D array.*Reshape your data"),
        (np.ones((0, 3)), ValueError, r"0 sample\(s\) .*minimum of 1 is required"),
        (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (
            np.ones((4, 0)),
            ValueError,
            r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is required\.",
        ),
        (pd.DataFrame(index=[0, 1]), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (pl.LazyFrame({"a": [1]}), TypeError, "lazy table .*Collect it first"),
        (np.ma.array([[1.0]]), TypeError, "Masked arrays .*filled"),
        (np.array([[b"a"]]), SchemaError, "Column 'x0' has the dtype .S1"),
        (pl.DataFrame({"a": [[1]]}), SchemaError, "'a' has the dtype List.*Convert it"),
        (
            pd.DataFrame({"a": pd.cut([1.0, 2.0], 2)}),
            SchemaError,
            "Column 'a' has levels of type Interval.*convert them",
        ),
        (
            pd.DataFrame({"a": [1, "u", True]}, dtype=object),
            SchemaError,
            "Column 'a' mixes values of the types bool, int, str",
        ),
        (
            np.array([[{"u": 1}]], dtype=object),
            TypeError,
            "'x0' holds values of type dict.* argument must be a string, a number",
        ),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            SchemaError,
            "given more than once: 'a'. Rename",
        ),
        (
            pa.table([[1], [2]], names=["a", "a"]),
            SchemaError,
            "given more than once: 'a'. Rename",
        ),
        (
            pd.DataFrame({"a": [np.inf], "b": [1.0], "c": [-np.inf]}),
            SchemaError,
            "infinite values: 'a', 'c'. Replace them",
        ),
        (
            pd.DataFrame({"id": [2**53 + 1]}),
            SchemaError,
            r"Column 'id' holds integers beyond 2\*\*53",
        ),
        (
            pa.table({"id": [2**53 + 1]}),
            SchemaError,
            r"Column 'id' holds integers beyond 2\*\*53",
        ),
    ],
)
def test_refused_tables(X, error, text):
    with pytest.raises(error, match=f"(?s){text}"):
        TableCodec().fit(X)


def test_encode_checks_as_fit_does(table):
    codec = TableCodec().fit(table)
    with pytest.raises(SchemaError, match="infinite values: 'a'"):
        codec.encode(table.assign(a=np.inf))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        codec.encode(table.iloc[:0])


def test_encode_before_fit(table):
    with pytest.raises(NotFittedError, match="Call fit first"):
        TableCodec().encode(table)
    with pytest.raises(NotFittedError, match="Call fit first"):
        TableCodec().decode(np.ones((1, 3)))


def test_decode_checks_its_codes(table):
    codec = TableCodec().fit(table)
    with pytest.raises(ValueError, match=r"shape \(1, 2\), but the table has 3"):
        codec.decode(np.ones((1, 2)))
    for code in (2.0, -1.0, 0.5, np.inf):
        with pytest.raises(ValueError, match=f"'b' has 2 levels, .* include {code}"):
            codec.decode(np.array([[1.0, code, 0.0]]))


def test_integers_round_to_even_and_stop_at_their_bounds():
    table = pd.DataFrame({"x": np.arange(10, dtype="int8")})
    codec = TableCodec().fit(table)
    out = codec.decode(np.array([[0.5], [1.5], [2.4], [300.0], [-1e30]]))
    assert out["x"].dtype == "int8"
    assert out["x"].tolist() == [0, 2, 2, 127, -128]
    for library in (pl.from_pandas, pa.Table.from_pandas):
        codec = TableCodec().fit(library(table))
        out = codec.decode(np.array([[1.5], [300.0], [np.nan]]))
        assert pl.DataFrame(out)["x"].to_list() == [2, 127, None]


def test_missing_cells_in_dtypes_without_room_for_them():
    table = pd.DataFrame({"i": np.arange(10), "b": [True, False] * 5})
    out = TableCodec().fit(table).decode(np.array([[3.0, 1.0], [np.nan, np.nan]]))
    expected = pd.DataFrame(
        {"i": [3.0, np.nan], "b": pd.array([True, None], dtype="boolean")}
    )
    pd.testing.assert_frame_equal(out, expected)
    for array in (np.arange(10)[:, None], np.array([[True], [False]])):
        out = TableCodec().fit(array).decode(np.array([[1.0], [np.nan]]))
        assert out.dtype == float
        assert np.isnan(out[1, 0])
    out = TableCodec().fit(np.array([["a"]])).decode(np.array([[0.0], [np.nan]]))
    assert out.tolist() == [["a"], [None]]


def test_index_is_given_and_restored(table):
    table.index = pd.Index(["r1", "r0"], name="row")
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    pd.testing.assert_frame_equal(codec.decode(codes, index=index_of(table)), table)
    assert codec.decode(codes).index.equals(pd.RangeIndex(2))
    for other in (table.to_numpy(), pl.from_pandas(table), [[1]]):
        assert index_of(other) is None


def test_names_that_are_also_attributes():
    # pandas lets cells and columns be read as attributes: they must not win.
    table = pd.DataFrame({"column_names": [1.5], "type": ["a"]}, index=["type"])
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    pd.testing.assert_frame_equal(codec.decode(codes, index=table.index), table)


def test_second_fit_forgets_the_first(table):
    other = pd.DataFrame({"z": [1, 2]})
    codec = TableCodec().fit(table).fit(other)
    assert codec.schema_ == TableCodec().fit(other).schema_


def test_warnings_point_at_the_line_of_the_user():
    codec = TableCodec().fit(pd.DataFrame({"a": ["x", "y"]}))
    with pytest.warns(UnseenLevelsWarning) as told:
        codec.encode(pd.DataFrame({"a": ["z"]}))
    assert told[0].filename == __file__


def test_long_levels_are_cut_in_messages():
    codec = TableCodec().fit(pd.DataFrame({"story": ["once", "twice"] * 9}))
    with pytest.warns(UnseenLevelsWarning, match="there was") as told:
        codec.encode(pd.DataFrame({"story": ["there was " * 700]}))
    assert len(str(told[0].message)) < 300


@pytest.mark.parametrize("cell", [10**400, 2**60])
def test_integers_that_no_float_tells_apart_are_refused_by_name(cell):
    codec = TableCodec().fit(pd.DataFrame({"size": np.arange(9.0)}))
    with pytest.raises(SchemaError, match="Column 'size' holds integers beyond"):
        codec.encode([{"size": cell}])
