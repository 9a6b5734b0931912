"""Stand-ins for the splits of a forest: samples of nodes, search, routing. Compiled.

``splits`` is what `splits_of` gives; ``found`` are the weights, offsets and agreements
of `StandIns`, filled for the nodes in question.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.decode._leaves._split_search_loops import fit_stand_in
from latentforest.trees import goes_left


@compiled
def sort_rows(node_of_row, left, right, rows, begin, end):
    """Fill the rows and the ranges of the nodes of one tree."""
    n_nodes = len(left)
    size = np.zeros(n_nodes, np.int64)
    for i in range(len(node_of_row)):
        size[node_of_row[i]] += 1
    for node in range(n_nodes - 1, -1, -1):  # children come after their parents
        if left[node] >= 0:
            size[node] = size[left[node]] + size[right[node]]
    end[0] = size[0]
    for node in range(n_nodes):
        if left[node] >= 0:
            a, b = left[node], right[node]
            begin[a], end[a] = begin[node], begin[node] + size[a]
            begin[b], end[b] = end[a], end[node]
    place = begin.copy()
    for i in range(len(node_of_row)):
        rows[place[node_of_row[i]]] = i
        place[node_of_row[i]] += 1


@compiled
def search_all_rows(nodes, splits, samples, logistic, found):
    """Fill the stand-ins of some nodes, searched on all rows."""
    feature, threshold, missing_left, category, words = splits
    values, coords, order, ordered = samples
    weights, offset, agreement = found
    n_rows = len(values)
    labels = np.empty(n_rows, np.uint8)
    for node in nodes:
        cut, side, levels = threshold[node], missing_left[node], category[node]
        for i in range(n_rows):
            cell = values[i, feature[node]]
            labels[i] = goes_left(cell, cut, np.isnan(cell), side, levels, words)
        offset[node], n_agree = fit_stand_in(
            coords, labels, order, ordered, logistic, weights[node]
        )
        agreement[node] = n_agree / n_rows


@compiled
def search_own_rows(
    begin, end, nodes, splits, own_rows, samples, start, drawn_samples, logistic, found
):
    """Fill the stand-ins of some nodes, searched on the samples of each."""
    chosen, tree = nodes
    feature, threshold, missing_left, category, words = splits
    rows, first_row, last_row = own_rows
    (values, coords), (drawn, placed) = samples, drawn_samples
    weights, offset, agreement = found
    n_components = coords.shape[1]
    for j in range(begin, end):
        node = chosen[j]
        column, cut = feature[node], threshold[node]
        side, levels = missing_left[node], category[node]
        own = rows[tree[j], first_row[node] : last_row[node]]
        n_samples = len(own) + start[j + 1] - start[j]
        labels = np.empty(n_samples, np.uint8)
        points = np.empty((n_samples, n_components))
        for i in range(n_samples):
            if i < len(own):
                cell = values[own[i], column]
                points[i] = coords[own[i]]
            else:
                sample = start[j] + i - len(own)
                cell = drawn[sample, column]
                points[i] = placed[sample]
            labels[i] = goes_left(cell, cut, np.isnan(cell), side, levels, words)
        order = np.empty((n_components, n_samples), np.int64)
        ordered = np.empty((n_components, n_samples))
        for k in range(n_components):
            order[k] = np.argsort(points[:, k])
            for i in range(n_samples):
                ordered[k, i] = points[order[k, i], k]
        offset[node], n_agree = fit_stand_in(
            points, labels, order, ordered, logistic, weights[node]
        )
        agreement[node] = n_agree / n_samples


@compiled
def route_coords(coords, begin, end, nodes, stand_ins, ids):
    """Write the leaf of each row of coordinates in each relabelled tree."""
    (start, left, right, leaf), (weights, offset) = nodes, stand_ins
    n_components = coords.shape[1]
    for tree in range(len(start) - 1):
        root = start[tree]
        for i in range(begin, end):
            node = root
            while left[node] >= 0:
                total = 0.0
                for k in range(n_components):
                    total += weights[node, k] * coords[i, k]
                node = root + (left[node] if total <= offset[node] else right[node])
            ids[i, tree] = leaf[node]
