"""The file itself: a plain zip that appears whole or not at all."""

import io
import json
import os
import stat
import zipfile

import numpy as np
import pytest

from files.model_cases import HOLED, MODELS, fitted, model_of
from latentforest import RFAE, KNNDecoder
from latentforest.files import MemberSummary, describe, load_model, save_model
from latentforest.files import _write as writing
from latentforest.files._npy import DTYPES, npy_header


@pytest.fixture(scope="module")
def model():
    return fitted(decoder=KNNDecoder(5))


def test_a_plain_zip_of_arrays_that_numpy_reads(model, tmp_path):
    path = save_model(model, tmp_path / "model.lf")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        names = set(archive.namelist()) - {"manifest.json"}
        assert names == manifest["members"].keys()
        for name, entry in manifest["members"].items():
            array = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert array.dtype == np.dtype(entry["dtype"])
            assert list(array.shape) == entry["shape"]
        codes = np.load(io.BytesIO(archive.read("training/codes.npy")))
    np.testing.assert_array_equal(codes, model.kernel_.table_.values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(0,), (3,), (0, 2), (2, 3), (10**12, 10**9)])
def test_headers_are_those_of_numpy(dtype, order, shape):
    stream = io.BytesIO()
    fortran = order == "F"
    fields = {"descr": dtype, "fortran_order": fortran, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, fields)
    ours = npy_header(dtype, shape, order)
    assert len(ours) % 64 == 0
    read = io.BytesIO(ours)
    assert np.lib.format.read_magic(read) == (1, 0)
    assert np.lib.format.read_array_header_1_0(read) == (
        shape,
        fortran,
        np.dtype(dtype),
    )


def test_very_regular_arrays_are_not_compressed(tmp_path):
    model = model_of("sklearn classes")  # scikit-learn's trees send no gap left
    path = save_model(model, tmp_path / "model.lf")
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            assert info.file_size <= writing.LARGEST_RATIO * info.compress_size
            assert info.date_time == (1980, 1, 1, 0, 0, 0)


def test_arrays_that_deceive_their_samples_are_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "CHUNK", 2**12)
    monkeypatch.setattr(writing, "SAMPLED", 2**13)
    # Of two hundred pieces, samples see the two that do not shrink.
    pieces = np.zeros((200, 2**9))
    pieces[[99, 199]] = np.random.default_rng(0).random((2, 2**9))
    array = pieces.ravel()
    assert writing.ArrayMember(array).level() == 6
    path = tmp_path / "deceived.lf"
    writing.write_archive(path, {}, {"a.npy": array})
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("a.npy")
        assert info.file_size <= writing.LARGEST_RATIO * info.compress_size
        again = np.load(io.BytesIO(archive.read("a.npy")))
    np.testing.assert_array_equal(again, array)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_nothing_half_written_is_left(model, tmp_path, monkeypatch, error):
    path = save_model(model, tmp_path / "model.lf")
    before = path.read_bytes()

    def fail(*args):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(error):
        save_model(model, path, drop_training=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_files_get_the_usual_rights_and_links_stay_links(model, tmp_path):
    path = tmp_path / "model.lf"
    assert save_model(model, str(path)) == path
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    link = tmp_path / "link.lf"
    link.symlink_to(path)
    save_model(model, link, drop_training=True)
    assert link.is_symlink()
    assert not describe(path).has_training


def test_describe_tells_what_is_inside(model, tmp_path):
    path = save_model(model, tmp_path / "model.lf")
    summary = describe(path)
    forest = model.kernel_.forest_
    assert summary.path == path
    assert summary.file_bytes == path.stat().st_size
    assert summary.format_version == 2
    assert set(summary.written_by) == {"latentforest", "numpy"}
    assert summary.has_training
    assert summary.n_rows == len(HOLED)
    assert summary.parameters["decoder"] == "KNNDecoder(n_neighbors=5)"
    assert summary.parameters["n_components"] == 2
    assert summary.schema == model.schema_
    assert "CompletelyRandomForest" in summary.forest
    assert summary.n_trees == forest.n_trees
    assert summary.n_nodes == len(forest.left)
    assert summary.n_leaves == forest.n_leaves
    assert summary.kernel == "rf"
    assert summary.n_components == 2
    np.testing.assert_array_equal(summary.eigenvalues, model.eigenvalues_)
    assert summary.decoder == "KNNDecoder(n_neighbors=5)"
    assert summary.refinement is None
    codes = next(m for m in summary.members if m.name == "training/codes.npy")
    assert isinstance(codes, MemberSummary)
    assert codes.shape == model.kernel_.table_.values.shape
    assert codes.memory_bytes == model.kernel_.table_.values.nbytes
    assert summary.memory_bytes > codes.memory_bytes


@pytest.mark.parametrize("case", MODELS)
def test_describe_can_read_every_model(case, tmp_path):
    model = model_of(case)
    summary = describe(save_model(model, tmp_path / "model.lf"))
    assert summary.parameters.keys() == model.get_params(deep=False).keys()
    assert type(model.decoder_).__name__ in summary.decoder
    assert (summary.refinement is None) == (model.encoder_.refined is None)


def test_saving_needs_a_folder(model, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*none"):
        save_model(model, tmp_path / "none" / "model.lf")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        save_model(model, tmp_path)
    assert not list(tmp_path.iterdir())


def test_loading_needs_a_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.lf", RFAE)
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path, RFAE)
