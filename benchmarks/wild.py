"""A few wild cells in the training rows: what clean new rows lose then.

    python benchmarks/wild.py run
    python benchmarks/wild.py table

``run`` puts one to three cells of 10², 10³ or 10⁴ standard deviations, of either sign,
into up to six columns of numbers of each of the paper's 20 tables, fits ``RFAE()`` with
and without them, and reconstructs new rows without wild cells. One JSON line per table
and seed goes to ``benchmarks/results/wild.jsonl``; what is there is not run again.
``table`` writes ``benchmarks/results/wild.md``. ``run --code before`` marks rows that
were made with an older release on the path, for the column beside.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data import NAMES
from latentforest import RFAE, TableCodec, datasets
from latentforest.metrics import distortion

RESULTS = Path(__file__).parent / "results"
ROWS, PAGE = RESULTS / "wild.jsonl", RESULTS / "wild.md"
MOST_TRAINING, MOST_NEW = 2_000, 1_000
SEEDS, MOST_COLUMNS, MOST_CELLS, SIZES = 3, 6, 3, (1e2, 1e3, 1e4)
# Columns of the clean tables that warn, and what a look at them says.
LOOKED_AT = {
    ("marketing", "V15"): "contacts before this campaign: 275, then 58 and 55; one "
    "client called 275 times is taken for an error of writing",
    ("spambase", "word_freq_85"): "share of one word in a mail: 20 %, then 5.9; "
    "possible, a mail of few words",
    ("spambase", "capital_run_length_longest"): "letters in a run of capitals: 9,989, "
    "then 2,204; possible, the tail is heavy",
}


def halves(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows to train on, and new ones."""
    table = datasets.load(name).sample(frac=1.0, random_state=seed, ignore_index=True)
    n_train = min(2 * len(table) // 3, MOST_TRAINING)
    new = table[n_train : n_train + MOST_NEW]
    return table[:n_train], new.reset_index(drop=True)


def with_wild(
    table: pd.DataFrame, seed: int
) -> tuple[pd.DataFrame, set[tuple[str, int]]]:
    """Put wild cells into a table; also tell where."""
    rng, wild, cells = np.random.default_rng(seed), table.copy(), set()
    columns = [c.name for c in TableCodec().fit(table).schema_.columns if _fits(c)]
    n_columns = min(MOST_COLUMNS, len(columns))
    for column in rng.choice(np.array(columns, object), n_columns, replace=False):
        whole = table[column].dtype.kind in "iu"
        mean, std = table[column].mean(), table[column].std()
        n_cells = rng.integers(1, MOST_CELLS + 1)
        for row in rng.choice(len(table), n_cells, replace=False):
            far = mean + rng.choice([-1, 1]) * rng.choice(SIZES) * std
            wild.loc[row, column] = round(far) if whole else far
            cells.add((str(column), int(row)))
    return wild, cells


def _fits(column: Any) -> bool:
    return column.is_number and column.ticks is None and column.lower < column.upper


def measure(name: str, seed: int) -> dict[str, Any]:
    """Fit with and without wild cells, and compare what new rows lose."""
    train, new = halves(name, seed)
    wild, cells = with_wild(train, seed)
    clean = RFAE(random_state=seed, n_jobs=1).fit(train)
    model = clean if not cells else RFAE(random_state=seed, n_jobs=1).fit(wild)
    lost, lost_wild = (
        float(distortion(new, m.reconstruct(new), training=clean.yardstick_))
        for m in (clean, model)
    )
    own, named = (_named(m) for m in (clean, model))
    return {
        "table": name,
        "seed": seed,
        "clean": round(lost, 5),
        "wild": round(lost_wild, 5),
        "score_clean": round(clean.score(new), 5),
        "score_wild": round(model.score(new), 5),
        "cells": len(cells),
        "found": len(cells & named),
        "others": len(named - cells),
        "others_clean": len(own),
    }


def _named(model: RFAE) -> set[tuple[str, int]]:
    return {
        (str(column.name), cell.row)
        for column in model.schema_.columns
        for cell in getattr(column, "wild", ())
    }


def read_rows() -> pd.DataFrame:
    """Rows so far."""
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    return pd.DataFrame(
        map(json.loads, lines), columns=None if lines else ["code", "table", "seed"]
    )


def run(args: argparse.Namespace) -> None:
    """Compute the rows that are not there yet."""
    rows = read_rows()
    done = set(zip(rows.code, rows.table, rows.seed, strict=True))
    for name in args.tables:
        for seed in range(SEEDS):
            if (args.code, name, seed) in done:
                continue
            start = time.perf_counter()
            row = {"code": args.code} | measure(name, seed)
            with ROWS.open("a") as file:
                file.write(json.dumps(row) + "\n")
            ratio = row["wild"] / row["clean"]
            print(f"{name} {seed}: {ratio:.3f}, {time.perf_counter() - start:.1f} s")


def table(_: argparse.Namespace) -> None:
    """Write the page."""
    rows = read_rows()
    sums = rows.groupby(["code", "table"]).sum(numeric_only=True)
    sums["ratio"] = sums.wild / sums.clean
    now = sums.loc["now"]
    before = sums.loc["before"].ratio if "before" in sums.index.levels[0] else None
    lines = [
        "# Wild cells in the training rows",
        "",
        f"Made by `benchmarks/wild.py`: one to {MOST_CELLS} cells of 10², 10³ or 10⁴ "
        f"standard deviations in up to {MOST_COLUMNS} columns of numbers of up to "
        f"{MOST_TRAINING:,} training rows, {SEEDS} seeds. *clean* and *wild*: what up "
        f"to {MOST_NEW:,} new rows without wild cells lose by `RFAE()`, fitted without "
        "and with them; both in units of the clean training rows. *score*: what the "
        "two models say of the same rows themselves. *named*: cells that the warning "
        "names, of those put there, and others beside them. *before*: the ratio "
        "without any of this. Tables without columns of numbers cannot have wild "
        "cells.",
        "",
        "| table | clean | wild | ratio | before | score | named | others |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [_line(name, now.loc[name], before) for name in NAMES if name in now.index]
    was = (
        ("", "") if before is None else (f"{before.mean():.3f}", f"{before.max():.3f}")
    )
    lines += [
        f"| **mean** | | | **{now.ratio.mean():.3f}** | {was[0]} | | | |",
        f"| **largest** | | | **{now.ratio.max():.3f}** | {was[1]} | | | |",
        "",
        *_clean_tables(),
    ]
    PAGE.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _line(name: str, row: Any, before: Any) -> str:
    if not row.cells:
        return f"| {name} | {row.clean / SEEDS:.4f} | | 1.000 | 1.000 | | | |"
    was = "" if before is None else f"{before[name]:.3f}"
    return (
        f"| {name} | {row.clean / SEEDS:.4f} | {row.wild / SEEDS:.4f} "
        f"| {row.ratio:.3f} | {was} "
        f"| {row.score_clean / SEEDS:.3f}, {row.score_wild / SEEDS:.3f} "
        f"| {row.found:.0f} of {row.cells:.0f} | {row.others:.0f} |"
    )


def _clean_tables() -> Iterator[str]:
    """Tell which columns of the tables as they are warn."""
    found, n_columns = [], 0
    for name in NAMES:
        schema = TableCodec().fit(datasets.load(name)).schema_
        n_columns += sum(c.is_number and c.ticks is None for c in schema.columns)
        found += [(name, column) for column in schema.columns if column.wild]
    yield "## The tables as they are"
    yield ""
    yield (
        f"Of {n_columns} columns of numbers, {len(found)} warn in the whole tables. "
        "Each was looked at:"
    )
    yield ""
    yield "| table | column | row: value | all others | |"
    yield "|---|---|---|---|---|"
    for name, column in found:
        cells = ", ".join(f"{cell.row}: {cell.value:g}" for cell in column.wild)
        seen = LOOKED_AT.get((name, str(column.name)), "not looked at")
        yield (
            f"| {name} | {column.name} | {cells} "
            f"| {column.lower:g} to {column.upper:g} | {seen} |"
        )


def main() -> None:
    """Read the command line."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="append missing rows")
    runner.add_argument("--tables", nargs="+", default=NAMES, choices=NAMES)
    runner.add_argument("--code", default="now", choices=("now", "before"))
    runner.set_defaults(work=run)
    commands.add_parser("table", help="write the page").set_defaults(work=table)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
