"""decode(encode(T)) = T, for every kind and library, and the same library out."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal

from latentforest._base._errors import SchemaError
from latentforest.table import (
    ColumnKind,
    ColumnSpec,
    Storage,
    TableCodec,
    TableSchema,
    index_of,
)
from mixed_tables import saved_and_read

law = settings(max_examples=25, deadline=None)
LEVELS = ["é", "a b", "", "b"]


def back(table):
    """Through codes and through a schema that went to a file and back."""
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    np.testing.assert_array_equal(codes, codec.encode(table).values)
    kept = saved_and_read(codec.schema_)
    return TableCodec.from_schema(kept).decode(codes, index=index_of(table))


def cells(values, n_rows, *, missing=True):
    choice = values | st.none() if missing else values
    return st.lists(choice, min_size=n_rows, max_size=n_rows)


money = st.integers(-(10**6), 10**6).map(lambda k: k / 100)
whole = st.integers(-(2**31), 2**31 - 1)
few = st.integers(0, 3)
names = st.sampled_from(LEVELS)


@st.composite
def rows(draw):
    """Plain Python columns; every kind, with missing cells where it can have them."""
    n = draw(st.integers(1, 8))
    return {
        "money": draw(cells(money, n)),
        "whole": draw(cells(whole, n)),
        "whole, none missing": draw(cells(whole, n, missing=False)),
        "few": draw(cells(few, n)),
        "flag": draw(cells(st.booleans(), n)),
        "flag, none missing": draw(cells(st.booleans(), n, missing=False)),
        "names": draw(cells(names, n)),
    }


@law
@given(rows())
def test_pandas(data):
    table = pd.DataFrame(
        {
            ("odd", 1): pd.array(data["whole"], dtype="Int64"),
            7: pd.array(data["few"], dtype="Int8"),
            "": pd.array(data["flag"], dtype="boolean"),
            "plain": np.array(data["whole, none missing"], dtype="int32"),
            "float": np.array(data["money"], dtype=float),
            "float32": np.array(data["money"], dtype="float32"),
            "Float64": pd.array(data["money"], dtype="Float64"),
            "bool": np.array(data["flag, none missing"], dtype=bool),
            "str": pd.Series(data["names"], dtype="str"),
            "string": pd.array(data["names"], dtype="string"),
            "string python": pd.array(data["names"], dtype="string[python]"),
            "object": pd.Series(data["names"], dtype=object),
            "object nan": pd.Series(
                [np.nan if v is None else v for v in data["names"]], dtype=object
            ),
            "object flag": pd.Series(data["flag"], dtype=object),
            "object int": pd.Series(data["whole"], dtype=object),
            "unordered": pd.Categorical(data["names"], categories=LEVELS),
            "ordered": pd.Categorical(
                data["few"], categories=[3, 0, 9, 1, 2], ordered=True
            ),
            "arrow": pd.array(data["whole"], dtype="int64[pyarrow]"),
            "arrow flag": pd.array(data["flag"], dtype="bool[pyarrow]"),
            "arrow text": pd.array(data["names"], dtype=pd.ArrowDtype(pa.string())),
            "arrow dictionary": pd.array(
                data["names"],
                dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
            ),
        }
    )
    table.index = pd.Index([f"row {i % 2}" for i in range(len(table))], name="odd")
    assert_frame_equal(back(table), table, check_exact=True)


@law
@given(rows())
def test_polars(data):
    table = pl.DataFrame(
        [
            pl.Series("", data["money"], dtype=pl.Float64),
            pl.Series("f32", data["money"], dtype=pl.Float32),
            pl.Series("i64", data["whole"], dtype=pl.Int64),
            pl.Series("u8", data["few"], dtype=pl.UInt8),
            pl.Series("flag", data["flag"], dtype=pl.Boolean),
            pl.Series("text", data["names"], dtype=pl.String),
            pl.Series("categorical", data["names"], dtype=pl.Categorical),
            pl.Series("enum", data["names"], dtype=pl.Enum(LEVELS)),
            pl.Series("nothing", [None] * len(data["few"]), dtype=pl.Null),
        ]
    )
    assert_polars_equal(back(table), table, check_exact=True)


@law
@given(rows())
def test_pyarrow(data):
    order = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    index = [None if v is None else LEVELS.index(v) for v in data["names"]]
    table = pa.table(
        {
            "float": pa.array(data["money"], pa.float64()),
            "float32": pa.array(data["money"], pa.float32()),
            "int": pa.array(data["whole"], pa.int64()),
            "few": pa.array(data["few"], pa.uint8()),
            "flag": pa.array(data["flag"], pa.bool_()),
            "text": pa.array(data["names"], pa.string()),
            "large": pa.array(data["names"], pa.large_string()),
            "dictionary": pa.DictionaryArray.from_arrays(
                pa.array(index, pa.int8()), LEVELS
            ),
            "ordered": pa.DictionaryArray.from_arrays(
                pa.array(index, pa.int8()), LEVELS, ordered=True
            ).cast(order),
            "nothing": pa.nulls(len(index)),
        }
    )
    out = back(table)
    assert out.schema == table.schema
    assert out.equals(table)
    assert out["dictionary"].chunk(0).dictionary.to_pylist() == LEVELS


@law
@given(rows())
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool", "U"])
def test_arrays(dtype, data):
    column = "names" if dtype == "U" else "few"
    cells = [["x" if v is None else v, "z"] for v in data["names"]]
    if dtype != "U":
        cells = [[v or 0, len(data[column])] for v in data[column]]
    table = np.array(cells, dtype=dtype)
    out = back(table)
    assert out.dtype == table.dtype
    np.testing.assert_array_equal(out, table)


@law
@given(rows())
def test_object_arrays(data):
    columns = [data["money"], data["flag"], data["names"]]
    table = np.array(list(zip(*columns, strict=True)), dtype=object)
    out = back(table)
    assert out.dtype == object
    assert out.tolist() == table.tolist()


@law
@given(st.lists(st.floats(allow_infinity=False, width=64), min_size=1, max_size=8))
def test_floats_come_back_within_the_noise_of_arithmetic(values):
    table = np.array(values)[:, None]
    np.testing.assert_allclose(back(table), table, rtol=1e-12, atol=0)


@law
@given(rows(), st.sampled_from(["polars", "pyarrow"]))
def test_same_cells_same_codes_in_every_library(data, library):
    frame = pd.DataFrame(
        {
            "a": np.array(data["money"], dtype=float),
            "b": pd.array(data["whole"], dtype="Int64"),
            "c": pd.array(data["flag"], dtype="boolean"),
            "d": pd.Series(data["names"], dtype="str"),
        }
    )
    other = pl.DataFrame(
        {"a": data["money"], "b": data["whole"], "c": data["flag"], "d": data["names"]},
        schema={"a": pl.Float64, "b": pl.Int64, "c": pl.Boolean, "d": pl.String},
    )
    other = other if library == "polars" else other.to_arrow()
    codec = TableCodec().fit(frame)
    codes = codec.encode(frame).values
    np.testing.assert_array_equal(codec.encode(other).values, codes)
    np.testing.assert_array_equal(TableCodec().fit_encode(other).values, codes)
    assert isinstance(codec.decode(codec.encode(other).values), pd.DataFrame)


def test_every_way_to_be_missing():
    objects = pd.Series(["a", None, np.nan, pd.NA, pd.NaT], dtype=object)
    codes = TableCodec().fit_encode(objects.to_frame("x")).values
    assert np.isnan(codes[:, 0]).tolist() == [False, True, True, True, True]
    polars = pl.DataFrame({"x": [1.5, None, float("nan")]})
    codec = TableCodec()
    codes = codec.fit_encode(polars).values
    assert np.isnan(codes[:, 0]).tolist() == [False, True, True]
    assert codec.decode(codes)["x"].to_list() == [1.5, None, None]


def read_from_file(container, dtype, storage=Storage.text):
    """Two cells of a column whose dtype stands in a file, the second one missing."""
    spec = ColumnSpec(
        "x", ColumnKind.category, ("b", "a"), dtype=dtype, storage=storage
    )
    kept = saved_and_read(TableSchema((spec,), container))
    return TableCodec.from_schema(kept).decode(np.array([[1.0], [np.nan]]))["x"]


# As pandas 2 and pandas 3 write them; each must read what the other wrote.
STRINGS = [
    "StringDtype(python, NA)",
    "StringDtype(pyarrow, NA)",
    "StringDtype(python, nan)",
    "StringDtype(pyarrow, nan)",
    "StringDtype(pyarrow_numpy, nan)",
]


@pytest.mark.parametrize("dtype", STRINGS)
def test_text_of_every_pandas_is_read_by_every_pandas(dtype):
    known, missing = read_from_file("pandas", dtype)
    assert known == "a"
    assert pd.isna(missing)
    assert isinstance(missing, float) == dtype.endswith("nan)")
    for order in ("category", "ordered"):
        column = read_from_file("pandas", f"{order}({dtype})", Storage.dictionary)
        assert column.cat.categories.tolist() == ["b", "a"]
        assert column.cat.codes.tolist() == [1, -1]


@pytest.mark.parametrize("dtype", ["Categorical", "Categorical(lexical)"])
def test_categories_of_every_polars_are_read_by_every_polars(dtype):
    column = read_from_file("polars", dtype)
    assert column.dtype == pl.Categorical
    assert column.to_list() == ["a", None]
    # Since polars 1.32, which brought Categories, all are sorted by their names.
    wanted = "Categorical" if hasattr(pl, "Categories") else dtype
    assert TableCodec().fit(column.to_frame("x")).schema_.columns[0].dtype == wanted


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("value", ["a", True, 7])
def test_objects_keep_their_own_missing_value(value, missing):
    table = pd.DataFrame({"x": pd.Series([value, missing], dtype=object)})
    out = back(table)["x"].tolist()
    assert (out[0], type(out[0])) == (value, type(value))
    assert out[1] is missing


def test_chunks_that_number_their_levels_differently():
    chunks = [pa.array(["a", "b"]), pa.array(["b", None, "c"])]
    column = pa.chunked_array([c.dictionary_encode() for c in chunks])
    out = back(pa.table({"x": column}))
    assert out["x"].to_pylist() == ["a", "b", "b", None, "c"]


def test_a_null_inside_an_arrow_dictionary_is_missing():
    column = pa.DictionaryArray.from_arrays([0, 1, 2, None], ["a", None, "b"])
    codec = TableCodec()
    codes = codec.fit_encode(pa.table({"x": column})).values[:, 0]
    np.testing.assert_array_equal(codes, [0, np.nan, 1, np.nan])
    assert codec.schema_.columns[0].levels == ("a", "b")


def test_nested_lists_keep_their_numbers():
    for table in ([[1.5, "a"], [2.0, "b"]], [[1.5, "a"], [None, "b"]]):
        out = back(table)
        assert isinstance(out, np.ndarray)
        assert out.tolist() == table
    np.testing.assert_array_equal(back([[1, 2], [3, 4]]), [[1, 2], [3, 4]])


def test_an_object_that_knows_how_to_be_an_array():
    class Holder:
        def __array__(self, dtype=None, copy=None):
            return np.eye(3)

    np.testing.assert_array_equal(back(Holder()), np.eye(3))


def test_column_names_survive():
    table = pd.DataFrame([[1.5, 2.0, 3.0]], columns=[2, 0, 5])
    assert list(back(table).columns) == [2, 0, 5]
    table.columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    assert_frame_equal(back(table), table)


def test_the_input_is_left_alone():
    table = pd.DataFrame({"a": [1.25, np.nan], "b": ["x", "y"]})
    before = table.copy(deep=True)
    codec = TableCodec()
    encoded = codec.fit_encode(table)
    encoded.values[:] = 0
    codec.decode(encoded.values)
    assert_frame_equal(table, before)


def nan_named():
    """Columns named NaN, each time by another object."""
    frame = pd.DataFrame(np.arange(60.0).reshape(20, 3) % 7)
    frame.columns = ["a", float("nan"), 2.5]
    return frame


def test_a_column_named_nan_is_found_again():
    codec = TableCodec(kinds={float("nan"): "integer"}).fit(nan_named())
    assert codec.schema_.columns[1].kind == "integer"
    for kept in (codec, pickle.loads(pickle.dumps(codec))):
        codes = kept.encode(nan_named()).values
        pd.testing.assert_frame_equal(kept.decode(codes), nan_named())
    twice = nan_named().set_axis([float("nan"), "a", float("nan")], axis=1)
    with pytest.raises(SchemaError, match="more than once: nan"):
        TableCodec().fit(twice)
    inside = nan_named().set_axis(
        pd.Index([("a", float("nan")), "b", "c"], tupleize_cols=False), axis=1
    )
    codec = TableCodec().fit(inside)
    other = inside.set_axis(
        pd.Index([("a", float("nan")), "b", "c"], tupleize_cols=False), axis=1
    )
    assert codec.encode(other).n_rows == 20
