"""Distortion against hand-made values and scikit-learn's scores."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, r2_score

from latentforest._base._errors import SchemaError
from latentforest.metrics import (
    RunningDistortion,
    Yardstick,
    code_distortions,
    distortion,
    mean_distortion,
)
from latentforest.table import EncodedTable, TableCodec
from mixed_tables import CAN_BE_MISSING, mixed_frame

law = settings(max_examples=25, deadline=None)
numbers = st.floats(-1e6, 1e6, allow_nan=False)


def of_column(original, reconstructed, **options):
    one, two = pd.DataFrame({"x": original}), pd.DataFrame({"x": reconstructed})
    return distortion(one, two, **options).columns[0].distortion


@law
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20))
def test_numbers_against_r2_score(pairs):
    truth, guess = np.array(pairs).T
    if np.ptp(truth) < 1e-3:
        truth[0] += 1.0
    expected = 1 - max(r2_score(truth, guess), 0)
    assert of_column(truth, guess) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@law
@given(st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), min_size=1, max_size=20))
def test_categories_against_accuracy_score(pairs):
    truth, guess = zip(*pairs, strict=True)
    expected = 1 - accuracy_score(truth, guess)
    assert of_column(truth, guess) == pytest.approx(expected)
    order = pd.CategoricalDtype(list("dcba"), ordered=True)
    found = of_column(pd.Series(truth, dtype=order), pd.Series(guess, dtype="str"))
    assert found == pytest.approx(expected)


def test_by_hand():
    original = pd.DataFrame(
        {
            "number": [1.0, 2.0, 3.0, 4.0],
            "flag": [True, True, False, False],
            "text": ["a", "b", "c", "a"],
            "code": [1, 2, 1, 2],
        }
    )
    reconstructed = pd.DataFrame(
        {
            "number": [1.0, 2.0, 3.0, 3.0],  # 1 / (2.25 + 0.25 + 0.25 + 2.25)
            "flag": [True, False, False, False],
            "text": ["a", "b", "a", "b"],
            "code": [1, 2, 1, 2],
        }
    )
    result = distortion(original, reconstructed)
    found = [column.distortion for column in result.columns]
    assert found == pytest.approx([0.2, 0.25, 0.5, 0.0])
    kinds = ["continuous", "boolean", "category", "ordered"]
    assert [column.kind for column in result.columns] == kinds
    assert result.mean == float(result) == pytest.approx(0.2375)


def test_worse_than_the_mean_counts_as_one():
    assert of_column([1.0, 2.0], [5.0, -9.0]) == 1.0


def test_tiny_numbers_have_a_distortion():
    assert of_column([1e-200, 3e-200], [1e-200, 2e-200]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("guess", "expected"),
    [([3.0, 3.0], 0), ([3.0 + 1e-15, np.nan], 0), ([3.0, 3.1], 1)],
)
def test_constant_numbers(guess, expected):
    assert of_column([3.0, 3.0], guess) == expected


def test_missing_numbers():
    truth = [1.0, 2.0, 6.0, np.nan]
    # A missing reconstruction is the mean, 3: squares 4 + 0 + 0 of 4 + 1 + 9.
    assert of_column(truth, [np.nan, 2.0, 6.0, 100.0]) == pytest.approx(4 / 14)


def test_missing_categories_are_a_value():
    assert of_column(["a", None, "b", None], ["a", None, None, "b"]) == 0.5
    flags = pd.array([True, None], dtype="boolean")
    assert of_column(flags, pd.array([None, None], dtype="boolean")) == 0.5


def test_columns_without_originals_take_no_part():
    original = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan], "c": [None, None]})
    reconstructed = pd.DataFrame({"a": [1.0, 1.5], "b": [1.0, 2.0], "c": ["x", "y"]})
    result = distortion(original, reconstructed)
    assert np.isnan([column.distortion for column in result.columns[1:]]).all()
    assert result.mean == pytest.approx(0.5)
    assert np.isnan(distortion(original[["b"]], reconstructed[["b"]]).mean)


def test_kinds_may_be_set():
    truth, guess = [1, 2, 3], [1, 2, 2]
    assert of_column(truth, guess) == pytest.approx(1 / 3)
    assert of_column(truth, guess, kinds={"x": "integer"}) == pytest.approx(0.5)


def test_kinds_of_the_training_rows_hold_for_test_rows():
    training = pd.DataFrame({"n": np.arange(10), "c": list("aabbaabbaa")})
    schema = TableCodec().fit(training).schema_
    original = pd.DataFrame({"n": [1, 2, 3], "c": ["a", "new", None]})
    reconstructed = pd.DataFrame({"n": [1, 2, 2], "c": ["a", "b", "b"]})
    result = distortion(original, reconstructed, kinds=schema)
    assert [column.kind for column in result.columns] == ["integer", "category"]
    found = [column.distortion for column in result.columns]
    assert found == pytest.approx([0.5, 2 / 3])


def test_levels_that_only_the_reconstruction_has():
    # A level unknown to one side must not look like a missing cell of the other.
    assert of_column(["a", None], ["b", "b"]) == 1.0


@pytest.mark.parametrize("library", [pl.from_pandas, pa.Table.from_pandas, np.array])
def test_libraries_may_differ(library):
    original = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    back = pd.DataFrame({"a": [1.0, 2.0, 2.0], "b": ["x", "y", "y"]})
    expected = [0.5, pytest.approx(1 / 3)]
    for one, two in ((original, library(back)), (library(original), back)):
        found = distortion(one, two)
        assert [column.distortion for column in found.columns] == expected


def test_integers_that_come_back_as_floats_are_equal():
    assert of_column([1, 2, 1], [1.0, 2.0, 1.0]) == 0.0


def test_tables_that_do_not_fit():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(
        SchemaError, match=r"The tables have different columns: .*'a', "
    ):
        distortion(table, table.rename(columns={"b": "c"}))
    assert distortion(table, table[["b", "a"]]).mean == 0  # found by name
    with pytest.raises(SchemaError, match="The tables have different columns"):
        distortion(table, np.ones((2, 3)))
    with pytest.raises(ValueError, match="rows: 2 in original, 1 in reconstructed"):
        distortion(table, table.iloc[:1])
    schema = TableCodec().fit(table[["a"]]).schema_
    with pytest.raises(SchemaError, match="The schema has different columns"):
        distortion(table, table, kinds=schema)
    with pytest.raises(SchemaError, match="'a' is compared as a number, but holds"):
        distortion(table, table.assign(a=["1", "2"]))
    with pytest.raises(SchemaError, match="'a' holds infinite values"):
        distortion(table, table.assign(a=np.inf))


def test_shown_as_a_table():
    table = pd.DataFrame({"a": [1.0, 2.0], "long name": ["x", "y"]})
    result = distortion(table, table.assign(a=[1.0, 1.5]))
    assert repr(result) == str(result)
    assert str(result).splitlines() == [
        "column     kind        distortion  guessing  relative",
        "-----------------------------------------------------",
        "a          continuous      0.5000    1.0000      0.50",
        "long name  category        0.0000    0.5000      0.00",
        "-----------------------------------------------------",
        "mean                       0.2500    0.7500      0.33",
        "Numbers are measured by the variance of these rows, as in the paper.",
    ]
    frame = result.to_frame()
    assert frame.index.tolist() == ["a", "long name"]
    assert frame["kind"].tolist() == ["continuous", "category"]
    assert frame["distortion"].tolist() == [0.5, 0.0]


# --- one metric, three ways in ----------------------------------------------------


@law
@given(
    st.integers(0, 2**31),
    st.sampled_from([1, 7, 59, 60, 70]),
    st.sampled_from([1.0, 1e-200, 1e150]),
)
def test_distortion_in_blocks_is_the_distortion(seed, n_block, scale):
    rng = np.random.default_rng(seed)
    table = mixed_frame(60, missing=0.2, seed=seed)
    table["area"] *= scale
    table["same"] = 0.3
    table["gone"] = np.full(60, np.nan)
    table["void"] = pd.Series([None] * 60, dtype="str", index=table.index)
    schema = TableCodec().fit(table).schema_
    # A few rows change places and a few cells go, so that not all is lost.
    order, moved = np.arange(60), rng.choice(60, 6, replace=False)
    order[moved] = rng.permutation(moved)
    back = table.iloc[order].set_index(table.index)
    for name in CAN_BE_MISSING:
        back.loc[rng.random(60) < 0.1, name] = None
    expected = distortion(table, back, kinds=schema)
    running = RunningDistortion(schema)
    for start in range(0, 60, n_block):
        running.add(table[start : start + n_block], back[start : start + n_block])
    found = running.result()
    assert [c.name for c in found.columns] == [c.name for c in expected.columns]
    assert [c.distortion for c in found.columns] == pytest.approx(
        [c.distortion for c in expected.columns], rel=1e-12, abs=1e-12, nan_ok=True
    )


def by_all_ways(table, back, schema):
    """Distortions by tables, by blocks of tables, and by codes."""
    running, codec = RunningDistortion(schema), TableCodec.from_schema(schema)
    for start in range(0, len(table), 7):
        running.add(table[start : start + 7], back[start : start + 7])
    whole = distortion(table, back, kinds=schema)
    original = codec.encode(table)
    codes = code_distortions(
        Yardstick.of_table(original), original.values, codec.encode(back).values
    )
    found = [[c.distortion for c in d.columns] for d in (whole, running.result())]
    return [*found, codes.tolist()], [whole.mean, running.result().mean]


@law
@given(st.integers(0, 2**31))
def test_tables_blocks_and_codes_agree(seed):
    table = mixed_frame(60, missing=0.2, seed=seed)
    back = table.sample(frac=1, random_state=seed).set_index(table.index)
    columns, _ = by_all_ways(table, back, TableCodec().fit(table).schema_)
    assert columns[1] == pytest.approx(columns[0], rel=1e-12)
    assert columns[2] == pytest.approx(columns[0], rel=1e-12)


@pytest.mark.parametrize("guess", [None, "x"])
def test_a_category_without_originals_counts_nowhere(guess):
    training = pd.DataFrame({"a": np.arange(20.0), "c": list("xy") * 10})
    schema = TableCodec().fit(training).schema_
    table = training.assign(c=pd.Series([None] * 20, dtype="str"))
    back = table.assign(a=table["a"] + 1, c=pd.Series([guess] * 20, dtype="str"))
    columns, means = by_all_ways(table, back, schema)
    assert all(np.isnan(lost[1]) for lost in columns)
    known = columns[0][0]
    assert known > 0
    assert [*means, *map(mean_distortion, columns)] == pytest.approx([known] * 5)


def test_blocks_that_do_not_fit():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    running = RunningDistortion(TableCodec().fit(table).schema_)
    with pytest.raises(SchemaError, match="The schema has different columns"):
        running.add(table[["a"]], table[["a"]])
    with pytest.raises(SchemaError, match="The tables have different columns"):
        running.add(table, table[["a"]])
    with pytest.raises(ValueError, match="rows: 2 in original, 1 in reconstructed"):
        running.add(table, table[:1])
    assert np.isnan(running.result().mean)


def test_guesses_beyond_all_numbers_count_as_one():
    assert of_column([1e-200, 3e-200], [1e200, -1e200]) == 1.0
    assert of_column([1e-200, 1e-200], [1e200, -1e200]) == 1.0


def exact(truth, guess):
    """1 - max(R², 0) in fractions, which have no largest number."""
    truth, guess = [*map(Fraction, truth)], [*map(Fraction, guess)]
    mean = sum(truth) / len(truth)
    lost = sum((g - t) ** 2 for t, g in zip(truth, guess, strict=True))
    return float(min(lost / sum((t - mean) ** 2 for t in truth), 1))


SIZES = st.sampled_from([1.7e308, 1e308, 1e290, 1e160, 1.0, 1e-160, 1e-200, 1e-290])


@law
@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, st.sampled_from([1, 7, 30]))
def test_numbers_of_every_size_have_a_distortion(seed, fitted, first, second, n_block):
    """Also where the schema, and one block and the next, are of different sizes."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-1, 1, 30) * np.repeat([first, second], 15)
    guess = np.where(rng.random(30) < 0.7, truth, truth[::-1])
    table, back = pd.DataFrame({"x": truth}), pd.DataFrame({"x": guess})
    schema = TableCodec().fit(fitted * pd.DataFrame({"x": rng.random(10)})).schema_
    running = RunningDistortion(schema)
    for start in range(0, 30, n_block):
        running.add(table[start : start + n_block], back[start : start + n_block])
    # Cells far beyond the range of the schema would be wild, and left out.
    whole = TableCodec().fit(table).schema_
    measure = Yardstick.of_table(EncodedTable(whole, truth[:, None]))
    codes = code_distortions(measure, truth[:, None], guess[:, None])
    expected = pytest.approx(exact(truth, guess), rel=1e-9)
    assert [distortion(table, back).mean, running.result().mean, *codes] == [
        expected
    ] * 3


def test_the_largest_numbers_have_a_distortion():
    truth = np.array([-1.0, 1.0, 1.0]) * np.finfo(float).max
    assert of_column(truth, truth) == 0.0
    assert of_column(truth, -truth) == 1.0
    assert of_column(truth, [truth[0], np.nan, np.nan]) == pytest.approx(
        exact(truth, [truth[0], truth[1] / 3, truth[1] / 3])
    )
    assert of_column(np.abs(truth), truth) == 1.0  # a constant
    assert of_column(np.abs(truth), np.abs(truth)) == 0.0


def test_names_are_compared_as_text():
    # pandas knows names that are numbers, other libraries only text.
    table = pd.DataFrame({0: [1.0, 2.0], 1: ["x", "y"]})
    assert distortion(table, pl.DataFrame({"0": [1.0, 2.0], "1": ["x", "y"]})).mean == 0
