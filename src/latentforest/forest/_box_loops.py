"""Boxes of leaves: the climbs that make them, and how they meet regions. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def count_bounds(node_of_leaf, root_of_leaf, parent, feature, word_start, counts):
    """Count, for each leaf, the columns on its path and the words of their sets."""
    met_by = np.full(len(word_start) - 1, -1)
    for leaf in range(len(node_of_leaf)):
        node, root = node_of_leaf[leaf], root_of_leaf[leaf]
        while node != root:
            node = root + parent[node]
            column = feature[node]
            if met_by[column] != leaf:
                met_by[column] = leaf
                counts[0, leaf] += 1
                counts[1, leaf] += word_start[column + 1] - word_start[column]


@compiled
def fill_bounds(
    node_of_leaf,
    root_of_leaf,
    parent,
    left,
    feature,
    threshold,
    category,
    node_words,
    all_levels,
    whole,
    start,
    columns,
    lower,
    upper,
    word,
    words,
    word_start,
):
    """Fill the bounds of each leaf on a climb to its root."""
    n_columns = len(word_start) - 1
    met_by, bound_of = np.full(n_columns, -1), np.empty(n_columns, np.int64)
    next_word = 0
    for leaf in range(len(node_of_leaf)):
        node, root = node_of_leaf[leaf], root_of_leaf[leaf]
        next_bound = start[leaf]
        while node != root:
            above = root + parent[node]
            from_left = root + left[above] == node
            column = feature[above]
            first, size = word_start[column], word_start[column + 1]
            size -= first
            if met_by[column] != leaf:
                met_by[column] = leaf
                bound_of[column] = next_bound
                columns[next_bound] = column
                if size:
                    word[next_bound] = next_word
                    words[next_word : next_word + size] = all_levels[
                        first : first + size
                    ]
                    next_word += size
                next_bound += 1
            bound = bound_of[column]
            if category[above] >= 0:
                for w in range(size):
                    allowed = node_words[category[above] + w]
                    words[word[bound] + w] &= allowed if from_left else ~allowed
            else:
                cut = threshold[above]
                if whole[column]:
                    cut = np.floor(cut)
                if from_left:
                    upper[bound] = min(upper[bound], cut)
                else:
                    lower[bound] = max(lower[bound], cut)
            node = above


@compiled
def first_meeting(
    leaves,
    begin,
    end,
    start,
    columns,
    lower,
    upper,
    word,
    words,
    word_start,
    region_lower,
    region_upper,
    region_levels,
):
    """First position from ``begin`` on whose leaf meets the region; ``end`` if none."""
    for position in range(begin, end):
        leaf = leaves[position]
        meets = True
        for bound in range(start[leaf], start[leaf + 1]):
            column = columns[bound]
            if word[bound] < 0:
                least = max(lower[bound], region_lower[column])
                if not least < min(upper[bound], region_upper[column]):
                    meets = False
                    break
            else:
                first = word_start[column]
                common = np.uint32(0)
                for w in range(word_start[column + 1] - first):
                    common |= words[word[bound] + w] & region_levels[first + w]
                if common == 0:
                    meets = False
                    break
        if meets:
            return position
    return end


@compiled
def narrow_to_leaf(
    leaf,
    start,
    columns,
    lower,
    upper,
    word,
    words,
    word_start,
    region_lower,
    region_upper,
    region_levels,
):
    """Intersect a region with the box of a leaf, in place."""
    for bound in range(start[leaf], start[leaf + 1]):
        column = columns[bound]
        if word[bound] < 0:
            region_lower[column] = max(region_lower[column], lower[bound])
            region_upper[column] = min(region_upper[column], upper[bound])
        else:
            first = word_start[column]
            for w in range(word_start[column + 1] - first):
                region_levels[first + w] &= words[word[bound] + w]
