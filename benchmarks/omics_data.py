"""Files of the studies of patients and cells, from LATENTFOREST_DATA."""

import os
import sys
from pathlib import Path

import numpy as np

ORIGINS = {
    "golub": "data sets GOLUB and GOLUB1 of the R package cancerclass (Bioconductor): "
    "arrays x, genes, label, patients of the original training set first",
    "scrna": "MetaNeighbor_US_data.Rdata of github.com/maggiecrow/MetaNeighbor and "
    "pbmc_stim.RData of github.com/immunogenomics/harmony: genes, and for each study "
    "S a CSR matrix S_data, S_indices, S_indptr, S_shape, and, of brain "
    "cells, S_celltype",
}


def load_arrays(folder: str, name: str) -> dict[str, np.ndarray]:
    """Read one file; a missing one ends the script and tells where it comes from."""
    path = Path(os.environ.get("LATENTFOREST_DATA", "")) / folder / name
    if not path.is_file():
        sys.exit(
            f"Set LATENTFOREST_DATA to the folder with {folder}/{name}. It is made "
            f"from {ORIGINS[folder]}."
        )
    with np.load(path) as found:
        return dict(found)
