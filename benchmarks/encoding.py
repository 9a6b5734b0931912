"""Seconds to encode rows with 500 trees, beside `apply` of a scikit-learn forest.

    python benchmarks/encoding.py --write
    python benchmarks/encoding.py --train 10000 --rows 1000 10000

scikit-learn grows 500 extremely randomised trees on 20 numbers. `RFAE(8)` is given that
very forest, so that both send the same rows down the same trees; `apply` stops at the
leaves, `transform` goes on to eight coordinates. A completely random forest of ours, of
500 trees on ten numbers and ten categories, with leaves of the same size, stands beside
it. All take turns, and the best run of each counts: wall and processor seconds, and the
latter are what other processes disturb less. The map is one of 2,000 landmarks, because
encoding does not ask how many there were.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor

from latentforest import RFAE, CompletelyRandomForest

TREES, LEAF, COORDINATES, LANDMARKS = 500, 5, 8, 2_000

HEADER = """# Encoding rows

Made by `benchmarks/encoding.py` on 2 cores, which had other work to do: 500 trees with
leaves of five rows, 20 columns, eight coordinates. `apply` is that of scikit-learn, on
single precision; `transform` is ours, of the same forest, and of one of our own with
ten numbers and ten categories. Best runs in turn, wall seconds; shares of `apply` by
wall clock, and in brackets by processor time.

| training rows | leaves per tree | n_jobs | rows | apply | same forest | share | \
mixed columns | share |
|---|---|---|---|---|---|---|---|---|"""


def draw(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Twenty numbers that go with four hidden ones."""
    weights = np.random.default_rng(0).normal(size=(4, 20))
    hidden = rng.normal(size=(n_rows, 4))
    return hidden @ weights + rng.normal(size=(n_rows, 20)) / 2


def as_mixed(numbers: np.ndarray) -> pd.DataFrame:
    """Turn every other number into one of eight levels."""
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(20)])
    levels = np.array(list("abcdefgh"))
    for name in frame.columns[::2]:
        frame[name] = levels[np.clip(2 * frame[name] + 4, 0, 7).astype(int)]
    return frame


def best_in_turn(
    jobs: dict[str, Callable[[], Any]], repeats: int
) -> dict[str, tuple[float, float]]:
    """Return the best wall seconds and the best processor seconds of each job."""
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            wall, own = time.perf_counter(), time.process_time()
            job()
            runs[name].append((time.perf_counter() - wall, time.process_time() - own))
    return {
        name: (min(w for w, _ in both), min(o for _, o in both))
        for name, both in runs.items()
    }


def measure(n_train: int, n_rows: list[int], repeats: int) -> list[str]:
    """Return the lines of one training size."""
    rng = np.random.default_rng(1)
    train, new = draw(rng, n_train), draw(rng, max(n_rows))
    target = train[:, 0] + np.sin(train[:, 1]) + rng.normal(size=n_train)
    forest = ExtraTreesRegressor(
        TREES, min_samples_leaf=LEAF, n_jobs=-1, random_state=0
    ).fit(train, target)
    settings = {"decoder": "knn", "refine": None, "landmarks": LANDMARKS}
    same = RFAE(COORDINATES, forest=forest, random_state=0, **settings).fit(train)
    own = CompletelyRandomForest(TREES, min_samples_leaf=LEAF)
    mixed = RFAE(COORDINATES, forest=own, random_state=0, **settings)
    mixed.fit(as_mixed(train))
    single, frame = new.astype(np.float32), as_mixed(new)
    lines = []
    for n_jobs in (-1, 1):
        forest.n_jobs = n_jobs
        for model in (same, mixed):
            model.encoder_ = replace(model.encoder_, n_jobs=n_jobs)
        for size in n_rows:
            jobs = {
                "apply": lambda size=size: forest.apply(single[:size]),
                "same": lambda size=size: same.transform(new[:size]),
                "mixed": lambda size=size: mixed.transform(frame[:size]),
            }
            best = best_in_turn(jobs, repeats)
            cells = [f"{n_train:,}", f"{same.encoder_.forest.n_leaves / TREES:,.0f}"]
            cells += [f"{n_jobs}", f"{size:,}", f"{best['apply'][0]:.3f}"]
            for name in ("same", "mixed"):
                wall, processor = (
                    mine / theirs
                    for mine, theirs in zip(best[name], best["apply"], strict=True)
                )
                cells += [f"{best[name][0]:.3f}", f"{wall:.2f} ({processor:.2f})"]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--write", action="store_true", help="write results/encoding.md"
    )
    args = parser.parse_args()
    lines = [HEADER]
    for n_train in args.train:
        lines += measure(n_train, args.rows, args.repeats)
    if args.write:
        text = "\n".join(lines) + "\n"
        (Path(__file__).parent / "results" / "encoding.md").write_text(text)


if __name__ == "__main__":
    main()
