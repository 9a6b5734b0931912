"""Checksums: of the bytes of a file, or of the numbers in it."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def of_bytes(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_expression(path: Path) -> Any:
    """Read intensities as patients × probes; the rows are in order of their numbers.

    The file has a line for each probe, and for each patient a column with the number
    as its name and one that says whether the probe was called present.
    """
    table = pd.read_csv(path, encoding="latin-1").set_index("Gene Accession Number")
    patients = sorted((name for name in table.columns if name.isdigit()), key=int)
    rows = table[patients].T.astype(np.int32)
    rows.columns.name = None
    return rows.set_axis(pd.Index([int(name) for name in patients], name="patient"))


def of_expression(path: Path) -> str:
    """Return the sha256 of the intensities, as 32-bit integers row by row."""
    try:
        rows = read_expression(path)
    except (KeyError, ValueError):
        return "unreadable"  # what came is no such table: an error page, say
    return hashlib.sha256(rows.to_numpy("<i4").tobytes()).hexdigest()
