"""Maps of tables in two coordinates: ours beside UMAP, openTSNE, PHATE and PCA.

    pip install umap-learn openTSNE phate
    python benchmarks/maps.py
    python benchmarks/maps.py --part maps --methods umap --tables wq --again
    python benchmarks/maps_report.py

Appends one JSON line per method and table to ``benchmarks/results/maps.jsonl`` and
skips what is there already, so an interrupted run resumes; ``--again`` measures anew.
The part ``maps`` judges the places of new rows, the part ``growth`` takes the time on
longer and longer tables. Coordinates for the picture go to a folder outside the
repository. Run ``growth`` on an idle machine.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

from latentforest import datasets
from latentforest.metrics import distortion
from latentforest.table import TableCodec
from mappers import METHODS, SEED, Features, package_of, warm_up
from quantise import quantised

Result = TypeVar("Result")

ROWS = Path(__file__).parent / "results" / "maps.jsonl"
COORDS = Path(tempfile.gettempdir()) / "latentforest-maps"
PIXELS = ("digits", "mnist")
TABLES = (
    *("digits", "banknote", "obesity", "mushroom", "credit", "wq", "dry_bean"),
    *("telco", "student", "mnist"),
)
MOST_ROWS, MOST_PICTURES = 3_000, 10_000
NEW_SHARE = 0.3
NEIGHBOURS = 10
MOST_CLASSES = 30  # more are numbers, and are cut by their quartiles
BITS = (4, 8)  # coordinates are also rounded, to see what rests on fine differences
TOO_SLOW = {("umap", "mnist")}  # its inverse

SIZES = (1_000, 3_000, 10_000, 100_000)
REPEATS = 3  # of tables up to 10,000 rows
PATIENCE = 900.0  # seconds that a size may take, as the last one lets expect


class Labelled(NamedTuple):
    """Training rows and new rows, with their classes."""

    train: pd.DataFrame
    new: pd.DataFrame
    train_class: np.ndarray
    new_class: np.ndarray


def read(name: str) -> pd.DataFrame:
    """Read a table whose last column is the class."""
    if name == "digits":
        return load_digits(as_frame=True).frame
    if name == "mnist":
        return datasets.load(name)[:60_000]  # the training digits
    return datasets.load(name)


@cache
def load(name: str) -> Labelled:
    """Draw rows of a table and hold some of them back."""
    table = read(name)
    if table.isna().to_numpy().any():
        sys.exit(f"{name} has missing cells, which the other packages do not take.")
    most = MOST_PICTURES if name == "mnist" else MOST_ROWS
    table = table.sample(min(most, len(table)), random_state=SEED, ignore_index=True)
    label = table.pop(table.columns[-1])
    if label.nunique() > MOST_CLASSES:
        label = pd.qcut(label, 4, labels=False, duplicates="drop")
    classes, n_new = label.to_numpy(), round(NEW_SHARE * len(table))
    train, new = table[n_new:].reset_index(drop=True), table[:n_new]
    return Labelled(train, new, classes[n_new:], classes[:n_new])


def mixed_table(n_rows: int) -> pd.DataFrame:
    """14 numbers and 6 categories that follow three hidden numbers, with noise."""
    rng = np.random.default_rng(SEED)
    hidden = rng.uniform(-1, 1, (n_rows, 3))
    waves = np.sin(hidden @ rng.normal(0, 2, (3, 20)) + rng.uniform(0, 6, 20))
    waves += 0.1 * rng.standard_normal(waves.shape)
    table = pd.DataFrame(waves[:, :14], columns=[f"number {j}" for j in range(14)])
    for j in range(6):
        level = pd.cut(waves[:, 14 + j], j + 2, labels=False)
        table[f"category {j}"] = np.array(list("abcdefgh"))[level]
    return table


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return a result and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, round(time.perf_counter() - start, 4)


@cache
def warm(method: str) -> None:
    """Compile once per process."""
    warm_up(method, mixed_table(300))


def measure(method: str, name: str, folder: Path) -> dict[str, Any]:
    """Place the new rows of a table and judge where they are."""
    warm(method)
    data, how = load(name), METHODS[method]
    features = Features(standardise=name not in PIXELS).fit(data.train)
    wide, wide_new = features.transform(data.train), features.transform(data.new)
    given = (wide, wide_new) if how.takes_features else (data.train, data.new)
    model = how.build()
    known, fit_seconds = timed(lambda: np.asarray(model.fit_transform(given[0])))
    coords, transform_seconds = timed(lambda: np.asarray(model.transform(given[1])))
    folder.mkdir(parents=True, exist_ok=True)
    label = data.new_class.astype(str)
    np.savez(folder / f"{method}-{name}.npz", coords=coords, label=label)
    classes = KNeighborsClassifier(NEIGHBOURS).fit(known, data.train_class)
    values, counts = np.unique(data.train_class, return_counts=True)
    row = {
        "rows": len(data.train),
        "new": len(data.new),
        "columns": data.train.shape[1],
        "commonest": float(np.mean(data.new_class == values[counts.argmax()])),
        "accuracy": classes.score(coords, data.new_class),
        "trustworthiness": trustworthiness(wide_new, coords, n_neighbors=NEIGHBOURS),
        "continuity": trustworthiness(coords, wide_new, n_neighbors=NEIGHBOURS),
        "fit": fit_seconds,
        "transform": transform_seconds,
    }
    if not how.has_inverse or (method, name) in TOO_SLOW:
        return row
    schema = TableCodec().fit(data.train).schema_
    for bits in (*BITS, None):
        at = coords if bits is None else quantised(coords, known, bits)
        back, row["inverse"] = timed(lambda at=at: model.inverse_transform(at))
        rows = features.inverse_transform(back) if how.takes_features else back
        key = "distortion" if bits is None else f"{bits} bits"
        row[key] = distortion(data.new, rows, kinds=schema).mean
    return row


def grow(method: str, n_rows: int) -> dict[str, Any]:
    """Seconds to fit a table and to place a tenth as many new rows: median of runs."""
    warm(method)
    table: Any = mixed_table(n_rows + n_rows // 10)
    if METHODS[method].takes_features:
        table = Features().fit(table[:n_rows]).transform(table)
    taken = []
    for _ in range(REPEATS if n_rows <= 10_000 else 1):
        model = METHODS[method].build()
        start = time.perf_counter()
        model.fit_transform(table[:n_rows])
        middle = time.perf_counter()
        model.transform(table[n_rows:])
        taken.append((middle - start, time.perf_counter() - middle))
    fit_seconds, transform_seconds = np.median(taken, axis=0).tolist()
    return {"fit": fit_seconds, "transform": transform_seconds, "runs": len(taken)}


def stored() -> list[dict[str, Any]]:
    """Rows that were measured."""
    return list(map(json.loads, ROWS.read_text().splitlines())) if ROWS.exists() else []


def store(key: dict[str, str], found: dict[str, Any]) -> None:
    """Append a row; one with the same key gives way to it."""
    row = key | found | {"package": package_of(key["method"])}
    row = {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
    kept = [old for old in stored() if not key.items() <= old.items()]
    ROWS.write_text("".join(json.dumps(line) + "\n" for line in [*kept, row]))
    print(json.dumps(row), flush=True)


def too_long(method: str, n_rows: int) -> bool:
    """Whether a longer table is beyond a method, or beyond patience."""
    most = METHODS[method].most_grown
    if most is not None and n_rows > most:
        return True
    known = [r for r in stored() if r["part"] == "growth" and r["method"] == method]
    expected = [
        (r["fit"] + r["transform"]) * n_rows / int(r["table"])
        for r in known
        if int(r["table"]) < n_rows
    ]
    return bool(expected) and expected[-1] > PATIENCE


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("maps", "growth", "both"), default="both")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--again", action="store_true", help="also what is there")
    parser.add_argument("--coords", type=Path, default=COORDS, help="scratch folder")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    done = (
        set()
        if args.again
        else {(r["part"], r["method"], r["table"]) for r in stored()}
    )
    for name in args.tables if args.part != "growth" else ():
        for method in args.methods:
            key = {"part": "maps", "method": method, "table": name}
            if tuple(key.values()) not in done and method != "umap seeded":
                store(key, measure(method, name, args.coords))
    for n_rows in sorted(args.sizes) if args.part != "maps" else ():
        for method in args.methods:
            key = {"part": "growth", "method": method, "table": str(n_rows)}
            left_out = method in {"auto", "paper"} or too_long(method, n_rows)
            if tuple(key.values()) not in done and not left_out:
                store(key, grow(method, n_rows))


if __name__ == "__main__":
    main()
