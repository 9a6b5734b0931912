"""Cells of two pairs of studies: what they express, and their types."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from omics_data import load_arrays

PAIRS = {"brain": ("zeisel", "tasic"), "blood": ("ctrl", "stim")}
NAMES = {
    "zeisel": "Zeisel",
    "tasic": "Tasic",
    "ctrl": "control",
    "stim": "stimulated",
}
FILES = {
    "brain": "zeisel_tasic_interneurons.npz",
    "blood": "kang_pbmc_ctrl_stim.npz",
}
TABLES = ("log", "scaled", "standardised")
N_GENES = 5000  # the most variable ones, as in the paper; genes come in that order
# No types came with the blood cells: these genes tell them.
MARKERS = {
    "T cells": ("CD3D", "CD3E", "CD3G", "CD2", "IL7R", "LTB"),
    "killer cells": ("GNLY", "NKG7", "PRF1", "KLRD1", "GZMA", "GZMH", "CTSW"),
    "B cells": ("CD79A", "CD79B", "MS4A1", "BANK1", "CD19"),
    "CD14 monocytes": ("CD14", "LYZ", "S100A8", "S100A9", "FCN1"),
    "CD16 monocytes": ("FCGR3A", "MS4A7", "VMO1"),
    "platelets": ("PPBP", "PF4", "GNG11"),
}
UNKNOWN = "unknown"


class Cells(NamedTuple):
    """Cells of two studies, one after the other."""

    studies: tuple[str, str]
    values: np.ndarray
    study: np.ndarray
    types: np.ndarray


def load_cells(pair: str, table: str) -> Cells:
    """Read a pair of studies, and prepare the genes in one of three ways."""
    found, studies = load_arrays("scrna", FILES[pair]), PAIRS[pair]
    logs = [log_values(found, study) for study in studies]
    if pair == "brain":
        coarse = [name.partition("_")[0] for name in found["tasic_celltype"]]
        types = [found["zeisel_celltype"], np.array(coarse)]
    else:
        types = [types_by_markers(values, list(found["genes"])) for values in logs]
    values = [one[:, :N_GENES] for one in logs]
    if table == "standardised":
        values = [standardised(one) for one in values]
    joined = np.vstack(values)
    if table == "scaled":
        joined = np.clip(standardised(joined), -10, 10)
    study = np.repeat(studies, [len(one) for one in logs])
    return Cells(studies, joined, study, np.concatenate(types))


def log_values(found: dict[str, np.ndarray], study: str) -> np.ndarray:
    """Scale each cell to 10,000, and take log(1 + x)."""
    parts = (found[f"{study}_{part}"] for part in ("data", "indices", "indptr"))
    cells = csr_matrix(tuple(parts), found[f"{study}_shape"]).toarray()
    return np.log1p(1e4 * cells / cells.sum(axis=1, keepdims=True))


def standardised(values: np.ndarray) -> np.ndarray:
    """Give each gene mean 0 and variance 1."""
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def types_by_markers(values: np.ndarray, genes: list[str]) -> np.ndarray:
    """Type whose markers stand out most; unknown where none of these is expressed."""
    level, even = [], standardised(values)
    seen = []
    for markers in MARKERS.values():
        at = [genes.index(name) for name in markers]
        level.append(even[:, at].mean(axis=1))
        seen.append((values[:, at] > 0).any(axis=1))
    best = np.argmax(level, axis=0)
    known = np.array(seen)[best, np.arange(len(values))]
    return np.where(known, np.array(list(MARKERS))[best], UNKNOWN)
