"""A small file cannot make loading long or large; honest files of any shape load."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from files.model_cases import HOLED, fitted, model_of
from latentforest import RFAE, AdversarialForest, CompletelyRandomForest, Refinement
from latentforest._base import _room
from latentforest._base._errors import ModelFileError
from latentforest._base._parallel import n_workers
from latentforest._base._room import Demand, free_memory
from latentforest._base._section import NewSection
from latentforest.decode import ILPDecoder, RelabelDecoder
from latentforest.files import describe, load_model, save_model
from latentforest.regions import boxes_demand, leaf_boxes
from latentforest.trees import ForestArrays, longest_ways, node_depths

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TOO_MUCH = "more than a file of this size may ask for"


@pytest.fixture(scope="module")
def work():
    """Import the edits that declare too much work."""
    if not BENCHMARKS.exists():
        pytest.skip("the fuzz script is in the repository, not in the package")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("fuzz_work")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def parts_of(work, tmp_path):
    """Return a function that takes the file of a case apart."""
    return lambda case: work.Parts(
        save_model(model_of(case), tmp_path / "sound.lf").read_bytes()
    )


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that loads some bytes, and allocates no leaves of rows."""

    def load(data, *, routed=False):
        path = tmp_path / "edited.lf"
        path.write_bytes(data)
        if not routed:
            monkeypatch.setattr(ForestArrays, "leaves", pytest.fail)
        return load_model(path, RFAE)

    return load


def test_many_rows_in_many_trees_are_refused(work, parts_of, load):
    parts = parts_of("knn draw")
    work.put_rows(parts, 60_000)
    work.put_chains(parts, 0, 4_000)
    data = parts.build_small()
    assert len(data) < 300_000
    with pytest.raises(ModelFileError, match=TOO_MUCH):
        load(data)


def test_rows_on_a_long_way_are_refused(work, parts_of, load):
    parts = parts_of("knn draw")
    work.put_rows(parts, 40_000)
    work.put_chains(parts, 50_000, 1)
    data = parts.build_small()
    assert len(data) < 400_000
    with pytest.raises(ModelFileError, match=TOO_MUCH):
        load(data)


def test_the_same_edits_load_where_they_are_small(work, parts_of, load):
    for case in ("knn draw", "refined", "lasso", "relabel", "landmarks"):
        parts = parts_of(case)
        work.put_rows(parts, 50)
        work.put_chains(parts, 3, 7)
        assert load(parts.build_small(), routed=True).encoder_.forest.n_trees == 7


def test_coordinates_of_rows_beside_landmarks_are_counted(work, parts_of, load):
    rng = np.random.default_rng(0)
    for _ in range(20):  # rows and coordinates are drawn; some of them are too many
        data = work.many_coordinates(rng, parts_of("knn draw").build())
        try:
            load(data, routed=True)
        except ModelFileError as exc:
            assert TOO_MUCH in str(exc)  # noqa: PT017 (small ones load)
            return
    pytest.fail("nothing was refused")


def test_boxes_of_a_long_tree_are_refused(work, parts_of, load):
    for case in ("relabel", "lasso", "ilp"):
        parts = parts_of(case)
        work.put_rows(parts, 10)
        work.put_chains(parts, 49_000, 1)
        with pytest.raises(ModelFileError, match=TOO_MUCH):
            load(parts.build_small(), routed=True)


def test_names_of_classes_as_wide_as_the_longest_are_refused(parts_of, load):
    parts = parts_of("named classes")
    grower = parts.manifest["forest"]["grower"]
    names = [f"{n}" for n in range(4_000)] + ["y" * 60_000]
    grower["classes"] |= {"dtype": "str", "values": names}
    n_leaves = len(parts.array("forest/leaf_values.npy"))
    parts.put("forest/leaf_values.npy", np.zeros((n_leaves, len(names))))
    with pytest.raises(ModelFileError, match=TOO_MUCH):
        load(parts.build_small())


@pytest.mark.parametrize(
    ("case", "path"),
    [
        ("refined", ("refined", "settings", "parameters", "rounds")),
        ("refined", ("refined", "settings", "parameters", "steps")),
        ("refined", ("parameters", "refine", "parameters", "rounds")),
        ("knn draw", ("parameters", "refine")),
        ("knn draw", ("forest", "grower", "parameters", "n_estimators")),
        ("ilp", ("decoder", "parameters", "time_limit")),
        ("relabel", ("decoder", "parameters", "n_samples")),
    ],
)
def test_counts_that_no_honest_file_holds_are_refused(case, path, parts_of, load):
    parts = parts_of(case)
    *keys, last = path
    holder = parts.manifest
    for key in keys:
        holder = holder[key]
    holder[last] = 10**9
    with pytest.raises(ModelFileError, match="=1000000000 is too large"):
        load(parts.build(), routed=True)


def test_what_files_refuse_cannot_be_fitted_either():
    for made in (
        CompletelyRandomForest(10**9),
        AdversarialForest(max_rounds=10**9),
        Refinement(10**9),
        Refinement(steps=10**9),
        RelabelDecoder(n_samples=10**9),
        ILPDecoder(time_limit=np.inf),
    ):
        with pytest.raises(ValueError, match="is too large"):
            made.check()


def test_many_threads_are_not_started():
    assert n_workers(10**9) <= max(256, n_workers(-1))


# --- honest files -----------------------------------------------------------------


def test_a_table_that_packs_well_is_stored_so_that_it_loads(tmp_path, monkeypatch):
    """Few distinct rows, many copies: leaves take far more than the packed file."""
    table = pd.concat([HOLED[["flag", "few"]][:8]] * 400, ignore_index=True)
    model = fitted(
        table=table, n_components=1, forest=CompletelyRandomForest(40), decoder="knn"
    )
    packed = save_model(model, tmp_path / "packed.lf").stat().st_size
    new = NewSection()
    model.put(new, drop_training=False, compact=False)
    need = sum(new.demands, Demand()).n_bytes
    assert need > 4 * len(table) * 40
    monkeypatch.setattr(_room, "BYTES", need // 4)
    monkeypatch.setattr(_room, "BYTES_PER_BYTE", need // packed // 2)
    stored = save_model(model, tmp_path / "stored.lf")
    assert stored.stat().st_size > 2 * packed
    again = load_model(stored, RFAE)
    np.testing.assert_array_equal(again.transform(table), model.transform(table))
    with pytest.raises(ModelFileError, match=TOO_MUCH):
        load_model(tmp_path / "packed.lf", RFAE)
    monkeypatch.setattr(_room, "BYTES", 0)
    monkeypatch.setattr(_room, "BYTES_PER_BYTE", 0)
    with pytest.raises(ModelFileError, match=f"{TOO_MUCH}. Fit fewer trees"):
        save_model(model, tmp_path / "never.lf")
    assert not (tmp_path / "never.lf").exists()


def test_what_models_of_any_shape_ask_for_is_allowed():
    """Rows × trees of honest files, against the bytes that their arrays take at least.

    Stored, a row has 8 bytes for each column and each coordinate, twice.
    """
    for n_rows in (10, 1_000, 100_000, 10_000_000):
        for n_trees, depth in ((1, 60), (500, 30), (2_000, 15), (4_000, 5)):
            for n_columns in (1, 20):
                cells = n_rows * n_trees
                stored = 8 * n_rows * n_columns + 41 * n_trees * (2 * depth + 1)
                with_map = stored + 16 * n_rows
                assert Demand(4 * cells + 100 * n_rows).fits(with_map)
                assert Demand(steps=cells * (depth + 4)).fits(with_map)


def test_what_is_asked_for_is_what_it_takes(work, parts_of):
    forest = model_of("relabel").encoder_.forest
    depths = node_depths(forest)
    trees = zip(forest.start[:-1], forest.start[1:], strict=True)
    assert longest_ways(forest) == sum(depths[a:b].max() for a, b in trees)
    boxes = leaf_boxes(forest, np.zeros(forest.n_columns, np.bool_))
    arrays = (boxes.column, boxes.lower, boxes.upper, boxes.word, boxes.words)
    assert sum(array.nbytes for array in arrays) <= boxes_demand(forest).n_bytes


# --- memory -----------------------------------------------------------------------


def test_free_memory_is_what_is_free_not_what_there_is(monkeypatch):
    told = {"/proc/meminfo": "MemTotal: 9000000 kB\nMemFree: 1 kB\nMemAvailable: 7 kB"}
    monkeypatch.setattr(_room, "_text", told.get)
    assert free_memory() == 7 * 1024


def test_the_room_of_a_container_counts(tmp_path, monkeypatch):
    for name, text in (("max", "1000000"), ("current", "900000"), ("none", "max")):
        (tmp_path / f"memory.{name}").write_text(f"{text}\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 50000\n")
    monkeypatch.setattr(
        _room, "CGROUPS", ((f"{tmp_path}/memory.max", f"{tmp_path}/memory.current"),)
    )
    assert free_memory() == 150_000
    monkeypatch.setattr(
        _room, "CGROUPS", ((f"{tmp_path}/memory.none", f"{tmp_path}/memory.current"),)
    )
    assert free_memory() != 150_000


def test_a_model_larger_than_what_is_free_is_refused(
    parts_of, load, tmp_path, monkeypatch
):
    data = parts_of("knn rows").build()
    monkeypatch.setattr(_room, "free_memory", lambda: 1_000)
    with pytest.raises(ModelFileError, match=r"needs .* GiB of memory, but only 0.0"):
        load(data)
    assert describe(tmp_path / "edited.lf").n_rows == 40  # telling needs no room
