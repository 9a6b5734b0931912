"""The paper's bootstraps and results, from LATENTFOREST_DATA, and its tables."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentforest import datasets

NAMES = tuple(name for name in datasets.names() if name not in {"mnist", "golub"})
FACTORS = tuple(round(0.1 * step, 1) for step in range(1, 11))


class Split(NamedTuple):
    """One bootstrap run: its rows, repeats included, and the rows left out."""

    train: pd.DataFrame
    test: pd.DataFrame


def data_folder() -> Path:
    """Return the folder named by LATENTFOREST_DATA; a missing one ends the script."""
    folder = Path(os.environ.get("LATENTFOREST_DATA", ""))
    if not (folder / "tabular").is_dir():
        sys.exit(
            "Set LATENTFOREST_DATA to the folder with the benchmark data: it holds "
            "tabular/NAME.csv.gz, tabular/bootstrap/NAME.npz (idx: the rows of each of "
            "ten runs, counted from 0) and tabular/paper_results. All come from "
            "paper/compression_benchmarks of github.com/bips-hb/RFAE."
        )
    return folder


def load_split(name: str, run: int) -> Split:
    """Training and test rows of run 1 … 10 of the authors' bootstraps."""
    folder = data_folder() / "tabular" / "bootstrap"
    table = datasets.load(name)
    rows = np.load(folder / f"{name}.npz")["idx"][:, run - 1]
    left_out = np.setdiff1d(np.arange(len(table)), rows)
    return Split(
        table.iloc[rows].reset_index(drop=True),
        table.iloc[left_out].reset_index(drop=True),
    )


def n_components(n_columns: int, factor: float) -> int:
    """Latent size at a compression factor."""
    return max(1, round(n_columns * factor))


def paper_results() -> pd.DataFrame:
    """Read the authors' distortion per dataset, factor, run and method.

    Their column ``error`` is a performance: 1 minus the distortion.
    """
    raw = pd.read_csv(data_folder() / "tabular" / "paper_results" / "raw.csv.gz")
    raw["distortion"] = 1 - raw.pop("error")
    return raw.rename(columns={"x": "factor"})
