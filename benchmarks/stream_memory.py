"""Peak memory of ``latentforest encode`` while rows stream through it.

    python benchmarks/stream_memory.py --gigabytes 0.02 0.2 2

Rows are made up, written as CSV into the standard input of a process that encodes
them, and its coordinates are thrown away. The peak resident memory of that process
must not depend on how many rows there were.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

LF = (sys.executable, "-m", "latentforest")
BLOCK = 20_000  # rows made at once


def make_rows(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Make rows with numbers, integers, text and gaps."""
    hidden = rng.normal(size=n_rows)

    def noisy() -> np.ndarray:
        return hidden + rng.normal(size=n_rows)

    names = np.array(["north", "east", "south", "west"])
    table = pd.DataFrame({f"x{j}": np.round(noisy(), 4) for j in range(8)})
    table["count"] = (10 * noisy()).astype(int)
    table["region"] = names[np.clip((noisy() + 2).astype(int), 0, 3)]
    table["flag"] = noisy() > 0
    table.loc[rng.random(n_rows) < 0.05, "x0"] = np.nan
    return table


def fit(folder: Path, trees: int) -> Path:
    """Fit a model on a few rows of the kind."""
    table, model = folder / "rows.csv", folder / "model.lf"
    make_rows(2_000, np.random.default_rng(0)).to_csv(table, index=False)
    words = [*LF, "fit", table, "-o", model, "--trees", str(trees), "--seed", "0", "-q"]
    subprocess.run([*words, "--forest", "completely_random"], check=True)
    return model


def stream(model: Path, gigabytes: float) -> dict[str, float]:
    """Send so many gigabytes of rows through a process, and look at its peak."""
    # The same rows over and over: making new ones would take longer than encoding.
    head, _, body = (
        make_rows(BLOCK, np.random.default_rng(1)).to_csv(index=False).partition("\n")
    )
    block, sent, n_rows = body.encode(), 0, 0
    start = time.perf_counter()
    words = [*LF, "encode", model, "-", "-o", "-", "--quiet"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        process.stdin.write(f"{head}\n".encode())
        peak = 0
        while sent < gigabytes * 1e9:
            process.stdin.write(block)
            sent, n_rows = sent + len(block), n_rows + BLOCK
            peak = max(peak, peak_of(process.pid))
        process.stdin.close()
        while process.poll() is None:
            peak = max(peak, peak_of(process.pid))
            time.sleep(0.05)
    if process.returncode:
        message = f"encode ended with {process.returncode}"
        raise RuntimeError(message)
    return {
        "gigabytes": sent / 1e9,
        "rows": n_rows,
        "seconds": time.perf_counter() - start,
        "peak MB": peak / 1000,
    }


def peak_of(pid: int) -> int:
    """Peak resident memory of a process so far, in kilobytes; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found[1]) if found else 0


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.02, 0.2, 2.0])
    parser.add_argument("--trees", type=int, default=100)
    args = parser.parse_args()
    print(f"{'CSV, GB':>8} {'rows':>12} {'seconds':>9} {'peak MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        model = fit(Path(folder), args.trees)
        for gigabytes in args.gigabytes:
            found = stream(model, gigabytes)
            print(
                f"{found['gigabytes']:>8.2f} {found['rows']:>12,} "
                f"{found['seconds']:>9.1f} {found['peak MB']:>9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
