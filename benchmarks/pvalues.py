"""Do p-values of cells keep what they promise? New rows from the source of the table.

    python benchmarks/pvalues.py run     # about half an hour; goes on where it stopped
    python benchmarks/pvalues.py report  # pvalues.md from the tables so far

Of usual cells at most a share u may have p <= u. Each line of ``results/pvalues.jsonl``
is one training table: by column, the share of the cells of new rows with p <= 0.01,
0.05 and 0.2, and that of its own rows. Two sources: ``mixed`` has constants, copies and
functions of other columns, rare levels, ties and gaps; ``levels`` has categories alone,
so that most new rows are copies of training rows.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd

from latentforest import OddRows

RESULTS = Path(__file__).parent / "results"
ROWS_FILE = RESULTS / "pvalues.jsonl"
LEVELS = (0.01, 0.05, 0.2)
TABLES = {12: 200, 60: 200, 600: 200, 4_000: 20}
NEW_ROWS = {12: 200, 60: 200, 600: 400, 4_000: 1_000}
ALLOWED = 3.0  # standard errors between tables

HEAD = """# P-values of usual cells

By `benchmarks/pvalues.py`: the share of usual cells with p up to 0.01, 0.05 and 0.2,
in percent, as mean over training tables ± its standard error between tables. Tables
of 12, 60 and 600 rows: {short} each; of 4,000: {long}. New rows come from the source of
the training rows. {verdict}
"""


def words(prefix: str, numbers: np.ndarray) -> np.ndarray:
    """Return numbers as names of levels."""
    return np.array([f"{prefix}{number}" for number in numbers], dtype=object)


def mixed(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return numbers and categories, of which some follow from others."""
    x = rng.normal(size=n_rows)
    near = x + 0.5 * rng.normal(size=n_rows)
    group = np.clip(np.round(x + rng.normal(size=n_rows)), -2, 2).astype(int)
    gaps = np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows) + x)
    text_gaps = words("t", rng.integers(3, size=n_rows))
    text_gaps[rng.random(n_rows) < 0.3] = None
    return pd.DataFrame(
        {
            "number": x,
            "number near another": near,
            "copy of a number": x,
            "function of numbers": x * near,
            "heavy tail": rng.standard_t(1.5, size=n_rows),
            "number with ties": rng.poisson(np.exp(0.3 * x)).astype(float),
            "number with gaps": gaps,
            "constant number": np.full(n_rows, 0.1),
            "level": words("g", group),
            "copy of a level": words("h", group),
            "level that follows from a number": words("s", (x > 0.3).astype(int)),
            "rare levels": words("r", rng.zipf(1.6, size=n_rows)),
            "seldom a second level": words("q", (rng.random(n_rows) < 0.02) + 0),
            "level with gaps": text_gaps,
            "constant level": words("c", np.zeros(n_rows, int)),
            "a name for each row": words("n", rng.integers(10**9, size=n_rows)),
        }
    )


def levels(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return categories alone; few rows are different."""
    first = rng.integers(3, size=n_rows)
    other = np.where(rng.random(n_rows) < 0.8, first, rng.integers(3, size=n_rows))
    return pd.DataFrame(
        {
            "level": words("a", first),
            "level near another": words("b", other),
            "level on its own": words("d", rng.integers(4, size=n_rows)),
            "rare level": words("e", (rng.random(n_rows) < 0.05) + 0),
            "copy of a level": words("k", other),
        }
    )


SOURCES = {"mixed": mixed, "levels": levels}


def shares(p_values: np.ndarray) -> list[list[float]]:
    """Return, by column, the share of cells with a p-value up to each level."""
    return [[float((p <= u).mean()) for u in LEVELS] for p in p_values.T]


def measure(source: str, n_rows: int, seed: int) -> dict[str, object]:
    """Judge new rows, and its own, by one training table."""
    rng = np.random.default_rng([n_rows, seed, len(source)])
    whole = SOURCES[source](n_rows + NEW_ROWS[n_rows], rng)
    train, new = whole.iloc[:n_rows], whole.iloc[n_rows:]
    start = time.perf_counter()
    finder = OddRows(random_state=seed, n_jobs=1).fit(train)
    fitted = time.perf_counter()
    of_new = shares(finder.odd_cells(new).p_values)
    judged = time.perf_counter()
    return {
        "columns": list(whole.columns),
        "new": of_new,
        "own": shares(finder.odd_cells(train).p_values),
        "seconds": [round(fitted - start, 3), round(judged - fitted, 3)],
    }


def done() -> list[dict[str, object]]:
    """Return the tables that were judged."""
    if not ROWS_FILE.exists():
        return []
    return [json.loads(line) for line in ROWS_FILE.read_text().splitlines()]


def run(sizes: list[int], n_tables: int | None) -> None:
    """Judge tables that were not judged yet."""
    there = {(row["source"], row["rows"], row["seed"]) for row in done()}
    for n_rows in sizes:
        for source in SOURCES:
            for seed in range(n_tables or TABLES[n_rows]):
                if (source, n_rows, seed) in there:
                    continue
                key = {"source": source, "rows": n_rows, "seed": seed}
                row = key | measure(source, n_rows, seed)
                with ROWS_FILE.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            print(source, n_rows, "rows", flush=True)


def summary(rows: list[dict[str, object]], whose: str) -> pd.DataFrame:
    """Return mean shares and their standard errors, by source, size and column."""
    parts = []
    for row in rows:
        found = np.array(row[whose])
        found = np.vstack([found.mean(axis=0), found])
        names = ["all columns", *row["columns"]]
        for name, of_column in zip(names, found, strict=True):
            key = {"source": row["source"], "rows": row["rows"], "column": name}
            parts += [
                key | {"level": u, "share": share}
                for u, share in zip(LEVELS, of_column, strict=True)
            ]
    by = pd.DataFrame(parts).groupby(["source", "column", "rows", "level"], sort=False)
    found = by["share"].agg(["mean", "sem"]).reset_index()
    found["too many"] = (found["mean"] - found["level"]) / found["sem"].clip(1e-12)
    return found


def page_table(found: pd.DataFrame) -> str:
    """Return a table in Markdown: columns down, sizes and levels across."""
    sizes = sorted(found["rows"].unique())
    heads = [f"{n:,} rows: {u:g}" for n in sizes for u in LEVELS]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name, of_column in found.groupby("column", sort=False):
        at = of_column.set_index(["rows", "level"])
        cells = []
        for n in sizes:
            for u in LEVELS:
                mean, error, too_many = at.loc[(n, u), ["mean", "sem", "too many"]]
                shown = f"{100 * mean:.1f} ± {100 * error:.1f}"
                cells.append(f"**{shown}**" if too_many > ALLOWED else shown)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report() -> None:
    """Write and print the page."""
    rows = done()
    new, own = summary(rows, "new"), summary(rows, "own")
    bad = int((pd.concat([new, own])["too many"] > ALLOWED).sum())
    verdict = "No share is above its level by more than three standard errors."
    if bad:
        verdict = (
            f"**{bad} shares**, in bold, are above their level by more than three "
            "standard errors."
        )
    count = {n: sum(row["rows"] == n for row in rows) // len(SOURCES) for n in TABLES}
    short = min(count[n] for n in TABLES if n < 4_000)
    page = [HEAD.format(short=short, long=count[4_000], verdict=verdict)]
    for found, what in ((new, "New rows"), (own, "Rows of the training table")):
        for source in SOURCES:
            shown = page_table(found[found["source"] == source])
            page.append(f"## {what}, {source}\n\n{shown}\n")
    (RESULTS / "pvalues.md").write_text("\n".join(page))
    print("\n".join(page))


def main() -> None:
    """Run, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("run", "report"))
    parser.add_argument("--sizes", nargs="*", type=int, default=list(TABLES))
    parser.add_argument("--tables", type=int, help="of each size, instead of all")
    given = parser.parse_args()
    if given.part == "run":
        run(given.sizes, given.tables)
    report()


if __name__ == "__main__":
    main()
