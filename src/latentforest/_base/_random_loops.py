"""Random numbers inside compiled loops: one state per tree, never shared.

Numba's own generator keeps one state per thread, which would tie results to the
number of threads; SplitMix64 is a few lines and starts from any seed.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def next_bits(state):
    """Advance ``state`` (one uint64 in an array) and return 64 random bits."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@compiled
def uniform(state):
    """Draw a float in [0, 1)."""
    return np.float64(next_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def below(state, n):
    """Draw an integer in [0, n)."""
    return np.int64(uniform(state) * n)


@compiled
def between(begin, end, share):
    """Return the number that lies a share of the way from one to another."""
    way = end - begin
    if np.isinf(way):  # begin and end are finite, but their difference is not
        return (1.0 - share) * begin + share * end
    return begin + share * way


@compiled
def bootstrap_counts(state, n_rows, n_draws):
    """How often each row is drawn in ``n_draws`` draws with replacement."""
    counts = np.zeros(n_rows, np.float64)
    for _ in range(n_draws):
        counts[below(state, n_rows)] += 1.0
    return counts


@compiled
def fill_uniform(seeds, start, u):
    """Fill rows ``start[j]`` to ``start[j + 1]`` of ``u`` from seed j."""
    for j in range(len(seeds)):
        state = seeds[j : j + 1].copy()
        for i in range(start[j], start[j + 1]):
            for column in range(u.shape[1]):
                u[i, column] = uniform(state)
