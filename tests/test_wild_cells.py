"""A few cells that stand apart from all others rule nothing in a model."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from matplotlib import pyplot

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    EForest,
    LocalLinearDecoder,
    Refinement,
    Scorer,
    WildCellsWarning,
    plot,
)
from latentforest.metrics import RunningDistortion, distortion
from latentforest.serving import onnx_inputs, to_onnx

FOREST = CompletelyRandomForest(10)
MODELS = {
    "default": {},
    "packed": {"refine": Refinement(start="packed")},
    "linear": {"refine": Refinement(start="linear")},
    "common": {"refine": Refinement(units="common")},
    "plain": {"forest": FOREST, "decoder": LocalLinearDecoder()},
    "adversarial": {"forest": "adversarial", "decoder": "knn"},
}
# Row, column, in standard deviations.
PLACES = ((17, "a", 1e2), (40, "a", -1e4), (3, "b", 1e3), (111, "n", 1e4))


def clean_frame(n_rows, seed):
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_rows)
    return pd.DataFrame(
        {
            "a": hidden + 0.1 * rng.normal(size=n_rows),
            "b": hidden**2 + 0.1 * rng.normal(size=n_rows),
            "n": np.rint(100 * hidden + 5 * rng.normal(size=n_rows)).astype(int),
            "kind": np.where(rng.random(n_rows) < hidden, "x", "y"),
        }
    )


def wild_frame(times=1.0):
    table = clean_frame(300, 0).set_axis([f"r{i}" for i in range(300)])
    for row, column, size in PLACES:
        far = round(times * size * table[column].std())
        table.iloc[row, table.columns.get_loc(column)] = far
    return table


def fit(table, **settings):
    """Fit, and be warned of the wild cells."""
    with pytest.warns(WildCellsWarning, match="Of 3 columns, 4 cells stand apart"):
        return RFAE(random_state=0, **settings).fit(table)


NEW = clean_frame(200, 1)


@pytest.fixture(scope="module", params=MODELS)
def settings(request):
    return MODELS[request.param]


@pytest.fixture(scope="module")
def model(settings):
    return fit(wild_frame(), **settings)


def test_how_far_out_they_are_makes_no_difference(settings, model):
    farther = fit(wild_frame(1e9), **settings)
    np.testing.assert_array_equal(farther.embedding_, model.embedding_)
    np.testing.assert_array_equal(farther.transform(NEW), model.transform(NEW))
    pd.testing.assert_frame_equal(farther.reconstruct(NEW), model.reconstruct(NEW))
    np.testing.assert_array_equal(farther.yardstick_.std, model.yardstick_.std)
    assert farther.score(NEW) == model.score(NEW)


def test_clean_rows_lose_what_they_lost(settings, model):
    clean = RFAE(random_state=0, **settings).fit(clean_frame(300, 0))
    before, after = (
        float(distortion(NEW, m.reconstruct(NEW), training=clean.yardstick_))
        for m in (clean, model)
    )
    # Another table, another map: up to a fifth is chance here.
    assert after < 1.2 * before
    assert abs(model.score(NEW) - (1 - after)) < 0.01


def test_the_measure_is_the_spread_of_the_others(model):
    table = wild_frame()
    for column in ("a", "b", "n"):
        rows = [row for row, name, _ in PLACES if name == column]
        others = np.delete(table[column].to_numpy(), rows)
        j = table.columns.get_loc(column)
        assert model.yardstick_.mean[j] == pytest.approx(others.mean())
        assert model.yardstick_.std[j] == pytest.approx(others.std())


def test_wild_cells_are_left_out_of_distortion_and_counted(model):
    table = wild_frame()
    lost = model.distortion(table)
    assert [c.n_wild for c in lost.columns] == [2, 1, 1, 0]
    assert "wild cells, left out: a 2, b 1, n 1" in repr(lost)
    assert lost.to_frame()["wild"].tolist() == [2, 1, 1, 0]
    back, measure = model.reconstruct(table), model.yardstick_
    # It is the sum over the other cells.
    for column, name in ((0, "a"), (1, "b"), (2, "n")):
        known = np.delete(
            np.arange(300), [row for row, where, _ in PLACES if where == name]
        )
        gap = (table[name] - back[name]).to_numpy()[known]
        exact = (gap**2).mean() / measure.std[column] ** 2
        assert lost.columns[column].distortion == pytest.approx(min(exact, 1))
    running = RunningDistortion(model.schema_, measure)
    for part in (slice(0, 30), slice(30, 300)):
        running.add(table[part], back[part])
    assert float(running.result()) == pytest.approx(float(lost))
    assert running.result().columns[0].n_wild == 2
    # The paper's measure takes rows as they are.
    assert distortion(table, back, kinds=model.schema_).columns[0].n_wild == 0


def test_a_wild_cell_of_a_new_row_moves_it_to_the_edge_and_no_farther(model, tmp_path):
    new = NEW[:4].astype({"n": float})
    new.loc[0, "a"], new.loc[1, "b"], new.loc[2, "n"] = 1e9, -5e200, -np.inf
    new.loc[2, "n"] = -1e300
    edge = new.copy()
    lower, upper = model.schema_.lower, model.schema_.upper
    edge.loc[0, "a"], edge.loc[1, "b"], edge.loc[2, "n"] = upper[0], lower[1], lower[2]
    found = model.transform(new)
    np.testing.assert_array_equal(found, model.transform(edge))
    model.save(tmp_path / "m.lf")
    scorer = Scorer.load(tmp_path / "m.lf")
    np.testing.assert_array_equal(scorer.transform(new.to_dict("records")), found)
    loaded = RFAE.load(tmp_path / "m.lf")
    assert loaded.schema_ == model.schema_
    np.testing.assert_array_equal(loaded.transform(new), found)
    assert loaded.distortion(new).columns[0].n_wild == 1


@pytest.mark.parametrize("name", ["packed", "plain"])
def test_a_graph_takes_them_for_the_edge(name):
    model = fit(wild_frame(), **MODELS[name])
    table = NEW[:90].astype({"n": float})
    for j, column in enumerate("abn"):
        table.loc[30 * j : 30 * j + 14, column] = 1e7 * np.arange(1, 16)
        table.loc[30 * j + 15 : 30 * j + 29, column] = -1e300
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
    found = session.run(None, onnx_inputs(model, table))[0]
    np.testing.assert_allclose(found, model.transform(table), atol=1e-12)


@pytest.mark.parametrize(
    "forest", ["completely_random", "adversarial", "shi_horvath", "supervised"]
)
def test_splits_lie_inside_the_range_of_the_others(forest):
    y = NEW["a"].to_numpy()[np.arange(300) % 200] if forest == "supervised" else None
    with pytest.warns(WildCellsWarning):
        model = RFAE(forest=forest, random_state=0).fit(wild_frame(), y)
    trees, schema = model.encoder_.forest, model.schema_
    for column in range(3):
        cuts = trees.threshold[trees.feature == column]
        assert len(cuts)
        assert (cuts >= schema.lower[column]).all()
        assert (cuts <= schema.upper[column]).all()


def test_no_decoded_cell_is_wild(model):
    table = wild_frame()
    for back in (model.reconstruct(table), model.inverse_transform(model.embedding_)):
        codes = model.codec_.encode(back).values
        assert not model.schema_.is_wild(codes).any()


def test_no_row_is_decoded_by_a_row_with_wild_cells():
    table = wild_frame()
    model = fit(table)
    wild = sorted({row for row, _, _ in PLACES})
    refined = model.encoder_.refined.rows
    assert set(refined) == set(range(300)) - set(wild)
    # They have their place all the same, and keep it.
    np.testing.assert_array_equal(model.transform(table), model.embedding_)
    assert np.isfinite(model.embedding_[wild]).all()


def test_they_are_named():
    table = wild_frame()
    with pytest.warns(WildCellsWarning) as told:
        model = RFAE(random_state=0).fit(table)
    (warning,) = told
    assert warning.filename == __file__
    a, b, n = (f"{table.iloc[r][c]:.12g}" for r, c in ((40, "a"), (3, "b"), (111, "n")))
    for told_of in (str(warning.message), model.schema_.report()):
        text = " ".join(told_of.split())
        assert "'a'" in text
        assert f"row 40 (r40): {a}" in text
        assert f"row 3 (r3): {b}" in text
        assert f"row 111 (r111): {n}" in text
    assert "row 40 (r40)" in repr(model.describe())
    assert "wild cells, left out: a 2, b 1, n 1" in repr(model.distortion(table))
    with pytest.warns(WildCellsWarning, match="row 40"):
        EForest(FOREST).fit(table)


def test_of_a_long_table_all_rows_are_looked_at():
    table = wild_frame()
    with pytest.warns(WildCellsWarning, match=r"row 3 \(r3\)"):
        model = RFAE(max_samples=60, random_state=0).fit(table)
    assert [len(c.wild) for c in model.schema_.columns] == [2, 1, 1, 0]
    pieces = [table[:100].reset_index(drop=True), table[100:].reset_index(drop=True)]
    with pytest.warns(WildCellsWarning, match="row 111: "):
        parts = RFAE(max_samples=60, random_state=0).fit(lambda: iter(pieces))
    np.testing.assert_array_equal(parts.embedding_, model.embedding_)


def test_they_stay_odd():
    model, table = fit(wild_frame()), wild_frame()
    rows = [row for row, _, _ in PLACES]
    order = np.argsort(model.score_samples(table), kind="stable")
    assert set(order[:4]) == set(rows)
    largest = model.odd_cells(table.iloc[rows]).largest(1)[:, 0]
    assert largest.tolist() == [0, 0, 1, 2]
    assert model.far_rows(table)[rows].all()


def test_wild_rows_are_odd_and_the_cells_of_others_are_expected_without_them():
    clean, wild = clean_frame(300, 0), wild_frame()
    model = fit(wild)
    rows = sorted({row for row, _, _ in PLACES})
    assert set(np.argsort(model.score_samples(wild))[: len(rows)]) == set(rows)
    found = model.odd_cells(wild)
    for row, column, _ in PLACES:
        assert found.p_values[row, wild.columns.get_loc(column)] < 0.02
    expected = model.odd_cells(NEW).expected
    wanted = RFAE(random_state=0).fit(clean).odd_cells(NEW).expected
    for column in ("a", "b", "n"):
        moved = expected[column].to_numpy() - wanted[column].to_numpy()
        assert np.abs(moved).max() < clean[column].std()


def test_wild_cells_are_counted_in_pictures_and_not_drawn():
    wild = wild_frame()
    model = fit(wild)
    back = model.reconstruct(wild)
    ax = plot.reconstruction(wild, back, ["a"], training=model.yardstick_)[0]
    assert ax.get_title(loc="right").endswith(", 2 wild")
    assert max(np.abs([*ax.get_xlim(), *ax.get_ylim()])) < 5
    pyplot.close(ax.figure)
