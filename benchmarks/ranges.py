"""What it costs that decoded numbers stay within their training range.

    python benchmarks/ranges.py run --datasets bc hd
    python benchmarks/ranges.py table

``run`` fits run 1 of the paper's bootstraps at three compression factors, ``RFAE()``
and ``RFAE.auto``, and decodes the rows left out twice from the same coordinates: as
the models come, and with ``extrapolate=True``. It appends one JSON line per model to
``benchmarks/results/ranges.jsonl`` and skips what is there already. ``table`` writes
``benchmarks/results/ranges.md``.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

from data import NAMES, load_split, n_components
from latentforest import RFAE
from latentforest.metrics import Yardstick, code_distortions, mean_distortion

RESULTS = Path(__file__).parent / "results"
ROWS, PAGE = RESULTS / "ranges.jsonl", RESULTS / "ranges.md"
FACTORS = (0.2, 0.5, 1.0)
MODELS = {"RFAE()": RFAE, "RFAE.auto": RFAE.auto}
DECIMALS = 5


def read_rows() -> list[dict]:
    """Read what was measured so far."""
    return [json.loads(line) for line in ROWS.open()] if ROWS.exists() else []


def measure(model: RFAE, test: pd.DataFrame) -> dict[str, float]:
    """Distortion inside and beyond the range, and the shares of numbers outside."""
    schema = model.schema_
    new = model.codec_.encode(test)
    truth, papers = new.values, Yardstick.of_table(new)  # the paper's
    coords = model.transform(test)
    free = clone(model.decoder_).set_params(extrapolate=True)
    free.fit_context(model.encoder_.context(), np.random.default_rng(0))
    inside, beyond = model.decoder_.decode(coords), free.decode(coords)
    numbers = schema.is_number

    def lost(codes: np.ndarray) -> float:
        return mean_distortion(code_distortions(papers, truth, codes))

    def outside(codes: np.ndarray) -> float:
        left = (codes < schema.lower) | (codes > schema.upper)
        return float(left[:, numbers].mean()) if numbers.any() else 0.0

    return {
        "inside": round(lost(inside), DECIMALS),
        "beyond": round(lost(beyond), DECIMALS),
        "new_outside": round(outside(truth), DECIMALS + 1),
        "inside_outside": round(outside(inside), DECIMALS + 1),
        "beyond_outside": round(outside(beyond), DECIMALS + 1),
    }


def run(args: argparse.Namespace) -> None:
    """Measure what is not there yet."""
    done = {(row["model"], row["dataset"], row["factor"]) for row in read_rows()}
    jobs = [(m, d, f) for m in args.models for d in args.datasets for f in FACTORS]
    for name, dataset, factor in jobs:
        if (name, dataset, factor) in done:
            continue
        train, test = load_split(dataset, 1)
        size, start = n_components(train.shape[1], factor), time.perf_counter()
        model = MODELS[name](size, random_state=1, unseen="nearest", n_jobs=1)
        row = {"model": name, "dataset": dataset, "factor": factor}
        row |= measure(model.fit(train), test)
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(row, f"{time.perf_counter() - start:.1f} s")


def write_table(args: argparse.Namespace) -> None:
    """Write a row per table, and the mean."""
    rows = pd.DataFrame(read_rows())
    means = rows.groupby(["model", "dataset"]).mean().drop(columns="factor")
    lines = [
        "# Decoded numbers within the training range",
        "",
        "Made by `benchmarks/ranges.py`: run 1 of the paper's bootstraps, mean of the "
        f"compression factors {', '.join(map(str, FACTORS))}. Distortion of the rows "
        "left out (as in Table 1) with numbers that stay within the training range of "
        "their column, as the models come, and with `extrapolate=True`, from the same "
        "coordinates. Beside it the share of numbers outside of that range: in the "
        "rows left out, and as decoded with `extrapolate=True`. Without it there are "
        "none. Tables without numbers lose the same either way.",
    ]
    for name in MODELS:
        some = means.loc[name]
        lines += [
            "",
            f"## `{name}`",
            "",
            "| table | within the range | `extrapolate=True` | cost | "
            "numbers outside, new rows | decoded |",
            "|---|---|---|---|---|---|",
        ]
        each = [*some.iterrows(), (f"mean of {len(some)}", some.mean())]
        for dataset, row in each:
            assert row.inside_outside == 0
            lines.append(
                f"| {dataset} | {row.inside:.3f} | {row.beyond:.3f} | "
                f"{row.inside - row.beyond:+.3f} | {row.new_outside:.2%} | "
                f"{row.beyond_outside:.2%} |"
            )
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="append missing rows")
    runner.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    runner.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES)
    runner.set_defaults(do=run)
    report = commands.add_parser("table", help="rows to table")
    report.set_defaults(do=write_table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
