"""Relabelled forests: stand-ins for splits, and the rows that they lead to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from forest_oracles import (
    GROWERS,
    NUMBERS,
    QUICK,
    grow,
    mixed_table,
    path,
    tables,
    to_left,
)
from latentforest import RFAE, CompletelyRandomForest
from latentforest.decode import DecoderContext
from latentforest.decode._leaves import _relabel_local as local
from latentforest.decode._leaves._relabel import RelabelDecoder
from latentforest.decode._leaves._relabel_local import rows_of_nodes
from latentforest.decode._leaves._relabel_splits import (
    StandIns,
    distinct_splits,
    relabel_globally,
)
from latentforest.trees import ForestArrays
from mixed_tables import mixed_frame

MIXED = ["continuous", "5 levels", "integer", "70 levels", "ordered"]
# Strictly monotone on every table of numbers in use here: perfect splits survive.
SPACES = {
    "the columns": lambda codes: codes,
    "swapped columns": lambda codes: -codes[:, ::-1],
    "stretched columns": lambda codes: codes * 2.0 ** np.arange(codes.shape[1]) * 4,
    "with a constant": lambda codes: np.column_stack([np.zeros(len(codes)), codes]),
}
SETTINGS = [
    RelabelDecoder(mode=mode, split=split, n_samples=20)
    for mode in ("global", "local")
    for split in ("axis", "logistic")
]

every_grower = pytest.mark.parametrize("sort", GROWERS)
every_setting = pytest.mark.parametrize("decoder", SETTINGS, ids=repr)


def labels_of(forest, node, values):
    column = forest.feature[node]
    return np.array([to_left(forest, node, cell) for cell in values[:, column]])


def fitted(decoder, encoded, grown, encode=None, *, coords=None, seed=0):
    coords = encode(encoded.values) if coords is None else coords
    context = DecoderContext(encoded, coords, grown, encode=encode)
    return clone(decoder).fit_context(context, np.random.default_rng(seed))


def place(codes):
    """Place rows, missing cells or not, in two dimensions; distinct rows apart."""
    codes = np.nan_to_num(codes, nan=-2.0)
    angles = np.arange(codes.shape[1]) + 1.0
    return np.column_stack([codes @ np.sin(angles), np.cos(codes) @ angles])


@every_setting
@every_grower
@given(
    encoded=tables(NUMBERS, max_rows=30).filter(
        lambda table: not np.isnan(table.values).any()
    ),
    space=st.sampled_from(list(SPACES)),
    seed=st.integers(0, 99),
)
@QUICK
def test_perfect_splits_route_training_rows_as_before(
    decoder, sort, encoded, space, seed
):
    grown = grow(sort, encoded, seed=seed)
    decoder = fitted(decoder, encoded, grown, SPACES[space], seed=seed)
    inner = grown.forest.left >= 0
    np.testing.assert_array_equal(decoder.stand_ins_.agreement[inner], 1.0)
    np.testing.assert_array_equal(
        decoder.assign(SPACES[space](encoded.values)), grown.leaf_ids
    )


@every_setting
def test_rows_come_back_to_their_leaves_where_splits_are_perfect(decoder):
    encoded = mixed_table(["continuous", "ties", "integer"], 80)
    grown = grow("completely random", encoded, n_estimators=15)
    decoder = fitted(decoder, encoded, grown, SPACES["swapped columns"])
    made = decoder.decode(SPACES["swapped columns"](encoded.values))
    np.testing.assert_array_equal(grown.forest.leaves(made), grown.leaf_ids)


@every_grower
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_splits_share_work_if_they_part_the_rows_alike(sort, encoded, seed):
    forest = grow(sort, encoded, seed=seed).forest
    nodes, same_as = distinct_splits(forest, encoded.values)
    inner = np.flatnonzero(forest.left >= 0)
    assert set(same_as[inner]) == set(nodes)
    ways = {node: labels_of(forest, node, encoded.values) for node in inner}
    for node in inner:
        assert forest.feature[node] == forest.feature[same_as[node]]
        np.testing.assert_array_equal(ways[node], ways[same_as[node]])
    seen = {(forest.feature[node], ways[node].tobytes()) for node in nodes}
    assert len(seen) == len(nodes)


@pytest.mark.parametrize("logistic", [False, True])
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_global_splits_agree_with_as_many_rows_as_they_say(logistic, encoded, seed):
    forest = grow("completely random", encoded, seed=seed).forest
    coords = place(encoded.values)
    found = relabel_globally(forest, encoded.values, coords, logistic=logistic)
    for node in np.flatnonzero(forest.left >= 0):
        # A matrix product would round the sum in another way.
        sums = found.weights[node, 0] * coords[:, 0]
        sums += found.weights[node, 1] * coords[:, 1]
        left = sums <= found.offset[node]
        share = (left == labels_of(forest, node, encoded.values)).mean()
        assert found.agreement[node] == share
    axis = relabel_globally(forest, encoded.values, coords, logistic=False)
    assert not (found.agreement < axis.agreement).any()


@every_grower
@given(encoded=tables(max_rows=25), seed=st.integers(0, 99))
@QUICK
def test_nodes_know_their_rows(sort, encoded, seed):
    grown = grow(sort, encoded, seed=seed)
    forest = grown.forest
    own = rows_of_nodes(forest, grown.leaf_ids, n_jobs=1)
    for tree in range(forest.n_trees):
        passed = [set(path(forest, tree, row)) for row in encoded.values]
        for node in range(forest.start[tree], forest.start[tree + 1]):
            rows = own.rows[tree, own.begin[node] : own.end[node]]
            wanted = [i for i, nodes in enumerate(passed) if node in nodes]
            assert sorted(rows) == wanted


@every_setting
@given(encoded=tables(max_rows=25), seed=st.integers(0, 99))
@QUICK
def test_any_table_and_any_encoder_give_legal_rows(decoder, encoded, seed):
    grown = grow("completely random", encoded, seed=seed)
    decoder = fitted(decoder, encoded, grown, place)
    ids = decoder.assign(place(encoded.values))
    first = np.array([leaf.min() for leaf in leaves_of_trees(grown.forest)])
    last = np.array([leaf.max() for leaf in leaves_of_trees(grown.forest)])
    assert ((ids >= first) & (ids <= last)).all()
    made = decoder.decode(place(encoded.values) + 0.1)
    some = ~np.isnan(encoded.values).all(axis=0)
    assert np.isfinite(made[:, some]).all()
    assert (made[:, some] >= np.nanmin(encoded.values[:, some], axis=0)).all()
    assert (made[:, some] <= np.nanmax(encoded.values[:, some], axis=0)).all()


def leaves_of_trees(forest):
    for begin, end in zip(forest.start[:-1], forest.start[1:], strict=True):
        leaves = forest.leaf[begin:end]
        yield leaves[leaves >= 0]


def test_local_splits_agree_with_more_of_their_samples_than_global_ones():
    encoded = mixed_table(["continuous", "integer", "5 levels"], 200)
    grown = grow("completely random", encoded, min_samples_leaf=5)
    own = rows_of_nodes(grown.forest, grown.leaf_ids)
    # Without synthetic rows: a sample is enough.
    near, far = (
        fitted(RelabelDecoder(mode=mode, n_samples=1), encoded, grown, place)
        for mode in ("local", "global")
    )
    coords = place(encoded.values)
    n_near, n_far = 0, 0
    for node in np.flatnonzero(grown.forest.left >= 0):
        tree = np.searchsorted(grown.forest.start, node, side="right") - 1
        rows = own.rows[tree, own.begin[node] : own.end[node]]
        wanted = labels_of(grown.forest, node, encoded.values[rows])
        for decoder in (near, far):
            splits = decoder.stand_ins_
            left = coords[rows] @ splits.weights[node] <= splits.offset[node]
            if decoder is near:
                n_near += (left == wanted).sum()
                assert splits.agreement[node] == (left == wanted).mean()
            else:
                n_far += (left == wanted).sum()
    assert n_near > n_far


def test_a_node_that_one_side_of_cannot_be_reached_sends_all_to_the_other():
    """All cells lie below the threshold."""
    encoded = mixed_table(["continuous"], 20)
    forest = ForestArrays(
        start=np.array([0, 3]),
        left=np.array([1, -1, -1], np.int32),
        right=np.array([2, -1, -1], np.int32),
        feature=np.array([0, -1, -1], np.int32),
        threshold=np.array([1e9, np.nan, np.nan]),
        missing_left=np.zeros(3, bool),
        category=np.full(3, -1),
        words=np.empty(0, np.uint32),
        leaf=np.array([-1, 0, 1], np.int32),
        split_levels=np.zeros(1, np.int32),
    )
    grown = grow("completely random", encoded)
    grown = type(grown)(forest, np.zeros((20, 1), np.int32))
    for setting in SETTINGS:
        decoder = fitted(setting, encoded, grown, SPACES["the columns"])
        np.testing.assert_array_equal(decoder.assign([[-1e9], [0.0], [1e9]]), 0)


@every_setting
def test_seed_decides_and_threads_and_blocks_do_not(decoder, monkeypatch):
    encoded = mixed_table(MIXED, 300, missing=0.1)
    grown = grow("completely random", encoded, n_estimators=8, min_samples_leaf=5)
    Z = np.random.default_rng(0).normal(size=(3_000, 2)) * 10

    def splits_and_rows(seed=0, n_jobs=1):
        setting = clone(decoder).set_params(n_jobs=n_jobs, point="draw")
        done = fitted(setting, encoded, grown, place, seed=seed)
        return done.stand_ins_.offset, done.decode(Z)

    one, two = splits_and_rows(n_jobs=1), splits_and_rows(n_jobs=2)
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    other = splits_and_rows(seed=1)
    assert not np.array_equal(one[1], other[1])
    same = np.array_equal(one[0], other[0], equal_nan=True)
    assert same == (decoder.mode == "global")
    monkeypatch.setattr(local, "DRAWN_CELLS", 700)
    np.testing.assert_array_equal(splits_and_rows()[0], one[0])


@every_setting
def test_the_first_trees_are_relabelled_as_in_the_whole_forest(decoder):
    encoded = mixed_table(MIXED, 60)
    grown = grow("adversarial", encoded, n_estimators=6)
    whole = fitted(decoder, encoded, grown, place)
    few = fitted(clone(decoder).set_params(n_trees=2), encoded, grown, place)
    assert few.assign(place(encoded.values)).shape == (60, 2)
    if decoder.mode == "global":
        ids = whole.assign(place(encoded.values))[:, :2]
        np.testing.assert_array_equal(few.assign(place(encoded.values)), ids)


def test_coordinates_of_other_encoders_are_decoded():
    table = mixed_frame(80, columns=("length", "area", "count", "name"))
    numbers = table[["length", "area", "count"]]
    pca = PCA(2).fit(numbers)
    forest = CompletelyRandomForest(30, random_state=0).fit(table)
    Z = pca.transform(numbers)

    def encode(rows):
        return pca.transform(rows[["length", "area", "count"]])

    for decoder in SETTINGS:
        done = clone(decoder).fit(
            Z, table, forest=forest, encoder=encode, random_state=0
        )
        decoded = done.predict(Z, index=table.index)
        assert (decoded.dtypes == table.dtypes).all()
        error = (decoded["count"] - table["count"]).abs().mean()
        assert error < 0.3 * table["count"].std()


def test_the_autoencoder_can_use_it():
    table = mixed_frame(60)
    for decoder in SETTINGS:
        forest = CompletelyRandomForest(15)
        model = RFAE(2, forest=forest, decoder=decoder, random_state=0).fit(table)
        assert model.score(table) > 0.3
        assert model.truncate(1).reconstruct(table).shape == table.shape


def test_local_mode_says_that_it_needs_the_encoder():
    encoded = mixed_table(["continuous"], 10)
    grown = grow("completely random", encoded)
    with pytest.raises(ValueError, match=r"mode='local'.*Pass encoder="):
        fitted(RelabelDecoder(mode="local"), encoded, grown, coords=encoded.values)
    with pytest.raises(ValueError, match=r"needs the forest"):
        fitted(RelabelDecoder(), encoded, None, coords=encoded.values)


def test_an_encoder_of_another_space_is_refused():
    encoded = mixed_table(["continuous"], 10)
    grown = grow("completely random", encoded)
    with pytest.raises(ValueError, match=r"shape \(\d+, 2\), wanted \(\d+, 1\)"):
        fitted(
            RelabelDecoder(mode="local"), encoded, grown, place, coords=encoded.values
        )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"mode": "both"}, "mode='both' is not known. Choose one of 'global', 'local'"),
        ({"split": "oblique"}, "split='oblique' is not known"),
        ({"n_samples": 0}, "n_samples=0 is too small"),
        ({"n_trees": 0}, "n_trees=0 is too small"),
        ({"n_trees": 4}, "n_trees=4 is more than the 3 trees"),
        ({"point": "edge"}, "point='edge' is not known"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    encoded = mixed_table(["continuous"], 10)
    grown = grow("completely random", encoded)
    with pytest.raises(ValueError, match=message):
        fitted(RelabelDecoder(**params), encoded, grown, SPACES["the columns"])


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_impossible_coordinates_are_refused(value):
    encoded = mixed_table(["continuous"], 10)
    grown = grow("completely random", encoded)
    decoder = fitted(RelabelDecoder(), encoded, grown, SPACES["the columns"])
    with pytest.raises(ValueError, match="too large or not a number"):
        decoder.assign(np.array([[value]]))


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 1, 1)])
def test_coordinates_of_another_shape_are_refused(shape):
    encoded = mixed_table(["continuous"], 10)
    grown = grow("completely random", encoded)
    decoder = fitted(RelabelDecoder(), encoded, grown, SPACES["the columns"])
    with pytest.raises(ValueError, match=r"wanted \(n_rows, 1\)"):
        decoder.assign(np.zeros(shape))
    with pytest.raises(NotFittedError):
        RelabelDecoder().assign(np.zeros((3, 1)))


def test_stand_ins_are_of_the_same_nodes():
    with pytest.raises(ValueError, match="2 rows of weights, 1 offsets and 2 shares"):
        StandIns(np.zeros((2, 1)), np.zeros(1), np.zeros(2))
