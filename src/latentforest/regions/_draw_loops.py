"""One cell, or whole rows, drawn in regions. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import between
from latentforest.trees import has_level


@compiled
def number_in(lower, upper, least, most, whole, middle, u):
    """Draw a number, by u in [0, 1), in ``(lower, upper]`` and ``[least, most]``.

    With ``middle`` and u = 0.5 it is the number halfway.
    """
    if whole:
        low, high = max(np.floor(lower) + 1, least), min(np.floor(upper), most)
        span = high - low if middle else high - low + 1
        return min(low + np.floor(u * span), high)
    low, high = max(lower, np.nextafter(least, -np.inf)), min(upper, most)
    return max(between(high, low, u), np.nextafter(low, np.inf))


@compiled
def level_in(words, first, counts, middle, u):
    """Draw a level, by u in [0, 1), among those of a set that were ever seen.

    With ``middle`` it is the most frequent one. Also returns whether the set holds all
    levels that were seen.
    """
    n_held, n_seen, n_both = 0, 0, 0
    for level in range(len(counts)):
        held, seen = has_level(words, first, level), counts[level] > 0
        n_held += held
        n_seen += seen
        n_both += held and seen
    # A level that no training row has can be alone in its region.
    unseen_too = n_both == 0
    n_allowed = n_held if unseen_too else n_both
    left = min(np.floor(u * n_allowed), n_allowed - 1.0)
    found, most = 0, -1.0
    for level in range(len(counts)):
        if has_level(words, first, level) and (unseen_too or counts[level] > 0):
            if (counts[level] > most) if middle else (left == 0):
                found, most = level, counts[level]
            left -= 1
    return found, n_both == n_seen and n_seen > 0


@compiled
def make_rows(region, word_start, split_levels, facts, middle, u, made):
    """Make one row in each region; a column without bounds gets its centre."""
    lower, upper, levels = region
    least, most, whole, centre, level_counts = facts
    for i in range(len(made)):
        first_level = 0
        for column in range(len(split_levels)):
            n_levels = split_levels[column]
            if n_levels:
                counts = level_counts[first_level : first_level + n_levels]
                first_level += n_levels
                cell, unbounded = level_in(
                    levels[i], word_start[column], counts, middle, u[i, column]
                )
                made[i, column] = cell
            elif np.isnan(least[column]):
                made[i, column], unbounded = np.nan, False
            else:
                low, high = lower[i, column], upper[i, column]
                unbounded = low == -np.inf and high == np.inf
                made[i, column] = number_in(
                    low,
                    high,
                    least[column],
                    most[column],
                    whole[column],
                    middle,
                    u[i, column],
                )
            if unbounded and not np.isnan(centre[column]):
                made[i, column] = centre[column]
