"""The best split of coordinates is the one that a search through all would find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from forest_oracles import QUICK, ULP
from latentforest.decode._leaves._relabel_loops import route_coords
from latentforest.decode._leaves._split_search_loops import (
    fit_stand_in,
    logistic_weights,
    offset_between,
)

# Spread out, tied, neighbouring doubles, constant.
DRAWS = (
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.integers(4, size=n) / 2,
    lambda rng, n: -1 - rng.integers(4, size=n) * ULP,
    lambda rng, n: np.full(n, 0.1),
    lambda rng, n: rng.integers(-2, 3, size=n) * 5e-324,
)


@st.composite
def samples(draw, max_samples=30):
    """Coordinates and labels that follow one of them, or none."""
    rng = np.random.default_rng(draw(st.integers(0, 99_999)))
    n_samples = draw(st.integers(1, max_samples))
    kinds = draw(st.lists(st.sampled_from(DRAWS), min_size=1, max_size=3))
    coords = np.stack([kind(rng, n_samples) for kind in kinds], axis=1)
    share = draw(st.sampled_from([0.1, 0.5, 0.9]))
    labels = rng.random(n_samples) < share
    if draw(st.booleans()):
        followed = coords[:, draw(st.integers(0, len(kinds) - 1))]
        labels ^= followed > np.median(followed)
    return coords, labels.astype(np.uint8)


def best_split(coords, labels, *, logistic=False):
    """Weights, offset and number of agreeing samples."""
    coords = np.ascontiguousarray(coords, np.float64)
    order = np.ascontiguousarray(np.argsort(coords, axis=0).T)
    ordered = np.take_along_axis(coords.T, order, axis=1)
    weights = np.full(coords.shape[1], np.nan)
    labels = np.asarray(labels, np.uint8)
    offset, n_agree = fit_stand_in(coords, labels, order, ordered, logistic, weights)
    return weights, offset, n_agree


def goes_left(coords, weights, offset):
    """Which samples go left, in plain Python."""
    return np.array(
        [
            sum(float(w) * float(x) for w, x in zip(weights, row, strict=True))
            <= offset
            for row in coords
        ]
    )


def slow_best(coords, labels):
    """Most samples that any cut of any coordinate agrees with; None without cuts."""
    found = []
    for column in coords.T:
        for value in np.unique(column)[:-1]:
            agree = int(((column <= value) == labels).sum())
            found += [agree, len(labels) - agree]
    return max(found, default=None)


@given(samples())
@QUICK
def test_no_cut_agrees_with_more_samples(drawn):
    coords, labels = drawn
    weights, offset, n_agree = best_split(coords, labels)
    n_left = int(labels.sum())
    wanted = slow_best(coords, labels)
    if wanted is None or n_left in (0, len(labels)):
        wanted = max(n_left, len(labels) - n_left)
        assert not weights.any()
        assert np.isinf(offset)
    else:
        assert sorted(np.abs(weights)) == [0.0] * (len(weights) - 1) + [1.0]
    assert n_agree == wanted
    # The split that is stored sends so many samples the right way.
    assert (goes_left(coords, weights, offset) == labels).sum() == n_agree


@given(samples())
@QUICK
def test_swapping_all_labels_swaps_the_split(drawn):
    coords, labels = drawn
    n_agree = best_split(coords, labels)[2]
    assert best_split(coords, 1 - labels)[2] == n_agree
    assert best_split(-coords, labels)[2] == n_agree


def test_the_upper_side_may_go_left():
    weights, offset, n_agree = best_split([[1.0], [2.0], [4.0]], [0, 0, 1])
    np.testing.assert_array_equal(weights, [-1.0])
    assert (offset, n_agree) == (-3.0, 3)


@given(
    st.floats(-1e150, 1e150, allow_nan=False),
    st.integers(1, 3),
    st.sampled_from([0, 1]),
)
@QUICK
def test_neighbouring_doubles_are_parted(low, n_steps, swapped):
    high = low
    for _ in range(n_steps):
        high = np.nextafter(high, np.inf)
    offset = offset_between(low, high, bool(swapped))
    sign = -1.0 if swapped else 1.0
    assert (sign * low <= offset) == (not swapped)
    assert (sign * high <= offset) == bool(swapped)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("logistic", [False, True])
def test_labels_that_are_all_the_same_send_everything_there(side, logistic):
    coords = np.random.default_rng(0).normal(size=(9, 2))
    split = best_split(coords, np.full(9, side), logistic=logistic)
    assert split[2] == 9
    far = np.array([[1e149, -1e149], [0.0, 0.0]])
    assert (goes_left(far, *split[:2]) == side).all()


@given(samples())
@QUICK
def test_logistic_splits_agree_with_no_fewer_samples(drawn):
    coords, labels = drawn
    weights, offset, n_agree = best_split(coords, labels, logistic=True)
    assert n_agree >= best_split(coords, labels)[2]
    assert (goes_left(coords, weights, offset) == labels).sum() == n_agree


def test_the_upper_side_of_a_logistic_split_may_go_left():
    """Far rows turn the regression around; the best cut is among the near ones."""
    coords = np.concatenate([np.arange(10.0), np.full(4, 1e4)])[:, None]
    labels = (coords[:, 0] > 4.5) & (coords[:, 0] < 10)
    weights = np.empty(1)
    logistic_weights(coords, labels.astype(np.uint8), weights)
    assert weights > 0
    weights, offset, n_agree = best_split(coords, labels, logistic=True)
    assert -1e-3 < weights < 0
    assert n_agree == 10
    assert (goes_left(coords, weights, offset) == labels).sum() == 10


def test_logistic_splits_may_be_oblique():
    rng = np.random.default_rng(0)
    coords = rng.normal(size=(200, 2)) * [1.0, 100.0]
    labels = coords @ [1.0, 0.01] > 0.1
    weights, _, n_agree = best_split(coords, labels, logistic=True)
    assert best_split(coords, labels)[2] < 170
    assert n_agree > 195
    assert weights[0] / weights[1] == pytest.approx(100.0, rel=0.2)


@given(
    n_samples=st.integers(8, 60),
    n_components=st.integers(1, 4),
    noise=st.sampled_from([0.0, 0.5, 5.0]),
    seed=st.integers(0, 9_999),
)
@QUICK
def test_logistic_weights_are_those_of_scikit_learn(
    n_samples, n_components, noise, seed
):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, n_components))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    labels = (x.sum(axis=1) + noise * rng.normal(size=n_samples) < 0.3).astype(np.uint8)
    if labels.min() == labels.max():
        return
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(x, labels)
    scale, weights = 10.0 ** rng.integers(-9, 9, n_components), np.empty(n_components)
    logistic_weights(x * scale + 3.0 * scale, labels, weights)
    np.testing.assert_allclose(weights * scale, -model.coef_[0], rtol=1e-3, atol=1e-4)


def test_a_coordinate_without_variation_gets_no_weight():
    rng = np.random.default_rng(0)
    coords = np.column_stack([np.zeros(40), np.full(40, 0.1), rng.normal(size=40)])
    weights = np.empty(3)
    logistic_weights(coords, (coords[:, 2] > 0).astype(np.uint8), weights)
    np.testing.assert_array_equal(weights[:2] == 0, [True, True])
    assert weights[2] < 0


def test_rows_are_routed_by_their_sums():
    """One tree: z0 + z1 <= 1, then -z0 <= 0 on the left."""
    left = np.array([1, 3, -1, -1, -1], np.int32)
    right = np.array([2, 4, -1, -1, -1], np.int32)
    weights = np.array([[1.0, 1.0], [-1.0, 0.0], *np.zeros((3, 2))])
    offset = np.array([1.0, 0.0, *np.full(3, np.nan)])
    leaf = np.array([-1, -1, 0, 1, 2], np.int32)
    coords = np.array([[2.0, 2.0], [0.5, 0.5], [-3.0, 3.0], [0.0, 1.0]])
    ids = np.empty((4, 1), np.int32)
    start = np.array([0, 5])
    nodes = (start, left, right, leaf)
    route_coords(coords, 0, 4, nodes, (weights, offset), ids)
    np.testing.assert_array_equal(ids[:, 0], [0, 1, 2, 1])
