"""What a fit will cost: what grows with the table is counted, and each has its price.

The prices were measured, see benchmarks/forecast.py: 2,000 to 200,000 rows, 10 and 40
columns, 50 to 500 trees, categories of 5 to 10,000 levels.
"""

import math
import textwrap
from dataclasses import dataclass

from latentforest._base._in_words import counted, in_bytes, in_rows, in_seconds
from latentforest._plan import UNMEASURED, Plan, Size
from latentforest._trials import TWO_PARTS
from latentforest.neighbours import TREE_UP_TO
from latentforest.refine import MANY_CELLS, MANY_LEVELS, MOST_CELLS, Refinement

PYTHON = 0.32e9  # bytes of Python and the libraries
ENCODED = 100_000  # rows that encoding is forecast for
ROWS_FOR_AXES = 15_000  # that a layout begins with, about
WIDTH = 80  # of what is told

# Bytes at the peak, processor seconds, and bytes in a file, of each thing counted.
BYTES = {
    "cells": 10.0,
    "pairs": 47.0,
    "drawn": 4.0,
    "sets": 9.0,
    "vectors": 22.0,
    "refined": 250.0,
    "written": 6.5,
    "related": 8.0,
    "on axes": 22.0,
}
SECONDS = {
    "fits": 0.03,
    "cells": 3.4e-7,
    "looked at": 1e-8,
    "read": 3e-7,
    "sets": 2e-7,
    "coords": 3.7e-6,
    "products": 1.5e-9,
    "drawn products": 2e-9,
    "refined coords": 3.7e-6,
    "related": 6e-8,
    "squares": 1e-10,
    "moves": 5.6e-6,
    "moved cells": 5e-8,
    "planes": 1.6e-7,
    "compared": 1e-10,
}
STORED = {
    "cells": 4.2,
    "drawn": 0.35,
    "leaves": 6.8,
    "kept sets": 4.2,
    "levels": 17.0,
    "coords": 11.6,
    "refined coords": 11.6,
}
ENCODER = {
    "fits": 14e3,
    "leaves": 6.2,
    "kept sets": 4.0,
    "leaf coords": 6.8,
    "refined cells": 2.5,
    "refined coords": 8.3,
}
# Processor seconds to encode a row: per tree, per step, per step and cell, and to find
# relatives per tree.
ROUTE, STEP, STEP_CELL, RELATE = 8.5e-9, 1.4e-5, 1e-7, 2e-7


def count(plan: Plan, size: Size, n_rows: int) -> dict[str, float]:
    """Count what grows in a fit of so many rows."""
    growing = plan.growing or UNMEASURED
    share = min(1.0, growing.leaves * growing.usual / max(1, plan.leaf_size))
    leaves = plan.n_trees * min(plan.deepest, max(1.0, share * n_rows))
    # A split of a category holds a bit for each of its levels, 32 to a word.
    words = sum(-(-n // 32) for n in size.levels) / size.columns
    counted = {
        "fits": 1.0,
        "cells": float(n_rows) * size.columns,
        "looked at": float(size.rows) * size.columns,
        "read": 0.0 if size.in_memory else float(size.rows) * size.columns,
        "pairs": float(n_rows) * plan.n_trees,
        "drawn": float(n_rows) * plan.n_trees * plan.bags,
        "leaves": leaves,
        "sets": growing.sets * leaves * words,
        "kept sets": growing.kept_sets * leaves * words,
        "levels": float(sum(size.levels)),
    }
    if plan.refinement is None:
        return counted | _count_plain(plan, n_rows, leaves)
    return counted | _count_refined(plan, plan.refinement, size, n_rows)


def _count_plain(plan: Plan, n_rows: int, leaves: float) -> dict[str, float]:
    """Count what a diffusion map adds."""
    n_kernel = float(min(n_rows, plan.landmarks or n_rows))
    products = n_kernel * plan.n_trees * (60 + 10 * plan.n_components)
    return {
        "vectors": n_kernel * (20 + 4 * plan.n_components),
        "coords": float(n_rows) * plan.n_components,
        "leaf coords": leaves * plan.n_components,
        "products": products,
        "drawn products": products * plan.bags,
    }


def _count_refined(
    plan: Plan, refinement: Refinement, size: Size, n_rows: int
) -> dict[str, float]:
    """Count what a refinement adds."""
    k, cells = plan.n_components, size.cells
    rows = float(min(n_rows, refinement.most_rows(k)))
    start = refinement.resolved(k).start
    moves = rows * (1 + refinement.rounds)
    # Many levels are written out for a few rows at a time, and then cost no more.
    few = max(size.levels, default=1) <= MANY_LEVELS
    written = min(rows * cells, MOST_CELLS) if few else 0.0
    on_axes = {"linear": rows, "neighbours": min(rows, ROWS_FOR_AXES)}
    axes = on_axes.get(start, 0.0) if cells <= MANY_CELLS else 0.0
    return {
        "refined": rows,
        "refined cells": rows * size.columns,
        "refined coords": rows * k,
        "written": written,
        "related": rows * plan.n_trees,
        "on axes": axes * cells,
        "squares": axes * cells**2,
        "moves": moves,
        "moved cells": moves * (cells if few else size.columns),
        "planes": moves * k**2,
        "compared": moves * rows * k if k > TREE_UP_TO else 0.0,
    }


def _paid(counted: dict[str, float], prices: dict[str, float]) -> float:
    return sum(prices.get(name, 0.0) * amount for name, amount in counted.items())


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a fit is going to cost, usually right within a factor of two.

    Attributes
    ----------
    fit_bytes : float
        Memory at the peak, with Python itself and a table that is held in memory.
    more_bytes : float
        What of it comes on top of Python and the table.
    fit_seconds : float
        Time to fit, on all threads.
    choice_seconds : float
        What of it is the automatic choice of settings.
    file_bytes, encoder_bytes : float
        Size of the model file, and of one that is saved with ``drop_training=True``.
    encode_seconds : float
        Time to place 100,000 new rows.
    n_threads : int
        Threads that are counted on.
    heading : str
        What was forecast, in words.
    """

    fit_bytes: float
    more_bytes: float
    fit_seconds: float
    choice_seconds: float
    file_bytes: float
    encoder_bytes: float
    encode_seconds: float
    n_threads: int
    heading: str

    def __str__(self) -> str:
        seconds = self.fit_seconds
        chosen = ""
        if self.choice_seconds:
            chosen = f"; {in_seconds(self.choice_seconds)} of it to choose settings"
        lines = [
            (
                "memory to fit",
                in_bytes(self.fit_bytes),
                f"of which {in_bytes(self.more_bytes)} come on top of Python and of a "
                "table that is in memory",
            ),
            (
                "time to fit",
                in_seconds(seconds),
                f"{in_seconds(seconds / 2)} to {in_seconds(2 * seconds)} on "
                f"{self.n_threads} threads{chosen}",
            ),
            (
                "model file",
                in_bytes(self.file_bytes),
                f"{in_bytes(self.encoder_bytes)} without the training rows",
            ),
            (
                "time to encode",
                in_seconds(self.encode_seconds),
                "for 100,000 rows; memory does not grow with their number",
            ),
        ]
        told = [
            textwrap.fill(
                f"{what:<16}{value:>9}   {why}", WIDTH, subsequent_indent=" " * 28
            )
            for what, value, why in lines
        ]
        only = "This is a forecast, usually right within a factor of two."
        return "\n".join([textwrap.fill(self.heading, WIDTH), "", *told, "", only])


def forecast(plan: Plan, size: Size) -> Forecast:
    """Forecast the cost of a fit."""
    n_rows, threads = plan.kept(size.rows), plan.n_threads
    counted = count(plan, size, n_rows)
    more = _paid(counted, BYTES)
    choice = 0.0
    if plan.trials:
        few = min(n_rows, TWO_PARTS.most_rows or n_rows)
        trial = count(plan, size, few)
        more += _paid(trial, BYTES)  # they are kept until the last is made
        choice = plan.trials * _seconds(plan, size, trial, few) / threads
        if plan.time_budget is not None:
            choice = min(choice, plan.time_budget)
    return Forecast(
        fit_bytes=PYTHON + size.table_bytes + more,
        more_bytes=more,
        fit_seconds=choice + _seconds(plan, size, counted, n_rows) / threads,
        choice_seconds=choice,
        file_bytes=_paid(counted, STORED),
        encoder_bytes=_paid(counted, ENCODER),
        encode_seconds=_encode_seconds(plan, counted) / threads,
        n_threads=threads,
        heading=_heading(plan, size, n_rows),
    )


def _seconds(plan: Plan, size: Size, counted: dict[str, float], n_rows: int) -> float:
    """Processor seconds of one fit."""
    growing, grow = plan.growing, 0.0
    if growing is not None:
        wide = size.columns**growing.columns
        grow = growing.seconds * counted["pairs"] * math.log2(n_rows + 1) * wide
    return grow + _paid(counted, SECONDS)


def _encode_seconds(plan: Plan, counted: dict[str, float]) -> float:
    """Processor seconds to encode many rows."""
    # Larger trees are further away from the processor.
    routed = plan.n_trees * (counted["leaves"] / plan.n_trees) ** 0.4
    return ENCODED * (ROUTE * routed + _placing(plan, counted))


def _placing(plan: Plan, counted: dict[str, float]) -> float:
    """Processor seconds to move one row to its place."""
    refinement = plan.refinement
    if refinement is None:
        return 0.0
    wide = counted["moved cells"] / counted["moves"]
    steps = 1 + refinement.steps
    return steps * (STEP + STEP_CELL * wide) + RELATE * plan.n_trees


def _heading(plan: Plan, size: Size, n_rows: int) -> str:
    kept = "" if n_rows == size.rows else f", {n_rows:,} of them kept"
    levels = f", {counted(sum(size.levels), 'level')}" if size.levels else ""
    refined = ", refined" if plan.refinement is not None else ""
    chosen = ", settings chosen" if plan.trials else ""
    pieces = "" if size.in_memory else ", read in pieces"
    return (
        f"{in_rows(size.rows)}{kept}{pieces}, {counted(size.columns, 'column')}"
        f"{levels}, {plan.n_trees} trees, "
        f"{counted(plan.n_components, 'coordinate')}, "
        f"{plan.forest} forest{refined}{chosen}"
    )
