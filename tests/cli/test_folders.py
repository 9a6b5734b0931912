"""Folders of files, and files in pieces, in every command that reads tables."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE
from latentforest.cli import _training
from mixed_tables import mixed_frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write 300 rows as five files."""
    place = tmp_path_factory.mktemp("rows")
    table = mixed_frame(n_rows=300, seed=5).assign(kind=np.arange(300) % 3)
    for number in range(5):
        part = table.iloc[60 * number : 60 * number + 60]
        part.to_parquet(place / f"{number}.parquet", index=False)
    table.to_csv(place.parent / "rows.csv", index=False)
    return place


def test_a_folder_goes_there_and_back(folder, tmp_path, run, fail):
    model, coords, rows = tmp_path / "m.lf", tmp_path / "z", tmp_path / "rows"
    done = run("fit", folder, "-o", model, "--seed", "0")
    assert "300 rows" in done.err
    run("encode", model, folder, "-o", f"{coords}/")
    run("decode", model, coords, "-o", f"{rows}/")
    fitted = RFAE(2, random_state=0).fit(folder)
    Z = pd.read_parquet(coords).to_numpy()
    assert np.array_equal(Z, fitted.transform(folder))
    assert len(pd.read_parquet(rows)) == 300
    run("reconstruct", model, f"{folder}/*.parquet", "-o", tmp_path / "back.csv")
    assert len(pd.read_csv(tmp_path / "back.csv")) == 300
    again = fail("encode", model, folder, "-o", f"{coords}/")
    assert "exists already" in again


def test_a_large_file_is_read_in_pieces_with_the_same_bits(
    folder, tmp_path, run, monkeypatch
):
    table = folder.parent / "rows.csv"
    run("fit", table, "-o", tmp_path / "whole.lf", "--seed", "3")
    monkeypatch.setattr(_training, "LARGE", 10)
    monkeypatch.setattr("latentforest.reading._batches.PIECE", 70)
    run("fit", table, "-o", tmp_path / "pieces.lf", "--seed", "3")
    whole, pieces = (RFAE.load(tmp_path / f"{n}.lf") for n in ("whole", "pieces"))
    assert whole.schema_ == pieces.schema_
    assert np.array_equal(whole.embedding_, pieces.embedding_)


def test_rows_of_a_folder_are_held_back_with_their_copies(folder, tmp_path, run):
    for number in range(2):  # every row twice, in other files
        part = mixed_frame(n_rows=120, seed=5)
        part.to_parquet(tmp_path / f"{number}.parquet", index=False)
    done = run("fit", tmp_path, "-o", tmp_path / "m.lf", "--test", "0.3", "--seed", "1")
    held = int(done.err.partition(" rows held back")[0].split()[-1])
    assert 40 < held < 110
    assert held % 2 == 0
    kept = RFAE.load(tmp_path / "m.lf").n_samples_seen_
    assert kept + held == 240


def test_the_target_of_a_folder_is_learned_and_not_encoded(folder, tmp_path, run):
    run("fit", folder, "-o", tmp_path / "m.lf", "--target", "kind", "--trees", "20")
    model = RFAE.load(tmp_path / "m.lf")
    assert "kind" not in model.schema_.names


def test_an_empty_folder_is_refused(tmp_path, fail):
    assert "no tables are found" in fail("fit", tmp_path, "-o", tmp_path / "m.lf")
