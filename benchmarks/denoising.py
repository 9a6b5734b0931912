"""Cells of two studies: whether they mix when they are autoencoded.

    LATENTFOREST_DATA=… python benchmarks/denoising.py        # all, then the page
    LATENTFOREST_DATA=… python benchmarks/denoising.py --seeds 1

Needs ``pip install harmonypy``. Appends one JSON line per pair of studies, table,
method and seed to ``results/denoising.jsonl`` and skips what is there already; then
writes ``results/denoising.md``, and the pictures that are not there.

Two pairs: cortical interneurons of Zeisel et al. (2015) and Tasic et al. (2016), and
blood cells of Kang et al. (2018), control and stimulated. Forests, coordinates and
neighbours as in the paper; everything is judged on 20 principal components.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from cells_data import PAIRS, TABLES, UNKNOWN, Cells, load_cells
from denoising_page import write_page
from denoising_picture import draw
from denoising_ways import WAYS, harmonypy

RESULTS = Path(__file__).parent / "results"
ROWS_FILE = RESULTS / "denoising.jsonl"


def judge(points: np.ndarray, cells: Cells) -> dict[str, float]:
    """How far studies mix and types stay apart."""
    row = {"ilisi": lisi(points, cells.study, 30)}
    for place, study in enumerate(cells.studies, start=1):
        own = (cells.study == study) & (cells.types != UNKNOWN)
        here, types = points[own], cells.types[own]
        # Zeisel's types have 10 to 26 cells.
        perplexity = 10 if study == "zeisel" else 30
        row[f"clisi_{place}"] = lisi(here, types, perplexity)
        groups = KMeans(len(np.unique(types)), n_init=10, random_state=0)
        found = groups.fit_predict(here)
        row[f"ari_{place}"] = float(adjusted_rand_score(types, found))
    return row


def lisi(points: np.ndarray, labels: np.ndarray, perplexity: float) -> float:
    """Mean number of labels around a point."""
    meta = pd.DataFrame({"label": labels})
    found = harmonypy.compute_lisi(points, meta, ["label"], perplexity=perplexity)
    return float(found.mean())


def done() -> list[dict[str, Any]]:
    """Return the rows that were run."""
    if not ROWS_FILE.exists():
        return []
    return [json.loads(line) for line in ROWS_FILE.read_text().splitlines()]


def run(pair: str, table: str, seed: int) -> None:
    """Run the ways that are not there yet; the rows of a way are written together."""
    key = {"pair": pair, "table": table, "seed": seed}
    before = {row["way"] for row in done() if key.items() <= row.items()}
    cells = load_cells(pair, table)
    for way in WAYS:
        if way.__name__ in before:
            continue
        lines, start = [], time.process_time()
        for method, points in way(cells, seed):
            took = time.process_time() - start
            figures = judge(points, cells) | {"processor_seconds": took}
            rounded = {name: round(value, 4) for name, value in figures.items()}
            row = key | {"way": way.__name__, "method": method} | rounded
            lines.append(json.dumps(row) + "\n")
            print(*row.values(), flush=True)
            start = time.process_time()
        with ROWS_FILE.open("a") as file:
            file.write("".join(lines))


def main() -> None:
    """Run, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    for seed in range(parser.parse_args().seeds):
        for pair in PAIRS:
            for table in TABLES:
                run(pair, table, seed)
    rows = pd.DataFrame(done())
    write_page(rows, RESULTS / "denoising.md")
    for pair in PAIRS:
        picture = RESULTS / f"denoising-{pair}.png"
        if not picture.exists():
            draw(pair, rows, picture)


if __name__ == "__main__":
    main()
