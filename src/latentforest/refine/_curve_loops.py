"""A curve through rows, and the row of it that is nearest to another. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def square_apart(one, other, is_number):
    """Return what is lost if one row stands for another: 1 for a level or a gap."""
    square = 0.0
    for column in range(len(is_number)):
        a, b = one[column], other[column]
        if np.isnan(a) or np.isnan(b):
            square += 1.0 if np.isnan(a) != np.isnan(b) else 0.0
        elif is_number[column]:
            square += (a - b) * (a - b)
        elif a != b:
            square += 1.0
    return square


@compiled
def best_cut(values, weights, is_number, rows, room):
    """Find the column in which some rows differ most, and where to cut it in two.

    A number is cut at its mean, levels where half of the weight is reached, and gaps
    are cut off. Returns column −1 if all rows are equal. A cut at NaN parts the gaps
    from the rest.
    """
    most, chosen, cut = 0.0, -1, 0.0
    for column in range(len(is_number)):
        low, high, total, known, sum_ = np.inf, -np.inf, 0.0, 0.0, 0.0
        for row in rows:
            x, weight = values[row, column], weights[row]
            total += weight
            if not np.isnan(x):
                low, high = min(low, x), max(high, x)
                known += weight
                sum_ += weight * x
        apart = known * (total - known) / total
        if apart > most:
            most, chosen, cut = apart, column, np.nan
        if not low < high:
            continue
        if is_number[column]:
            mean, apart = sum_ / known, 0.0
            for row in rows:
                x = values[row, column]
                if not np.isnan(x):
                    apart += weights[row] * (x - mean) * (x - mean)
            at = mean if low <= mean < high else low
        else:
            apart, at = _cut_levels(values[:, column], weights, rows, room, known)
        if apart > most:
            most, chosen, cut = apart, column, at
    return chosen, cut


@compiled
def _cut_levels(levels, weights, rows, room, total):
    n_known = 0
    for row in rows:
        if not np.isnan(levels[row]):
            room[n_known] = levels[row]
            n_known += 1
    found = np.unique(room[:n_known])
    of_level = np.zeros(len(found))
    for row in rows:
        if not np.isnan(levels[row]):
            of_level[np.searchsorted(found, levels[row])] += weights[row]
    squares, reached, least, at = 0.0, 0.0, np.inf, found[0]
    for k in range(len(found) - 1):
        squares += of_level[k] * of_level[k]
        reached += of_level[k]
        if abs(2.0 * reached - total) < least:
            least, at = abs(2.0 * reached - total), found[k]
    squares += of_level[-1] * of_level[-1]
    return 0.5 * (total - squares / total), at


@compiled
def curve_through(values, weights, is_number):
    """Order distinct rows so that neighbours in the order are near; say how far.

    Rows are cut in two where they differ most, and again, down to single rows; each
    half is then turned round if its ends lie nearer to the other half that way.
    """
    n_rows = len(values)
    order, room, aside = np.arange(n_rows), np.empty(n_rows), np.empty(n_rows, np.int64)
    begin, end, left = np.zeros((3, 2 * n_rows), np.int64)
    end[0], n_nodes, node = n_rows, 1, 0
    while node < n_nodes:
        rows = order[begin[node] : end[node]]
        column, cut = -1, 0.0
        if len(rows) > 1:
            column, cut = best_cut(values, weights, is_number, rows, room)
        if column >= 0:
            n_low, n_high = 0, 0
            for row in rows:
                x = values[row, column]
                if (not np.isnan(x)) if np.isnan(cut) else x <= cut:
                    rows[n_low] = row
                    n_low += 1
                else:
                    aside[n_high] = row
                    n_high += 1
            rows[n_low:] = aside[:n_high]
            middle, left[node] = begin[node] + n_low, n_nodes
            begin[n_nodes], end[n_nodes] = begin[node], middle
            begin[n_nodes + 1], end[n_nodes + 1] = middle, end[node]
            n_nodes += 2
        node += 1
    turned = _turn(values, is_number, order, begin, end, left, n_nodes)
    curve, steps = _walk(order, begin, end, left, turned), np.zeros(n_rows)
    for k in range(1, n_rows):
        square = square_apart(values[curve[k - 1]], values[curve[k]], is_number)
        steps[k] = np.sqrt(square)
    return curve, steps


@compiled
def _turn(values, is_number, order, begin, end, left, n_nodes):
    """Say which nodes are turned round within their parent."""
    head, tail = np.empty((2, n_nodes), np.int64)
    turned = np.zeros(n_nodes, np.bool_)
    for node in range(n_nodes - 1, -1, -1):
        low = left[node]
        if low == 0:
            head[node], tail[node] = order[begin[node]], order[end[node] - 1]
            continue
        high, least = low + 1, np.inf
        for way in range(4):
            last = head[low] if way % 2 else tail[low]
            first = tail[high] if way >= 2 else head[high]
            square = square_apart(values[last], values[first], is_number)
            if square < least:
                least = square
                turned[low], turned[high] = way % 2 == 1, way >= 2
        head[node] = tail[low] if turned[low] else head[low]
        tail[node] = head[high] if turned[high] else tail[high]
    return turned


@compiled
def _walk(order, begin, end, left, turned):
    """List the rows from one end of the curve to the other."""
    curve, n_found = np.empty_like(order), 0
    # A node that is waiting, and whether it is walked backwards.
    waiting, back = np.zeros((2, len(order) + 1), np.int64)
    n_waiting = 1
    while n_waiting:
        n_waiting -= 1
        node, is_back = waiting[n_waiting], back[n_waiting]
        if left[node] == 0:
            for row in order[begin[node] : end[node]]:
                curve[n_found] = row
                n_found += 1
            continue
        for k in range(2):
            child = left[node] + (k if is_back else 1 - k)
            waiting[n_waiting + k] = child
            back[n_waiting + k] = is_back ^ turned[child]
        n_waiting += 2
    return curve


@compiled
def boxes_of(values, size, lows, highs, gaps):
    """Fill what runs of rows have in common: ranges, and where gaps are.

    ``gaps`` counts 0 for none, 2 for all rows, and 1 between. A column without known
    cells has no range.
    """
    for box in range(len(lows)):
        for column in range(lows.shape[1]):
            low, high, n_gaps, n_rows = np.inf, -np.inf, 0, 0
            for row in range(box * size, min((box + 1) * size, len(values))):
                x = values[row, column]
                n_rows += 1
                if np.isnan(x):
                    n_gaps += 1
                else:
                    low, high = min(low, x), max(high, x)
            lows[box, column], highs[box, column] = low, high
            gaps[box, column] = 0 if n_gaps == 0 else (2 if n_gaps == n_rows else 1)


@compiled
def least_apart(wanted, boxes, box, is_number):
    """Return a bound: no row of the box is nearer than that."""
    lows, highs, gaps = boxes
    square = 0.0
    for column in range(len(is_number)):
        x = wanted[column]
        if np.isnan(x):
            square += 1.0 if gaps[box, column] == 0 else 0.0
        elif gaps[box, column] == 2:
            square += 1.0
        else:
            out = max(lows[box, column] - x, x - highs[box, column], 0.0)
            part = out * out
            if not is_number[column]:
                part = 1.0 if out > 0.0 else 0.0
            square += min(part, 1.0) if gaps[box, column] == 1 else part
    return square


@compiled
def nearest_of_run(values, is_number, begin, end, wanted, own, least, at):
    """Return the nearest row of a run and its square, if nearer than one at hand."""
    for row in range(begin, min(end, len(values))):
        if row != own:
            square = square_apart(values[row], wanted, is_number)
            if square < least or (square == least and row < at):
                least, at = square, row
    return least, at


@compiled
def nearest_on_curve(
    values, is_number, size, boxes, n_grouped, groups, wanted, own, begin, end, found
):
    """Fill the row of the curve that is nearest to each wanted row.

    Boxes hold ``size`` rows, and groups ``n_grouped`` boxes. Of equals the first is
    taken; ``own`` names a row that does not count, or is −1.
    """
    n_boxes, n_groups = len(boxes[0]), len(groups[0])
    bounds = np.empty(n_groups)
    for q in range(begin, end):
        row, least, at = wanted[q], np.inf, -1
        for group in range(n_groups):
            bounds[group] = least_apart(row, groups, group, is_number)
        # The likeliest box first, so that few others need be opened.
        likely, lowest, group = -1, np.inf, int(bounds.argmin())
        for box in range(group * n_grouped, min((group + 1) * n_grouped, n_boxes)):
            bound = least_apart(row, boxes, box, is_number)
            if bound < lowest or likely < 0:
                likely, lowest = box, bound
        least, at = nearest_of_run(
            values,
            is_number,
            likely * size,
            (likely + 1) * size,
            row,
            own[q],
            least,
            at,
        )
        for group in range(n_groups):
            if bounds[group] > least:
                continue
            for box in range(group * n_grouped, min((group + 1) * n_grouped, n_boxes)):
                if box == likely or least_apart(row, boxes, box, is_number) > least:
                    continue
                least, at = nearest_of_run(
                    values,
                    is_number,
                    box * size,
                    (box + 1) * size,
                    row,
                    own[q],
                    least,
                    at,
                )
        found[q] = at
