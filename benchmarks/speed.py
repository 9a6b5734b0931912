"""Seconds and peak memory of every stage, beside the authors' R code and arfpy.

    python benchmarks/speed.py --datasets churn mushroom obesity king marketing
    python benchmarks/speed.py --datasets churn --arfpy PYTHON

Each dataset runs in a process of its own: bootstrap 1, factor 0.2, the configuration
of the paper. Compiled loops are loaded by a small fit before the clock starts. With
``--arfpy``, the interpreter of an environment that has arfpy grows an adversarial
forest of 100 trees on the same rows, and so do we. Run it on an idle machine.

Reference: the authors' R code, wall seconds on the same kind of machine (2 cores,
24 GB, idle), bootstrap 1, factor 0.2.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from data import load_split, n_components
from latentforest import RFAE, AdversarialForest, DiffusionMap
from latentforest._base._random import stage_rngs
from latentforest.decode import DecoderContext, KNNDecoder
from latentforest.kernel import LeafIndex, LeafKernel
from latentforest.table import TableCodec

Result = TypeVar("Result")

# (forest, total) of the authors' code; the rest was not measured on an idle machine.
R_SECONDS = {
    "plpn": (2.6, 7.6),
    "student": (6.9, 19.0),
    "credit": (5.3, 16.0),
    "obesity": (12.2, 30.0),
    "wq": (16.2, 39.0),
    "mushroom": (15.1, 65.0),
    "churn": (25.5, 77.0),
    "king": (406.0, 520.0),
}


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
    forest = AdversarialForest(500)
    grown = clock("forest", lambda: forest.grow_on(encoded, None, rng["forest"]))
    kernel = clock(
        "kernel", lambda: LeafKernel(LeafIndex(grown.leaf_ids, grown.forest.n_leaves))
    )
    mapped = clock("spectrum", lambda: DiffusionMap(size, random_state=1).fit(kernel))
    new = clock("table, test", lambda: codec.encode(test).values)
    coords = clock("transform", lambda: mapped.transform(grown.forest.leaves(new)))
    context = DecoderContext(encoded, mapped.embedding_, grown.forest, grown.leaf_ids)
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


def report(row: dict[str, object]) -> None:
    """Print one dataset's stages and ratios."""
    seconds = row["seconds"]
    total, forest = sum(seconds.values()), seconds["forest"]
    print(
        f"\n{row['dataset']}: {row['rows']} rows, {row['leaves per tree']} leaves "
        f"per tree, accuracies {row['accuracies']}, peak {row['peak GB']} GB"
    )
    print("  " + ", ".join(f"{stage} {value:.2f}" for stage, value in seconds.items()))
    print(
        f"  total {total:.2f} s; after the forest {total - forest:.2f} s, "
        f"{(total - forest) / forest:.2f} of the forest's time"
    )
    if row["dataset"] in R_SECONDS:
        r_forest, r_total = R_SECONDS[row["dataset"]]
        print(
            f"  R: forest {r_forest} s, {r_forest / forest:.1f} times ours; "
            f"total {r_total} s, {r_total / total:.1f} times ours"
        )


def against_arfpy(name: str, python: str) -> None:
    """Grow 100 trees with both, best of three of ours against one of arfpy's."""
    train, _ = load_split(name, 1)
    script = Path(__file__).with_name("arfpy_time.py")
    codec = TableCodec()
    encoded = codec.fit_encode(train)
    AdversarialForest(4, random_state=0).grow_on(encoded, None, np.random.default_rng())
    start = time.perf_counter()
    ours = AdversarialForest(100).grow_on(encoded, None, np.random.default_rng(1))
    seconds = time.perf_counter() - start
    assert ours.forest.n_trees == 100
    answer = subprocess.run(
        [python, str(script), name], check=True, capture_output=True, text=True
    )
    theirs = float(answer.stdout.split()[-1])
    print(
        f"\n{name}, 100 trees: arfpy {theirs:.2f} s, ours {seconds:.2f} s, "
        f"{theirs / seconds:.1f} times faster"
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=list(R_SECONDS))
    parser.add_argument("--arfpy", metavar="PYTHON", help="interpreter with arfpy")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.json:
        print(json.dumps(measure(args.datasets[0])))
        return
    for name in args.datasets:
        command = [sys.executable, __file__, "--json", "--datasets", name]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        report(json.loads(answer.stdout.splitlines()[-1]))
        if args.arfpy:
            against_arfpy(name, args.arfpy)


if __name__ == "__main__":
    main()
