"""The columns behind coordinates: sums of squares that add up, for any tree."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from forest_oracles import GROWERS, QUICK, grow, path, tables
from latentforest import RFAE, CompletelyRandomForest, ModelFileError, Refinement
from latentforest.insight import drivers_of
from latentforest.trees._arrays import NODE_FIELDS
from mixed_tables import mixed_frame


def squares(coords):
    """Sum of squares around the mean."""
    return ((coords - coords.mean(axis=0)) ** 2).sum(axis=0)


def slow_shares(forest, values, coords):
    """Walk every row down every tree; compare the groups of each split."""
    apart = np.zeros((forest.n_columns, coords.shape[1]))
    for tree in range(forest.n_trees):
        ways = [path(forest, tree, row) for row in values]
        for node in {node for way in ways for node in way[:-1]}:
            here = np.array([node in way for way in ways])
            goes = forest.start[tree] + forest.left[node]
            to_left = np.array([goes in way for way in ways])
            groups = coords[here & to_left], coords[here & ~to_left]
            within = sum(squares(group) for group in groups if len(group))
            apart[forest.feature[node]] += squares(coords[here]) - within
    return apart


def drivers_for(grown, coords, n_jobs=None):
    names = tuple(range(grown.forest.n_columns))
    return drivers_of(grown.forest, grown.leaf_ids, coords, names, n_jobs=n_jobs)


@QUICK
@given(tables(min_rows=4), st.sampled_from(list(GROWERS)), st.integers(0, 99))
def test_shares_are_what_splits_set_apart(table, name, seed):
    grown = grow(name, table, seed=seed)
    coords = 5 + np.random.default_rng(seed).normal(size=(table.n_rows, 2))
    found = drivers_for(grown, coords)
    slow = slow_shares(grown.forest, table.values, coords)
    whole = slow.sum(axis=0)
    np.testing.assert_allclose(found.shares.T * whole, slow, atol=1e-9)
    n_trees = grown.forest.n_trees
    np.testing.assert_allclose(found.explained * squares(coords) * n_trees, whole)


@QUICK
@given(tables(min_rows=4), st.sampled_from(list(GROWERS)), st.integers(0, 99))
def test_splits_of_one_tree_add_up_to_what_lies_between_its_leaves(table, name, seed):
    grown = grow(name, table, seed=seed, n_estimators=1)
    coords = np.random.default_rng(seed).normal(size=(table.n_rows, 3))
    found = drivers_for(grown, coords)
    leaves = grown.leaf_ids[:, 0]
    within = sum(squares(coords[leaves == leaf]) for leaf in np.unique(leaves))
    between = squares(coords) - within
    np.testing.assert_allclose(found.explained * squares(coords), between, atol=1e-9)
    adds_up = np.isclose(found.shares.sum(axis=1), 1)
    assert (adds_up | (between < 1e-9)).all()


def test_a_column_without_a_split_has_no_share():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.assign(nothing=1.0)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    found = RFAE(forest=forest, random_state=0).fit(X).drivers()
    frame = found.to_frame()
    assert (frame["nothing"] == 0).all()
    np.testing.assert_allclose(frame.sum(axis=1), 1)
    assert list(frame.index) == ["z1", "z2"]
    assert all("nothing" not in names for names in found.strongest(9))
    first = found.strongest(1)[0][0]
    assert repr(found).startswith(f"z1  {first} {frame.loc['z1', first]:.2f}, ")


def test_leaves_explain_of_a_plain_map_what_its_eigenvalues_say(model):
    """Because zᵀ K z / zᵀ z is the mean over trees of what lies between leaves."""
    np.testing.assert_allclose(model.drivers().explained, model.eigenvalues_)


def test_trees_count_as_much_as_they_do_on_the_map():
    settings = {"forest": CompletelyRandomForest(12), "random_state": 0}
    weights = np.arange(12.0) % 4
    model = RFAE(tree_weights=weights, **settings).fit(mixed_frame(80))
    found = model.drivers()
    np.testing.assert_allclose(found.explained, model.eigenvalues_)
    equal = RFAE(**settings).fit(mixed_frame(80)).drivers()
    assert not np.allclose(found.shares, equal.shares)


def test_a_refined_map_has_the_same_formula():
    table = mixed_frame(80)
    settings = {"forest": CompletelyRandomForest(20), "random_state": 0}
    model = RFAE(refine=Refinement(1), **settings).fit(table)
    training, forest = model.encoder_.training, model.encoder_.forest
    slow = slow_shares(forest, training.table.values, model.embedding_)
    found = model.drivers()
    np.testing.assert_allclose(found.shares, (slow / slow.sum(axis=0)).T)
    assert found.names == tuple(table.columns)


def test_rows_that_were_not_refined_do_not_count():
    table = mixed_frame(80)
    refine = Refinement(1, max_rows=40, n_neighbors=8)
    forest = CompletelyRandomForest(20)
    model = RFAE(forest=forest, refine=refine, random_state=0).fit(table)
    rows = model.encoder_.refined.rows
    assert len(rows) == 40
    values = model.encoder_.training.table.values[rows]
    slow = slow_shares(model.encoder_.forest, values, model.embedding_[rows])
    np.testing.assert_allclose(model.drivers().shares, (slow / slow.sum(axis=0)).T)


def test_any_number_of_threads_gives_the_same_bits():
    table = mixed_frame(200)
    forest = CompletelyRandomForest(50, random_state=0).fit(table)
    one, two = (
        RFAE(forest=forest, random_state=0, n_jobs=n).fit(table).drivers()
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.shares, two.shares)
    np.testing.assert_array_equal(one.explained, two.explained)


def test_nodes_may_be_numbered_in_any_order():
    table = mixed_frame(60)
    forest = CompletelyRandomForest(3, random_state=0).fit(table)
    model = RFAE(forest=forest, random_state=0).fit(table)
    trees = model.encoder_.forest
    order = np.concatenate(
        [  # the root first, all others backwards
            np.r_[a, np.arange(b - 1, a, -1)]
            for a, b in zip(trees.start[:-1], trees.start[1:], strict=True)
        ]
    )
    place = np.argsort(order) - np.repeat(trees.start[:-1], np.diff(trees.start))
    first = np.repeat(trees.start[:-1], np.diff(trees.start))
    nodes = {name: getattr(trees, name)[order] for name in NODE_FIELDS}
    for side in ("left", "right"):
        child = nodes[side]
        nodes[side] = np.where(child < 0, -1, place[first + child]).astype(np.int32)
    turned = replace(trees, **nodes)
    ids, coords = model.encoder_.training.leaf_ids, model.embedding_
    found = drivers_of(turned, ids, coords, tuple(table.columns))
    np.testing.assert_allclose(found.shares, model.drivers().shares)


def test_coordinates_that_do_not_differ_have_no_drivers(table):
    encoded = CompletelyRandomForest(3, random_state=0).fit(table)
    ids = encoded.forest_.leaves(encoded.codec_.encode(table).values)
    coords = np.full((len(table), 1), 0.1)
    found = drivers_of(encoded.forest_, ids, coords, tuple(table.columns))
    assert not found.shares.any()
    assert found.explained.tolist() == [0.0]
    assert found.strongest() == [[]]
    assert repr(found) == "z1  no split"


def test_rows_that_were_dropped_are_missed(model, tmp_path):
    model.save(tmp_path / "m.lf", drop_training=True)
    small = RFAE.load(tmp_path / "m.lf")
    for ask in (small.drivers, small.prototypes):
        with pytest.raises(ModelFileError, match="drop_training"):
            ask()
