"""Rows as dicts, and tables of few rows: read like any other table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentforest import SchemaError, TableCodec
from mixed_tables import LAW, frames, mixed_frame


def same_codes(one, other):
    return one.values.tobytes() == other.values.tobytes()


@LAW
@given(frames(), st.randoms(use_true_random=False))
def test_rows_as_dicts_have_the_codes_of_the_table(frame, random):
    codec = TableCodec().fit(frame)
    whole, rows = codec.encode(frame), frame.to_dict("records")
    shuffled = [dict(random.sample(list(row.items()), len(row))) for row in rows]
    assert same_codes(codec.encode(shuffled), whole)
    alone = [codec.encode(row).values for row in shuffled]
    assert np.vstack(alone).tobytes() == whole.values.tobytes()


@LAW
@given(frames(), st.integers(1, 9))
def test_a_table_has_the_same_codes_in_any_batches(frame, size):
    """Few rows are read in other ways than many."""
    many = pd.concat([frame] * 4, ignore_index=True).astype(frame.dtypes)
    codec = TableCodec().fit(many)
    parts = [many[i : i + size] for i in range(0, len(many), size)]
    whole = codec.encode(many).values
    assert np.vstack([codec.encode(p).values for p in parts]).tobytes() == (
        whole.tobytes()
    )


DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_plain_numbers_of_pandas_are_read_as_arrays_are(dtype):
    cells = np.array([[0], [1], [3], [7], [120]]).astype(dtype)
    frame = pd.DataFrame({"x0": cells[:, 0]})
    of_frame, of_array = TableCodec().fit(frame), TableCodec().fit(cells)
    one, other = of_frame.schema_.columns[0], of_array.schema_.columns[0]
    for name in ("kind", "storage", "dtype", "decimals", "levels"):
        assert getattr(one, name) == getattr(other, name)
    assert same_codes(of_frame.encode(frame), of_array.encode(cells))
    assert of_frame.decode(of_frame.encode(frame).values).equals(frame)


def test_what_is_read_is_not_changed():
    frame = pd.DataFrame({"a": [1.5, 2.5]})
    TableCodec().fit(frame).encode(frame).values[:] = 0
    assert frame["a"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ({"size": 1.0}, SchemaError, "Row 0 lacks the columns: 'colour'; it has"),
        (
            [{"size": 1.0, "colour": "a"}, {"size": 1.0, "color": "a"}],
            SchemaError,
            "Row 1 lacks the columns: 'colour'; .* seen: 'color'. Give each",
        ),
        ([{"size": 1.0, "colour": "a"}, (1.0, "a")], TypeError, "Row 1 is a tuple"),
        ({"size": "big", "colour": "a"}, SchemaError, "'size' held numbers in fit"),
        ({"size": [1.0], "colour": "a"}, TypeError, "'size' holds values of type list"),
        ({"size": 1.0, "colour": "c"}, SchemaError, "were not seen in fit: 'c'"),
        ({"size": np.inf, "colour": "a"}, SchemaError, "infinite values: 'size'"),
    ],
)
def test_rows_that_do_not_fit_are_told(rows, error, message):
    table = pd.DataFrame({"size": [1.5, 2.0], "colour": ["b", "a"]})
    codec = TableCodec(unseen="error").fit(table)
    with pytest.raises(error, match=message):
        codec.encode(rows)


def test_nobody_learns_from_dicts():
    with pytest.raises(ValueError, match="Expected 2D array"):
        TableCodec().fit(mixed_frame(5).to_dict("records"))
