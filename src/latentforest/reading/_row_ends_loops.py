"""Where the rows of a text table end. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from latentforest._base._compiled import compiled

START, PLAIN, QUOTED, CLOSED, RETURNED = range(5)  # what the last byte has left open


# What is counted of the cell in quotes that is open, and of the first odd one.
LINE, BEGAN, LINES, MARKS, ROWS, ODD, ODD_LINES, N_COUNTS = range(8)
MANY_LINES, MANY_ROWS = 10, 2  # in one cell, from which a quote may be forgotten


@compiled
def scan_rows(data, separator, quote, state, n_marks, counts):
    """Return where the first and the last row end (−1 if none does), and the state.

    A quote opens only where a cell begins; in a quoted cell two quotes stand for one.
    Rows end with a line feed, a carriage return, or both; one that ends with the last
    byte of the data may go on with a line feed, so it has not ended yet. ``state`` is
    START where a row begins, else what the call before has returned. A quote of −1 is
    none.

    ``counts`` go from call to call. Of a cell in quotes they hold the lines, and those
    of them with ``n_marks`` separators, as many as rows have; of the first cell with
    many of either, in which line it begins (ODD), and how many it has.
    """
    line_feed, carriage_return = 10, 13
    first, last = -1, -1
    for at in range(len(data)):
        mark = data[at]
        if state == QUOTED:
            if mark == quote:
                state = CLOSED
                many = counts[LINES] >= MANY_LINES or counts[ROWS] >= MANY_ROWS
                if many and counts[ODD] in (0, counts[BEGAN]):
                    counts[ODD], counts[ODD_LINES] = counts[BEGAN], counts[LINES]
            elif mark == separator:
                counts[MARKS] += 1
            elif mark == line_feed:
                if counts[LINES] > 0 and counts[MARKS] == n_marks:
                    counts[ROWS] += 1
                counts[LINE] += 1
                counts[LINES] += 1
                counts[MARKS] = 0
            continue
        if mark == line_feed:
            counts[LINE] += 1
            last, state = at + 1, START
            if first < 0:
                first = last
            continue
        if state == RETURNED:
            last, state = at, START
            if first < 0:
                first = last
        if mark == quote and state in (START, CLOSED):
            if state == START:
                counts[BEGAN], counts[LINES] = counts[LINE], 0
                counts[MARKS], counts[ROWS] = 0, 0
            state = QUOTED
        elif mark == separator:
            state = START
        elif mark == carriage_return:
            state = RETURNED
        else:
            state = PLAIN
    return first, last, state
