"""Table 1 of the paper: distortion on 20 tables at ten compression factors.

    python benchmarks/table1.py run --configs paper pca --datasets plpn hd --runs 1 2 3
    python benchmarks/table1.py table

``run`` appends one JSON line per dataset, run and configuration to
``benchmarks/results/table1.jsonl`` and skips what is there already, so an interrupted
run resumes. One forest and one spectrum per run serve all factors. ``table`` puts the
rows beside the authors' results of the same runs, in ``benchmarks/results/table1.md``.
``--configs umap`` needs ``umap-learn``; it inverts maps of a few coordinates only.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import latentforest
from data import FACTORS, NAMES, load_split, n_components
from latentforest import RFAE, CompletelyRandomForest
from latentforest.metrics import Distortion, distortion
from quantise import quantised
from table1_others import (
    BITS,
    Reconstructions,
    run_eforest,
    run_eforest_whole,
    run_pca,
    run_pca_local,
    run_umap,
)
from table1_report import write_report
from table1_rows import add_rows, read_rows

DECIMALS = 5


def forest_config(build: Callable[[int, int], RFAE]) -> Callable[..., Reconstructions]:
    """Fit once with all components; every factor takes the first few."""

    def run(
        train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
    ) -> Reconstructions:
        largest = n_components(train.shape[1], max(factors))
        model = build(largest, seed).set_params(unseen="nearest").fit(train)
        for factor in factors:
            small = model.truncate(n_components(train.shape[1], factor))
            report = distortion(test, small.reconstruct(test), kinds=small.schema_)
            yield factor, report, {}

    return run


def each_size(build: Callable[..., RFAE]) -> Callable[..., Reconstructions]:
    """Fit every size anew; whatever a model chooses, test rows come after it."""

    def run(
        train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
    ) -> Reconstructions:
        for factor in factors:
            size = n_components(train.shape[1], factor)
            model = build(size, random_state=seed).set_params(unseen="nearest")
            coords, known = model.fit(train).transform(test), model.embedding_
            extras = {}
            for bits in BITS:
                rows = model.inverse_transform(quantised(coords, known, bits))
                lost = distortion(test, rows, kinds=model.schema_)
                extras[f"{bits} bits"] = lost.mean
            rows = model.inverse_transform(coords)
            yield factor, distortion(test, rows, kinds=model.schema_), extras

    return run


CONFIGS: dict[str, Callable[..., Reconstructions]] = {
    "paper": forest_config(lambda size, seed: RFAE.paper(size, random_state=seed)),
    "auto": forest_config(
        lambda size, seed: RFAE(
            size, forest=CompletelyRandomForest(500), decoder="auto", random_state=seed
        )
    ),
    "default": each_size(RFAE),
    "refined": each_size(RFAE.auto),
    "pca": run_pca,
    "pca_local": run_pca_local,
    "umap": run_umap,
    "eforest": run_eforest,
    "eforest_whole": run_eforest_whole,
}


def with_slip(report: Distortion) -> float:
    """Mean distortion as the authors scored it.

    Their script looked up columns with a blank in their name under another name, did
    not find them, and counted them as perfect (abalone, bc and wq are concerned).
    """
    return float(
        np.mean([0 if " " in str(c.name) else c.distortion for c in report.columns])
    )


def run(args: argparse.Namespace) -> None:
    """Compute the rows that are not there yet."""
    rows = read_rows()
    done = set(zip(rows.config, rows.dataset, rows.run, rows.factor, strict=True))
    jobs = [(c, d, r) for r in args.runs for c in args.configs for d in args.datasets]
    for config, dataset, number in jobs:
        wanted = [2.0] if config == "eforest_whole" else args.factors
        factors = [f for f in wanted if (config, dataset, number, f) not in done]
        if not factors:
            continue
        train, test = load_split(dataset, number)
        start, found = time.perf_counter(), []
        for factor, report, extras in CONFIGS[config](train, test, factors, number):
            row = {
                "factor": factor,
                "n_components": n_components(train.shape[1], factor),
                "distortion": round(report.mean, DECIMALS),
                "with_slip": round(with_slip(report), DECIMALS),
            }
            found.append(
                row | {name: round(value, DECIMALS) for name, value in extras.items()}
            )
        if not found:
            continue
        fit = {"config": config, "dataset": dataset, "run": number}
        add_rows(fit | {"version": latentforest.__version__}, found)
        seconds = time.perf_counter() - start
        mean = np.mean([row["distortion"] for row in found])
        print(f"{config} {dataset} run {number}: {mean:.4f} in {seconds:.1f} s")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="append missing rows")
    runner.add_argument("--configs", nargs="+", choices=CONFIGS, default=["paper"])
    runner.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES)
    runner.add_argument("--runs", nargs="+", type=int, default=[1])
    runner.add_argument("--factors", nargs="+", type=float, default=list(FACTORS))
    runner.set_defaults(do=run)
    report = commands.add_parser("table", help="rows to table")
    report.set_defaults(do=lambda _: write_report())
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
