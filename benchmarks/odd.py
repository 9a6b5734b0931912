"""Odd rows against the field: ADBench tables, and mixed tables with swapped cells.

    LATENTFOREST_DATA=… python benchmarks/odd.py adbench   # 30 tables, two protocols
    LATENTFOREST_DATA=… python benchmarks/odd.py mixed     # categories and gaps
    LATENTFOREST_DATA=… python benchmarks/odd.py report    # odd.md from the rows so far

Needs ``pip install pyod``. Each line of ``results/odd.jsonl`` is one table, protocol
and seed with the AUC of every method; what is there already is not run again.

``adbench``: at most 50,000 rows of each table, drawn anew by each seed. *normal* trains
on half of the rows that are not odd and scores the others; *all* trains on all rows
and scores them. ``OddRows`` gets the table as it is, PyOD's methods get it standardised
by the training rows; all have their default settings. MCD is left out where there are
fewer than two training rows per column, and counts as a guess (50) in the report.

``mixed``: 5 % of the cells are removed. One row in ten is made odd: one of its cells,
in a column drawn at random, is swapped for that of another row which has another level,
or a number at least one standard deviation away. Trained on half of the other rows.
PyOD's methods get one-hot columns, numbers standardised, gaps filled with the median or
the most frequent level.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from data import data_folder
from latentforest import OddRows, datasets
from odd_report import write_report

RESULTS = Path(__file__).parent / "results"
ROWS_FILE = RESULTS / "odd.jsonl"
OURS = "OddRows"
FIELD = ("KNN", "IForest", "ECOD", "LOF", "MCD", "PCA")
MOST_ROWS, SEEDS = 50_000, range(5)
MIXED = ("adult", "king", "mushroom", "obesity", "plpn", "telco")
LITTLE = ("churn", "credit", "hd", "marketing", "student")
GAPS, ODD = 0.05, 0.1


def detector(name: str, seed: int, train: np.ndarray) -> object:
    """Return a method of PyOD with its default settings.

    PCA divides by the variance of each component, and by 0 where columns depend on
    each other: it gets as many components as there are.
    """
    made = getattr(import_module(f"pyod.models.{name.lower()}"), name)
    if name == "PCA":
        return made(n_components=int(np.linalg.matrix_rank(train)), random_state=seed)
    return made(random_state=seed) if name in {"IForest", "MCD"} else made()


def field_scores(
    train: np.ndarray, test: np.ndarray | None, seed: int
) -> Iterator[tuple[str, np.ndarray, float]]:
    """Scores of all methods of the field; of the training rows where test is None."""
    for name in FIELD:
        if name == "MCD" and 2 * train.shape[1] > len(train):
            continue
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = detector(name, seed, train)
            try:
                method.fit(train)
                found = (
                    method.decision_scores_
                    if test is None
                    else method.decision_function(test)
                )
            except (ValueError, np.linalg.LinAlgError) as exc:
                print(f"    {name}: {exc}")
                continue
        yield name, np.nan_to_num(found), time.perf_counter() - start


def standardised(train: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Columns in units of the training rows."""
    spread = train.std(axis=0)
    return (rows - train.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def adbench(name: str, protocol: str, seed: int) -> dict[str, object]:
    """One table of ADBench under one protocol."""
    found = np.load(data_folder() / "adbench" / f"{name}.npz")
    rows, odd = found["X"].astype(float), found["y"].astype(bool)
    rng = np.random.default_rng(seed)
    if len(rows) > MOST_ROWS:
        drawn = rng.choice(len(rows), MOST_ROWS, replace=False)
        rows, odd = rows[drawn], odd[drawn]
    if protocol == "normal":
        usual = rng.permutation(np.flatnonzero(~odd))
        half = len(usual) // 2
        tested = np.concatenate([usual[half:], np.flatnonzero(odd)])
        train, test, odd = rows[usual[:half]], rows[tested], odd[tested]
    else:
        train = test = rows
    start = time.perf_counter()
    ours = -OddRows(random_state=seed).fit(train).score_samples(test)
    auc = {OURS: roc_auc_score(odd, ours)}
    seconds = {OURS: time.perf_counter() - start}
    scaled = None if protocol == "all" else standardised(train, test)
    for method, scores, took in field_scores(standardised(train, train), scaled, seed):
        auc[method], seconds[method] = roc_auc_score(odd, scores), took
    return {"auc": auc, "seconds": seconds, "n_train": len(train)}


def swapped(
    table: pd.DataFrame, seed: int
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return a table with gaps and odd rows, which rows are odd, and their columns."""
    rng = np.random.default_rng(seed)
    cells = table.to_numpy(object)
    number = [is_number(table[name]) for name in table]
    spread = [
        table[name].std() if is_one else 0.0
        for name, is_one in zip(table, number, strict=True)
    ]
    n_rows, n_columns = cells.shape
    odd, column = rng.random(n_rows) < ODD, np.full(n_rows, -1)
    made = cells.copy()
    made[rng.random(cells.shape) < GAPS] = None
    for row in np.flatnonzero(odd):
        while True:
            j, other = rng.integers(n_columns), rng.integers(n_rows)
            mine, theirs = cells[row, j], cells[other, j]
            if mine != theirs and (not number[j] or abs(mine - theirs) >= spread[j]):
                break
        made[row, j], column[row] = theirs, j
    frame = pd.DataFrame(made, columns=table.columns)
    for name in table:
        if table[name].dtype.kind in "if":
            frame[name] = pd.to_numeric(frame[name]).astype(float)
    return frame, odd, column


def is_number(cells: pd.Series) -> bool:
    """Whether a column is one of numbers, as in the paper's tables."""
    return cells.dtype.kind in "if" and cells.nunique() >= 6


def one_hot(train: pd.DataFrame, test: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Columns as PyOD needs them."""
    both, parts = pd.concat([train, test]), []
    for name in train:
        if is_number(train[name]):
            filled = both[name].fillna(train[name].median()).to_numpy(float)[:, None]
            parts.append(standardised(filled[: len(train)], filled))
        else:
            levels = both[name].fillna(train[name].mode()[0]).astype(str)
            parts.append(pd.get_dummies(levels).to_numpy(float))
    whole = np.hstack(parts)
    return whole[: len(train)], whole[len(train) :]


def mixed(name: str, seed: int) -> dict[str, object]:
    """One mixed table: AUC of all methods, and how often the cell is found."""
    table = datasets.load(name)
    if len(table) > MOST_ROWS // 2:
        table = table.sample(MOST_ROWS // 2, random_state=seed).reset_index(drop=True)
    table, odd, column = swapped(table, seed)
    rng = np.random.default_rng(seed)
    usual = rng.permutation(np.flatnonzero(~odd))
    half = len(usual) // 2
    tested = np.concatenate([usual[half:], np.flatnonzero(odd)])
    train, test = table.iloc[usual[:half]], table.iloc[tested]
    start = time.perf_counter()
    finder = OddRows(random_state=seed).fit(train)
    auc = {OURS: roc_auc_score(odd[tested], -finder.score_samples(test))}
    seconds = {OURS: time.perf_counter() - start}
    largest = finder.odd_cells(table.iloc[np.flatnonzero(odd)]).largest(3)
    hit = (largest == column[odd][:, None]).any(axis=1)
    for method, scores, took in field_scores(*one_hot(train, test), seed):
        auc[method], seconds[method] = roc_auc_score(odd[tested], scores), took
    return {
        "auc": auc,
        "seconds": seconds,
        "n_train": len(train),
        "cell_in_three": hit.mean(),
    }


def done() -> list[dict[str, object]]:
    """Return the rows that were run."""
    if not ROWS_FILE.exists():
        return []
    return [json.loads(line) for line in ROWS_FILE.read_text().splitlines()]


def run(
    key: dict[str, object], work: Callable[..., dict[str, object]], *given: object
) -> None:
    """Run one row, unless it was, and write it down."""
    if any(all(row[k] == v for k, v in key.items()) for row in done()):
        return
    start = time.perf_counter()
    row = {**key, **work(*given)}
    with ROWS_FILE.open("a") as file:
        file.write(json.dumps(row) + "\n")
    shown = "  ".join(f"{m} {100 * a:.1f}" for m, a in row["auc"].items())
    took = time.perf_counter() - start
    print(*key.values(), f"{took:.0f} s", shown, flush=True)


def adbench_names() -> list[str]:
    """Tables of ADBench, the quickest first."""
    files = (data_folder() / "adbench").glob("*.npz")
    cost = {}
    for path in files:
        n_rows, n_columns = np.load(path)["X"].shape
        cost[path.stem] = min(n_rows, MOST_ROWS) * n_columns
    return sorted(cost, key=cost.__getitem__)


def main() -> None:
    """Run a part, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("adbench", "mixed", "report"))
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--tables", nargs="*")
    given = parser.parse_args()
    if given.part == "report":
        return write_report(done(), RESULTS / "odd.md")
    if given.part == "mixed":
        for seed in range(given.seeds):
            for name in given.tables or (*MIXED, *LITTLE):
                key = {"part": "mixed", "table": name, "seed": seed}
                run(key, mixed, name, seed)
        return None
    for seed in range(given.seeds):
        for name in given.tables or adbench_names():
            for protocol in ("normal", "all"):
                key = {
                    "part": "adbench",
                    "table": name,
                    "protocol": protocol,
                    "seed": seed,
                }
                run(key, adbench, name, protocol, seed)
    return None


if __name__ == "__main__":
    main()
