"""Rows per second of the ONNX graph in onnxruntime against ``transform``.

    python benchmarks/serving.py [n_trees]

A mixed table of 10,000 rows, half of it numbers, half categories, every forest. One
thread each, seconds of the processor, best of several runs: other programs do not
disturb them. A service has its cells as arrays already, so that the time of
``onnx_inputs`` is shown apart.
"""

import sys
from time import process_time

import numpy as np
import onnxruntime
import pandas as pd

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.serving import onnx_inputs, to_onnx

N_ROWS = 10_000
LEVELS = (2, 3, 5, 8, 12, 30)
REPEATS = 5
FORESTS = (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)


def make_table(seed=0):
    """Mixed columns that follow one hidden number, some cells missing."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(N_ROWS)
    noisy = [np.clip(hidden + 0.15 * rng.normal(size=N_ROWS), 0, 0.999) for _ in LEVELS]
    table = pd.DataFrame(
        {f"number {j}": hidden + 0.2 * rng.normal(size=N_ROWS) for j in range(6)}
    )
    for n_levels, values in zip(LEVELS, noisy, strict=True):
        names = np.array([f"level {i}" for i in rng.permutation(n_levels)])
        table[f"{n_levels} levels"] = names[(values * n_levels).astype(int)]
    return table.mask(rng.random(table.shape) < 0.03)


def best_of(work, repeats=REPEATS):
    """Shortest of some runs, in seconds, and the last result."""
    seconds = []
    for _ in range(repeats):
        begin = process_time()
        result = work()
        seconds.append(process_time() - begin)
    return min(seconds), result


def open_session(graph):
    """Load a graph to run in one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"]
    )


def measure(model, table):
    """Seconds and sizes of one model, as one line."""
    model.kernel_.n_jobs = 1
    export, proto = best_of(lambda: to_onnx(model), repeats=1)
    graph = proto.SerializeToString()
    load, session = best_of(lambda: open_session(graph), repeats=1)
    ours, wanted = best_of(lambda: model.transform(table))
    feeding, feed = best_of(lambda: onnx_inputs(model, table))
    theirs, (found,) = best_of(lambda: session.run(None, feed))
    one_row = {name: cells[:1] for name, cells in feed.items()}
    single, _ = best_of(lambda: [session.run(None, one_row) for _ in range(100)])
    error = np.abs(found - wanted).max()
    return (
        f"{export:8.1f}{len(graph) / 1e6:8.1f}{load:8.1f}{ours:11.3f}{feeding:8.3f}"
        f"{theirs:8.3f}{ours / theirs:8.2f}{10 * single:11.2f}{error:10.0e}"
    )


def main():
    """Print one line per forest."""
    n_trees = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    table = make_table()
    target = (table["number 0"] > 0.5).astype(int).to_numpy()
    print(f"onnxruntime {onnxruntime.__version__}, {n_trees} trees, {N_ROWS:,} rows")
    columns = "  export      MB    load  transform    feed    onnx   ratio  1 row, ms"
    print(f"{'forest':24}{columns}     error")
    for forest in FORESTS:
        grower = forest(n_trees)
        model = RFAE(4, forest=grower, decoder="knn", random_state=0).fit(table, target)
        print(f"{forest.__name__:24}{measure(model, table)}", flush=True)


if __name__ == "__main__":
    main()
