"""The local linear decoder: a ridge regression on the nearest rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from latentforest import RFAE, CompletelyRandomForest, LocalLinearDecoder
from mixed_tables import mixed_frame

LAW = settings(max_examples=25, deadline=None)


def fitted(points, values, *, n_neighbors, ridge, **settings):
    decoder = LocalLinearDecoder(n_neighbors, ridge=ridge, n_jobs=1, **settings)
    return decoder.fit(points, pd.DataFrame(values))


def plane_by_hand(points, values, query, n_neighbors, ridge):
    """Solve the ridge regression of the docstring as one least-squares problem."""
    distance = np.linalg.norm(points - query, axis=1)
    nearest = np.argsort(distance)[:n_neighbors]
    z, x, r = points[nearest], values[nearest], distance[nearest]
    w = np.exp(-2 * (r / r.max()) ** 2)
    w /= w.sum()
    centre = w @ z
    variance = w @ (z - centre) ** 2
    design = np.column_stack([np.ones(len(z)), z - query])
    penalty = np.column_stack([np.zeros(z.shape[1]), np.diag(np.sqrt(variance))])
    stacked = np.vstack([np.sqrt(w)[:, None] * design, np.sqrt(ridge) * penalty])
    wanted = np.vstack([np.sqrt(w)[:, None] * x, np.zeros((z.shape[1], x.shape[1]))])
    return np.linalg.lstsq(stacked, wanted, rcond=None)[0][0]


@LAW
@given(
    st.integers(1, 10),
    st.integers(20, 40),
    st.sampled_from([0.01, 0.3, 5.0]),
    st.integers(0, 999),
)
def test_it_solves_the_ridge_regression(n_components, n_neighbors, ridge, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, n_components))
    values = rng.normal(size=(60, 3))
    decoder = fitted(points, values, n_neighbors=n_neighbors, ridge=ridge)
    # In the middle of its neighbours nothing is cut off.
    query = points[:1] * 0.1
    wanted = plane_by_hand(points, values, query, n_neighbors, ridge)
    wanted = np.clip(wanted, values.min(axis=0), values.max(axis=0))
    np.testing.assert_allclose(decoder.decode(query)[0], wanted, atol=1e-6)


def test_a_plane_is_reproduced_and_averages_are_not():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, size=(300, 2))
    values = points @ rng.normal(size=(2, 4)) + 3
    queries = rng.uniform(-0.9, 0.9, size=(50, 2))
    decoder = fitted(points, values, n_neighbors=30, ridge=0.0)
    wanted = queries @ np.linalg.lstsq(points, values - 3, rcond=None)[0] + 3
    np.testing.assert_allclose(decoder.decode(queries), wanted, atol=1e-6)
    flat = fitted(points, values, n_neighbors=30, ridge=1e9)
    found = flat.find(queries)
    average = flat.weigh(found, queries).average
    means = np.einsum("qk,qkc->qc", average, values[found.rows])
    np.testing.assert_allclose(flat.decode(queries), means, atol=1e-6)
    assert np.abs(means - wanted).max() > 0.05


@LAW
@given(st.integers(1, 12), st.integers(1, 60), st.integers(0, 999))
@example(1, 6, 198)  # neighbours that coincide, but for rounding of their mean
def test_weights_sum_to_one(n_components, n_neighbors, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, n_components)).round(rng.integers(0, 3))
    decoder = fitted(points, points, n_neighbors=n_neighbors, ridge=0.03)
    queries = np.vstack([points, 5 * rng.normal(size=(20, n_components))])
    weights = decoder.weigh(decoder.find(queries), queries)
    assert (weights.average >= 0).all()
    np.testing.assert_allclose(weights.average.sum(axis=1), 1)
    np.testing.assert_allclose(weights.linear.sum(axis=1), 1)


def test_planes_are_not_followed_far_away():
    points = np.linspace(0, 1, 11)[:, None]
    # The range of the column is wide, so that it does not hide how far the plane goes.
    values = np.vstack([points, [[100.0]]])
    points = np.vstack([points, [[-50.0]]])
    far = np.array([[9e6]])
    # The neighbours are 0.6 … 1.0; their weights are nearly equal far away.
    decoder = fitted(points, values, n_neighbors=5, ridge=0.0)
    np.testing.assert_allclose(decoder.decode(far), 1.0)
    decoder = fitted(points, values, n_neighbors=5, ridge=0.0, follow=True)
    spread = np.linspace(0.6, 1.0, 5).std()
    np.testing.assert_allclose(decoder.decode(far), 0.8 + 4 * spread)


def test_extrapolated_numbers_leave_their_range_by_half_of_it_and_keep_their_sign():
    points = np.linspace(-1, 1, 9)[:, None]
    x = points[:, 0]
    columns = {"both": x, "above": x + 1.25, "below": x - 1.0, "whole": 10 * (x + 1.5)}
    table = pd.DataFrame(columns).astype({"whole": int})
    ends = np.array([[-3.0], [3.0]])
    for follow in (False, True):
        decoder = LocalLinearDecoder(9, ridge=0.0, follow=follow).fit(points, table)
        inside = decoder.predict(ends)
        assert (inside.iloc[0] == table.iloc[0]).all()
        assert (inside.iloc[1] == table.iloc[-1]).all()
    decoder = LocalLinearDecoder(9, ridge=0.0, extrapolate=True).fit(points, table)
    outside = decoder.predict(ends)
    assert list(outside["both"]) == [-2.0, 2.0]
    assert list(outside["above"]) == [0.0, 3.25]
    assert list(outside["below"]) == [-3.0, 0.0]
    assert list(outside["whole"]) == [0, 35]


def test_a_constant_coordinate_changes_nothing():
    rng = np.random.default_rng(0)
    points, values = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    queries = rng.normal(size=(10, 2))
    more = [np.column_stack([z, np.full(len(z), 7.0)]) for z in (points, queries)]
    np.testing.assert_allclose(
        fitted(more[0], values, n_neighbors=20, ridge=0.03).decode(more[1]),
        fitted(points, values, n_neighbors=20, ridge=0.03).decode(queries),
        atol=1e-7,
    )


def test_levels_are_told_apart_by_a_plane():
    # A vote at the border of the data goes to the many neighbours further inside.
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, size=(400, 1))
    table = pd.DataFrame({"side": np.where(points[:, 0] > 0.9, "edge", "inside")})
    queries = np.array([[0.94], [0.5]])
    decoder = LocalLinearDecoder(80, ridge=0.0).fit(points, table)
    assert list(decoder.predict(queries)["side"]) == ["edge", "inside"]


def test_missing_cells_count_as_the_mean_of_the_others():
    points = np.array([[0.0], [0.0], [1.0], [1.0]])
    table = pd.DataFrame({"x": [1.0, 1.0, 3.0, np.nan], "y": [np.nan] * 3 + [2.0]})
    decoder = LocalLinearDecoder(4, ridge=0.0).fit(points, table)
    x, y = decoder.decode(np.array([[0.5]]))[0]
    # Equal weights: the mean of 1, 1, 3 stands in for the gap. Three of four are gaps.
    assert x == pytest.approx((5 + 5 / 3) / 4)
    assert np.isnan(y)


def test_neighbours_lie_where_new_rows_would():
    forest = CompletelyRandomForest(20)
    model = RFAE(2, forest=forest, decoder="local_linear", random_state=0)
    model.fit(mixed_frame(60))
    np.testing.assert_array_equal(model.decoder_.search_.points, model.leave_one_out())
    assert np.abs(model.leave_one_out() - model.embedding_).max() > 0.01


def test_bad_ridge_is_refused():
    with pytest.raises(ValueError, match="ridge=-1 is too small"):
        LocalLinearDecoder(ridge=-1).fit(
            np.zeros((3, 1)), pd.DataFrame({"a": [1, 2, 3]})
        )
