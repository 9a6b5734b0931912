"""Decimal columns: numbers inside, decimals of the same precision and scale out."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import metrics
from latentforest._base._errors import SchemaError
from latentforest.table import TableCodec
from mixed_tables import saved_and_read

law = settings(max_examples=25, deadline=None)
TYPES = [pa.decimal128(12, 2), pa.decimal256(50, 4), pa.decimal128(38, 18)]

cents = st.integers(-(10**9), 10**9).map(lambda k: Decimal(k).scaleb(-2))
columns = st.lists(cents | st.none(), min_size=1, max_size=8)


def back(table):
    """Through codes and through a schema that went to a file and back."""
    codec = TableCodec()
    codes = codec.fit_encode(table).values
    np.testing.assert_array_equal(codes, codec.encode(table).values)
    assert codec.schema_.columns[0].kind == "continuous"
    return TableCodec.from_schema(saved_and_read(codec.schema_)).decode(codes)


@law
@given(columns)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_arrow_and_pandas(kind, cells):
    table = pa.table({"x": pa.array(cells, kind)})
    out = back(table)
    assert out.schema == table.schema
    assert out.equals(table)
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    pd.testing.assert_frame_equal(back(frame), frame)


@law
@given(columns)
def test_polars(cells):
    for scale in (2, 5, 18):
        table = pl.DataFrame([pl.Series("x", cells, dtype=pl.Decimal(30, scale))])
        out = back(table)
        assert out.schema == table.schema
        assert out.equals(table)


@law
@given(st.lists(cents, min_size=1, max_size=8))
def test_objects(cells):
    table = pd.DataFrame({"x": pd.Series([*cells, None], dtype=object)})
    for out in (back(table)["x"], back(table.to_numpy(dtype=object))[:, 0]):
        assert list(out) == [*cells, None]
        assert [str(cell) for cell in out[:-1]] == [str(cell) for cell in cells]


def test_codes_are_those_of_floats():
    numbers = [1.25, 0.1, -7.05, 123_456_789.33]
    decimals = pa.array([Decimal(str(x)) for x in numbers], pa.decimal128(20, 2))
    codes = TableCodec().fit_encode(pa.table({"x": decimals})).values
    np.testing.assert_array_equal(codes[:, 0], numbers)
    floats = pd.DataFrame({"x": numbers})
    assert float(metrics.distortion(floats, pa.table({"x": decimals}))) == 0
    codec = TableCodec().fit(floats)
    np.testing.assert_array_equal(codec.encode(pa.table({"x": decimals})).values, codes)


def test_decoded_cells_keep_decimals_and_stop_at_the_precision():
    table = pa.table({"x": pa.array([Decimal("1.50"), None], pa.decimal128(4, 3))})
    codec = TableCodec().fit(table)
    assert codec.schema_.columns[0].decimals == 1
    out = codec.decode(np.array([[0.24], [99.0], [-99.0], [np.nan]]))
    wanted = [Decimal("0.200"), Decimal("9.999"), Decimal("-9.999"), None]
    assert out["x"].to_pylist() == wanted
    assert out.schema == table.schema


def test_levels_that_are_decimals():
    table = pa.table({"x": pa.array([Decimal("1.5"), Decimal("2.5")])})
    codec = TableCodec({"x": "category"})
    codes = codec.fit_encode(table).values
    assert codec.schema_.columns[0].levels == (1.5, 2.5)
    assert codec.decode(codes).equals(table)


def test_whole_decimals_that_floats_cannot_tell_apart_are_refused():
    table = pa.table({"x": pa.array([Decimal(2**53 + 1)], pa.decimal128(20, 0))})
    with pytest.raises(SchemaError, match=r"beyond 2\*\*53"):
        TableCodec().fit(table)
