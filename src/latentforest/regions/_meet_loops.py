"""How the boxes of leaves meet regions. Compiled.

A box is what `LeafBoxes.arrays` gives, a region its lower and upper bounds and the
words of its sets of levels.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def first_meeting(leaves, begin, end, box, region):
    """First position from ``begin`` on whose leaf meets the region; ``end`` if none."""
    start, columns, lower, upper, word, words, word_start = box
    region_lower, region_upper, region_levels = region
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
def narrow_to_leaf(leaf, box, region):
    """Intersect a region with the box of a leaf, in place."""
    start, columns, lower, upper, word, words, word_start = box
    region_lower, region_upper, region_levels = region
    for bound in range(start[leaf], start[leaf + 1]):
        column = columns[bound]
        if word[bound] < 0:
            region_lower[column] = max(region_lower[column], lower[bound])
            region_upper[column] = min(region_upper[column], upper[bound])
        else:
            first = word_start[column]
            for w in range(word_start[column + 1] - first):
                region_levels[first + w] &= words[word[bound] + w]
