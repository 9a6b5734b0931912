"""How long a fit takes and how much memory it needs, before it starts.

The figures were measured with 2,000 to 45,000 rows, 10 to 20 columns and 100 to 500
trees, the choice of settings with 400 to 6,000 rows.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from latentforest._base._parallel import n_workers
from latentforest.refine import MANY_ROWS

BASE = 0.3e9  # bytes of Python and the libraries
LEAF_ID = 4  # bytes per row and tree that stay: the leaf of each row
PEAK = 90  # bytes per row and tree while trees grow: two forests, regions, leaf sums
CELL = 60  # bytes per cell: the table, its codes, its bins
STORED_LEAF = 8  # bytes per leaf in a model file, without its coordinates
STORED_CELL = 6  # bytes per cell in a model file: rows, and as the decoder has them
START = 0.5  # seconds that even a small fit takes
PRODUCT = 4.5e-9  # processor seconds per row, tree and product with the kernel
ENCODE = 0.3e-6  # processor seconds per row and tree
TRIALS = 6  # that are made to choose settings: 3, or up to 13
TRIED = 2_000  # rows that take part in them, at most
TRY = 2e-4  # processor seconds per row and trial
REFINE, PLACE = 2.5e-4, 3e-4  # processor seconds per row refined, and per row placed


class Growing(NamedTuple):
    """What one sort of forest costs."""

    seconds: float  # of a processor, per row, tree, doubling of rows, root of columns
    leaves: float  # per row and tree


# The adversarial forest grows about four forests in its rounds.
MEASURED = {
    "adversarial": Growing(10e-8, 0.2),
    "completely_random": Growing(2e-8, 0.16),
    "shi_horvath": Growing(3e-8, 0.1),
    "supervised": Growing(3e-8, 0.1),
}
UNMEASURED = MEASURED["adversarial"]  # a forest without figures counts as the dearest


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a fit is going to cost, give or take a factor of two."""

    fit_bytes: float  # at the peak
    fit_seconds: float  # with all threads
    file_bytes: float
    encoder_bytes: float  # of a file without the training rows
    encode_seconds: float  # for 100,000 rows
    choice_seconds: float  # of fit_seconds, to choose settings
    n_threads: int  # that are counted on


def forecast(
    n_rows: int,
    n_columns: int,
    n_trees: int,
    n_components: int,
    forest: str,
    n_jobs: int | None = None,
    *,
    refined: bool,
    auto: bool = False,
) -> Forecast:
    """Forecast the cost of a fit with a forest of some name."""
    threads = n_workers(n_jobs)
    pairs = float(n_rows) * n_trees
    growing = MEASURED.get(forest, UNMEASURED)
    grow = growing.seconds * pairs * math.log2(n_rows + 1) * math.sqrt(n_columns)
    solve = PRODUCT * pairs * (60 + 10 * n_components)
    refine = REFINE * min(n_rows, MANY_ROWS) if refined else 0.0
    place = PLACE * 100_000 if refined else 0.0
    choose = TRY * TRIALS * min(n_rows, TRIED) / threads if auto else 0.0
    cells = float(n_rows) * n_columns
    leaves = growing.leaves * pairs
    rows = STORED_CELL * cells + 24.0 * n_rows * n_components
    # Without training rows: the leaf table, or the rows that were refined.
    encoder = rows if refined else leaves * 8 * n_components
    return Forecast(
        fit_bytes=BASE + PEAK * pairs + CELL * cells,
        fit_seconds=START + (grow + solve + refine) / threads + choose,
        file_bytes=STORED_LEAF * leaves + rows,
        encoder_bytes=STORED_LEAF * leaves + encoder,
        encode_seconds=(ENCODE * n_trees * 100_000 + place) / threads,
        choice_seconds=choose,
        n_threads=threads,
    )
