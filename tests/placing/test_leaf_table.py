import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forest_oracles import grow, mixed_table
from kernel_oracles import (
    kernel_by_hand,
    leaf_indices,
    nystrom_by_hand,
    out_by_hand,
    random_bags,
    random_index,
    random_tree_weights,
    random_weights,
    scale_by_hand,
    symmetric_by_hand,
)
from latentforest.encoder import LeafTable, leave_one_out, make_leaf_table
from latentforest.kernel import LeafIndex, LeafKernel

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet"])
laws = settings(max_examples=25, deadline=None)


def coords_by_hand(index, weights, kind):
    """Coordinates at time 1 from the dense matrix, without negligible components."""
    scale = scale_by_hand(index.ids, weights, index.n_leaves, kind)
    gram = kernel_by_hand(index.ids, index.ids, scale)
    values, vectors = np.linalg.eigh(symmetric_by_hand(gram, weights))
    values, vectors = values[values > 1e-6], vectors[:, values > 1e-6]
    mass = weights * (gram @ weights)
    return vectors * values * np.sqrt(mass.sum() / mass)[:, None], values


@laws
@given(leaf_indices(), kinds, seeds)
def test_training_rows_return_their_own_coordinates(index, kind, seed):
    weights = random_weights(index.n_rows, seed)
    coords, values = coords_by_hand(index, weights, kind)
    table = make_leaf_table(LeafKernel(index, kind, weights=weights), coords, values)
    np.testing.assert_allclose(table.encode(index.ids), coords, atol=1e-8)


@laws
@given(leaf_indices(), kinds, seeds)
def test_new_rows_follow_the_nystrom_formula(index, kind, seed):
    train, new = index.take(np.arange(index.n_rows - 1)), index.ids[-1:]
    rng = np.random.default_rng(seed)
    weights = random_weights(train.n_rows, seed)
    coords, values = rng.normal(size=(train.n_rows, 3)), np.array([0.9, 0.5, 0.1])
    table = make_leaf_table(LeafKernel(train, kind, weights=weights), coords, values)
    scale = scale_by_hand(train.ids, weights, index.n_leaves, kind)
    cross = kernel_by_hand(new, train.ids, scale)[0]
    expected = nystrom_by_hand(cross, weights, coords, values)
    np.testing.assert_allclose(table.encode(new)[0], expected, atol=1e-10)


@laws
@given(leaf_indices(), kinds, seeds)
def test_leave_one_out_rebuilds_the_kernel_row_without_the_row(index, kind, seed):
    rng = np.random.default_rng(seed)
    weights = random_weights(index.n_rows, seed)
    coords, values = rng.normal(size=(index.n_rows, 3)), np.array([0.9, 0.5, 0.1])
    kernel = LeafKernel(index, kind, weights=weights)
    held_out = leave_one_out(kernel, coords, values)
    for row in range(index.n_rows):
        rest = np.delete(np.arange(index.n_rows), row)
        scale = scale_by_hand(index.ids[rest], weights[rest], index.n_leaves, kind)
        cross = kernel_by_hand(index.ids[[row]], index.ids[rest], scale)[0]
        expected = nystrom_by_hand(cross, weights[rest], coords[rest], values)
        np.testing.assert_allclose(held_out[row], expected, atol=1e-10)


@laws
@given(leaf_indices(min_rows=3), st.sampled_from(["rf", "scornet"]), seeds)
def test_weights_of_trees_count_where_rows_are_placed(index, kind, seed):
    rng = np.random.default_rng(seed)
    weights = random_weights(index.n_rows, seed)
    trees = random_tree_weights(index.n_trees, seed)
    coords, values = rng.normal(size=(index.n_rows, 2)), np.array([0.9, 0.5])
    kernel = LeafKernel(index, kind, weights=weights, tree_weights=trees)
    placed = make_leaf_table(kernel, coords, values).encode(index.ids)
    held_out = leave_one_out(kernel, coords, values)

    def cross(row, others):
        scale = scale_by_hand(index.ids[others], weights[others], index.n_leaves, kind)
        return sum(
            trees[t]
            * kernel_by_hand(
                index.ids[[row]][:, [t]], index.ids[others][:, [t]], scale
            )[0]
            for t in range(index.n_trees)
        )

    everybody = np.arange(index.n_rows)
    for row in everybody:
        rest = np.delete(everybody, row)
        for others, found in ((everybody, placed[row]), (rest, held_out[row])):
            expected = nystrom_by_hand(
                cross(row, others), weights[others], coords[others], values
            )
            np.testing.assert_allclose(found, expected, atol=1e-10)


@laws
@given(leaf_indices(min_rows=3), st.sampled_from(["oob", "gap"]), seeds)
def test_rows_that_are_placed_are_out_of_bag(index, kind, seed):
    rng = np.random.default_rng(seed)
    index = index.take([*range(index.n_rows), 0, 1, 0])  # some rows have copies
    group = np.array([*range(index.n_rows - 3), 0, 1, 0])
    draws, trees = random_bags(index, seed), random_tree_weights(index.n_trees, seed)
    coords, values = rng.normal(size=(index.n_rows, 2)), np.array([0.9, 0.5])
    try:
        kernel = LeafKernel(index, kind, tree_weights=trees, in_bag=draws)
    except ValueError:  # a row without a partner in bag
        assume(False)
    placed = make_leaf_table(kernel, coords, values).encode(index.ids)
    held_out = leave_one_out(kernel, coords, values, group=group)
    heft = draws if kind == "gap" else np.ones(draws.shape)
    drawn = np.stack([heft[index.ids == leaf].sum() for leaf in range(index.n_leaves)])
    out = out_by_hand(draws, trees, drawn[index.ids])

    def by_hand(row, asked, others):
        total, said = 0.0, np.zeros(2)
        for t in np.flatnonzero(asked):
            mates = others & (index.ids[:, t] == index.ids[row, t])
            if heft[mates, t].sum() > 0:
                total += trees[t]
                said += trees[t] * np.average(
                    coords[mates], axis=0, weights=heft[mates, t]
                )
        return said / total / values if total > 0 else np.zeros(2)

    for row in range(index.n_rows):
        everybody = np.ones(index.n_rows, bool)
        expected = by_hand(row, np.ones(index.n_trees, bool), everybody)
        np.testing.assert_allclose(placed[row], expected, atol=1e-10)
        expected = by_hand(row, out[row], group != group[row])
        np.testing.assert_allclose(held_out[row], expected, atol=1e-10)


def test_leave_one_out_wants_one_group_per_row():
    kernel = LeafKernel(random_index(5, [2], seed=0))
    with pytest.raises(ValueError, match=r"group has shape \(4,\).*5 rows"):
        leave_one_out(kernel, np.ones((5, 1)), [0.5], group=[1, 2, 3, 4])


@pytest.mark.parametrize("kind", ["rf", "scornet"])
def test_one_by_one_is_all_at_once_bit_for_bit(kind):
    train, new = random_index(200, [8] * 25, seed=0), random_index(5000, [8] * 25, 1)
    rng = np.random.default_rng(2)
    kernel = LeafKernel(train, kind)
    table = make_leaf_table(
        kernel, rng.normal(size=(200, 3)), np.array([0.8, 0.4, 0.2])
    )
    whole = table.encode(new.ids, n_jobs=2)
    np.testing.assert_array_equal(whole, table.encode(new.ids, n_jobs=1))
    for row in (0, 17, 4095, 4096, 4999):
        alone = table.encode(new.ids[row : row + 1])
        np.testing.assert_array_equal(alone, whole[row : row + 1])
    row_major = np.ascontiguousarray(new.ids[100:300])
    np.testing.assert_array_equal(table.encode(row_major), whole[100:300])


@pytest.mark.parametrize("kind", ["rf", "scornet"])
def test_threads_change_no_bit(kind):
    index = random_index(5000, [8] * 11, seed=0)
    coords = np.random.default_rng(0).normal(size=(5000, 2))
    values = np.array([0.5, 0.25])
    one, two = (LeafKernel(index, kind, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(
        leave_one_out(one, coords, values), leave_one_out(two, coords, values)
    )
    np.testing.assert_array_equal(
        make_leaf_table(one, coords, values).values,
        make_leaf_table(two, coords, values).values,
    )


@pytest.mark.parametrize("kind", ["rf", "scornet"])
def test_rows_that_resemble_nothing_go_to_the_origin(kind):
    kernel = LeafKernel(LeafIndex(np.array([[0, 3], [1, 4]]), 6), kind)
    coords, values = np.ones((2, 1)), np.array([0.5])
    table = make_leaf_table(kernel, coords, values)
    np.testing.assert_array_equal(table.encode([[2, 5], [2, 3]]), [[0.0], [2.0]])
    np.testing.assert_array_equal(leave_one_out(kernel, coords, values), [[0.0], [0.0]])
    assert table.encode(np.zeros((0, 2), dtype=int)).shape == (0, 1)


def test_partners_below_rounding_are_no_partners():
    index = LeafIndex(np.array([[0], [0], [1]]), 2)
    coords, values = np.array([[1.0], [2.0], [3.0]]), [1.0]
    near = leave_one_out(LeafKernel(index, weights=[0.1, 0.2, 0.7]), coords, values)
    np.testing.assert_allclose(near, [[2.0], [1.0], [0.0]])
    far = leave_one_out(LeafKernel(index, weights=[1.0, 3e-16, 1.0]), coords, values)
    np.testing.assert_allclose(far, [[0.0], [1.0], [0.0]])


def test_negligible_eigenvalues_carry_nothing():
    kernel = LeafKernel(random_index(6, [2, 3], seed=0))
    coords, values = np.ones((6, 3)), np.array([0.5, 1e-11, 0.0])
    table = make_leaf_table(kernel, coords, values)
    np.testing.assert_array_equal(table.encode(kernel.index.ids)[:, 1:], 0.0)
    np.testing.assert_array_equal(leave_one_out(kernel, coords, values)[:, 1:], 0.0)


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match="n_leaves, n_components"):
        LeafTable(np.ones((3, 2)), np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="NaN"):
        LeafTable(np.full((3, 2), np.nan), np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="3 leaves"):
        LeafTable(np.ones((3, 2)), np.ones(3), np.ones(3)).encode([[3]])
    kernel = LeafKernel(random_index(6, [2, 3], seed=0))
    with pytest.raises(ValueError, match="one eigenvalue per component"):
        make_leaf_table(kernel, np.ones((6, 2)), [0.5])
    with pytest.raises(ValueError, match="one eigenvalue per component"):
        leave_one_out(kernel, np.ones((5, 2)), [0.5, 0.4])


@pytest.mark.parametrize("n_components", [1, 3, 8])
def test_cells_give_the_same_bits_as_leaves(n_components):
    names = ["continuous", "5 levels", "70 levels", "integer"]
    grown = grow("completely random", mixed_table(names, 200), n_estimators=9)
    forest, rng = grown.forest, np.random.default_rng(0)
    values = rng.normal(size=(forest.n_leaves, n_components))
    mass = rng.integers(0, 3, forest.n_leaves).astype(float)
    table = LeafTable.of_leaves(values, mass, kind="rf", n_trees=9)
    rows = mixed_table(names, 700, missing=0.2, seed=1).values
    wanted = table.encode(forest.leaves(rows))
    for n_jobs in (1, 2):
        np.testing.assert_array_equal(table.place(forest, rows, n_jobs=n_jobs), wanted)
    np.testing.assert_array_equal(table.place(forest, rows[5:6]), wanted[5:6])
    assert table.place(forest, rows[:0]).shape == (0, n_components)


def test_tables_of_other_forests_are_refused():
    forest = grow("completely random", mixed_table(["continuous"], 50)).forest
    n_leaves = forest.n_leaves
    table = LeafTable(
        np.ones((n_leaves + 1, 2)), np.ones(n_leaves + 1), np.ones(n_leaves + 1)
    )
    with pytest.raises(
        ValueError, match=rf"{n_leaves} leaves, the table {n_leaves + 1}"
    ):
        table.place(forest, np.zeros((3, 1)))
