"""Seconds and peak memory of every stage, beside the authors' R code and arfpy.

    python benchmarks/speed.py --datasets churn mushroom obesity king marketing
    python benchmarks/speed.py --datasets churn --arfpy PYTHON
    python benchmarks/speed.py --datasets churn king --against COMMIT

Each dataset runs in a process of its own: bootstrap 1, factor 0.2, the configuration
of the paper. Compiled loops are loaded by a small fit before the clock starts. With
``--arfpy``, the interpreter of an environment that has arfpy grows an adversarial
forest of 100 trees on the same rows, and so do we. With ``--against``, another commit
takes turns with this one; the best of several runs of each are compared, and so is
``transform`` of a refined model with a linear start. Run it on an idle machine.

Reference: the authors' R code on the same kind of machine, see ``r_times.py``.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from data import load_split, n_components
from latentforest import RFAE, AdversarialForest, DiffusionMap
from latentforest._base._random import stage_rngs
from latentforest.decode import KNNDecoder
from latentforest.encoder import fit_encoder
from latentforest.table import TableCodec
from r_times import R_TIMES

Result = TypeVar("Result")

HEADER = """# Seconds and memory per stage

Made by `benchmarks/speed.py` on 2 cores: bootstrap 1, factor 0.2, the configuration of
the paper (adversarial forest of 500 trees, k-NN with k = 20), compilation not counted.
`rounds` are the forests grown (the last one only judges), `after / forest` is the time
of everything after the forest over that of the forest, `R / ours` compares with the
authors' R code, measured idle on the same kind of machine.

| data | rows | rounds | forest | spectrum | transform | regions | decode | total | \
after / forest | peak GB | R / ours, forest | R / ours, total |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


class Stopwatch:
    """Seconds per named stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str, work: Callable[[], Result]) -> Result:
        """Run ``work`` and note how long it took."""
        start = time.perf_counter()
        result = work()
        self.seconds[stage] = round(time.perf_counter() - start, 3)
        return result


def measure(name: str) -> dict[str, object]:
    """Time the stages of the whole run on one dataset."""
    train, test = load_split(name, 1)
    size = n_components(train.shape[1], 0.2)
    warm_up = RFAE.paper(size, random_state=0).set_params(forest__n_estimators=4)
    warm_up.set_params(unseen="nearest").fit(train[:1000]).reconstruct(test[:50])

    clock, rng = Stopwatch(), stage_rngs(1, "forest", "decoder")
    codec = TableCodec(unseen="nearest")
    encoded = clock("table", lambda: codec.fit_encode(train))
    forest = AdversarialForest(500, round_estimators=None)
    grown = clock("forest", lambda: forest.grow_on(encoded, None, rng["forest"]))
    diffusion = DiffusionMap(size, random_state=1)
    encoder = clock("spectrum", lambda: fit_encoder(encoded, grown, diffusion))
    new = clock("table, test", lambda: codec.encode(test).values)
    coords = clock("transform", lambda: encoder.place(new))
    context = encoder.context()
    decoder = clock(
        "regions", lambda: KNNDecoder(20).fit_context(context, rng["decoder"])
    )
    clock("decode", lambda: decoder.predict(coords))
    return {
        "dataset": name,
        "rows": len(train),
        "accuracies": [round(accuracy, 3) for accuracy in forest.accuracies_],
        "leaves per tree": round(grown.forest.n_leaves / 500),
        "seconds": clock.seconds,
        "peak GB": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2, 2
        ),
    }


def describe(row: dict[str, object]) -> list[str]:
    """Return the cells of one dataset's line in the table."""
    seconds = row["seconds"]
    total, forest = sum(seconds.values()), seconds["forest"]
    stages = ("spectrum", "transform", "regions", "decode")
    cells = [f"{row['dataset']}", f"{row['rows']:,}", f"{len(row['accuracies'])}"]
    cells += [f"{value:.2f}" for value in (forest, *map(seconds.get, stages), total)]
    cells += [f"{(total - forest) / forest:.2f}", f"{row['peak GB']}"]
    if row["dataset"] not in R_TIMES:
        return [*cells, "", ""]
    theirs = R_TIMES[row["dataset"]]
    return [*cells, f"{theirs.wall.forest / forest:.1f}", f"{theirs.total / total:.1f}"]


def against_arfpy(name: str, python: str) -> str:
    """Grow 100 trees with both, one after the other."""
    train, _ = load_split(name, 1)
    encoded = TableCodec().fit_encode(train)
    AdversarialForest(4).grow_on(encoded, None, np.random.default_rng(0))
    start = time.perf_counter()
    AdversarialForest(100).grow_on(encoded, None, np.random.default_rng(1))
    ours = time.perf_counter() - start
    script = Path(__file__).with_name("arfpy_time.py")
    answer = subprocess.run(
        [python, str(script), name], check=True, capture_output=True, text=True
    )
    theirs = float(answer.stdout.split()[-1])
    return (
        f"{name}, 100 adversarial trees: arfpy {theirs:.1f} s, ours {ours:.2f} s, "
        f"{theirs / ours:.0f} times faster."
    )


# How long new rows take with a linear start, in any version of the package.
LINEAR_START = """
import time, warnings
from data import load_split
from latentforest import RFAE, Refinement
train, test = load_split({name!r}, 1)
refine = Refinement(3, start="linear")
model = RFAE(4, forest="completely_random", refine=refine, unseen="nearest",
             random_state=0).fit(train)
seconds = []
for _ in range(4):
    begin = time.perf_counter()
    model.transform(test)
    seconds.append(time.perf_counter() - begin)
print(min(seconds))
"""


def compare(commit: str, names: list[str], repeats: int) -> str:
    """Take turns with another commit and compare the best runs of both."""
    here = Path(__file__).resolve().parents[1]
    git = ["git", "-C", str(here), "worktree"]
    lines = ["| data | total before | after | after / before |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old"
        subprocess.run([*git, "add", "--detach", str(old), commit], check=True)
        try:
            for name in names:
                script = ["benchmarks/speed.py", "--json", "--datasets", name]
                linear = ["-c", LINEAR_START.format(name=name)]
                for words, what in ((script, name), (linear, f"{name}, linear start")):
                    runs = [
                        [_seconds(root, words) for root in (old, here)]
                        for _ in range(repeats)
                    ]
                    before, after = (min(column) for column in zip(*runs, strict=True))
                    cells = f"{before:.3f} s | {after:.3f} s | {after / before:.3f}"
                    lines.append(f"| {what} | {cells} |")
                    print(lines[-1], flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    return "\n".join(lines)


def _seconds(root: Path, words: list[str]) -> float:
    """Run Python in a checkout; its last line is a measurement."""
    paths = f"{root / 'src'}:{root / 'benchmarks'}"
    answer = subprocess.run(
        [sys.executable, *words],
        check=True,
        capture_output=True,
        text=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": paths},
    )
    found = json.loads(answer.stdout.splitlines()[-1])
    return found if isinstance(found, float) else sum(found["seconds"].values())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=list(R_TIMES))
    parser.add_argument("--arfpy", metavar="PYTHON", help="interpreter with arfpy")
    parser.add_argument("--arfpy-datasets", nargs="+", default=["churn"])
    parser.add_argument("--against", metavar="COMMIT", help="compare with a commit")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write results/speed.md")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.json:
        print(json.dumps(measure(args.datasets[0])))
        return
    if args.against:
        print(compare(args.against, args.datasets, args.repeats))
        return
    lines = [HEADER]
    for name in args.datasets:
        command = [sys.executable, __file__, "--json", "--datasets", name]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(answer.stdout.splitlines()[-1])
        print(row, flush=True)
        lines.append("| " + " | ".join(describe(row)) + " |")
    for name in args.arfpy_datasets if args.arfpy else ():
        lines += ["", against_arfpy(name, args.arfpy)]
    text = "\n".join(lines) + "\n"
    print(text)
    if args.write:
        (Path(__file__).parent / "results" / "speed.md").write_text(text)


if __name__ == "__main__":
    main()
