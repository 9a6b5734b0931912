"""Where the time goes: phases on the paper's 20 tables, growth with columns and trees.

    LATENTFOREST_DATA=… python benchmarks/runtime.py            # what is not there yet
    LATENTFOREST_DATA=… python benchmarks/runtime.py --again    # all of it
    python benchmarks/runtime.py --report                       # from rows to page

Bootstrap 1 and factor 0.2, as the authors' R code was measured (``r_times.py``). Each
line of ``results/runtime.jsonl`` holds wall and processor seconds of the phases, of the
repeat that took the processor least, and the load of the machine as the line began.
Compiled loops are loaded by a small fit before the clock starts. Growth with the rows
is that of ``scale.py``. Takes less than ten minutes on two idle cores.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

from data import NAMES, load_split, n_components
from forecast import case, draw_table
from latentforest import RFAE, AdversarialForest, CompletelyRandomForest, Refinement
from runtime_report import write_report
from scale import Stages, watch_fit

ROWS = Path(__file__).parent / "results" / "runtime.jsonl"
FACTOR = 0.2
CONFIGS = ("paper", "default")
COLUMNS = (5, 10, 20, 50, 100, 200)
TREES = (50, 100, 200, 500, 1_000)
SWEEP_ROWS, SWEEP_COLUMNS, SWEEP_TREES, SWEEP_SIZE = 4_000, 20, 100, 4
ENOUGH, REPEATS = 5.0, 3  # seconds after which nothing is repeated; repeats at most


class Clocks:
    """Wall and processor seconds of the same stages."""

    def __init__(self) -> None:
        self.both = {"wall": Stages(), "cpu": Stages(time.process_time)}
        for stages in self.both.values():
            watch_fit(stages)

    def measure(
        self, model: RFAE, train: pd.DataFrame, test: pd.DataFrame
    ) -> dict[str, dict[str, float]]:
        """Fit, place new rows, decode them."""
        wall, cpu = self.both.values()
        wall.seconds.clear()
        cpu.seconds.clear()
        with wall("other"), cpu("other"):
            model.fit(train)
        with wall("encode"), cpu("encode"):
            coords = model.transform(test)
        with wall("decode"), cpu("decode"):
            model.inverse_transform(coords)
        return {
            name: {stage: round(took, 4) for stage, took in stages.seconds.items()}
            for name, stages in self.both.items()
        }

    def best(
        self, model: RFAE, train: pd.DataFrame, test: pd.DataFrame
    ) -> dict[str, Any]:
        """Return the repeat that took the processor least."""
        load, runs, spent = os.getloadavg()[0], [], 0.0
        while len(runs) < REPEATS and spent < ENOUGH:
            runs.append(self.measure(model, train, test))
            spent += sum(runs[-1]["wall"].values())
        return {
            "rows": len(train),
            "columns": train.shape[1],
            "new": len(test),
            "coordinates": model.n_components,
            "forests": len(getattr(model.grower_, "accuracies_", [0])),
            **min(runs, key=lambda run: sum(run["cpu"].values())),
            "repeats": len(runs),
            "load": round(load, 1),
        }


def table_models(size: int) -> dict[str, RFAE]:
    """Return the two configurations at so many coordinates."""
    more = {"unseen": "nearest", "random_state": 1}
    return {"paper": RFAE.paper(size, **more), "default": RFAE(size, **more)}


def sweep_models(trees: int) -> dict[str, RFAE]:
    """Return the same two with a number of trees; of adversarial rounds, one."""
    adversarial = AdversarialForest(trees, max_rounds=1, round_estimators=None)
    random = CompletelyRandomForest(trees)
    return {
        "paper": RFAE.paper(SWEEP_SIZE, random_state=1, forest=adversarial),
        "default": RFAE(SWEEP_SIZE, forest=random, refine=Refinement(), random_state=1),
    }


def jobs() -> list[dict[str, Any]]:
    """List what is to be measured."""
    found: list[dict[str, Any]] = [{"table": name} for name in NAMES]
    found += [{"sweep": "columns", "at": columns} for columns in COLUMNS]
    found += [{"sweep": "trees", "at": trees} for trees in TREES]
    return [job | {"config": config} for job in found for config in CONFIGS]


def run_job(job: dict[str, Any], clocks: Clocks) -> dict[str, Any]:
    """Measure one of them, after a small fit."""
    if "table" in job:
        train, test = load_split(job["table"], 1)
        model = table_models(n_components(train.shape[1], FACTOR))[job["config"]]
        small = table_models(1)[job["config"]]
    else:
        trees = job["at"] if job["sweep"] == "trees" else SWEEP_TREES
        columns = job["at"] if job["sweep"] == "columns" else SWEEP_COLUMNS
        drawn = draw_table(case(SWEEP_ROWS * 5 // 4, columns))[0]
        train, test = drawn[:SWEEP_ROWS], drawn[SWEEP_ROWS:]
        model, small = (sweep_models(n)[job["config"]] for n in (trees, 4))
    if job["config"] == "paper":
        small.set_params(forest__n_estimators=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # four trees hardly hang together
        small.fit(train[:300]).reconstruct(test[:20])
    return job | clocks.best(model, train, test)


def done() -> list[dict[str, Any]]:
    """Return the rows so far."""
    if not ROWS.exists():
        return []
    return [json.loads(line) for line in ROWS.read_text().splitlines()]


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="forget the rows first")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.again:
        ROWS.unlink(missing_ok=True)
    if not given.report:
        known, clocks = done(), Clocks()
        for job in jobs():
            if any(job.items() <= row.items() for row in known):
                continue
            row = run_job(job, clocks)
            with ROWS.open("a") as file:
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
            total = sum(row["wall"].values())
            print(*job.values(), f"{total:.2f} s at load {row['load']}", flush=True)
    write_report(done())


if __name__ == "__main__":
    main()
