"""Adversarial rounds: what they learn, when they stop, what they make up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, grow, mixed_table, same_forest, tables
from latentforest.forest import AdversarialForest
from latentforest.forest._adversarial import _rank_levels, _resample
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._grow import split_rules
from latentforest.forest._growing._rounds_loops import add_votes, draw_in_leaves


def dependent(n_rows=300):
    """Second column: the first and a little noise."""
    encoded = mixed_table(["continuous", "continuous"], n_rows)
    encoded.values[:, 1] = encoded.values[:, 0] + 0.1 * encoded.values[:, 1]
    return encoded


def fit(encoded, **params):
    forest = AdversarialForest(**({"n_estimators": 40, "n_jobs": 1} | params))
    forest.grow_on(encoded, None, np.random.default_rng(0))
    return forest


def test_rounds_end_where_rows_cannot_be_told_apart():
    accuracies = fit(dependent()).accuracies_
    assert accuracies[0] > 0.75
    assert len(accuracies) > 1
    assert accuracies[-1] < 0.6


def test_independent_columns_end_after_few_rounds():
    forest = fit(mixed_table(["continuous", "5 levels", "continuous"], 300))
    assert forest.accuracies_[0] < 0.6
    assert len(forest.accuracies_) <= 3


def test_first_forest_at_chance_is_kept():
    encoded = mixed_table(["continuous", "5 levels"], 100)
    forest, alone = fit(encoded, delta=0.5), fit(encoded, max_rounds=0)
    assert len(forest.accuracies_) == len(alone.accuracies_) == 1
    assert same_forest(forest.forest_, alone.forest_)


def test_the_forest_before_the_last_is_kept(monkeypatch):
    forests, judged = [], iter([0.9, 0.8, 0.7, 0.75, 0.6])

    def tell_apart(self, contest, n_trees, number):
        trees, _ = original(self, contest, n_trees, number)
        forests.append([len(tree.left) for tree in trees])
        return trees, next(judged)

    kept = []
    original = AdversarialForest._tell_apart
    monkeypatch.setattr(AdversarialForest, "_tell_apart", tell_apart)
    finish = AdversarialForest._finish
    monkeypatch.setattr(
        AdversarialForest,
        "_finish",
        lambda self, real, trees: kept.append(trees) or finish(self, real, trees),
    )
    forest = fit(dependent(100), n_estimators=3)
    # Accuracy rises in round 3: the forest of round 2 made the rows it judged.
    assert forest.accuracies_ == [0.9, 0.8, 0.7, 0.75]
    assert [len(tree.left) for tree in kept[0]] == forests[2]
    judged = iter([0.9, 0.8, 0.7])
    forests.clear()
    forest = fit(dependent(100), n_estimators=3, max_rounds=1)
    assert forest.accuracies_ == [0.9, 0.8]
    assert [len(tree.left) for tree in kept[1]] == forests[0]


def test_rounds_of_few_trees_are_grown_on_with_the_same_rows():
    encoded = dependent(200)
    alone = fit(encoded, n_estimators=20, round_estimators=None, max_rounds=0)
    grown = fit(encoded, n_estimators=20, round_estimators=6, max_rounds=0)
    assert same_forest(alone.forest_, grown.forest_)
    assert alone.accuracies_ != grown.accuracies_  # judged by 20 trees, and by 6


def test_what_is_grown_on_is_the_forest_kept(monkeypatch):
    contests, judged = [], iter([0.9, 0.8, 0.7, 0.75])

    def tell_apart(self, contest, n_trees, number):
        contests.append(contest)
        return original(self, contest, n_trees, number)[0], next(judged)

    def grow(self, contest, seeds, votes, job):
        if votes is None:
            grown_on.append((contest, seeds))
        return original_grow(self, contest, seeds, votes, job)

    grown_on = []
    original, original_grow = AdversarialForest._tell_apart, AdversarialForest._grow
    monkeypatch.setattr(AdversarialForest, "_tell_apart", tell_apart)
    monkeypatch.setattr(AdversarialForest, "_grow", grow)
    forest = fit(dependent(100), n_estimators=7, round_estimators=3)
    assert forest.forest_.n_trees == 7
    ((contest, seeds),) = grown_on
    assert contest is contests[2]  # round 3 judged its rows, and was no better
    np.testing.assert_array_equal(seeds, contest.seeds[3:])


def test_trees_of_a_round_are_a_positive_number():
    with pytest.raises(ValueError, match="round_estimators"):
        fit(dependent(20), round_estimators=0)


@given(tables(), st.integers(1, 6), st.integers(0, 99))
@QUICK
def test_leaves_keep_enough_real_rows(encoded, min_leaf, seed):
    grown = grow("adversarial", encoded, seed=seed, min_samples_leaf=min_leaf)
    sizes = np.bincount(grown.leaf_ids.ravel(), minlength=grown.forest.n_leaves)
    assert sizes.min() >= min(min_leaf, encoded.n_rows)


def test_the_rule_for_real_rows_is_used_while_growing(monkeypatch):
    rules = []
    original = AdversarialForest._tell_apart
    monkeypatch.setattr(
        AdversarialForest,
        "_tell_apart",
        lambda self, *args: rules.append(args[0].rules) or original(self, *args),
    )
    fit(dependent(30), n_estimators=2, min_samples_leaf=3, max_rounds=0)
    assert rules[0].min_class.tolist() == [0, 3]


@given(tables(min_rows=2), st.integers(0, 99))
@QUICK
def test_synthetic_rows_have_real_cells_only(encoded, seed):
    rng = np.random.default_rng(seed)
    real = bin_table(encoded.values, encoded.schema.split_levels)
    forest = AdversarialForest(3, n_jobs=1)
    rules = split_rules(real, min_leaf=2, min_class=(0, 2))
    first = _resample(real, rng)
    contest = forest._contest(real, first, rules, rng)
    trees, accuracy = forest._tell_apart(contest, 3, 0)
    assert 0 <= accuracy <= 1
    for synthetic in (first, forest._generate(real, trees, rng)):
        assert synthetic.shape == real.bins.shape
        assert synthetic.dtype == np.uint16
        for made, cells in zip(synthetic, real.bins, strict=True):
            assert np.isin(made, cells).all()


def test_synthetic_rows_have_the_marginals_of_the_real_ones():
    encoded = dependent(4_000)
    real = bin_table(encoded.values, encoded.schema.split_levels)
    rng = np.random.default_rng(0)
    forest = AdversarialForest(5)
    rules = split_rules(real, min_leaf=5, min_class=(0, 5))
    first = _resample(real, rng)
    contest = forest._contest(real, first, rules, rng)
    trees, _ = forest._tell_apart(contest, 5, 0)
    second = forest._generate(real, trees, rng)
    for synthetic in (first, second):
        for made, cells in zip(synthetic, real.bins, strict=True):
            shares = np.bincount(made // 400, minlength=10) / 4_000
            wanted = np.bincount(cells // 400, minlength=10) / 4_000
            np.testing.assert_allclose(shares, wanted, atol=0.025)
    # The first rows know nothing of the other column, the second do.
    assert abs(np.corrcoef(first)[0, 1]) < 0.1
    assert np.corrcoef(second)[0, 1] > 0.7


def test_rows_of_a_leaf_are_drawn_column_by_column():
    rng = np.random.default_rng(0)
    leaf_of = rng.choice([2, 3, 6], p=[0.6, 0.3, 0.1], size=400).astype(np.int32)
    column = leaf_of * 10 + rng.integers(10, size=400)
    bins = np.stack([column, column])
    made = np.full((2, 3_000), 999, np.uint16)
    state = np.array([1], np.uint64)
    draw_in_leaves(bins.astype(np.uint16), leaf_of, 7, (1_000, 3_000), made, state)
    assert (made[:, :1_000] == 999).all()  # only its own slice is filled
    made = made[:, 1_000:]
    # Both cells of a row come from one leaf, leaves come as often as real rows, ...
    np.testing.assert_array_equal(made[0] // 10, made[1] // 10)
    shares = np.bincount(made[0] // 10, minlength=7)[[2, 3, 6]] / 2_000
    wanted = np.bincount(leaf_of, minlength=7)[[2, 3, 6]] / 400
    np.testing.assert_allclose(shares, wanted, atol=0.04)
    # ... and within a leaf columns are independent, though they were the same.
    inside = made[:, made[0] // 10 == 2] % 10
    assert abs(np.corrcoef(inside)[0, 1]) < 0.1


def test_votes_come_from_trees_that_have_not_seen_the_row():
    leaf_of = np.array([0, 0, 1, 2, 2], np.int32)
    counts = np.array([0.0, 2.0, 0.0, 0.0, 1.0])
    sums = np.array([[1.0, 4.0], [3.0, 2.0], [2.0, 2.0]])  # synthetic, real
    votes = np.array([5, 5, 5, 5, 5], np.int32)
    add_votes(leaf_of, counts, sums, votes)
    np.testing.assert_array_equal(votes, [6, 5, 4, 5, 5])


def judge(real, monkeypatch, *, min_leaf=2, seed=0):
    """Accuracy of one round, and the leaves, bags and sums of its trees."""
    seen = []

    def record(leaf_of, counts, sums, votes):
        seen.append((leaf_of.copy(), counts.copy(), sums.copy()))
        add_votes(leaf_of, counts, sums, votes)

    monkeypatch.setattr("latentforest.forest._adversarial.add_votes", record)
    forest = AdversarialForest(4, n_jobs=2)
    rng = np.random.default_rng(seed)
    rules = split_rules(real, min_leaf=min_leaf, min_class=(0, min_leaf))
    contest = forest._contest(real, _resample(real, rng), rules, rng)
    _, accuracy = forest._tell_apart(contest, 4, 0)
    assert len(seen) == 4
    return accuracy, seen


def test_accuracy_counts_the_votes_of_unseen_rows(monkeypatch):
    encoded = dependent(50)
    real = bin_table(encoded.values, encoded.schema.split_levels)
    accuracy, seen = judge(real, monkeypatch)
    score = 0.0
    for row in range(100):
        vote = sum(
            np.sign(sums[leaf_of[row], 1] - sums[leaf_of[row], 0])
            for leaf_of, counts, sums in seen
            if counts[row] == 0
        )
        # A tie, or no vote at all, is half right.
        score += 0.5 if vote == 0 else (vote > 0) == (row < 50)
    assert accuracy == pytest.approx(score / 100)


@given(tables(), st.integers(1, 6), st.integers(0, 99))
@QUICK
def test_leaves_keep_enough_real_in_bag_rows(encoded, min_leaf, seed):
    real = bin_table(encoded.values, encoded.schema.split_levels)
    with pytest.MonkeyPatch.context() as patch:
        _, seen = judge(real, patch, min_leaf=min_leaf, seed=seed)
    for leaf_of, counts, sums in seen:
        if len(sums) > 1:
            in_bag = np.bincount(
                leaf_of[: encoded.n_rows], counts[: encoded.n_rows], len(sums)
            )
            leaves = np.unique(leaf_of[counts > 0])
            assert in_bag[leaves].min() >= min_leaf
            np.testing.assert_array_equal(sums[leaves, 1], in_bag[leaves])


def test_levels_are_ordered_by_their_rank_levels_rows():
    encoded = mixed_table(["continuous", "5 levels"], 6)
    encoded.values[:, 1] = [0, 0, 0, 1, 1, np.nan]
    real = bin_table(encoded.values, encoded.schema.split_levels)
    synthetic = real.bins.copy()
    synthetic[1] = [0, 1, 1, 1, 1, 1]
    rank = _rank_levels(real, synthetic)
    assert rank.shape == (2, 6)
    # Levels 2, 3 and 4 are absent, then 1 (2 of 7), 0 (3 of 4), missing (1 of 1).
    np.testing.assert_array_equal(rank[1], [4, 3, 0, 1, 2, 5])


def test_categories_that_depend_on_each_other_are_told_apart():
    encoded = mixed_table(["70 levels", "70 levels"], 600)
    encoded.values[:, 1] = encoded.values[:, 0]
    assert fit(encoded, max_rounds=0).accuracies_[0] > 0.7
