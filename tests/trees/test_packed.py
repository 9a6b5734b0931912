"""Trees as files keep them: nothing is lost, and no walk can go astray."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from files.model_cases import model_of
from forest_oracles import slow_leaves
from latentforest import CompletelyRandomForest
from latentforest._base._section import NewSection, Section
from latentforest.table import TableCodec
from latentforest.trees import (
    ForestArrays,
    cut_at_depth,
    pack_trees,
    put_trees,
    take_trees,
    unpack_trees,
)
from latentforest.trees._packed import PackedTrees
from mixed_tables import FORESTS, LAW, frames, target_of

CASES = [
    "adversarial",
    "completely random",
    "shi horvath",
    "classes",
    "sklearn classes",
    "linked",
]
FIELDS = [field.name for field in fields(ForestArrays)]


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost(case):
    kernel = model_of(case).kernel_
    forest = kernel.forest_
    again = unpack_trees(pack_trees(forest), forest.split_levels)
    for name in ("start", "left", "right", "feature", "threshold", "leaf"):
        one, other = getattr(forest, name), getattr(again, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(other, one)
    values = kernel.table_.values
    np.testing.assert_array_equal(again.leaves(values), forest.leaves(values))
    few = forest.first_trees(3)
    again = unpack_trees(pack_trees(few), few.split_levels)
    np.testing.assert_array_equal(again.leaves(values), few.leaves(values))


@LAW
@given(frames(), st.sampled_from(sorted(FORESTS)))
def test_packed_trees_route_as_before(frame, name):
    forest = type(FORESTS[name])(3, random_state=0).fit(frame, target_of(frame)).forest_
    again = unpack_trees(pack_trees(forest), forest.split_levels)
    values = TableCodec().fit_encode(frame).values
    np.testing.assert_array_equal(again.leaves(values), slow_leaves(forest, values))
    assert len(again.words) <= len(forest.words)


class Arrays(dict):
    """Where arrays are read; anything may be asked for."""

    def take(self, name, dtype, shape):
        array = self[name]
        assert array.dtype in (dtype if isinstance(dtype, tuple) else (dtype,))
        assert len(array.shape) == len(shape)
        assert all(
            wanted in (None, size)
            for size, wanted in zip(array.shape, shape, strict=True)
        )
        return array

    def need(self, demand):
        pass


def stored(forest, short_for=None):
    """Return trees that went through a file, and what they took there."""
    new = NewSection(folder="forest")
    put_trees(forest, new, short_for)
    section = Section(new.data, "the trees", Arrays(new.arrays), "forest")
    return take_trees(section, forest.split_levels), new


@pytest.mark.parametrize("case", CASES)
def test_stored_trees_are_the_same(case):
    whole = model_of(case).kernel_.forest_
    for forest in (whole, whole.first_trees(3), cut_at_depth(whole, 2)):
        again, new = stored(forest)
        for name in FIELDS:
            one, other = getattr(forest, name), getattr(again, name)
            assert one.dtype == other.dtype
            if name not in ("category", "words"):  # sets that nobody uses are left out
                np.testing.assert_array_equal(other, one)
        layout = "walked" if case in ("adversarial", "sklearn classes") else "paired"
        if forest is whole:
            assert new.data["layout"] == ("linked" if case == "linked" else layout)


@LAW
@given(frames(), st.sampled_from(sorted(FORESTS)))
def test_stored_trees_route_as_before(frame, name):
    forest = type(FORESTS[name])(3, random_state=0).fit(frame, target_of(frame)).forest_
    again, new = stored(forest)
    assert new.data["layout"] != "linked"
    values = TableCodec().fit_encode(frame).values
    np.testing.assert_array_equal(again.leaves(values), slow_leaves(forest, values))


@pytest.mark.parametrize(("finest", "dtype"), [(1e-3, "f4"), (1e-12, "f8")])
def test_short_thresholds_move_no_row(finest, dtype):
    """Not even where rows are so near that single precision has nothing between."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": 1 + finest * rng.normal(size=300), "b": rng.random(300)})
    forest = CompletelyRandomForest(20, random_state=0).fit(frame).forest_
    values = frame.to_numpy()
    again, new = stored(forest, values)
    assert new.arrays["forest/threshold"].dtype == dtype
    np.testing.assert_array_equal(again.leaves(values), forest.leaves(values))
    assert (
        again.threshold[forest.left >= 0] != forest.threshold[forest.left >= 0]
    ).any()


@pytest.mark.parametrize(("n_columns", "dtype"), [(256, "u1"), (257, "u2")])
def test_columns_have_the_smallest_type_that_holds_them(n_columns, dtype):
    node = np.zeros(3, np.int32)
    forest = unpack_trees(
        PackedTrees(
            np.array([0, 3]),
            np.array([1, -1, -1], np.int32),
            np.array([2, -1, -1], np.int32),
            np.array([n_columns - 1, -1, -1], np.int32),
            np.array([0.5, np.nan, np.nan]),
            node.astype(bool),
            np.zeros(0, np.uint32),
        ),
        np.zeros(n_columns, np.int32),
    )
    again, new = stored(forest)
    assert new.arrays["forest/feature"].dtype == dtype
    np.testing.assert_array_equal(again.feature, forest.feature)


def spoil(name, where, value):
    """Return packed trees with one cell of one array changed."""
    forest = model_of("completely random").kernel_.forest_
    packed = pack_trees(forest)
    array = getattr(packed, name).copy()
    array[where] = value
    return replace(packed, **{name: array}), forest.split_levels


def first_node(kind):
    forest = model_of("completely random").kernel_.forest_
    inner = forest.left >= 0
    by_set = inner & (forest.category >= 0)
    found = {"leaf": ~inner, "set": by_set, "cut": inner & ~by_set}[kind]
    return int(found.argmax())


SPOILT = {
    "loop": (lambda: spoil("left", 0, 0), "children that are none of its tree"),
    "one child": (lambda: spoil("right", 0, -1), "children that are none"),
    "same child": (lambda: spoil("right", 0, 1), "children that are none|parents"),
    "far child": (lambda: spoil("left", 0, 10**6), "children that are none"),
    "negative child": (lambda: spoil("left", 0, -7), "children that are none"),
    "no node": (lambda: spoil("start", 1, 0), "tree 0 has no nodes"),
    "falling starts": (lambda: spoil("start", 1, 10**9), "has no nodes"),
    "late start": (lambda: spoil("start", 0, 1), "do not begin at node 0"),
    "early end": (lambda: spoil("start", -1, 5), "do not begin at node 0"),
    "other tree": (lambda: spoil("start", 1, 2), "children that are none|parents"),
    "column": (lambda: spoil("feature", 0, 99), "splits on column 99"),
    "negative column": (lambda: spoil("feature", 0, -1), "splits on column -1"),
    "leaf column": (lambda: spoil("feature", first_node("leaf"), 0), "splits on col"),
    "nan": (lambda: spoil("threshold", first_node("cut"), np.nan), "threshold nan"),
    "set cut": (lambda: spoil("threshold", first_node("set"), 1.0), "threshold 1.0"),
    "leaf cut": (lambda: spoil("threshold", first_node("leaf"), 1.0), "threshold 1.0"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_what_is_no_tree_is_refused(case):
    make, message = SPOILT[case]
    with pytest.raises(ValueError, match=message):
        unpack_trees(*make())


def test_missing_words_are_refused():
    forest = model_of("completely random").kernel_.forest_
    packed = pack_trees(forest)
    with pytest.raises(ValueError, match="words for their sets of levels"):
        unpack_trees(replace(packed, words=packed.words[:-1]), forest.split_levels)


def test_a_node_with_two_parents_is_refused():
    forest = model_of("sklearn classes").kernel_.forest_
    packed = pack_trees(forest)
    right = packed.right.copy()
    # Two nodes claim the same child; another one is nobody's.
    inner = np.flatnonzero(packed.left >= 0)
    right[inner[0]] = packed.left[inner[1]]
    with pytest.raises(ValueError, match=r"parents|children"):
        unpack_trees(replace(packed, right=right), forest.split_levels)
