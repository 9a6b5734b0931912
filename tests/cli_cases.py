"""Tables for the command line, and a way to run it in this process."""

import io
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd

SMALL = ("--forest", "completely_random", "--trees", "15", "--seed", "3")


def mixed_csv_frame(n_rows, seed=0):
    """Data frame of numbers, text and booleans, with gaps, that CSV can hold."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_rows)

    def noisy():
        return np.clip(hidden + 0.1 * rng.normal(size=n_rows), 0, 0.999)

    frame = pd.DataFrame(
        {
            "id": [f"{i:04d}" for i in range(n_rows)],
            "length": np.round(10 + 5 * noisy(), 1),
            "area": np.exp(noisy()) / 3,
            "count": pd.array((100 * noisy()).astype(int), dtype="Int64"),
            "few": (4 * noisy()).astype(int),
            "flag": noisy() > 0.5,
            "code": np.array(["007", "017", "100"])[(3 * noisy()).astype(int)],
            "name": np.array(["ada, b", 'b"o"b', "eve"])[(3 * noisy()).astype(int)],
        }
    )
    for name in ("length", "count", "name"):
        frame.loc[rng.random(n_rows) < 0.1, name] = None
    return frame


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: bytes
    err: str

    @property
    def lines(self):
        return self.out.decode().splitlines()


def invoke(*argv, stdin=b""):
    """Run a command in this process, with streams of its own."""
    from latentforest.cli import main

    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.StringIO()
    try:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
        sys.stderr = err
        code = main([str(word) for word in argv])
        sys.stdout.flush()
        return Result(code, out.getvalue(), err.getvalue())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
