"""Tables of Dask without a cluster: the bits of memory, and nothing too early."""

import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dask_cases import N_ROWS, SETTINGS, TABLE, check_same, fit_in_memory
from latentforest import RFAE, SchemaError
from latentforest._base import _progress
from latentforest.batches import open_batches


@pytest.fixture(scope="module")
def in_memory():
    return fit_in_memory()


def test_without_a_cluster(in_memory):
    frame = dd.from_pandas(TABLE, npartitions=3)
    model = check_same(frame, in_memory)
    own = in_memory[0]
    back = model.reconstruct(frame[frame["count"] > 20])
    some = own.reconstruct(TABLE[TABLE["count"] > 20])
    pd.testing.assert_frame_equal(back.compute(), some)
    assert model.score(frame) == pytest.approx(own.score(TABLE), rel=1e-12)


def test_partitions_without_rows_are_harmless(in_memory):
    parts = [TABLE[:0], TABLE[:100], TABLE[:0], TABLE[100:], TABLE[:0]]
    frame = dd.from_map(lambda i: parts[i], range(5), meta=TABLE[:0])
    model = check_same(frame, in_memory)
    assert open_batches(frame).lengths() == [0, 100, 0, 160, 0]
    back = model.reconstruct(frame).compute()
    pd.testing.assert_frame_equal(back, in_memory[0].reconstruct(TABLE))
    assert model.score(frame) == pytest.approx(in_memory[0].score(TABLE), rel=1e-12)
    with pytest.raises(SchemaError, match="no rows"):
        RFAE().fit(frame[frame["count"] > 99])


def test_levels_that_differ_between_partitions():
    frame = dd.from_pandas(
        TABLE.assign(level=np.arange(N_ROWS) // 30 + 6), npartitions=4, sort=False
    )
    frame["level"] = frame["level"].astype("category")
    assert not frame["level"].cat.known
    whole = frame.compute()
    own = RFAE(**SETTINGS)
    coords = own.fit_transform(whole)
    model = RFAE(**SETTINGS)
    assert np.array_equal(model.fit_transform(frame).compute(), coords)
    assert model.schema_ == own.schema_


def test_arrays_are_cut_between_rows():
    numbers = TABLE[["size", "count"]].to_numpy(np.float64)
    own = RFAE(**SETTINGS)
    coords = own.fit_transform(numbers)
    array = da.from_array(numbers, chunks=(70, 1))
    for given in (array, array[da.isfinite(array[:, 1])]):
        model = RFAE(**SETTINGS)
        result = model.fit_transform(given)
        assert np.array_equal(result.compute(), coords)
        decoded = model.inverse_transform(result)
        assert isinstance(decoded, da.Array)
        expected = own.inverse_transform(coords)
        np.testing.assert_array_equal(decoded.compute(), expected)
    assert model.transform(array).chunks == ((70, 70, 70, 50), (2,))


def test_nothing_is_read_before_it_is_asked_for(in_memory):
    read = []

    def part(number):
        read.append(number)
        return TABLE[number * 130 : (number + 1) * 130]

    frame = dd.from_map(part, range(2), meta=TABLE[:0])
    model = in_memory[0]
    back = model.inverse_transform(model.transform(frame))
    again = model.reconstruct(frame)
    assert not read
    back.compute()
    assert sorted(read) == [0, 1]
    again.compute()
    assert sorted(read) == [0, 0, 1, 1]


def test_the_model_is_one_task_of_the_graph(in_memory):
    model = in_memory[0]
    frame = dd.from_pandas(TABLE, npartitions=16, sort=False)
    graph = dict(model.transform(frame).__dask_graph__())
    sizes = {key: len(pickle.dumps(task)) for key, task in graph.items()}
    large = [key for key, size in sizes.items() if size > 20_000]
    assert len(large) == 1
    assert str(large[0]).startswith("latentforest-model")
    placing = [key for key in graph if key[0].startswith("latentforest-placing")]
    assert len(placing) == 16


def test_rows_in_memory_at_a_time_are_few(in_memory, tmp_path, monkeypatch):
    from latentforest.batches import _dask

    monkeypatch.setattr(_dask, "CPU_COUNT", 2)
    asked = []
    compute = _dask.dask.compute
    monkeypatch.setattr(
        _dask.dask,
        "compute",
        lambda *tasks: asked.append(len(tasks)) or compute(*tasks),
    )
    frame = dd.from_pandas(TABLE, npartitions=10, sort=False)
    in_memory[0].transform(frame, to=tmp_path / "coords")
    assert asked == [4, 4, 2]
    coords = pd.read_parquet(tmp_path / "coords").to_numpy()
    assert np.array_equal(coords, in_memory[2])


def test_files_of_decoded_rows(in_memory, tmp_path):
    model, _, coords = in_memory
    array = da.from_array(coords, chunks=(100, 2))
    assert model.inverse_transform(array, to=tmp_path / "rows") == tmp_path / "rows"
    written = pd.read_parquet(tmp_path / "rows")
    expected = model.codec_.encode(model.inverse_transform(coords)).values
    cells = model.codec_.encode(written).values
    assert np.array_equal(cells, expected, equal_nan=True)


def test_a_target_of_dask_is_computed():
    y = np.where(TABLE["count"] > 25, "many", "few")
    frame = dd.from_pandas(TABLE, npartitions=3).assign(
        target=dd.from_pandas(pd.Series(y), npartitions=3)
    )
    own = RFAE(forest="supervised", **SETTINGS).fit(TABLE, y)
    model = RFAE(forest="supervised", **SETTINGS)
    model.fit(frame.drop(columns="target"), frame["target"])
    assert np.array_equal(model.embedding_, own.embedding_)


def test_tables_of_other_libraries_are_not_decoded_lazily(tmp_path):
    import polars as pl

    columns = TABLE[["size", "count"]].to_dict("list")
    model = RFAE(**SETTINGS).fit(pl.DataFrame(columns))
    coords = da.from_array(model.embedding_, chunks=(50, 2))
    with pytest.raises(TypeError, match=r"polars.*to="):
        model.inverse_transform(coords)
    model.inverse_transform(coords, to=tmp_path / "rows")
    written = pl.read_parquet(tmp_path / "rows")
    assert written.equals(model.inverse_transform(model.embedding_))


@pytest.mark.parametrize("method", ["predict", "score_samples", "fill_gaps", "similar"])
def test_what_needs_memory_says_so(in_memory, method):
    frame = dd.from_pandas(TABLE, npartitions=2)
    for given in (frame, frame.to_dask_array()):
        with pytest.raises(TypeError, match=r"X\.compute\(\)"):
            getattr(in_memory[0], method)(given)


def test_one_column_is_not_a_table():
    frame = dd.from_pandas(TABLE, npartitions=2)
    for given in (frame["size"], da.zeros(10)):
        with pytest.raises(TypeError, match="two dimensions"):
            RFAE().fit(given)


def test_a_bar_shows_the_passes(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    frame = dd.from_pandas(TABLE, npartitions=2)
    RFAE(verbose=True, **SETTINGS).fit(frame)
    shown = capsys.readouterr().err
    assert "looking at all rows" in shown
    assert "partitions" in shown


def test_dask_is_not_loaded_for_other_tables():
    import subprocess
    import sys

    program = (
        "import sys, numpy as np; from latentforest import RFAE; "
        "RFAE(random_state=0).fit(np.eye(30)); assert 'dask' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
