"""The records: what they hold, what they refuse, to a dict and back."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from latentforest.table import (
    ColumnKind,
    ColumnSpec,
    EncodedTable,
    TableCodec,
    TableSchema,
)
from mixed_tables import saved_and_read


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            ("multi", 1): [0.25, 3e-6, np.nan],
            3: [1, 2, 1],
            "whole": [2**40, 5, 7],
            "flag": [True, False, True],
            "text": ["a", None, "b"],
            "floats": [0.5, 1.0, 0.5],
            "order": pd.Categorical([2, 1, 2], categories=[2, 1], ordered=True),
            "nothing": [np.nan] * 3,
        }
    )


@pytest.fixture
def schema(table):
    kinds = {"floats": "category", "whole": "integer"}
    return TableCodec(kinds).fit(table).schema_


def test_arrays_of_the_schema(schema):
    assert schema.n_columns == 8
    assert schema.n_levels.tolist() == [0, 2, 0, 2, 2, 2, 2, 0]
    assert schema.split_levels.tolist() == [0, 0, 0, 2, 2, 2, 0, 0]
    assert schema.n_levels.dtype == schema.split_levels.dtype == np.int32
    numbers = [True, False, True, False, False, False, False, True]
    assert schema.is_number.tolist() == numbers
    np.testing.assert_array_equal(schema.lower, [3e-6, 0, 5, 0, 0, 0, 0, np.nan])
    np.testing.assert_array_equal(schema.upper, [0.25, 1, 2**40, 1, 1, 1, 1, np.nan])


def test_to_json_and_back(schema):
    again = saved_and_read(schema)
    assert again == schema
    assert hash(again) == hash(schema)
    for one, two in zip(again.columns, schema.columns, strict=True):
        assert list(map(type, one.levels)) == list(map(type, two.levels))


def test_equality_sees_every_field_and_bears_nan(schema):
    assert pickle.loads(pickle.dumps(schema)) == schema
    one = ColumnSpec("a", ColumnKind.category, (0, 1))
    assert one == ColumnSpec("a", ColumnKind.category, (0, 1))
    assert one != ColumnSpec("a", ColumnKind.category, (1, 0))
    assert one != ColumnSpec("a", ColumnKind.category, (False, True))
    assert one != ColumnSpec("a", ColumnKind.category, (0, 1), lower=0.0)
    assert one != ColumnSpec("b", ColumnKind.category, (0, 1))


def test_records_check_themselves(schema):
    with pytest.raises(ValueError, match="'a' is a number, so it has no levels"):
        ColumnSpec("a", ColumnKind.integer, (1,))
    with pytest.raises(ValueError, match=r"'a' needs the levels \(False, True\)"):
        ColumnSpec("a", ColumnKind.boolean)
    with pytest.raises(ValueError, match="levels of column 'a' are not distinct"):
        ColumnSpec("a", ColumnKind.category, ("u", "u"))
    spec = ColumnSpec("a", ColumnKind.continuous)
    with pytest.raises(ValueError, match="names must be distinct"):
        TableSchema((spec, spec))
    with pytest.raises(ValueError, match="container='xls' is not known"):
        TableSchema((spec,), "xls")
    with pytest.raises(ValueError, match=r"shape \(2, 3\), wanted \(n_rows, 8\)"):
        EncodedTable(schema, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="float64 in C order"):
        EncodedTable(schema, np.zeros((8, 2)).T)
    with pytest.raises(ValueError, match="float64 in C order"):
        EncodedTable(schema, np.zeros((2, 8), dtype=np.float32))


def test_take(table):
    encoded = TableCodec().fit_encode(table)
    for rows in ([2, 0, 2], np.array([True, False, True])):
        some = encoded.take(rows)
        assert some.schema is encoded.schema
        assert some.n_rows == len(encoded.values[rows])
        np.testing.assert_array_equal(some.values, encoded.values[rows])


@pytest.mark.parametrize(
    "work", ["", "latentforest.table.TableCodec().fit_encode(np.eye(3))"]
)
def test_frame_libraries_are_not_loaded_for_nothing(work):
    # scikit-learn may load some of them itself.
    code = (
        "import sys, numpy as np, sklearn.utils; before = set(sys.modules); "
        f"import latentforest.table, latentforest.metrics; {work}\n"
        "print(*({'pandas', 'polars', 'pyarrow'} & (set(sys.modules) - before)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_distinct_rows_number_copies_alike():
    nan = np.nan
    values = np.array([[0.0, nan], [1.0, 2.0], [-0.0, nan], [1.0, nan], [1.0, 2.0]])
    values[2, 1] = -values[2, 1]  # another bit pattern, missing all the same
    specs = tuple(ColumnSpec(name, ColumnKind.continuous) for name in "ab")
    number = EncodedTable(TableSchema(specs), values).distinct_rows()
    same = number[:, None] == number
    wanted = np.eye(5, dtype=bool)
    wanted[0, 2] = wanted[2, 0] = wanted[1, 4] = wanted[4, 1] = True
    np.testing.assert_array_equal(same, wanted)
