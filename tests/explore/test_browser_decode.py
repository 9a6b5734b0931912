"""The page decodes as Python does, in a real browser."""

import numpy as np
import pandas as pd
import pytest

from latentforest import CompletelyRandomForest, KNNDecoder, LocalLinearDecoder
from latentforest.explore import write_page
from mixed_tables import mixed_frame

CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def positions(model, *, n=40, seed=0):
    """Return rows, places between them, and places far outside."""
    rng = np.random.default_rng(seed)
    rows = model.embedding_
    low, high = rows.min(axis=0), rows.max(axis=0)
    between = rng.uniform(low, high, (n, rows.shape[1]))
    half = n // 2
    # Not the very middle: which of two rows at the same distance is the last that
    # counts is left open.
    middles = 0.3 * rows[:half] + 0.7 * rows[half : 2 * half]
    far = low + (high - low) * rng.normal(0, 20, (n // 4, rows.shape[1]))
    return np.vstack([rows[:n], between, middles, far])


def untied(model, coords):
    """Take the places at which no two rows tie for the last that counts."""
    decoder = model.decoder_
    found = decoder.search_.nearest(coords, decoder.n_neighbors + 1).distances
    return coords[found[:, -1] > found[:, -2] * (1 + 1e-9)]


def assert_decoded(decoded, expected, sure, names):
    """Compare rows of the page with a data frame and its uncertainty."""
    std, probabilities = sure.std, sure.probabilities
    for row, cells in enumerate(decoded):
        assert [cell["name"] for cell in cells] == [str(name) for name in names]
        for name, cell in zip(names, cells, strict=True):
            truth, where = expected[name].iloc[row], f"{name} of row {row}"
            if "probabilities" not in cell:
                got = np.nan if cell["value"] is None else cell["value"]
                np.testing.assert_allclose(
                    float(np.nan if pd.isna(truth) else truth), got, **CLOSE
                )
                error = np.inf if cell["std"] is None else cell["std"]
                np.testing.assert_allclose(std[name].iloc[row], error, **CLOSE)
                continue
            assert cell["value"] == (None if pd.isna(truth) else str(truth)), where
            shares = {
                None if level is None else str(level): share
                for level, share in cell["probabilities"]
            }
            for level, share in probabilities[name].iloc[row].items():
                text = None if level is None else str(level)
                assert shares.pop(text, 0.0) == pytest.approx(share, abs=1e-6), where
            assert sum(shares.values()) == pytest.approx(0.0, abs=1e-9), where


def assert_page_decodes(page, model, coords):
    expected, sure = model.inverse_transform(coords, return_uncertainty=True)
    assert_decoded(page.decode(coords), expected, sure, model.schema_.names)


DECODERS = {
    "knn rows": KNNDecoder(7, prototypes="rows"),
    "knn draw": KNNDecoder(20, prototypes="draw"),
    "knn middle": KNNDecoder(3, prototypes="middle"),
    "knn, k > n": KNNDecoder(500, prototypes="rows"),
    "plane": LocalLinearDecoder(20),
    "flat plane": LocalLinearDecoder(30, ridge=1.0),
    "followed plane": LocalLinearDecoder(25, ridge=0.003, follow=True),
    "plane, k > n": LocalLinearDecoder(500),
    "auto": "auto",
}


@pytest.mark.parametrize("decoder", DECODERS)
def test_decodes_as_python_does(open_page, make_model, decoder):
    table = mixed_frame(80, missing=0.15, seed=3)
    model = make_model(table, decoder=DECODERS[decoder])
    assert_page_decodes(open_page(model), model, positions(model))


@pytest.mark.parametrize("n_components", [1, 5, 9])
@pytest.mark.parametrize("decoder", ["knn", "local_linear"])
def test_decodes_any_latent_size(open_page, make_model, n_components, decoder):
    table = mixed_frame(70, missing=0.1, seed=4)
    model = make_model(table, n_components, decoder=decoder)
    assert_page_decodes(open_page(model), model, positions(model))


@pytest.mark.parametrize("n_components", [1, 2])
def test_decodes_refined_coordinates(open_page, make_model, n_components):
    model = make_model(mixed_frame(60, missing=0.1, seed=5), n_components, refine=2)
    coords = untied(model, positions(model))
    assert len(coords) > 80
    assert_page_decodes(open_page(model), model, coords)


def test_decodes_rows_that_were_never_fitted(open_page, make_model):
    model = make_model(mixed_frame(60))
    page = open_page(model, mixed_frame(30, seed=9))
    assert_page_decodes(page, model, model.transform(mixed_frame(30, seed=9)))


def test_ties_between_levels_fall_as_in_python(open_page, make_model):
    decoder = KNNDecoder(2, prototypes="rows")
    model = make_model(mixed_frame(70, seed=4), 1, decoder=decoder)
    places, n_rows = np.unique(model.embedding_, return_counts=True)
    middles = (places[1:] + places[:-1]) / 2  # two rows with half of the weight each
    middles = middles[(n_rows[1:] == 1) & (n_rows[:-1] == 1)]
    _, sure = model.inverse_transform(middles[:, None], return_uncertainty=True)
    assert (sure.probabilities["name"].max(axis=1) < 0.6).sum() > 5
    assert_page_decodes(open_page(model), model, middles[:, None])


@pytest.mark.parametrize("prototypes", ["draw", "rows"])
def test_more_rows_in_one_place_than_are_blended(open_page, make_model, prototypes):
    few = mixed_frame(12, columns=("area", "name", "flag"), seed=2)
    table = few.iloc[np.random.default_rng(0).integers(12, size=300)]
    forest = CompletelyRandomForest(20, min_samples_leaf=60)
    decoder = KNNDecoder(8, prototypes=prototypes)
    model = make_model(table, decoder=decoder, forest=forest)
    assert_page_decodes(open_page(model), model, np.unique(model.embedding_, axis=0))


def test_all_cells_of_a_column_missing(open_page, make_model):
    table = mixed_frame(40).assign(empty=np.nan)
    model = make_model(table, decoder="local_linear")
    assert_page_decodes(open_page(model), model, positions(model, n=10))


def test_clicks_on_a_point_and_between_points(open_page, make_model):
    table = mixed_frame(60, missing=0.1, seed=6)
    model = make_model(table, 3)
    page = open_page(model)
    page.choose("axis-x", 2)
    page.choose("axis-y", 0)

    page.click(page.run("return latentforest.rowPlace(11)"))
    clicked = page.run("return latentforest.position()")
    # Another row may lie so near that the click falls on it: then that one is shown.
    label = int(page.text("#decoded-where").removeprefix("at row "))
    row = table.index.get_loc(label)
    np.testing.assert_allclose(clicked, model.embedding_[row], rtol=1e-15)
    assert_shown(page, model, clicked)

    empty = empty_place(page, model.embedding_[:, [2, 0]])
    page.click(empty)
    clicked = page.run("return latentforest.position()")
    label = int(page.text("#decoded-where").split("row ")[1].split(",")[0])
    near = table.index.get_loc(label)
    assert clicked[1] == model.embedding_[near, 1]
    place = page.run("return latentforest.place(...arguments)", clicked[2], clicked[0])
    np.testing.assert_allclose(place, empty, atol=1e-6)
    assert_shown(page, model, clicked)


def empty_place(page, shown):
    """Return a pixel that is far from every point."""
    points = page.run(
        "return arguments[0].map(([x, y]) => latentforest.place(x, y))", shown.tolist()
    )
    tried = np.stack(np.meshgrid(range(100, 800, 20), range(60, 600, 20)), -1)
    tried = tried.reshape(-1, 2)
    gaps = np.linalg.norm(tried[:, None] - np.array(points), axis=2).min(axis=1)
    assert gaps.max() > 20
    return tried[gaps.argmax()].tolist()


def assert_shown(page, model, coords):
    """The panel shows what ``inverse_transform`` gives."""
    expected, sure = model.inverse_transform([coords], return_uncertainty=True)
    assert_decoded(page.decode([coords]), expected, sure, model.schema_.names)
    shown = {
        cell.find_element("css selector", ".name").text: cell.find_element(
            "css selector", ".value"
        ).text
        for cell in page.elements(".cell")
    }
    assert list(shown) == list(expected.columns)
    for name, text in shown.items():
        truth = expected[name].iloc[0]
        number = text.partition(" ±")[0]
        if pd.isna(truth):
            assert text == "missing"
        elif name in sure.std.columns:
            assert float(number) == pytest.approx(float(truth), rel=1e-5)
        else:
            assert text == str(truth)


def test_other_decoders_are_stood_in_for_by_knn(open_page, make_model):
    model = make_model(mixed_frame(60), decoder="relabel")
    page = open_page(model)
    knn = KNNDecoder(20, prototypes="rows").fit(model.embedding_, mixed_frame(60))
    coords = positions(model)
    expected = knn.predict(coords)
    numbers = [
        name
        for name in expected
        if model.schema_.is_number[list(model.schema_.names).index(name)]
    ]
    got = pd.DataFrame(
        [{cell["name"]: cell["value"] for cell in row} for row in page.decode(coords)]
    )
    np.testing.assert_allclose(
        got[numbers].to_numpy(float), expected[numbers].to_numpy(float), **CLOSE
    )
    assert "KNNDecoder" in page.text("#stand-in")
    assert "cannot run in a browser" in page.text("#stand-in")


def test_a_sample_decodes_with_its_rows_only(open_page, make_model):
    table = mixed_frame(90, seed=8)
    model = make_model(table, decoder=KNNDecoder(10, prototypes="rows"))
    page = open_page(model, sample=40, random_state=5)
    kept = page.run(
        "return [...Array(40).keys()].map((row) => latentforest.rowNumber(row))"
    )
    assert len(set(kept)) == 40
    fewer = model.decoder_.keep(np.array(kept, int))
    coords = positions(model)
    expected = fewer.predict(coords)["length"]
    got = [row[0]["value"] for row in page.decode(coords)]
    np.testing.assert_allclose(got, expected, **CLOSE)
    assert "40 training rows in this file only" in page.text("#stand-in")


def test_the_same_bits_in_every_page(make_model, tmp_path):
    model = make_model(mixed_frame(30))
    first, second = (
        write_page(model, path=tmp_path / name, sample=10, random_state=1)
        for name in ("a.html", "b.html")
    )
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("decoder", ["knn", "local_linear"])
def test_far_away_levels_have_their_shares_of_the_training_rows(
    open_page, make_model, decoder
):
    table = mixed_frame(70, missing=0.1, seed=4)
    model = make_model(table, decoder=decoder)
    limit = model.reach_.limit
    far = model.embedding_[:3] + limit * np.array([[0, 5], [50, 50], [1e9, 0]])
    page = open_page(model)
    assert_page_decodes(page, model, far)
    cells = {cell["name"]: cell for cell in page.decode(far)[2]}
    for name in ("name", "group"):
        known = table[name].value_counts(normalize=True, dropna=False)
        for level, share in cells[name]["probabilities"]:
            wanted = table[name].isna().mean() if level is None else known[level]
            assert share == pytest.approx(wanted, abs=1e-6)


def test_levels_that_are_not_in_the_page_keep_their_share_to_themselves(
    open_page, make_model
):
    table = mixed_frame(60).assign(name=["rare", *["ada", "bob"] * 29, "eve"])
    model = make_model(table, decoder="knn")
    page = open_page(model, table[1:-1], sample=20)
    cells = page.decode(model.embedding_[:1] + 1e9 * model.reach_.limit)[0]
    (cell,) = [cell for cell in cells if cell["name"] == "name"]
    shares = dict(cell["probabilities"])
    for level, share in shares.items():
        wanted = 0.0 if level is None else (table["name"] == level).mean()
        assert share == pytest.approx(wanted, abs=1e-6)
    assert {"ada", "bob"} <= shares.keys()
