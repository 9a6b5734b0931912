"""The start that keeps neighbours together."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness

from cell_cases import of_numbers
from latentforest import RFAE, CompletelyRandomForest, Refinement
from latentforest.refine import _settings
from latentforest.refine._starts import STARTS, nearest_by_cells
from mixed_tables import mixed_frame, shuffled

FOREST = CompletelyRandomForest(30)
NEIGHBOURS = Refinement(3, n_neighbors=16, start="neighbours")


@pytest.fixture(scope="module")
def model():
    table = mixed_frame(300, missing=0.1)
    return RFAE(2, forest=FOREST, refine=NEIGHBOURS, random_state=0).fit(table)


def test_every_start_can_be_asked_for():
    assert {*_settings.STARTS} == {*STARTS, "auto"}
    assert {name: start.name for name, start in STARTS.items()} == {
        n: n for n in STARTS
    }


def test_nearest_candidates_equal_a_full_sort():
    rng = np.random.default_rng(0)
    known, wanted = (
        of_numbers(rng.normal(size=(60, 4))),
        of_numbers(rng.normal(size=(9, 4))),
    )
    candidates = np.array([rng.permutation(60)[:20] for _ in range(9)])
    candidates[:, 15:] = -1
    candidates[0] = -1
    rows, squares = nearest_by_cells(known, wanted, candidates, 6, n_jobs=1)
    for query in range(1, 9):
        there = candidates[query, :15]
        gaps = np.square(wanted.values[query] - known.values[there]).sum(axis=1)
        order = np.argsort(gaps)[:6]
        np.testing.assert_array_equal(rows[query], there[order])
        np.testing.assert_allclose(squares[query], gaps[order])
    assert (rows[0] == -1).all()
    assert np.isinf(squares[0]).all()


def test_distances_are_those_of_written_out_cells_and_of_ordered_levels(model):
    table = model.encoder_.training.table
    gaps = model.encoder_.refined.space.gaps
    cells = model.encoder_.refined.space.cells(table.values)
    in_order = np.append(table.schema.is_ordered, np.zeros(len(gaps), bool))
    ordered = np.flatnonzero(in_order)
    assert len(ordered)
    unit = np.nanstd(table.values[:, ordered], axis=0)
    written_out = np.repeat(~in_order, np.diff(cells.start))
    dense = np.hstack([cells.dense()[:, written_out], table.values[:, ordered] / unit])
    full = np.flatnonzero(~np.isnan(dense).any(axis=1))
    assert len(full) > 30
    _, squares = nearest_by_cells(
        cells, cells.take(full[:20]), np.tile(full[20:21], (20, 1)), 1, n_jobs=1
    )
    gaps = np.square(dense[full[:20]] - dense[full[20]]).sum(axis=1)
    np.testing.assert_allclose(squares[:, 0], gaps)


def test_a_copy_of_a_refined_row_is_placed_where_that_lies(model):
    encoder = model.encoder_
    refined = encoder.refined
    whole = np.flatnonzero(~np.isnan(refined.codes).any(axis=1))
    codes = refined.codes[whole]
    placed = refined.place(codes, encoder._hints(codes))
    np.testing.assert_array_equal(placed, refined.map.coords_[whole])


def test_batches_and_threads_change_no_bit(model):
    table = mixed_frame(300, missing=0.1)
    new = shuffled(table)[:70]
    together = model.transform(new)
    apart = np.concatenate([model.transform(new[i : i + 23]) for i in range(0, 70, 23)])
    np.testing.assert_array_equal(apart, together)
    other = RFAE(2, forest=FOREST, refine=NEIGHBOURS, random_state=0, n_jobs=1)
    np.testing.assert_array_equal(other.fit(table).transform(new), together)
    np.testing.assert_array_equal(other.embedding_, model.embedding_)


def test_rows_that_were_not_refined_are_placed_like_new_ones():
    table = mixed_frame(300).drop_duplicates()
    refine = Refinement(3, n_neighbors=16, start="neighbours", max_rows=150)
    model = RFAE(2, forest=FOREST, refine=refine, random_state=0).fit(table)
    others = np.setdiff1d(np.arange(len(table)), model.encoder_.refined.rows)
    assert len(others) > 50
    np.testing.assert_array_equal(
        model.embedding_[others], model.transform(table.iloc[others])
    )


@pytest.mark.parametrize(
    ("n_components", "named"), [(1, "neighbours"), (8, "neighbours"), (9, "linear")]
)
def test_auto_is_the_layout_for_few_coordinates(n_components, named, tmp_path):
    X = np.random.default_rng(0).normal(size=(120, 10))
    fitted = []
    for start in ("auto", named):
        refine = Refinement(1, n_neighbors=12, start=start)
        model = RFAE(n_components, forest=FOREST, refine=refine, random_state=0)
        fitted.append(model.fit(X))
    auto, same = fitted
    assert auto.encoder_.refined.start.name == named
    np.testing.assert_array_equal(auto.embedding_, same.embedding_)
    loaded = RFAE.load(auto.save(tmp_path / "model.lf"))
    np.testing.assert_array_equal(loaded.transform(X), auto.transform(X))


def test_neighbours_and_rows_of_digits_are_kept_better_than_by_the_other_starts():
    X, _ = load_digits(return_X_y=True)
    X = X[:900] / 16
    lost, kept = {}, {}
    for start in ("forest", "linear", "neighbours"):
        refine = Refinement(3, n_neighbors=24, start=start)
        model = RFAE(
            2, forest=CompletelyRandomForest(60), refine=refine, random_state=0
        )
        Z = model.fit(X[:600]).transform(X[600:])
        kept[start] = trustworthiness(X[600:], Z, n_neighbors=10)
        lost[start] = 1 - model.score(X[600:])
    assert kept["neighbours"] > max(kept["forest"], kept["linear"])
    assert lost["neighbours"] < min(lost["forest"], lost["linear"])
