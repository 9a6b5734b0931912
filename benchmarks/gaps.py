"""How many gaps come back: of tables that have gaps, and of tables that are given some.

    python benchmarks/gaps.py

Each quarter of up to 4,000 rows is new in turn, and reconstructed from two coordinates;
writes ``benchmarks/results/gaps.md``.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from palmerpenguins import load_penguins

from data import data_folder
from latentforest import RFAE, datasets

SHARES = (0.01, 0.03, 0.1, 0.2, 0.3)
MOST_ROWS = 4_000


def with_gaps() -> Iterator[tuple[str, pd.DataFrame]]:
    """Tables that have gaps of their own."""
    folder = data_folder()
    adult = folder / "synth" / "adult_full.csv.gz"
    yield "adult", pd.read_csv(adult, skipinitialspace=True, na_values="?")
    yield "mushroom", pd.read_csv(folder / "tabular" / "mushroom.csv.gz", na_values="?")
    marketing = folder / "tabular" / "marketing.csv.gz"
    yield "marketing", pd.read_csv(marketing, na_values="unknown")
    beijing = pd.read_csv(folder / "synth" / "beijing.csv.gz")
    yield "beijing", beijing.loc[:, beijing.nunique() < len(beijing) / 2]
    yield "penguins", load_penguins()


def given_gaps() -> Iterator[tuple[str, pd.DataFrame]]:
    """Tables of which cells are taken away at random, 1 to 30 % of each column."""
    for name in ("credit", "churn", "telco", "student", "obesity", "king"):
        table = datasets.load(name)
        rng = np.random.default_rng(0)
        table = table.sample(min(len(table), MOST_ROWS), random_state=0)
        columns = {
            column: table[column].where(rng.random(len(table)) >= SHARES[j % 5])
            for j, column in enumerate(table)
        }
        yield f"{name}, at random", pd.DataFrame(columns)


def measure(table: pd.DataFrame) -> list[float]:
    """Largest gains and losses of gaps, and how many are where they were."""
    table = table.sample(min(len(table), MOST_ROWS), random_state=1, ignore_index=True)
    part = np.arange(len(table)) * 4 // len(table)
    again, more, came, was, scores = [], [], [], [], []
    for number in range(4):
        train, new = table[part != number], table[part == number]
        model = RFAE(2, random_state=0).fit(train)
        share = train.isna().mean()
        again.append(model.reconstruct(train).isna().mean() - share)
        came.append(model.reconstruct(new).isna())
        was.append(new.isna())
        more.append(came[-1].mean() - share)
        scores.append(model.score(new))
    trained, fresh = np.mean(again, axis=0), np.mean(more, axis=0)
    before, after = np.concatenate(was), np.concatenate(came)
    both = (before & after).sum()
    found, right = both / before.sum(), both / max(after.sum(), 1)
    ends = [trained.min(), trained.max(), fresh.min(), fresh.max()]
    return [*ends, found, right, float(np.mean(scores))]


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    lines = [
        "# Gaps that come back",
        "",
        "Made by `benchmarks/gaps.py`: rows from two coordinates of `RFAE(2)`. "
        "*fewer* and *more*: by how much the share of missing cells differs from that "
        "of the training rows, in the columns where it differs most, for training rows "
        "and for new ones (each quarter of up to 4,000 is new in turn; means of the "
        "four, since a quarter of a short table is off by 3 points through chance "
        "alone). Of new rows: *found*, share of "
        "the gaps that came back as gaps; *right*, share of the gaps that came back "
        "which had been gaps.",
        "",
        "| table | fewer, training | more, training | fewer, new | more, new | found | "
        "right | score |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, table in (*with_gaps(), *given_gaps()):
        cells = [
            f"{x:+.3f}" if j < 4 else f"{x:.3f}" for j, x in enumerate(measure(table))
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    path = Path(__file__).parent / "results" / "gaps.md"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
