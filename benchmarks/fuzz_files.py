"""Spoil model files and see that none crashes, hangs or lies.

    python benchmarks/fuzz_files.py --files 10000 --seed 0

Sound files are the golden files of the tests. Each is spoilt in some way
(`fuzz_mutations`, `fuzz_edits`, `fuzz_work`), loaded, and asked for coordinates and
rows; one in four of those with few rows is also cut to one coordinate, which runs its
settings again.
What may happen:

- refused: `ModelFileError`, with a message of one line;
- same: it loads, and gives the same bits as the sound file;
- works: it loads and gives answers of the right shape. Only edits whose checksums were
  set right may do so.

Anything else is a failure: another exception, other answers after damage, a crash, more
than the memory (1 GB) or the processor time (5 s) that a file may take. Batches run in
processes of their own with a limit on memory, and a watchdog ends a process that a file
holds up.
"""

import argparse
import faulthandler
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "tests" / "files" / "golden"
MANY_LINES = "the message has several lines"
SECONDS = 5.0  # of processor time, all threads together, for one file
FEW_ROWS = 100
WATCHDOG = 120  # seconds on the clock, on a busy machine
ROOM = 1_000_000_000  # bytes of address space beyond what the imports take


class Judge:
    """The sound files, what they answer, and the verdict on spoilt ones."""

    def __init__(self, folder):
        sys.path[:0] = [str(HERE), str(GOLDEN)]
        from make import as_frame

        from fuzz_edits import EDITS
        from fuzz_mutations import DAMAGE
        from fuzz_work import WORK
        from latentforest import RFAE, CompletelyRandomForest

        self.cls, self.path = RFAE, Path(folder) / "spoilt.lf"
        self.damage, self.edits, self.work = DAMAGE, EDITS, WORK
        rows = json.loads((GOLDEN / "rows.json").read_text(encoding="utf-8"))
        self.frame = as_frame(rows)[:6]
        self.sound = {}
        for path in sorted(GOLDEN.glob("*.lf")):
            data = path.read_bytes()
            # All that is compiled at its first use is used here, before clocks run.
            self.sound[path.stem] = data, self.ask(data, again=True)
        # More than two coordinates are searched in another way.
        settings = {"forest": CompletelyRandomForest(3), "refine": 1}
        model = RFAE(3, random_state=0, **settings).fit(as_frame(rows))
        self.ask(model.save(self.path).read_bytes(), again=True)

    def rows_for(self, model):
        """Return rows with the columns of a model."""
        if model.schema_.container == "numpy":
            return self.frame[["count"]].to_numpy(np.float64) / [[4, 7]]
        return self.frame[list(model.schema_.names)]

    def ask(self, data, *, again=False):
        """Load a file; return its coordinates and codes, or None where it refuses.

        ``again`` runs its settings once more, for one coordinate.
        """
        from latentforest._base._errors import (
            DroppedTrainingError,
            ModelFileError,
            SchemaError,
        )
        from latentforest.files import describe, load_model

        self.path.write_bytes(data)
        try:
            model = load_model(self.path, self.cls)
        except ModelFileError as exc:
            if "\n" in str(exc):
                raise AssertionError(MANY_LINES) from exc
            return None
        describe(self.path)
        try:
            rows = self.rows_for(model)
            coords = model.transform(rows)
        except (KeyError, SchemaError):
            return ()  # a model of other columns, which is no reason to fail
        assert np.isfinite(coords).all(), "coordinates are not finite"
        try:
            model.inverse_transform(coords)
            codes = model.decoder_.decode(model.decoder_.check_coords(coords))
        except DroppedTrainingError:
            return (coords.tobytes(),)
        if again and model.kernel_.table_.n_rows <= FEW_ROWS:
            model.truncate(1)
        return coords.tobytes(), codes.tobytes()

    def judge(self, seed, number):
        """Spoil one file; return what was done to it and what came of it."""
        rng = np.random.default_rng([seed, number])
        name = sorted(self.sound)[int(rng.integers(len(self.sound)))]
        kind = float(rng.random())
        edited = kind < 0.65
        ways = self.damage
        if edited:
            ways = self.work if kind < 0.15 else self.edits
        spoil = ways[int(rng.integers(len(ways)))]
        data, wanted = self.sound[name]
        what = f"{name}, {spoil.__name__}"
        spoilt = spoil(rng, data)
        begin = time.process_time()
        try:
            answer = self.ask(spoilt, again=number % 4 == 0)
        except Exception as exc:
            return what, f"FAILED: {type(exc).__name__}: {exc}"
        seconds = time.process_time() - begin
        if seconds > SECONDS:
            took = f"FAILED: {seconds:.1f} s for {len(spoilt):,} bytes"
            return what, f"{took}, {'refused' if answer is None else 'loaded'}"
        if answer is None:
            return what, "refused"
        if answer == wanted:
            return what, "same"
        return what, "works" if edited else "FAILED: other answers after damage"


def work(seed, begin, end):
    """Judge some files; a line for each, before and after."""
    warnings.simplefilter("ignore")  # hostile numbers overflow
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(folder)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for number in range(begin, end):
            print(json.dumps({"number": number}), flush=True)
            faulthandler.dump_traceback_later(WATCHDOG, exit=True)
            what, outcome = judge.judge(seed, number)
            faulthandler.cancel_dump_traceback_later()
            done = {"number": number, "what": what, "outcome": outcome}
            print(json.dumps(done), flush=True)


def run_batch(seed, begin, end):
    """Judge some files in a process of its own; yield what came of each."""
    while begin < end:
        command = [sys.executable, __file__, "--worker", f"{begin}:{end}"]
        command += ["--seed", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        yield from (line for line in lines if "outcome" in line)
        if done.returncode == 0:
            return
        if not lines:
            raise SystemExit(done.stderr)
        number = lines[-1]["number"]
        reason = done.stderr.strip().splitlines()[-12:]
        outcome = f"FAILED: the process ended with {done.returncode}: {reason}"
        yield {"number": number, "what": "?", "outcome": outcome}
        begin = number + 1


def main():
    """Judge all files and print how many ended how."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.seed, *map(int, options.worker.split(":")))
        return 0
    counts, failures = Counter(), []
    for begin in range(0, options.files, options.batch):
        end = min(begin + options.batch, options.files)
        for line in run_batch(options.seed, begin, end):
            counts[line["outcome"].partition(":")[0]] += 1
            if line["outcome"].startswith("FAILED"):
                failures.append(line)
                print(json.dumps(line), flush=True)
        print(f"{end} files: {dict(sorted(counts.items()))}", flush=True)
    return 1 if failures or sum(counts.values()) != options.files else 0


if __name__ == "__main__":
    sys.exit(main())
