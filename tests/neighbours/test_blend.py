"""Blending equals its own definition in plain Python."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest.neighbours._blend import QUERY_BLOCK, blend_rows, draw_priority
from latentforest.table import ColumnKind, ColumnSpec, TableSchema

law = settings(max_examples=50, deadline=None)

TIE = 1e-9  # exact weights of the oracle lie further apart than this, or are equal


def schema_of(n_levels):
    """Return a schema with one column per entry: 0 for a number, else its levels."""
    return TableSchema(
        tuple(
            ColumnSpec(f"x{j}", ColumnKind.category, tuple(range(n)))
            if n
            else ColumnSpec(f"x{j}", ColumnKind.continuous)
            for j, n in enumerate(n_levels)
        )
    )


def rank_of(priority, column, level):
    """Rank of a level in the drawn order; None is the missing level."""
    n_levels = priority.n_levels[column]
    place = n_levels if level is None else int(level)
    return priority.rank[priority.start[column] + place]


def blend_by_hand(cells, weights, n_levels, rank):
    """Blend the cells of one column in one row."""
    pairs = zip(weights, cells, strict=True)
    known = [(w, c) for w, c in pairs if not math.isnan(c)]
    seen = math.fsum(w for w, _ in known)
    if seen < 0.5 - TIE:
        return math.nan
    if n_levels == 0:
        return math.fsum(w * c for w, c in known) / seen
    votes = {}
    for w, c in known:
        votes.setdefault(c, []).append(w)
    shares = {level: math.fsum(given) for level, given in votes.items()}
    most = max(shares.values())
    return max((k for k, share in shares.items() if share > most - TIE), key=rank)


@st.composite
def blends(draw):
    rng = np.random.default_rng(draw(st.integers(0, 9_999)))
    n_levels = draw(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=1, max_size=5))
    n_rows, n_queries = draw(st.integers(1, 10)), draw(st.integers(1, 5))
    n_neighbors = draw(st.integers(1, n_rows))
    codes = np.stack(
        [
            rng.integers(n, size=n_rows).astype(float) if n else rng.normal(size=n_rows)
            for n in n_levels
        ],
        axis=1,
    )
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.3, 0.8]))] = np.nan
    rows = np.stack(
        [rng.permutation(n_rows)[:n_neighbors] for _ in range(n_queries)]
    ).astype(np.int64)
    if draw(st.booleans()):  # equal weights tie often
        weights = np.full(rows.shape, 1 / n_neighbors)
    else:
        weights = rng.uniform(0.1, 1, size=rows.shape)
        weights /= weights.sum(axis=1, keepdims=True)
    return n_levels, codes, rows, weights, int(rng.integers(1_000))


@law
@given(blends())
def test_blend_equals_its_definition(blend):
    n_levels, codes, rows, weights, seed = blend
    priority = draw_priority(schema_of(n_levels), np.random.default_rng(seed))
    blended = blend_rows(rows, weights, codes, priority)
    for q, chosen in enumerate(rows):
        for column, n in enumerate(n_levels):
            wanted = blend_by_hand(
                codes[chosen, column],
                weights[q],
                n,
                lambda level, column=column: rank_of(priority, column, level),
            )
            np.testing.assert_allclose(blended[q, column], wanted, rtol=1e-12)


def test_priority_is_an_order_of_the_levels_and_missing():
    n_levels = (0, 3, 1, 0, 4)
    priority = draw_priority(schema_of(n_levels), np.random.default_rng(0))
    for column, n in enumerate(n_levels):
        if n:
            ranks = [rank_of(priority, column, level) for level in [*range(n), None]]
            assert sorted(ranks) == list(range(n + 1))


def test_ties_follow_the_seed():
    codes = np.array([[0.0], [1.0], [2.0]])
    rows, weights = np.array([[0, 1, 2]]), np.full((1, 3), 1 / 3)
    winners = []
    for seed in range(20):
        priority = draw_priority(schema_of([3]), np.random.default_rng(seed))
        winner = blend_rows(rows, weights, codes, priority)[0, 0]
        assert rank_of(priority, 0, winner) == max(
            rank_of(priority, 0, level) for level in range(3)
        )
        winners.append(winner)
    assert set(winners) == {0.0, 1.0, 2.0}


def test_order_of_neighbours_does_not_break_ties():
    # Thirds, sixths and tenths do not add up the same way in every order.
    weights = np.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.1, 0.1])
    codes = np.array([0, 0, 0, 1, 1, 1, 1])[:, None].astype(float)
    weights = np.where(codes[:, 0] == 0, weights / 1.2, weights / 0.8)
    priority = draw_priority(schema_of([2]), np.random.default_rng(0))
    rng = np.random.default_rng(1)
    orders = np.stack([rng.permutation(7) for _ in range(200)])
    blended = blend_rows(orders, weights[orders], codes, priority)
    assert len(np.unique(blended)) == 1


def test_batch_changes_no_bit():
    rng = np.random.default_rng(0)
    n_queries = QUERY_BLOCK + 70
    codes = np.stack([rng.normal(size=30), rng.integers(3, size=30)], axis=1)
    codes[rng.random(codes.shape) < 0.2] = np.nan
    rows = rng.integers(30, size=(n_queries, 4))
    weights = np.full(rows.shape, 0.25)
    priority = draw_priority(schema_of([0, 3]), rng)
    together = blend_rows(rows, weights, codes, priority, n_jobs=2)
    for q in range(0, n_queries, 37):
        alone = blend_rows(rows[q : q + 1], weights[q : q + 1], codes, priority)
        np.testing.assert_array_equal(alone[0], together[q])


@pytest.mark.parametrize("n_levels", [0, 5])
@pytest.mark.parametrize(
    ("weight_of_missing", "missing"), [(0.49, False), (0.5, False), (0.51, True)]
)
def test_cell_is_missing_where_most_of_the_weight_is(
    n_levels, weight_of_missing, missing
):
    codes = np.array([[np.nan], [4.0]])
    weights = np.array([[weight_of_missing, 1 - weight_of_missing]])
    priority = draw_priority(schema_of([n_levels]), np.random.default_rng(0))
    blended = blend_rows(np.array([[0, 1]]), weights, codes, priority)
    np.testing.assert_array_equal(blended, [[np.nan if missing else 4.0]])


@pytest.mark.parametrize("n_levels", [0, 5])
def test_a_lower_limit_makes_more_cells_missing(n_levels):
    codes, weights = np.array([[np.nan], [4.0]]), np.array([[0.3, 0.7]])
    priority = draw_priority(schema_of([n_levels]), np.random.default_rng(0))
    for limit, wanted in [(0.3, 4.0), (0.29, np.nan)]:
        lower = replace(priority, absent_above=np.array([limit]))
        blended = blend_rows(np.array([[0, 1]]), weights, codes, lower)
        np.testing.assert_array_equal(blended, [[wanted]])


@pytest.mark.parametrize("n_levels", [3, 40])  # 40: more levels than neighbours
def test_missing_competes_with_all_levels_together(n_levels):
    codes = np.array([[np.nan], [0.0], [1.0], [2.0]])
    rows, weights = np.array([[0, 1, 2, 3]]), np.array([[0.4, 0.1, 0.3, 0.2]])
    priority = draw_priority(schema_of([n_levels]), np.random.default_rng(0))
    assert blend_rows(rows, weights, codes, priority)[0, 0] == 1.0


@pytest.mark.parametrize("n_neighbors", [6, 10, 14, 18, 20, 22])
def test_half_missing_does_not_hang_on_rounding(n_neighbors):
    half = n_neighbors // 2
    codes = np.array([np.nan] * half + [4.0] * half)[:, None]
    rng = np.random.default_rng(0)
    rows = np.stack([rng.permutation(n_neighbors) for _ in range(50)])
    # Uneven weights, the same set on both halves.
    parts = rng.uniform(size=half)
    weights = np.concatenate([parts, parts]) / (2 * parts.sum())
    priority = draw_priority(schema_of([0]), rng)
    blended = blend_rows(rows, weights[rows], codes, priority)
    np.testing.assert_allclose(blended, 4.0, rtol=1e-15)


def test_mean_stays_between_the_cells():
    # Weights that sum to 1 only up to rounding carried the mean of equal cells
    # past them, out of the observed range of the column.
    rng = np.random.default_rng(0)
    rows = np.tile(np.arange(20), (500, 1))
    weights = rng.uniform(size=rows.shape)
    weights /= weights.sum(axis=1, keepdims=True)
    codes = np.full((20, 1), 1 / 3)
    priority = draw_priority(schema_of([0]), rng)
    blended = blend_rows(rows, weights, codes, priority)
    np.testing.assert_array_equal(blended, 1 / 3)
