"""What refinement costs: fit time beside the plain fit, and rows placed per second.

    python benchmarks/refinement.py

Rows of churn (10,000) are fitted with and without refinement; longer tables are made
from them by jitter. Ratios are taken within one run; writes
``benchmarks/results/refinement.md``.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from latentforest import RFAE, datasets

SIZE = 8  # coordinates
FORESTS = ("completely_random", "adversarial")
ROWS = (10_000, 20_000, 40_000, 80_000)
REPEATS = 3


def churn(n_rows: int) -> pd.DataFrame:
    """Churn's rows, repeated with a little noise on the numbers where needed."""
    table = datasets.load("churn")
    rng = np.random.default_rng(0)
    drawn = table.iloc[np.arange(n_rows) % len(table)].reset_index(drop=True)
    for name in drawn.columns[drawn.dtypes == np.float64]:
        noise = 0.05 * drawn[name].std() * rng.standard_normal(n_rows)
        drawn[name] = np.where(
            np.arange(n_rows) < len(table), drawn[name], drawn[name] + noise
        )
    return drawn


def seconds_to_fit(table: pd.DataFrame, forest: str, refine: int | None) -> float:
    """Median seconds of a few fits."""
    taken = []
    for repeat in range(REPEATS if len(table) <= ROWS[0] else 1):
        model = RFAE(SIZE, forest=forest, refine=refine, random_state=repeat)
        start = time.perf_counter()
        model.fit(table)
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def rows_per_second(table: pd.DataFrame, forest: str) -> float:
    """Rows that ``transform`` places and searches for, per second."""
    model = RFAE(SIZE, forest=forest, refine=8, random_state=0).fit(table)
    new = churn(2 * len(table)).iloc[len(table) :]
    model.transform(new[:500])
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.transform(new)
        taken.append(time.perf_counter() - start)
    return len(new) / float(np.median(taken))


def main() -> None:
    """Write the two tables."""
    seconds_to_fit(churn(500), "adversarial", 2)  # compile
    lines = [
        "# What refinement costs",
        "",
        f"Made by `benchmarks/refinement.py` on 2 cores: churn, d_Z = {SIZE}, "
        "`RFAE(forest=…, refine=8)` beside `RFAE(forest=…)`, each with its "
        "default decoder. Beyond 10,000 rows: churn's rows again, with jitter.",
        "",
        "| forest | rows | plain fit, s | refined fit, s | refined / plain | "
        "growth of the refined fit | growth of n log n |",
        "|---|---|---|---|---|---|---|",
    ]
    for forest in FORESTS:
        first = None
        for n_rows in ROWS if forest == FORESTS[0] else ROWS[:1]:
            table = churn(n_rows)
            plain = seconds_to_fit(table, forest, None)
            refined = seconds_to_fit(table, forest, 8)
            first = first or refined
            growth = n_rows * np.log(n_rows) / (ROWS[0] * np.log(ROWS[0]))
            lines.append(
                f"| {forest} | {n_rows:,} | {plain:.2f} | {refined:.2f} | "
                f"{refined / plain:.2f} | {refined / first:.2f} | {growth:.2f} |"
            )
            print(lines[-1], flush=True)
    lines.append("")
    for forest in FORESTS:
        speed = rows_per_second(churn(ROWS[0]), forest)
        lines.append(f"New rows placed with search, {forest}: {speed:,.0f} per second.")
        print(lines[-1], flush=True)
    path = Path(__file__).parent / "results" / "refinement.md"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
