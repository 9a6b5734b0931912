"""The compiled generator is SplitMix64, and its draws are what they say."""

import numpy as np

from latentforest._base._random_loops import below, bootstrap_counts, next_bits, uniform


def state_of(seed):
    return np.array([seed], np.uint64)


def test_bits_are_those_of_splitmix64():
    state = state_of(1_234_567)
    # First outputs of the published generator for this seed.
    wanted = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(next_bits(state)) for _ in wanted] == wanted


def test_uniform_and_below_cover_their_range_evenly():
    state = state_of(1)
    drawn = np.array([uniform(state) for _ in range(4_000)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.02
    counts = np.bincount([below(state, 7) for _ in range(7_000)], minlength=7)
    assert len(counts) == 7
    assert counts.min() > 850


def test_bootstrap_counts_add_up():
    counts = bootstrap_counts(state_of(3), 500, 500)
    assert counts.sum() == 500
    assert abs((counts == 0).mean() - np.exp(-1)) < 0.05
