"""Coverage of intervals on new rows, for few training rows and for many.

    python benchmarks/intervals.py

Draws 12, 25, 50 and 100 rows of eight tables, several times, and takes bootstrap 1 as a
large sample, with its copies of rows; looks at rows that were left out. Writes
``benchmarks/results/intervals.md``.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from data import load_split, n_components
from latentforest import RFAE

TABLES = (
    *("abalone", "banknote", "churn", "credit"),
    *("diabetes", "dry_bean", "obesity", "wq"),
)
SIZES = (12, 25, 50, 100, None)  # None: bootstrap 1
COVERAGES = (0.5, 0.8, 0.9, 0.95, 0.99)
MODELS: dict[str, dict[str, Any]] = {
    "default": {},
    "knn": {"decoder": "knn"},
    "refined": {"forest": "completely_random", "refine": 8},
}
FACTOR = 0.3
MOST_NEW_ROWS = 1000


def rows_of(
    table: str, size: int | None, draw: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return training rows and new rows."""
    train, test = load_split(table, 1)
    if size is None:
        return train, test[:MOST_NEW_ROWS]
    rows = pd.concat([train, test]).drop_duplicates()
    rows = rows.sample(frac=1.0, random_state=draw, ignore_index=True)
    return rows[:size], rows[size : size + MOST_NEW_ROWS]


def covered(
    table: str, model: str, size: int | None, draw: int
) -> tuple[str, str, int | None, list[float]]:
    """Share of the numbers of new rows that lie in their intervals."""
    train, test = rows_of(table, size, draw)
    estimator = RFAE(n_components(train.shape[1], FACTOR), random_state=draw, n_jobs=1)
    estimator.set_params(unseen="nearest", **MODELS[model])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coords = estimator.fit(train).transform(test)
        _, sure = estimator.inverse_transform(coords, return_uncertainty=True)
    shares = []
    for coverage in COVERAGES:
        lower, upper = sure.interval(coverage)
        numbers = test[list(lower.columns)].to_numpy(float)
        shares.append(float(np.mean((numbers >= lower) & (numbers <= upper))))
    return table, model, size, shares


def describe(found: pd.DataFrame) -> str:
    """Return the table of the report, and what is farthest below its promise."""
    lines = []
    for model in MODELS:
        lines += [
            f"## {model}",
            "",
            "| rows | " + " | ".join(f"{c:.0%}" for c in COVERAGES) + " |",
            "|---|" + "---|" * len(COVERAGES),
        ]
        for size in SIZES:
            means = found.loc[(model, str(size))]
            cells = [
                f"{means[c].median():.3f} ({means[c].min():.3f}–{means[c].max():.3f})"
                for c in COVERAGES
            ]
            name = "bootstrap" if size is None else size
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        means = found.loc[model] - np.array(COVERAGES)
        median = means.groupby(level=0).median().min().min()
        lines += [
            "",
            f"Farthest below: median table {median:+.3f}, any table "
            f"{means.min().min():+.3f} ({means.min(axis=1).idxmin()}).",
            "",
        ]
    return "\n".join(lines)


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--sizes", type=int, nargs="+", help="0 is the bootstrap")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    sizes = SIZES if args.sizes is None else [size or None for size in args.sizes]
    jobs = [
        delayed(covered)(table, model, size, draw)
        for size in sizes
        for table in args.tables
        for model in args.models
        for draw in range(args.draws if size else 1)
    ]
    rows = Parallel(args.jobs, verbose=1)(jobs)
    found = pd.DataFrame(
        [(model, str(size), table, *shares) for table, model, size, shares in rows],
        columns=["model", "size", "table", *COVERAGES],
    )
    means = found.groupby(["model", "size", "table"]).mean()
    if args.sizes or list(args.models) != list(MODELS) or args.tables != TABLES:
        means = means - np.array(COVERAGES)
        print(means.round(3).to_string())
        print(means.groupby(level=[0, 1]).agg(["median", "min"]).round(3).to_string())
        return
    text = (
        "# Coverage of intervals on new rows\n\n"
        f"Made by `benchmarks/intervals.py`: {len(TABLES)} tables, latent size "
        f"{FACTOR} of the columns, mean over {args.draws} draws of so many rows, or "
        "bootstrap 1 with its copies; all numbers of rows left out. The median table, "
        "and in brackets the lowest and the highest.\n\n" + describe(means)
    )
    print(text)
    path = Path(__file__).parent / "results" / "intervals.md"
    path.write_text(text)


if __name__ == "__main__":
    main()
