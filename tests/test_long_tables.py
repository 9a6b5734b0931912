"""Tables in pieces: the same bits, wherever they come from and however they are cut."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, read_table
from latentforest._base._errors import DataError, SchemaError
from mixed_tables import mixed_frame

N_ROWS = 400


@pytest.fixture(scope="module")
def rows():
    """Mixed columns with gaps and dates."""
    table = mixed_frame(n_rows=N_ROWS, missing=0.05, seed=3)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.arange(N_ROWS) % 90, "D")
    return table.assign(day=days)


@pytest.fixture(scope="module", params=[None, 150])
def fitted(request, rows):
    """Fit in memory, on all rows and on some of them."""
    return RFAE(2, max_samples=request.param, random_state=0).fit(rows)


def again(model):
    return RFAE(2, max_samples=model.max_samples, random_state=0)


def cut(rows, n_pieces):
    ends = np.sort(np.random.default_rng(n_pieces).integers(0, len(rows), n_pieces - 1))
    pieces = np.split(np.arange(len(rows)), ends)
    return [rows.iloc[piece] for piece in pieces]


def assert_same(model, other, rows):
    assert model.schema_ == other.schema_
    assert np.array_equal(model.rows_, other.rows_)
    assert np.array_equal(model.embedding_, other.embedding_)
    assert np.array_equal(model.transform(rows[:40]), other.transform(rows[:40]))
    decoded = model.inverse_transform(model.embedding_[:20])
    pd.testing.assert_frame_equal(
        decoded, other.inverse_transform(other.embedding_[:20])
    )


@pytest.mark.parametrize("n_pieces", [1, 2, 7, 64])
def test_any_number_of_pieces_gives_the_same_bits(fitted, rows, n_pieces):
    pieces = cut(rows, n_pieces)
    other = again(fitted).set_params(n_jobs=1).fit(lambda: iter(pieces))
    assert_same(fitted, other, rows)


@pytest.mark.parametrize("n_files", [1, 7])
def test_a_folder_of_parquet_files_gives_the_same_bits(fitted, rows, n_files, tmp_path):
    for number, piece in enumerate(cut(rows, n_files)):
        piece.to_parquet(tmp_path / f"{number:02d}.parquet", index=False)
    (tmp_path / "_SUCCESS").touch()
    for source in (tmp_path, str(tmp_path / "*.parquet")):
        read = pd.concat(map(pd.read_parquet, sorted(tmp_path.glob("*.parquet"))))
        assert_same(again(fitted).fit(read), again(fitted).fit(source), rows)


def test_text_in_pieces_is_read_as_in_one(rows, tmp_path, monkeypatch):
    euros = [f"{x:,.2f} €" for x in np.random.default_rng(0).gamma(2, 900, N_ROWS)]
    table = rows.assign(price=euros, seen=rows["day"].dt.strftime("%d.%m.%Y"))
    for number, piece in enumerate(cut(table, 3)):
        piece.to_csv(tmp_path / f"{number}.csv", index=False)
    table.to_csv(tmp_path / "all.txt", index=False)
    monkeypatch.setattr("latentforest.reading._batches.PIECE", 97)
    whole = RFAE(2, random_state=0).fit(read_table(tmp_path / "all.txt"))
    found = RFAE(2, random_state=0).fit(tmp_path / "all.txt")
    parts = RFAE(2, random_state=0).fit(str(tmp_path / "*.csv"))
    assert np.array_equal(whole.embedding_, found.embedding_)
    assert_same(found, parts, found.inverse_transform(found.embedding_))
    notations = {c.name: c.notation for c in parts.schema_.columns}
    assert notations["price"] == "number:#,##0.00 €"
    assert notations["seen"] == "date:dd.MM.yyyy"


def test_new_files_are_read_as_the_model_was(rows, tmp_path):
    days = pd.date_range("2021-01-01", periods=N_ROWS)
    words = [f"{10 + i % 7}" if i < 150 else f"x{i % 5}" for i in range(N_ROWS)]
    table = rows[["area"]].assign(seen=days.strftime("%d/%m/%Y"), code=words)
    table.to_csv(tmp_path / "all.csv", index=False)
    model = RFAE(2, random_state=0).fit(tmp_path / "all.csv")
    # Alone, these rows do not tell days from months, nor codes from numbers.
    table[:5].to_csv(tmp_path / "new.csv", index=False)
    typed = read_table(tmp_path / "all.csv").iloc[:5]
    new = tmp_path / "new.csv"
    assert np.array_equal(model.transform(new), model.transform(typed))
    pd.testing.assert_frame_equal(model.reconstruct(new), model.reconstruct(typed))
    assert model.score(new) == pytest.approx(model.score(typed))


def test_an_array_on_disk_gives_the_same_bits(tmp_path, monkeypatch):
    array = np.random.default_rng(0).normal(size=(300, 4))
    np.save(tmp_path / "a.npy", array)
    monkeypatch.setattr("latentforest.batches._local.PIECE", 70)
    on_disk = np.load(tmp_path / "a.npy", mmap_mode="r")
    model = RFAE(2, max_samples=200, random_state=0).fit(on_disk)
    other = RFAE(2, max_samples=200, random_state=0).fit(array)
    assert np.array_equal(model.embedding_, other.embedding_)
    assert np.array_equal(model.transform(on_disk), other.transform(array))


def test_kept_rows_lie_where_the_model_has_them_and_others_like_new_ones(rows):
    model = RFAE(2, max_samples=150, random_state=0)
    Z = model.fit_transform(rows)
    assert Z.shape == (N_ROWS, 2)
    assert model.n_samples_seen_ == N_ROWS
    assert np.array_equal(Z[model.rows_], model.embedding_)
    others = np.setdiff1d(np.arange(N_ROWS), model.rows_)
    assert np.array_equal(Z[others], model.transform(rows.iloc[others]))
    pieces = cut(rows, 5)
    assert np.array_equal(again(model).fit_transform(lambda: iter(pieces)), Z)
    encoded = model.codec_.encode(rows)
    assert again(model).fit_transform(encoded).shape == Z.shape


def test_levels_and_ranges_come_from_all_rows(rows):
    table = rows.assign(word=["a"] * (N_ROWS - 1) + ["rare"], size=0.0)
    table.loc[table.index[0], "size"] = 1e6
    model = RFAE(2, max_samples=20, random_state=0).fit(table)
    columns = {c.name: c for c in model.schema_.columns}
    assert columns["word"].levels == ("a", "rare")
    assert columns["size"].upper == 1e6


def test_a_supervised_forest_gets_the_target_of_the_kept_rows(rows):
    y = np.arange(N_ROWS) % 3
    settings = {"forest": "supervised", "max_samples": 100, "random_state": 0}
    model = RFAE(2, **settings).fit(rows, y)
    kept = rows.iloc[model.rows_]
    assert model.grower_.in_bag_.shape[0] == len(kept)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RFAE(2, **settings).fit(rows, y[:-1])


def test_coordinates_go_to_a_folder_and_rows_come_back(rows, tmp_path):
    model = RFAE(2, max_samples=150, random_state=0).fit(rows)
    pieces = cut(rows, 4)
    made = model.transform(lambda: iter(pieces), to=tmp_path / "z")
    Z = model.transform(rows)
    assert np.array_equal(pd.read_parquet(made).to_numpy(), Z)
    back = model.inverse_transform(made, to=tmp_path / "back")
    decoded = model.inverse_transform(Z)
    cells = model.codec_.encode(pd.read_parquet(back)).values
    expected = model.codec_.encode(decoded).values
    assert np.array_equal(cells, expected, equal_nan=True)
    pd.testing.assert_frame_equal(model.inverse_transform(made), decoded)
    with pytest.raises(DataError, match="exists already"):
        model.transform(rows, to=tmp_path / "z")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "z"]


def test_pieces_with_and_without_gaps_have_one_schema(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    table = pd.DataFrame(
        {"x": x, "n": (10 * x).round(), "w": np.where(x > 0, "a", "b")}
    )
    table.loc[x > 0.5, ["n", "w"]] = None
    model = RFAE(2, random_state=0).fit(table.astype({"n": "Int64"}))
    Z = model.embedding_
    full, holed = Z[x < 0][:50], Z[x > 0.8][:50]
    pieces = [pd.DataFrame(piece, columns=["z1", "z2"]) for piece in (full, holed)]
    back = model.inverse_transform(lambda: iter(pieces), to=tmp_path / "back")
    assert pd.read_parquet(back)["n"].isna().any()


def test_a_folder_that_fails_leaves_nothing(rows, tmp_path):
    model = RFAE(2, random_state=0).fit(rows)

    def pieces():
        yield rows[:50]
        raise OSError("lost")

    with pytest.raises(OSError, match="lost"):
        model.transform(pieces, to=tmp_path / "z")
    assert not list(tmp_path.iterdir())


def test_a_table_that_changes_between_passes_is_refused(rows):
    calls = iter([2, 3])

    def fickle():
        return iter(cut(rows, next(calls)))

    with pytest.raises(SchemaError, match=r"same parts whenever|had .* rows when"):
        RFAE(2, random_state=0).fit(fickle)


def test_uncertainty_is_for_coordinates_in_memory(rows, tmp_path):
    model = RFAE(2, random_state=0).fit(rows)
    made = model.transform(rows, to=tmp_path / "z")
    with pytest.raises(ValueError, match="coordinates in memory"):
        model.inverse_transform(made, return_uncertainty=True)


@pytest.mark.parametrize("most", [0, 1, -5, 2.5, "many"])
def test_a_senseless_number_of_rows_is_refused(most, rows):
    with pytest.raises((ValueError, TypeError), match="max_samples"):
        RFAE(2, max_samples=most).fit(rows)


def test_an_empty_folder_is_named(tmp_path):
    with pytest.raises(DataError, match="no tables are found"):
        RFAE(2).fit(tmp_path)


def test_a_saved_model_knows_which_rows_it_keeps(rows, tmp_path):
    model = RFAE(2, max_samples=150, random_state=0).fit(rows)
    model.save(tmp_path / "m.lf")
    loaded = RFAE.load(tmp_path / "m.lf")
    assert np.array_equal(loaded.rows_, model.rows_)
    assert loaded.n_samples_seen_ == N_ROWS
    assert loaded.max_samples == 150


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("empty", [0, 1, 2])
def test_files_without_rows_are_passed_over(suffix, empty, tmp_path):
    # Spark writes a file for each partition, also for one without rows.
    table = mixed_frame(n_rows=120, seed=3)
    folder = tmp_path / "rows"
    folder.mkdir()
    pieces = [table[:60], table[60:]]
    pieces.insert(empty, table[:0])
    for number, piece in enumerate(pieces):
        path = folder / f"{number}.{suffix}"
        if suffix == "csv":
            piece.to_csv(path, index=False)
        else:
            piece.to_parquet(path, index=False)
    model = RFAE(random_state=0).fit(folder)
    assert model.n_samples_seen_ == 120
    assert len(model.transform(folder)) == 120
    full = [path for path in sorted(folder.iterdir()) if path.name[0] != str(empty)]
    assert np.array_equal(model.embedding_, again(model).fit(full).embedding_)
    for path in full:
        path.unlink()
    with pytest.raises(ValueError, match="no rows"):
        RFAE().fit(folder)


def test_what_is_no_table_is_told_so(rows):
    pieces = [rows[:200], rows[200:]]
    with pytest.raises(TypeError, match=r"X is a generator.*a function that returns"):
        RFAE().fit(piece for piece in pieces)
    with pytest.raises(TypeError, match=r"X is a list of tables.*a function"):
        RFAE().fit(pieces)
    with pytest.raises(TypeError, match="The function gave one DataFrame"):
        RFAE().fit(lambda: rows)
    model = RFAE(random_state=0).fit(rows[:60])
    with pytest.raises(TypeError, match=r"X is a path \('rows.csv'\).*read_table"):
        model.odd_cells("rows.csv")
