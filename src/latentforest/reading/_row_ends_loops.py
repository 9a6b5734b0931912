"""Where the rows of a text table end. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from latentforest._base._compiled import compiled

START, PLAIN, QUOTED, CLOSED, RETURNED = range(5)  # what the last byte has left open


@compiled
def scan_rows(data, separator, state):
    """Return where the first and the last row end (−1 if none does), and the state.

    A quote opens only where a cell begins; in a quoted cell two quotes stand for one.
    Rows end with a line feed, a carriage return, or both; one that ends with the last
    byte of the data may go on with a line feed, so it has not ended yet. ``state`` is
    START where a row begins, else what the call before has returned.
    """
    line_feed, carriage_return, quote = 10, 13, 34
    first, last = -1, -1
    for at in range(len(data)):
        mark = data[at]
        if state == QUOTED:
            if mark == quote:
                state = CLOSED
            continue
        if mark == line_feed:
            last, state = at + 1, START
            if first < 0:
                first = last
            continue
        if state == RETURNED:
            last, state = at, START
            if first < 0:
                first = last
        if mark == quote and state in (START, CLOSED):
            state = QUOTED
        elif mark == separator:
            state = START
        elif mark == carriage_return:
            state = RETURNED
        else:
            state = PLAIN
    return first, last, state
