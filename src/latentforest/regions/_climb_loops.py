"""The climb from nodes to their roots, which finds the regions of nodes. Compiled."""

# mypy: disable-error-code="no-untyped-def"
from latentforest._base._compiled import compiled


@compiled
def climb(nodes, above, splits, words, word_start, region, missing):
    """Narrow one region per row of ``nodes`` to where all nodes of the row lie.

    Numbers keep an interval ``(lower, upper]``, categories a set of levels; ``missing``
    keeps the columns in which a missing cell leads to all the nodes. On the way up
    nothing is compared, so nothing is guessed wrong. Columns of ``nodes`` come in the
    outer loop: one tree and a block of rows stay in cache.
    """
    parent, is_left = above
    feature, threshold, missing_left, category = splits
    lower, upper, levels = region
    n_rows, n_trees = nodes.shape
    for tree in range(n_trees):
        for i in range(n_rows):
            node = nodes[i, tree]
            split = parent[node]
            while split >= 0:
                column, from_left = feature[split], is_left[node]
                missing[i, column] &= missing_left[split] == from_left
                if category[split] >= 0:
                    first = word_start[column]
                    for w in range(word_start[column + 1] - first):
                        allowed = words[category[split] + w]
                        levels[i, first + w] &= allowed if from_left else ~allowed
                elif from_left:
                    upper[i, column] = min(upper[i, column], threshold[split])
                else:
                    lower[i, column] = max(lower[i, column], threshold[split])
                node = split
                split = parent[node]
