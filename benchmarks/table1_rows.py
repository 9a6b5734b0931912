"""Rows of Table 1's study: a line of JSON per fit, a list for each thing measured."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

RESULTS = Path(__file__).parent / "results"
ROWS = RESULTS / "table1.jsonl"
KEYS = ["dataset", "run", "factor"]


def read_rows() -> pd.DataFrame:
    """One row per configuration, dataset, run and factor."""
    if not ROWS.exists():
        return pd.DataFrame(columns=["config", *KEYS])
    lines = map(json.loads, ROWS.read_text().splitlines())
    return pd.concat([pd.DataFrame(line) for line in lines], ignore_index=True)


def add_rows(fit: dict[str, Any], rows: list[dict[str, float]]) -> None:
    """Append the rows of one fit as a line."""
    lists = {name: [row[name] for row in rows] for name in rows[0]}
    with ROWS.open("a") as file:
        file.write(json.dumps(fit | lists, separators=(",", ":")) + "\n")
