"""A table several times longer than the memory of the workers, through a cluster.

    python benchmarks/dask_cluster.py --workers 2 --limit 1.0 --gigabytes 4

Partitions are made up by the workers when they are asked for. The table is fitted, and
the coordinates of all rows, on the plain map of 50 trees, are written to files. Peak
resident memory of each worker and of this process is printed, and how many workers were
restarted for want of memory.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from latentforest import RFAE, CompletelyRandomForest

ROWS = 200_000  # of a partition


def make_rows(number: int, n_rows: int = ROWS) -> pd.DataFrame:
    """Make a partition: 16 numbers, an integer, a name and a flag."""
    rng = np.random.default_rng(number)
    hidden = rng.normal(size=n_rows)
    columns = {
        f"x{j}": np.round(hidden + rng.normal(size=n_rows), 3) for j in range(16)
    }
    names = np.array(["north", "east", "south", "west"])
    return pd.DataFrame(
        columns
        | {
            "count": (10 * hidden).astype(np.int64),
            "region": pd.Categorical(names[np.clip(hidden + 2, 0, 3).astype(int)]),
            "flag": hidden > 0,
        }
    )


def peak() -> float:
    """Peak resident memory of this process, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def run(client: Client, n_partitions: int, kept: int) -> None:
    """Fit, and write coordinates; print seconds and peaks after each."""
    first = set(client.run(lambda: __import__("os").getpid()).values())
    frame = dd.from_map(make_rows, range(n_partitions), meta=make_rows(0, 2)[:0])
    start = time.perf_counter()
    forest = CompletelyRandomForest(n_estimators=50, random_state=0)
    model = RFAE(forest=forest, max_samples=kept, random_state=0, n_jobs=1).fit(frame)
    print(f"fit: {time.perf_counter() - start:.0f} s, {tell(client)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        made = model.transform(frame, to=Path(folder) / "coords")
        seconds = time.perf_counter() - start
        size = sum(file.stat().st_size for file in made.iterdir()) / 1e9
    print(f"transform: {seconds:.0f} s, {size:.2f} GB written, {tell(client)}")
    last = set(client.run(lambda: __import__("os").getpid()).values())
    print(f"{len(first - last)} of {len(first)} workers were restarted")


def tell(client: Client) -> str:
    """Say what each worker and this process needed at most."""
    peaks = ", ".join(f"{size:.2f}" for size in client.run(peak).values())
    return f"peak of workers {peaks} GB, of this process {peak():.2f} GB"


def main() -> None:
    """Read the arguments, start a cluster, and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=float, default=1.0, help="GB per worker")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="of the table")
    parser.add_argument("--kept", type=int, default=100_000, help="rows kept")
    given = parser.parse_args()
    one = make_rows(0).memory_usage(deep=True).sum() / 1e9
    n_partitions = round(given.gigabytes / one)
    print(
        f"{n_partitions} partitions of {one * 1000:.0f} MB, {n_partitions * ROWS:,} "
        f"rows, {n_partitions * one:.1f} GB; {given.workers} workers of "
        f"{given.limit} GB; {given.kept:,} rows kept",
        flush=True,
    )
    with (
        LocalCluster(
            n_workers=given.workers,
            threads_per_worker=1,
            memory_limit=int(given.limit * 1e9),
            dashboard_address=":0",
        ) as cluster,
        cluster.get_client() as client,
    ):
        run(client, n_partitions, given.kept)


if __name__ == "__main__":
    main()
