"""An approximate search finds nearly all neighbours, and the same ones every time."""

import pickle

import numpy as np
import pytest

from latentforest.neighbours import ApproximateSearch, NeighbourSearch
from latentforest.neighbours._approximate import GOOD, MOST, share_found
from latentforest.neighbours._search import QUERY_BLOCK

pytest.importorskip("voyager")


def crowd(n_points=3_000, n_dims=12, seed=0):
    """Points on bent sheets of four dimensions, as those of maps are."""
    rng = np.random.default_rng(seed)
    sheets = np.random.default_rng(99).normal(size=(5, 4, n_dims))
    which = rng.integers(5, size=n_points)
    along = rng.normal(size=(n_points, 4))
    places = np.tanh(np.einsum("ni,nid->nd", along, sheets[which]))
    return places + 3 * which[:, None] + 0.05 * rng.normal(size=places.shape)


def same(one, other):
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.distances, other.distances)


def test_most_neighbours_are_found_and_their_distances_are_true():
    points, queries = crowd(), crowd(200, seed=1)
    found = ApproximateSearch(points).nearest(queries, 10)
    true = NeighbourSearch(points).nearest(queries, 10)
    assert 0.95 <= share_found(found.distances, true.distances) <= 1
    gaps = points[found.rows] - queries[:, None]
    by_hand = np.sqrt((gaps**2).sum(axis=2))
    np.testing.assert_allclose(found.distances, by_hand, rtol=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(rows)) == 10 for rows in found.rows)


def test_the_index_itself_answers(monkeypatch):
    # All of this would hold for an exact search too.
    search = ApproximateSearch(crowd())
    monkeypatch.delattr(NeighbourSearch, "nearest")
    assert search.nearest(crowd(50, seed=1), 10).rows.shape == (50, 10)


def test_threads_batch_and_order_change_no_bit():
    points, queries = crowd().round(1), crowd(2 * QUERY_BLOCK + 3, seed=1).round(1)
    search = ApproximateSearch(points)
    together = search.nearest(queries, 7, n_jobs=2)
    same(ApproximateSearch(points).nearest(queries, 7, n_jobs=1), together)
    order = np.random.default_rng(0).permutation(len(queries))
    mixed = search.nearest(queries[order], 7)
    np.testing.assert_array_equal(mixed.rows, together.rows[order])
    for q in range(0, len(queries), 40):
        alone = search.nearest(queries[q : q + 1], 7)
        np.testing.assert_array_equal(alone.rows[0], together.rows[q])


def test_a_copy_builds_the_same_index_again():
    search, queries = ApproximateSearch(crowd(), 4), crowd(100, seed=1)
    before = search.nearest(queries, 10)
    bytes_used = pickle.dumps(search)
    assert len(bytes_used) < 1.1 * len(pickle.dumps(ApproximateSearch(crowd(), 4)))
    copied = pickle.loads(bytes_used)
    assert copied.effort == 4
    same(copied.nearest(queries, 10), before)


def test_scale_and_place_of_the_points_do_not_matter():
    points, queries = crowd(), crowd(100, seed=1)
    plain = ApproximateSearch(points).nearest(queries, 10).rows
    for factor in (2.0**-300, 2.0**300):  # beyond single precision, without rounding
        found = ApproximateSearch(points * factor).nearest(queries * factor, 10).rows
        np.testing.assert_array_equal(found, plain)
    # In single precision all these points would be one.
    apart = ApproximateSearch(points + 1e9).nearest(queries + 1e9, 10)
    true = NeighbourSearch(points + 1e9).nearest(queries + 1e9, 10)
    assert share_found(apart.distances, true.distances) > 0.95


def test_far_outside_the_search_is_exact():
    points = crowd()
    far = 10.0 ** np.arange(2, 12)[:, None] * np.sign(crowd(10, seed=1))
    same(
        ApproximateSearch(points).nearest(far, 9),
        NeighbourSearch(points).nearest(far, 9),
    )


def test_too_few_proposals_are_searched_exactly():
    # Half of the points coincide: the graph leads to few of the others from there.
    points = np.zeros((3_000, 12))
    points[1_500:] = crowd(1_500)
    queries = np.concatenate([points[:3], crowd(40, seed=1), points[-3:]])
    search = ApproximateSearch(points)
    short = search._propose(search._single(queries), 1_480)[1]
    assert short.any()
    found = search.nearest(queries, 1_464)
    true = NeighbourSearch(points).nearest(queries, 1_464)
    np.testing.assert_array_equal(found.rows[short], true.rows[short])
    assert (found.rows < len(points)).all()


def test_all_points_can_be_asked_for():
    points = crowd(300)
    same(
        ApproximateSearch(points).nearest(points[:4], 300),
        NeighbourSearch(points).nearest(points[:4], 300),
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_coordinates_without_distances_are_refused(value):
    queries = crowd(3)
    queries[1, 1] = value
    with pytest.raises(ValueError, match="too large or not a number"):
        ApproximateSearch(crowd(500)).nearest(queries, 3)


def test_effort_grows_until_nearly_all_are_found():
    # Points without any structure are hard to find.
    noise = np.random.default_rng(0).normal(size=(6_000, 60))
    rows = np.arange(0, 6_000, 20)
    search = ApproximateSearch(noise)
    recall = search.learn_effort(noise[rows], rows, 5)
    assert search.effort > 2
    assert recall >= GOOD or search.effort == MOST
    true = NeighbourSearch(noise).nearest(noise[rows], 6).without(rows)
    found = search.nearest(noise[rows], 6).without(rows)
    by_hand = [
        len(set(a) & set(b)) / 5 for a, b in zip(found.rows, true.rows, strict=True)
    ]
    assert recall == pytest.approx(np.mean(by_hand))
    less = ApproximateSearch(noise).nearest(noise[rows], 6).without(rows)
    assert share_found(less.distances, true.distances) < recall
