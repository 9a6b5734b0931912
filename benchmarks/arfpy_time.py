"""Seconds that arfpy needs for 100 trees; run by an interpreter that has arfpy."""

import sys
import time

import numpy as np
import pandas as pd
from arfpy import arf

from data import load_split

train, _ = load_split(sys.argv[1], 1)
for name in train:
    few = train[name].dtype.kind == "i" and train[name].nunique() < 6
    if few or not pd.api.types.is_numeric_dtype(train[name]):
        train[name] = train[name].astype("category")
np.random.seed(1)  # noqa: NPY002, arfpy draws from the global generator
start = time.perf_counter()
arf.arf(
    x=train, num_trees=100, min_node_size=2, random_state=1, n_jobs=2, verbose=False
)
print(time.perf_counter() - start)
