"""What it costs that decoded numbers stay within their training range.

    python benchmarks/ranges.py run --datasets bc hd
    python benchmarks/ranges.py table

``run`` fits run 1 of the paper's bootstraps at compression factors 0.2, 0.5 and 1.0,
`RFAE()` and `RFAE.auto`, decodes the rows left out as the models come, and from the
same coordinates with ``extrapolate=True``. It appends one JSON line per model to
``benchmarks/results/ranges.jsonl`` and skips what is there already. ``table`` writes
``benchmarks/results/ranges.md``.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd

from data import NAMES, load_split, n_components
from latentforest import RFAE
from latentforest.metrics import code_distortions, mean_distortion

RESULTS = Path(__file__).parent / "results"
ROWS, PAGE = RESULTS / "ranges.jsonl", RESULTS / "ranges.md"
FACTORS = (0.2, 0.5, 1.0)
MODELS = {"`RFAE()`": RFAE, "`RFAE.auto`": RFAE.auto}


def read_rows() -> pd.DataFrame:
    """Read what was measured so far."""
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    columns = ["model", "dataset", "factor"]
    return pd.DataFrame([json.loads(line) for line in lines] or None, columns=None if lines else columns)


def measure(model: RFAE, test: pd.DataFrame) -> dict[str, float]:
    """Distortion with and without, and the shares of numbers outside."""
    schema = model.schema_
    truth = model.codec_.encode(test).values
    coords = model.transform(test)
    free = type(model.decoder_)(**model.decoder_.get_params() | {"extrapolate": True})
    free.fit_context(model.encoder_.context(), np.random.default_rng(0))
    found = {}
    for name, decoder in (("inside", model.decoder_), ("extrapolate", free)):
        codes = decoder.decode(coords)
        lost = code_distortions(schema, truth, codes)
        found[name] = round(mean_distortion(lost), 5)
    numbers = schema.is_number

    def outside(codes: np.ndarray) -> float:
        is_outside = (codes < schema.lower) | (codes > schema.upper)
        return round(float(is_outside[:, numbers].mean()), 6) if numbers.any() else 0.0

    return found | {"decoded outside": outside(codes), "rows outside": outside(truth)}
