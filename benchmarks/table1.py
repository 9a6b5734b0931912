"""Table 1 of the paper: distortion on 20 tables at ten compression factors.

    python benchmarks/table1.py run --configs paper pca --datasets plpn hd --runs 1 2 3
    python benchmarks/table1.py table

``run`` appends one JSON line per dataset, run, factor and configuration to
``benchmarks/results/table1.jsonl`` and skips what is there already, so an interrupted
run resumes. One forest and one spectrum per run serve all factors. ``table`` puts the
rows beside the authors' results of the same runs, in ``benchmarks/results/table1.md``.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import latentforest
from data import FACTORS, NAMES, load_split, n_components, paper_results
from latentforest import (
    RFAE,
    AdversarialForest,
    AutoDecoder,
    CompletelyRandomForest,
    KNNDecoder,
)
from latentforest.metrics import Distortion, distortion
from pca import MixedPCA
from quantise import quantised

RESULTS = Path(__file__).parent / "results"
ROWS = RESULTS / "table1.jsonl"
METHODS = ("rfae", "tvae", "ttvae", "ae", "vae")

BITS = (4, 8, 12)

Reconstructions = Iterator[tuple[float, Distortion, dict[str, float]]]


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


def run_refined(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """Let every size choose its own settings; test rows come after the choice."""
    for factor in factors:
        size = n_components(train.shape[1], factor)
        model = RFAE.auto(size, random_state=seed).set_params(unseen="nearest")
        model.fit(train)
        coords = model.transform(test)
        known, extras = model.decoder_.search_.points, {}
        for bits in BITS:
            rows = model.inverse_transform(quantised(coords, known, bits))
            extras[f"{bits} bits"] = distortion(test, rows, kinds=model.schema_).mean
        rows = model.inverse_transform(coords)
        yield factor, distortion(test, rows, kinds=model.schema_), extras


def run_pca(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """Plain PCA; ``seed`` is not needed."""
    model = MixedPCA().fit(train)
    known = model.transform(train)
    for factor in factors:
        size = n_components(train.shape[1], factor)
        coords, extras = model.transform(test)[:, :size], {}
        for bits in BITS:
            rows = model.inverse_transform(quantised(coords, known[:, :size], bits))
            lost = distortion(test, rows, kinds=model.codec.schema_)
            extras[f"{bits} bits"] = lost.mean
        rows = model.inverse_transform(coords)
        yield factor, distortion(test, rows, kinds=model.codec.schema_), extras


def run_pca_local(
    train: pd.DataFrame, test: pd.DataFrame, factors: list[float], seed: int
) -> Reconstructions:
    """PCA coordinates, decoded by the best of our decoders for them."""
    model = MixedPCA().fit(train)
    known, new = model.transform(train), model.transform(test)
    for factor in factors:
        size = n_components(train.shape[1], factor)
        decoder = AutoDecoder().fit(known[:, :size], train, random_state=seed)
        rows = decoder.predict(new[:, :size])
        yield factor, distortion(test, rows, kinds=decoder.codec_.schema_), {}


CONFIGS: dict[str, Callable[..., Reconstructions]] = {
    "paper": forest_config(lambda size, seed: RFAE.paper(size, random_state=seed)),
    "auto": forest_config(
        lambda size, seed: RFAE(
            size, forest=AdversarialForest(500), decoder="auto", random_state=seed
        )
    ),
    "completely_random": forest_config(
        lambda size, seed: RFAE(
            size,
            forest=CompletelyRandomForest(500),
            decoder=KNNDecoder(20, prototypes="rows"),
            random_state=seed,
        )
    ),
    "refined": run_refined,
    "pca": run_pca,
    "pca_local": run_pca_local,
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
    done = set()
    if ROWS.exists():
        done = {
            (row["config"], row["dataset"], row["run"], row["factor"])
            for row in map(json.loads, ROWS.read_text().splitlines())
        }
    jobs = [(c, d, r) for c in args.configs for d in args.datasets for r in args.runs]
    for config, dataset, number in jobs:
        factors = [f for f in args.factors if (config, dataset, number, f) not in done]
        if not factors:
            continue
        train, test = load_split(dataset, number)
        start, lines = time.perf_counter(), []
        for factor, report, extras in CONFIGS[config](train, test, factors, number):
            row = {
                "config": config,
                "dataset": dataset,
                "run": number,
                "factor": factor,
                "n_components": n_components(train.shape[1], factor),
                "distortion": round(report.mean, 6),
                "with_slip": round(with_slip(report), 6),
                "version": latentforest.__version__,
            }
            row |= {name: round(value, 6) for name, value in extras.items()}
            lines.append(json.dumps(row) + "\n")
        with ROWS.open("a") as file:
            file.writelines(lines)
        seconds = time.perf_counter() - start
        mean = np.mean([json.loads(line)["distortion"] for line in lines])
        print(f"{config} {dataset} run {number}: {mean:.4f} in {seconds:.1f} s")


PAPER_CONFIGS = ("paper", "completely_random", "pca")
BEYOND = ("auto", "refined", "pca_local", "pca")


def make_table(rows: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset: our means beside the authors' on the same runs."""
    keys = ["dataset", "run", "factor"]
    rows = rows[rows.config.isin(PAPER_CONFIGS)]
    ours = rows.pivot_table(index=keys, columns="config", values="distortion")
    slip = rows[rows.config == "paper"].set_index(keys)["with_slip"]
    theirs = paper.pivot_table(index=keys, columns="method", values="distortion")
    both = ours.join(slip.rename("paper, their scoring")).join(theirs, how="inner")
    both = both[both["paper"].notna()]
    table = both.groupby("dataset").mean()
    table.insert(0, "runs", both.groupby("dataset").apply(lambda g: len(g) // 10))
    table["difference"] = table["paper, their scoring"] - table["rfae"]
    table["best of five"] = table[list(METHODS)].min(axis=1)
    order = ["runs", "rfae", "paper, their scoring", "difference", *ours.columns]
    return table[[*order, "tvae", "ttvae", "ae", "vae", "best of five"]]


def make_beyond(rows: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset: our own configurations, on the runs they all have."""
    keys = ["dataset", "run", "factor"]
    theirs = paper.pivot_table(index=keys, columns="method", values="distortion")
    own = rows[rows.config.isin(BEYOND)]
    ours = own.pivot_table(index=keys, columns="config", values="distortion")
    ours = ours.dropna(subset=["auto", "refined"])
    shown = [
        config for config in BEYOND if config in ours and ours[config].notna().all()
    ]
    bits = own[own.config == "refined"].set_index(keys)["8 bits"]
    slip = own[own.config == "auto"].set_index(keys)["with_slip"]
    both = ours[shown].join(bits.rename("refined, 8 bits"))
    both = both.join(slip.rename("auto, their scoring")).join(theirs, how="inner")
    table = both.groupby("dataset").mean()
    table.insert(0, "runs", both.groupby("dataset").apply(lambda g: len(g) // 10))
    table["best of five"] = table[list(METHODS)].min(axis=1)
    order = ["runs", "rfae", "best of five", "auto, their scoring", *shown]
    return table[[*order, "refined, 8 bits"]]


def table_lines(table: pd.DataFrame) -> list[str]:
    """Write a table, with the mean of all datasets, in Markdown."""
    table = table.astype(float)
    table.loc["mean"] = table.mean()
    lines = [
        "| dataset | " + " | ".join(table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for name, row in table.iterrows():
        runs = f"{row['runs']:.0f}" if name != "mean" else ""
        cells = [
            f"{row[c]:+.4f}" if c == "difference" else f"{row[c]:.4f}"
            for c in row.index[1:]
        ]
        lines.append(f"| {name} | " + " | ".join([runs, *cells]) + " |")
    return lines


def count_lines(table: pd.DataFrame) -> list[str]:
    """Say how often each of our configurations is better."""
    lines = []
    for config, scored in (("auto", "auto, their scoring"), ("refined", "refined")):
        lines.append(
            f"`{config}` is below the authors' RFAE on "
            f"{(table[scored] < table['rfae']).sum()}, below the best of their five on "
            f"{(table[scored] < table['best of five']).sum()} and below PCA on "
            f"{(table[config] < table['pca']).sum()} of {len(table)} tables."
        )
    return lines


def write_table(args: argparse.Namespace) -> None:
    """Turn rows into ``table1.md``."""
    rows = pd.DataFrame(map(json.loads, ROWS.read_text().splitlines()))
    beyond = make_beyond(rows, paper_results())
    lines = [
        "# Table 1: mean distortion over ten compression factors",
        "",
        "## The paper's configuration",
        "",
        "`rfae`, `tvae`, `ttvae`, `ae` and `vae` are the authors' values on the same "
        "runs; the other columns are ours. `paper` is `RFAE.paper`, scored correctly; "
        "`paper, their scoring` repeats the slip in the authors' scoring of `rfae` "
        "(columns with a blank in their name count as perfect: abalone, bc, wq), and "
        "`difference` is that minus `rfae`.",
        "",
        *table_lines(make_table(rows, paper_results())),
        "",
        "## Ours",
        "",
        "`auto`: the same forest and map, `decoder='auto'`. `refined`: `RFAE.auto`, "
        "one configuration that chooses its settings on held-back training rows; "
        "`8 bits`: with each coordinate at the nearest of 256 levels. `pca_local`: "
        "principal components with our `AutoDecoder` (shown once complete); `pca`: "
        "decoded linearly. "
        "`rfae` and `best of five` are the authors' values on the same runs.",
        "",
        *table_lines(beyond),
        "",
        *count_lines(beyond),
    ]
    (RESULTS / "table1.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


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
    commands.add_parser("table", help="rows to table").set_defaults(do=write_table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
