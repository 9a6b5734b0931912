"""What it takes to serve a model: one row, the file, the ONNX graph.

    python benchmarks/serving.py [rows] [files] [onnx] [start]

Writes ``results/serving.md`` if all parts are run, as without arguments.

- rows: milliseconds for one row, as a pandas frame and as a dict, of the model and of
  its `Scorer`.
- files: size of model files, and seconds to write and read them.
- onnx: rows per second of the graph in onnxruntime against ``transform``, on a mixed
  table of 10,000 rows, half of it numbers, half categories, with every forest. A
  service has its cells as arrays already, so the time of ``onnx_inputs`` stands apart.
- start: seconds until the command line has answered, and until a new process has
  placed its first row, and what it then takes of memory.

One thread, seconds of the processor, best of several runs: other programs do not
disturb them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

import numpy as np
import onnxruntime
import pandas as pd

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    Scorer,
    ShiHorvathForest,
    SupervisedForest,
    datasets,
)
from latentforest.serving import onnx_inputs, to_onnx

N_ROWS = 10_000
N_TREES = 500
RESULTS = Path(__file__).parent / "results" / "serving.md"
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


def wide_table(seed=0):
    """Twenty columns of every kind: floats, integers, text, categories, booleans."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(N_ROWS)

    def noisy():
        return np.clip(hidden + 0.1 * rng.normal(size=N_ROWS), 0, 0.999)

    columns = {f"number {j}": hidden + 0.2 * rng.normal(size=N_ROWS) for j in range(8)}
    columns |= {f"count {j}": (100 * noisy()).astype(int) for j in range(3)}
    for j, n_levels in enumerate((3, 5, 8, 12, 30)):
        names = np.array([f"level {i}" for i in range(n_levels)])
        columns[f"text {j}"] = names[(noisy() * n_levels).astype(int)]
    for j in range(2):
        columns[f"grade {j}"] = pd.Categorical(
            np.array(list("abcd"))[(noisy() * 4).astype(int)]
        )
        columns[f"flag {j}"] = noisy() < 0.5
    table = pd.DataFrame(columns)
    table.loc[rng.random(N_ROWS) < 0.03, "number 0"] = np.nan
    table.loc[rng.random(N_ROWS) < 0.03, "text 0"] = None
    return table


def served_models():
    """Fit the models that are served; name, table, model."""
    wide, churn = wide_table(), datasets.load("churn")
    settings = {"random_state": 0, "n_jobs": 1}
    for name, table in (("20 columns", wide), ("churn", churn)):
        for what, model in {
            '`forest="adversarial"`': RFAE(forest="adversarial", **settings),
            "`refine=None`": RFAE(refine=None, **settings),
            "`RFAE()`": RFAE(**settings),
            "`RFAE.auto()`": RFAE.auto(random_state=0).set_params(n_jobs=1),
        }.items():
            yield f"{name}, {what}", table, model.fit(table)


def one_row_ms(work, repeats=200):
    """Milliseconds of one call: many calls in a row, the best of some runs."""
    return 1e3 * best_of(lambda: [work() for _ in range(repeats)])[0] / repeats


def rows_part(models):
    """Milliseconds for one row."""
    lines = [
        "| model | start | `transform`, pandas | `transform`, dict | `Scorer`, dict | "
        "`inverse_transform` | `reconstruct`, pandas | ONNX |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [f"| {name} | {times_of_a_row(*rest)} |" for name, *rest in models]
    return ["## One row, milliseconds", "", *lines]


def times_of_a_row(table, model):
    """Milliseconds for one row of one model, as one line."""
    row = table[77:78]
    cells, coords = row.to_dict("records")[0], model.transform(row)
    assert coords.tobytes() == model.transform(table[:200])[77:78].tobytes()
    assert model.transform(cells).tobytes() == coords.tobytes()
    scorer = Scorer.of(model)
    assert scorer.transform(cells).tobytes() == coords.tobytes()
    refined = model.encoder_.refined
    start = "–" if refined is None else refined.start.name
    onnx = "–"
    if start in ("–", "packed"):
        session = open_session(to_onnx(model).SerializeToString())
        feed = onnx_inputs(model, row)
        onnx = f"{one_row_ms(lambda: session.run(None, feed)):.2f}"
    works = (
        lambda: model.transform(row),
        lambda: model.transform(cells),
        lambda: scorer.transform(cells),
        lambda: model.inverse_transform(coords),
        lambda: model.reconstruct(row),
    )
    times = (f"{one_row_ms(work):.2f}" for work in works)
    return " | ".join((start, *times, onnx))


def files_part(models):
    """Sizes of model files, and seconds to write and read them."""
    lines = [
        "| model | leaves | file | `compact` | without rows | both | save | load |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    lines += [f"| {name} | {file_of(*rest)} |" for name, *rest in models]
    return ["## Model files", "", *lines]


def file_of(table, model):
    """Sizes and seconds of the files of one model, as one line."""
    sizes, rows = [], table[:500]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lf"
        for dropped in (False, True):
            for compact in (False, True):
                model.save(path, drop_training=dropped, compact=compact)
                sizes.append(f"{path.stat().st_size / 1e6:.2f} MB")
        save, _ = best_of(lambda: model.save(path), 3)
        load, again = best_of(lambda: RFAE.load(path), 3)
        assert again.transform(rows).tobytes() == model.transform(rows).tobytes()
    n_leaves = f"{model.encoder_.forest.n_leaves:,}"
    return " | ".join((n_leaves, *sizes, f"{save:.2f} s", f"{load:.2f} s"))


def onnx_part():
    """Speed and size of graphs, one line per forest."""
    table = make_table()
    target = (table["number 0"] > 0.5).astype(int).to_numpy()
    lines = [
        f"onnxruntime {onnxruntime.__version__}, {N_TREES} trees, {N_ROWS:,} rows, "
        "four coordinates; `ratio` is the time of `transform` over that of the graph.",
        "",
        "| forest | export | MB | load | transform | feed | onnx | ratio | "
        "1 row, ms | largest error |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for forest in FORESTS:
        grower = forest(N_TREES)
        model = RFAE(4, forest=grower, decoder="knn", random_state=0).fit(table, target)
        lines.append(f"| {forest.__name__} | {measure(model, table)} |")
    return ["## ONNX", "", *lines]


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
    single = one_row_ms(lambda: session.run(None, one_row), 100)
    error = np.abs(found - wanted).max()
    cells = f"{export:.1f}", f"{len(graph) / 1e6:.1f}", f"{load:.1f}", f"{ours:.3f}"
    cells += f"{feeding:.3f}", f"{theirs:.3f}", f"{ours / theirs:.2f}"
    return " | ".join((*cells, f"{single:.2f}", f"{error:.0e}"))


FIRST_ROW = """
import json, sys, time
begin = time.process_time()
from latentforest import {name}
imported = time.process_time()
model = {name}.load(sys.argv[1])
loaded = time.process_time()
model.transform(json.loads(sys.argv[2]))
end = time.process_time()
# Of this process alone; what getrusage says begins with that of its parent.
status = open("/proc/self/status").read()
memory = int(status.partition("VmHWM:")[2].split()[0]) / 1e3
print(imported - begin, loaded - imported, end - loaded, memory)
"""


def start_part():
    """Processor seconds until the command line, or a service, has answered."""
    lines = ["| command | seconds |", "|---|---|"]
    for words in ("--version", "--help", "fit --help", "memory --rows 9 --columns 2"):
        command = [sys.executable, "-m", "latentforest", *words.split()]
        seconds = []
        for _ in range(REPEATS):
            begin = getrusage(RUSAGE_CHILDREN)
            subprocess.run(command, check=True, capture_output=True)
            end = getrusage(RUSAGE_CHILDREN)
            used = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
            seconds.append(used)
        lines.append(f"| `latentforest {words}` | {min(seconds):.2f} |")
    return ["## The command line", "", *lines, "", *first_row_lines()]


def first_row_lines():
    """Seconds and memory of a process that loads a model and places one row."""
    lines = ["## The first row of a process", ""]
    lines += ["| model | class | import | load | first row | memory |"]
    lines += ["|---|---|---|---|---|---|"]
    table = wide_table()
    cells = json.dumps(table[77:78].to_dict("records")[0])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.lf")
        for what, refine in (("`refine=None`", None), ("`RFAE()`", "default")):
            model = RFAE(refine=refine, random_state=0, n_jobs=1).fit(table)
            model.save(path, drop_training=True)
            for name in ("RFAE", "Scorer"):
                code = FIRST_ROW.format(name=name)
                command = [sys.executable, "-c", code, path, cells]
                runs = [
                    subprocess.run(command, check=True, capture_output=True).stdout
                    for _ in range(REPEATS)
                ]
                *times, memory = np.array([run.split() for run in runs], float).min(0)
                shown = " | ".join(f"{seconds:.2f} s" for seconds in times)
                lines += [f"| {what} | `{name}` | {shown} | {memory:.0f} MB |"]
    return lines


def main():
    """Print the parts that are asked for; write them all to the results."""
    asked = sys.argv[1:] or ["rows", "files", "onnx", "start"]
    models = list(served_models()) if {"rows", "files"} & set(asked) else []
    parts = {
        "rows": lambda: rows_part(models),
        "files": lambda: files_part(models),
        "onnx": onnx_part,
        "start": start_part,
    }
    text = ["# Serving", "", "Made by `benchmarks/serving.py`: one thread, processor"]
    text += ["time, best of several runs. `20 columns` are 8 of floats, 3 of integers,"]
    text += ["5 of text, 2 categories and 2 booleans; 10,000 rows, some cells missing."]
    for name in asked:
        found = parts[name]()
        print("\n".join(found), "\n", flush=True)
        text += ["", *found]
    if set(asked) == set(parts):
        RESULTS.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
