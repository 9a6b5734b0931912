"""RFAE with refined coordinates: the same model, moved until rows decode best."""

import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    KNNDecoder,
    LocalLinearDecoder,
    Refinement,
)
from latentforest.encoder import LeafTable
from latentforest.forest import ForestArrays
from mixed_tables import FORESTS, mixed_frame, shuffled, target_of

FOREST = CompletelyRandomForest(20, min_samples_leaf=3)
STARTS = ("forest", "linear", "neighbours")
every_start = pytest.mark.parametrize("start", STARTS)
every_forest = pytest.mark.parametrize("name", FORESTS)


def refined(n_components=2, **settings):
    settings = {"forest": FOREST, "refine": 4, "random_state": 0} | settings
    return RFAE(n_components, **settings)


def rows_of(model):
    """Return what was refined."""
    return model.encoder_.refined


def cell_loss(model, rows, coords):
    """What the plane loses of the observed cells, before any rounding."""
    space, moved = rows_of(model).space, rows_of(model).map
    codes = model.kernel_.codec_.encode(rows).values
    return moved._look(np.ascontiguousarray(coords), space.cells(codes))[0]


def assert_same(one, two, rows):
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    np.testing.assert_array_equal(one.transform(rows), two.transform(rows))
    assert_frame_equal(one.reconstruct(rows), two.reconstruct(rows))


@pytest.fixture(scope="module", params=STARTS)
def moved(request, table):
    """Fit one model per start."""
    return refined(refine=Refinement(4, start=request.param)).fit(table)


# --- the map below stays ----------------------------------------------------------


@every_forest
def test_refinement_leaves_the_map_as_it_is(name, models, table):
    model = refined(forest=FORESTS[name]).fit(table, target_of(table))
    plain = models[name]
    assert plain.encoder_.refined is None
    np.testing.assert_array_equal(model.eigenvalues_, plain.eigenvalues_)
    np.testing.assert_array_equal(model.map_.embedding_, plain.map_.embedding_)
    np.testing.assert_array_equal(model.kernel_.leaf_ids_, plain.kernel_.leaf_ids_)
    # Without refinement the map is all there is.
    np.testing.assert_array_equal(plain.embedding_, plain.map_.embedding_)
    codes = plain.kernel_.codec_.encode(table).values
    placed = plain.encoder_.place(codes)
    np.testing.assert_array_equal(plain.transform(table), placed)
    assert (model.embedding_ != plain.embedding_).any(axis=1).mean() > 0.9
    assert model.reconstruct(table).dtypes.to_dict() == table.dtypes.to_dict()
    assert model.score(table) > 0.85


@pytest.mark.parametrize("name", ["auto", "knn", "local_linear"])
def test_rows_begin_where_they_would_lie_if_they_were_new(name, table):
    still = Refinement(0, steps=0, start="forest")
    model = refined(refine=still, decoder=name).fit(table)
    plain = refined(refine=None).fit(table)
    np.testing.assert_array_equal(model.embedding_, plain.leave_one_out())
    # But for rows that are like a refined one, new rows begin there, too.
    new = shuffled(table)
    same = (model.transform(new) == plain.transform(new)).all(axis=1)
    assert same.mean() > 0.8


def test_refining_and_then_not_leaves_nothing_behind(table):
    model = refined().fit(table)
    model.set_params(refine=None).fit(table)
    assert_same(model, refined(refine=None).fit(table), shuffled(table))


def test_rounds_and_settings_are_the_same(table):
    short, long = refined(refine=3), refined(refine=Refinement(3))
    assert_same(short.fit(table), long.fit(table), shuffled(table))


def test_columns_and_rows_stay_those_of_the_table(moved, table):
    assert moved.embedding_.shape == (60, 2)
    np.testing.assert_array_equal(
        moved.embedding_[rows_of(moved).rows], rows_of(moved).map.coords_
    )
    assert list(moved.get_feature_names_out()) == ["z1", "z2"]
    back = moved.reconstruct(table.iloc[5:9])
    assert back.index.equals(table.index[5:9])
    assert back.dtypes.to_dict() == table.dtypes.to_dict()


# --- refined rows, copies and the rest --------------------------------------------


@every_start
@pytest.mark.parametrize("max_rows", [10_000, 25])
def test_copies_lie_where_their_row_lies(start, max_rows, table):
    copies = table.iloc[[4, 4, 8, 30]]
    both = pd.concat([table, copies])
    settings = Refinement(4, start=start, max_rows=max_rows)
    model = refined(refine=settings).fit(both)
    at = model.embedding_[[4, 4, 8, 30]]
    np.testing.assert_allclose(model.embedding_[60:], at, atol=1e-9)
    assert len(rows_of(model).rows) == min(max_rows, 60)
    if max_rows > 60:
        np.testing.assert_array_equal(model.embedding_[60:], at)


@every_start
def test_rows_that_are_not_refined_are_placed(start, table):
    settings = Refinement(4, start=start, max_rows=25)
    model = refined(refine=settings).fit(table)
    rows = rows_of(model).rows
    assert len(np.unique(rows)) == 25
    assert len(model.decoder_.prototypes_) == 25
    assert model.embedding_.shape == (60, 2)
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_array_equal(model.embedding_[rows], rows_of(model).map.coords_)
    others = np.setdiff1d(np.arange(60), rows)
    np.testing.assert_allclose(
        model.embedding_[others], model.transform(table.iloc[others]), atol=1e-6
    )
    assert model.score(table) > 0.8
    # Another seed draws other rows.
    other = refined(refine=settings, random_state=1).fit(table)
    assert (rows_of(other).rows != rows).any()


def test_as_few_rows_as_can_be(table):
    model = refined(refine=Refinement(2, max_rows=2)).fit(table)
    assert np.isfinite(model.embedding_).all()
    assert model.reconstruct(table).shape == table.shape


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
@pytest.mark.parametrize("n_distinct", [1, 2, 3])
@every_start
def test_hardly_any_distinct_rows(n_distinct, start):
    frame = pd.DataFrame({"x": [1.5, 2.5, 4.5], "y": ["a", "b", "b"]})
    frame = pd.concat([frame.iloc[:n_distinct]] * 4)
    model = refined(1, refine=Refinement(3, start=start)).fit(frame)
    assert np.isfinite(model.embedding_).all()
    assert set(model.reconstruct(frame)["y"]) <= {"a", "b"}


# --- what it is for ---------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n_components", [1, 3])
def test_unseen_rows_come_back_better(n_components, seed):
    frame = mixed_frame(400, seed=seed)
    train, test = frame[:300], frame[300:]
    forest = CompletelyRandomForest(30, min_samples_leaf=5)
    lost = {}
    for refine in (None, 8):
        model = refined(n_components, forest=forest, refine=refine).fit(train)
        lost[refine] = 1 - model.score(test)
    # 0.12 → 0.09 with one coordinate, 0.10 → 0.05 with three.
    assert lost[8] < (0.85 if n_components == 1 else 0.65) * lost[None]


def test_new_rows_are_moved_to_where_they_decode_better(moved, table):
    rows = mixed_frame(100, seed=9)
    still = clone(moved).set_params(refine__steps=0).fit(table)
    np.testing.assert_array_equal(still.embedding_, moved.embedding_)
    begin, end = still.transform(rows), moved.transform(rows)
    before, after = (cell_loss(moved, rows, z) for z in (begin, end))
    assert (after <= before).all()
    assert after.mean() < 0.95 * before.mean()


@pytest.mark.parametrize("drop_training", [False, True])
@every_start
def test_placing_asks_the_trees_once(
    start, drop_training, table, tmp_path, monkeypatch
):
    model = refined(refine=Refinement(2, start=start)).fit(table)
    path = model.save(tmp_path / "model.lf", drop_training=drop_training)
    loaded, rows, asked = RFAE.load(path), shuffled(table), []
    leaves, place = ForestArrays.leaves, LeafTable.place

    def count(forest, values, **settings):
        asked.append(len(values))
        return leaves(forest, values, **settings)

    def count_placed(table, forest, values, **settings):
        asked.append(len(values))
        return place(table, forest, values, **settings)

    monkeypatch.setattr(ForestArrays, "leaves", count)
    monkeypatch.setattr(LeafTable, "place", count_placed)
    codes = model.codec_.encode(rows).values
    placed = [m.encoder_.place(codes) for m in (model, loaded)]
    np.testing.assert_array_equal(*placed)
    # Of each model once for relatives, of the forest's map also for where rows begin.
    wanted = [60] * {"forest": 4, "linear": 0, "neighbours": 2}[start]
    if drop_training and wanted:  # relatives are found in leaves of the refined rows
        wanted += [60]
    assert sorted(asked) == wanted


@every_start
def test_known_rows_are_looked_up(start, table, monkeypatch):
    model = refined(refine=Refinement(2, start=start)).fit(table)

    def refuse(*args, **settings):
        raise AssertionError("a tree was asked")

    monkeypatch.setattr(ForestArrays, "leaves", refuse)
    found = model.transform(table.iloc[::-1])
    np.testing.assert_array_equal(found, model.embedding_[::-1])


def test_gaps_are_filled_in():
    # Each column tells the others: what is missing can be read off the rest.
    rng = np.random.default_rng(0)
    t = rng.random(300)
    frame = pd.DataFrame({"a": t, "b": np.sin(3 * t), "c": t**2, "d": np.exp(t)})
    frame += 0.01 * rng.normal(size=frame.shape)
    train, test = frame[:200], frame[200:]
    for known in (train, train.assign(c=train["c"].where(rng.random(200) > 0.3))):
        model = refined(forest=CompletelyRandomForest(50)).fit(known)
        back = model.fill_gaps(test.assign(c=np.nan))
        assert_frame_equal(back[["a", "b", "d"]], test[["a", "b", "d"]])
        error = (back["c"] - test["c"]).abs()
        assert error.median() < 0.1 * test["c"].std()
        assert (error**2).mean() < 0.02 * test["c"].var()


# --- missing cells ----------------------------------------------------------------


@every_forest
def test_missing_cells(name, holed_table):
    model = refined(forest=FORESTS[name]).fit(holed_table, target_of(holed_table))
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(shuffled(holed_table))).all()
    assert model.score(holed_table) > 0.5


def test_filling_a_gap_moves_that_row_only(holed_table):
    model = refined().fit(holed_table)
    before = model.transform(holed_table)
    row = int(np.flatnonzero(holed_table["area"].isna())[0])
    filled = holed_table.copy()
    filled.iloc[row, filled.columns.get_loc("area")] = holed_table["area"].max()
    after = model.transform(filled)
    changed = (before != after).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [row]


def test_only_observed_cells_are_aimed_at(holed_table):
    model = refined().fit(holed_table)
    rows = shuffled(holed_table)
    still = clone(model).set_params(refine=Refinement(4, steps=0)).fit(holed_table)
    begin, end = still.transform(rows), model.transform(rows)
    before, after = (cell_loss(model, rows, z) for z in (begin, end))
    assert (after <= before).all()
    # Rows without any cell, to be filled, have nothing to aim at.
    empty = np.full((3, holed_table.shape[1]), np.nan)
    places = [one.encoder_.place(empty, fill=True) for one in (model, still)]
    np.testing.assert_array_equal(*places)


# --- with everything else ---------------------------------------------------------


@every_start
@pytest.mark.parametrize(
    "settings",
    [
        {"landmarks": 30},
        {"kernel": "scornet"},
        {"landmarks": 30, "kernel": "scornet"},
        {"diffusion_time": 0.0},
        {"diffusion_time": 20.0},
        {"n_components": 12},
    ],
    ids=str,
)
def test_other_settings(start, settings, table):
    model = refined(refine=Refinement(4, start=start), **settings)
    shapes = {"kernel", "diffusion_time"} & {*settings}
    says = pytest.warns(UserWarning, match="refined here from another start")
    with says if shapes and start != "forest" else nullcontext():
        model.fit(table)
    assert model.embedding_.shape == (60, settings.get("n_components", 2))
    assert model.score(table) > 0.85
    new = shuffled(table)
    assert np.isfinite(model.transform(new)).all()


def test_rows_do_not_depend_on_each_other(table):
    model = refined().fit(table)
    rows = shuffled(table)
    together = model.transform(rows)
    alone = np.vstack([model.transform(rows.iloc[[i]]) for i in range(0, 60, 5)])
    np.testing.assert_array_equal(together[::5], alone)
    np.testing.assert_array_equal(model.transform(rows[::-1]), together[::-1])


def test_polars_in_polars_out(table):
    columns = ["length", "area", "count", "few", "flag", "name"]
    pandas, polars = table[columns], pl.from_pandas(table[columns])
    model = refined().fit(polars)
    back = model.reconstruct(polars)
    assert isinstance(back, pl.DataFrame)
    assert back.schema == polars.schema
    other = refined().fit(pandas)
    np.testing.assert_array_equal(model.embedding_, other.embedding_)
    assert_frame_equal(
        back.to_pandas(), other.reconstruct(pandas).reset_index(drop=True)
    )


@every_start
def test_same_seed_same_bits_for_any_number_of_threads(start):
    # Several blocks of rows, and rows that are drawn.
    frame = mixed_frame(700, missing=0.1)
    settings = Refinement(3, start=start, max_rows=550)
    one, two, three = (
        refined(refine=settings, n_jobs=n_jobs).fit(frame) for n_jobs in (1, 2, 2)
    )
    assert_same(one, two, shuffled(frame))
    assert_same(two, three, shuffled(frame))
    assert rows_of(one).map.objective_ == rows_of(two).map.objective_


def test_seeds_differ(table):
    one, two = (refined(random_state=seed).fit(table) for seed in (0, 1))
    assert (one.embedding_ != two.embedding_).any()


def test_pickle_and_clone(moved, table):
    rows = shuffled(table)
    assert_same(pickle.loads(pickle.dumps(moved)), moved, rows)
    assert_same(clone(moved).fit(table), moved, rows)
    small = pickle.loads(pickle.dumps(moved)).truncate(1)
    assert_same(small, moved.truncate(1), rows)


def test_use_changes_nothing(moved, table):
    before = pickle.dumps((moved.embedding_, rows_of(moved).map.coords_))
    Z = moved.transform(shuffled(table))
    moved.inverse_transform(Z)
    moved.truncate(1)
    Z[:] = 0
    assert pickle.dumps((moved.embedding_, rows_of(moved).map.coords_)) == before


def test_settings_can_be_searched(table):
    grid = {"refine__rounds": [0, 4], "refine__n_neighbors": [5, 40]}
    model = refined(refine=Refinement(start="forest"))
    search = GridSearchCV(model, grid, cv=2).fit(table)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 4
    assert rows_of(search.best_estimator_).map.settings.rounds == 4


@pytest.mark.parametrize(
    "settings",
    [{}, {"max_rows": 30}, {"start": "linear"}, {"start": "neighbours"}],
    ids=str,
)
@pytest.mark.parametrize("decoder", ["auto", "knn"])
def test_truncated_equals_fitted_with_fewer(decoder, settings, table):
    large = refined(4, refine=Refinement(3, **settings), decoder=decoder).fit(table)
    for n_components in (1, 2, 4):
        cut = large.truncate(n_components)
        fresh = clone(large).set_params(n_components=n_components).fit(table)
        assert cut.get_params()["n_components"] == n_components
        np.testing.assert_allclose(cut.embedding_, fresh.embedding_, atol=1e-6)
        rows = table.iloc[::3]
        np.testing.assert_allclose(
            cut.transform(rows), fresh.transform(rows), atol=1e-6
        )
        assert_frame_equal(cut.reconstruct(rows), fresh.reconstruct(rows))
    assert large.embedding_.shape == (60, 4)


# --- decoders ---------------------------------------------------------------------


def test_rows_are_decoded_by_what_they_were_refined_for(table):
    settings = Refinement(2, n_neighbors=17, ridge=0.2)
    decoder = refined(refine=settings, n_jobs=1).fit(table).decoder_
    assert isinstance(decoder, LocalLinearDecoder)
    assert (decoder.n_neighbors, decoder.ridge) == (17, 0.2)
    assert (decoder.follow, decoder.extrapolate, decoder.n_jobs) == (True, False, 1)


@pytest.mark.parametrize("decoder", ["knn", "local_linear", "relabel"])
def test_a_named_decoder_is_honoured(decoder, table):
    settings = Refinement(4, start="forest")
    model = refined(decoder=decoder, refine=settings).fit(table)
    default = refined(decoder=decoder, refine=None).fit(table).decoder_
    assert type(model.decoder_) is type(default)
    assert model.decoder_.get_params() == default.get_params()
    other = refined(refine=settings).fit(table)
    np.testing.assert_array_equal(model.embedding_, other.embedding_)
    assert model.score(table) > 0.8


def test_nearest_row_at_its_own_place(table):
    model = refined(decoder=KNNDecoder(1, prototypes="rows")).fit(table)
    assert_frame_equal(
        model.inverse_transform(model.embedding_), table.reset_index(drop=True)
    )


@pytest.mark.parametrize("decoder", ["auto", "knn"])
def test_uncertainty(decoder):
    frame = mixed_frame(300, seed=2)
    train, test = frame[:200], frame[200:]
    model = refined(decoder=decoder).fit(train)
    Z = model.transform(test)
    back, sure = model.inverse_transform(Z, return_uncertainty=True)
    assert_frame_equal(back, model.inverse_transform(Z))
    assert (sure.std.to_numpy() > 0).any()
    lower, upper = sure.interval(0.9)
    truth = test[lower.columns].to_numpy(float)
    covered = (lower.to_numpy() <= truth) & (truth <= upper.to_numpy())
    assert 0.8 < covered.mean() <= 1
    assert (upper.to_numpy() - lower.to_numpy()).mean(axis=0).max() < np.ptp(truth)
    for shares in sure.probabilities.values():
        np.testing.assert_allclose(shares.sum(axis=1), 1)


# --- mistakes ---------------------------------------------------------------------

MISTAKES = [
    (-1, ValueError, "rounds=-1 is too small"),
    (True, TypeError, "rounds=True is a bool"),
    (Refinement(n_neighbors=0), ValueError, "n_neighbors=0 is too small"),
    (Refinement(ridge=-0.1), ValueError, r"ridge=-0\.1 is too small"),
    (Refinement(ridge=np.nan), ValueError, "ridge=nan"),
    (Refinement(steps=1.0), TypeError, r"steps=1\.0 is a float"),
    (Refinement(max_rows=1), ValueError, "max_rows=1 is too small"),
    (Refinement(start="pca"), ValueError, "start='pca' is not known.*'linear'"),
]


@pytest.mark.parametrize(("refine", "error", "message"), MISTAKES, ids=str)
def test_wrong_settings(refine, error, message, table):
    with pytest.raises(error, match=message):
        refined(refine=refine).fit(table)


@pytest.mark.parametrize("start", ["forest", "linear", "neighbours"])
def test_rows_do_not_depend_on_the_batch(start):
    table = mixed_frame()
    model = RFAE(3, forest=FOREST, refine=Refinement(4, start=start), random_state=0)
    model.fit(table)
    together = model.transform(table)
    alone = np.concatenate(
        [model.transform(table.iloc[[i]]) for i in range(len(table))]
    )
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("decoder", ["lasso", "ilp"])
def test_decoders_of_kernel_rows_are_refused(decoder):
    model = RFAE(2, forest=FOREST, decoder=decoder, refine=2)
    with pytest.raises(ValueError, match="Give refine=None, or another decoder"):
        model.fit(mixed_frame())


def test_as_many_rows_are_refined_as_can_be_searched():
    assert Refinement(max_rows=7).most_rows(20) == 7
    assert Refinement().most_rows(8) == 100_000
    assert Refinement().most_rows(9) == 10_000
    X = np.random.default_rng(0).normal(size=(10_500, 9))
    for n_components, n_refined in ((2, 10_500), (9, 10_000)):
        model = RFAE(n_components, forest=CompletelyRandomForest(2), random_state=0)
        model.set_params(refine=Refinement(0, start="linear")).fit(X)
        assert len(model.encoder_.refined.rows) == n_refined


def test_a_common_unit_serves_the_numbers_that_vary_most():
    """One coordinate is for the wide columns, not for many that hardly vary."""
    rng = np.random.default_rng(0)
    wide, narrow = rng.normal(size=(2, 400, 1))
    table = np.hstack([wide + 0.1 * rng.normal(size=(400, 2)), 0.01 * narrow])
    table = np.hstack([table, table[:, 2:] + 0.001 * rng.normal(size=(400, 4))])
    lost = {}
    for units in ("columns", "common"):
        settings = Refinement(2, start="linear", units=units)
        model = RFAE(1, refine=settings, random_state=0).fit(table[:300])
        new = table[300:]
        lost[units] = np.mean((np.asarray(model.reconstruct(new)) - new) ** 2)
    assert lost["common"] < 0.1 * lost["columns"]


def test_units_are_checked():
    with pytest.raises(ValueError, match="units"):
        RFAE(refine=Refinement(units="metres")).fit(np.eye(5))
