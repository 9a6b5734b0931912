"""AnnData in and out: the matrix is the table, coordinates are left in ``obsm``."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from latentforest import RFAE, SchemaError, TableCodec
from latentforest.metrics import distortion

anndata = pytest.importorskip("anndata")  # it wants pandas below 3; see .ci/run


def counts(n_cells=60, n_genes=12):
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=n_cells)
    rate = rng.gamma(1.0, 2.0, size=(3, n_genes))
    return rng.poisson(rate[kind]).astype(np.float32)


def as_anndata(matrix):
    obs = pd.DataFrame(index=[f"cell{i}" for i in range(matrix.shape[0])])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(matrix.shape[1])])
    return anndata.AnnData(matrix, obs=obs, var=var)


def as_frame(adata, matrix):
    return pd.DataFrame(matrix, index=adata.obs_names, columns=adata.var_names)


def twice(matrix):
    """Hold each cell in two parts, which a sparse matrix may."""
    half = sparse.coo_matrix(matrix / 2)
    rows, columns = np.tile(half.row, 2), np.tile(half.col, 2)
    cells = np.tile(half.data, 2)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(matrix.shape[0] + 1))
    return sparse.csr_matrix((cells[order], columns[order], starts), matrix.shape)


WAYS = {
    "dense": np.array,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "csr_array": sparse.csr_array,
    "twice": twice,
}


@pytest.mark.parametrize("way", WAYS)
def test_is_the_table_of_its_matrix(way):
    matrix = counts()
    adata = as_anndata(WAYS[way](matrix))
    codec = TableCodec()
    codes = codec.fit_encode(adata).values
    np.testing.assert_array_equal(codes, matrix)
    assert codec.schema_.names == tuple(adata.var_names)
    back = codec.decode(codes, index=adata.obs_names)
    assert isinstance(back, anndata.AnnData)
    assert back.X.dtype == np.float32
    np.testing.assert_array_equal(back.X, matrix)
    assert list(back.var_names) == list(adata.var_names)
    assert list(back.obs_names) == list(adata.obs_names)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint16, bool])
def test_keeps_the_dtype(dtype):
    matrix = counts().astype(dtype)
    codec = TableCodec()
    back = codec.decode(codec.fit_encode(as_anndata(matrix)).values)
    assert back.X.dtype == dtype
    np.testing.assert_array_equal(back.X, matrix)


@pytest.mark.parametrize("way", ["dense", "csr"])
def test_there_and_back_as_a_frame(way):
    matrix = counts()
    adata = as_anndata(WAYS[way](matrix))
    frame = as_frame(adata, matrix)
    model = RFAE(random_state=0)
    assert model.fit(adata) is model
    other = RFAE(random_state=0).fit(frame)
    np.testing.assert_array_equal(adata.obsm["X_rfae"], other.embedding_)
    assert list(model.feature_names_in_) == list(frame.columns)

    new = as_anndata(WAYS[way](matrix[:9]))
    coords = model.transform(new)
    np.testing.assert_array_equal(coords, other.transform(frame[:9]))
    np.testing.assert_array_equal(new.obsm["X_rfae"], coords)

    wanted = other.inverse_transform(coords)
    got = model.inverse_transform(new.obsm["X_rfae"])
    np.testing.assert_array_equal(got.X, wanted)
    again = model.reconstruct(new)
    np.testing.assert_array_equal(again.X, wanted)
    assert list(again.obs_names) == list(new.obs_names)
    assert model.score(new) == other.score(frame[:9])
    assert float(distortion(new, again)) == float(distortion(frame[:9], wanted))


def test_coordinates_are_copies():
    adata = as_anndata(counts())
    model = RFAE(random_state=0)
    coords = model.fit_transform(adata)
    np.testing.assert_array_equal(coords, adata.obsm["X_rfae"])
    kept = model.embedding_.copy()
    coords[:] = 7
    adata.obsm["X_rfae"][:, 0] = 9
    np.testing.assert_array_equal(model.embedding_, kept)
    assert not (adata.obsm["X_rfae"] == 7).any()


def test_every_cell_has_coordinates_where_few_are_kept():
    matrix = counts(80)
    adata = as_anndata(sparse.csr_matrix(matrix))
    model = RFAE(max_samples=30, random_state=0).fit(adata)
    frame = as_frame(adata, matrix)
    wanted = RFAE(max_samples=30, random_state=0).fit_transform(frame)
    assert len(model.embedding_) == 30
    np.testing.assert_array_equal(adata.obsm["X_rfae"], wanted)


def test_genes_are_found_by_name():
    matrix = counts()
    adata = as_anndata(matrix)
    model = RFAE(random_state=0).fit(adata)
    turned = adata[:, ::-1].copy()
    np.testing.assert_array_equal(model.transform(turned), model.transform(adata))
    with pytest.raises(SchemaError, match="gene0"):
        model.transform(adata[:, 1:].copy())


def test_gaps_are_filled_in_a_copy():
    matrix = counts()
    adata = as_anndata(matrix)
    adata.obs["batch"] = "a"
    model = RFAE(random_state=0).fit(adata)
    holed = adata[:, ::-1].copy()
    holed.X[3, 2] = np.nan
    full = model.fill_gaps(holed)
    assert np.isnan(holed.X[3, 2])
    assert not np.isnan(full.X).any()
    there = ~np.isnan(holed.X)
    np.testing.assert_array_equal(full.X[there], holed.X[there])
    assert list(full.obs["batch"]) == ["a"] * len(matrix)
    thin = as_anndata(sparse.csr_matrix(holed.X[:, ::-1]))
    filled = model.fill_gaps(thin).X
    assert sparse.issparse(filled)
    np.testing.assert_array_equal(filled.toarray(), full.X[:, ::-1])


def test_is_saved(tmp_path):
    adata = as_anndata(counts())
    model = RFAE(random_state=0).fit(adata)
    model.save(tmp_path / "cells.lf")
    loaded = RFAE.load(tmp_path / "cells.lf")
    coords = loaded.transform(adata)
    back = loaded.inverse_transform(coords)
    assert isinstance(back, anndata.AnnData)
    np.testing.assert_array_equal(back.X, model.inverse_transform(coords).X)


def test_says_what_is_wrong(tmp_path):
    adata = as_anndata(counts())
    adata.var_names = ["gene"] * 2 + list(adata.var_names[2:])
    with pytest.raises(SchemaError, match="var_names_make_unique"):
        RFAE().fit(adata)
    with pytest.raises(TypeError, match="missing"):
        RFAE().fit(anndata.AnnData(shape=(5, 3)))
    path = tmp_path / "cells.h5ad"
    as_anndata(counts()).write_h5ad(path)
    backed = anndata.read_h5ad(path, backed="r")
    with pytest.raises(TypeError, match="to_memory"):
        RFAE().fit(backed)
    backed.file.close()


def test_other_tables_do_not_load_anndata():
    code = (
        "import sys, numpy as np; from latentforest import RFAE; "
        "RFAE(random_state=0).fit(np.random.default_rng(0).normal(size=(30, 3))); "
        "assert 'anndata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
