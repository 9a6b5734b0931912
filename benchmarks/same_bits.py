"""Show that two commits, or two numbers of threads, give the same bits.

    python benchmarks/same_bits.py --against COMMIT
    python benchmarks/same_bits.py --threads
    python benchmarks/same_bits.py --record FILE
    python benchmarks/same_bits.py --compare FILE

Six of the benchmark tables, two of them with gaps, 500 rows of bootstrap 1 and 100
rows left out. The default, the paper's, refined and automatic models, and some of
every other sort, are fitted, saved and loaded. Compared are coordinates of old and new
rows, decoded rows, intervals, level probabilities, and what the loaded model says.

``--threads`` compares processes whose linear algebra has one, two and four threads,
one that may use a single core, and one in which every model is asked by eight threads
at once and then fitted again.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from data import load_split
from latentforest import (
    RFAE,
    CompletelyRandomForest,
    EForest,
    ILPDecoder,
    LassoDecoder,
    Refinement,
    RelabelDecoder,
)

TABLES = ("plpn", "student", "credit", "obesity", "banknote", "wq")
WITH_GAPS = ("student", "banknote")


def load(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return some training and test rows, with gaps in some tables."""
    parts = [part[:500].convert_dtypes() for part in load_split(name, 1)]
    if name in WITH_GAPS:
        rng = np.random.default_rng(0)
        parts = [part.mask(rng.random(part.shape) < 0.05) for part in parts]
    return parts[0], parts[1][:100]


def models() -> dict[str, Any]:
    """Return one model of every sort, unfitted."""
    shared = {"random_state": 1, "unseen": "nearest"}
    small = {**shared, "forest": CompletelyRandomForest(20)}
    linear = Refinement(4, start="linear", n_neighbors=24)
    return {
        "default": RFAE(2, **shared),
        "paper": RFAE.paper(3).set_params(**shared),
        "refined": RFAE(2, forest="completely_random", refine=8, **shared),
        "linear": RFAE(3, forest="completely_random", refine=linear, **shared),
        "auto": RFAE.auto(2).set_params(**shared),
        "landmarks": RFAE(2, landmarks=200, decoder="local_linear", **small),
        "long": RFAE(2, refine=Refinement(3, max_rows=200), **small),
        "scornet": RFAE(2, kernel="scornet", **small),
        "shi_horvath": RFAE(2, forest="shi_horvath", **shared),
        "lasso": RFAE(5, decoder=LassoDecoder(), **small),
        "ilp": RFAE(5, decoder=ILPDecoder(n_trees=5), **small),
        "relabel": RFAE(3, decoder=RelabelDecoder(point="draw"), **small),
        "local": RFAE(3, decoder=RelabelDecoder(mode="local"), **small),
        "eforest": EForest(point="draw", **small),
    }


def frames(name: str, table: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Numbers of a table as such, all else as text."""
    for column in table.columns:
        cells = table[column]
        if pd.api.types.is_numeric_dtype(cells) and cells.dtype != "boolean":
            yield f"{name}/{column}", cells.to_numpy(np.float64, na_value=np.nan)
        else:
            yield f"{name}/{column}", cells.astype(object).map(repr).to_numpy(str)


def answers(model: Any, test: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """All that a fitted model says of new rows."""
    coords = model.transform(test)
    yield "transform", np.asarray(coords)
    if not hasattr(model, "n_components") or model.decoder_.__class__.__name__ in (
        "LassoDecoder",
        "ILPDecoder",
        "RelabelDecoder",
    ):
        yield from frames("decoded", model.inverse_transform(coords))
        return
    decoded, sure = model.inverse_transform(coords, return_uncertainty=True)
    yield from frames("decoded", decoded)
    yield from frames("std", sure.std)
    for end, ends in zip(("lower", "upper"), sure.interval(0.9), strict=True):
        yield from frames(end, ends)
    for column, shares in sure.probabilities.items():
        yield f"shares/{column}", shares.to_numpy()


def refit_after_a_crowd(model: Any, train: pd.DataFrame, test: pd.DataFrame) -> Any:
    """Ask a model for coordinates of many rows from eight threads; fit it again."""
    many = pd.concat([test] * 5)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(model.transform, [many] * 8))
    return clone(model).fit(train)


def record(only: list[str] | None, *, crowd: bool = False) -> dict[str, Any]:
    """Fit all models on all tables and note what they say."""
    found: dict[str, Any] = {}
    for table in TABLES:
        train, test = load(table)
        for name, unfitted in models().items():
            model = clone(unfitted)
            if only and name not in only:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(train)
                if crowd:
                    model = refit_after_a_crowd(model, train, test)
                said = dict(answers(model, test))
                if hasattr(model, "embedding_"):
                    said["embedding"] = np.array(model.embedding_)
                    said["leave_one_out"] = np.array(model.leave_one_out())
                    with tempfile.TemporaryDirectory() as folder:
                        path = Path(folder) / "model.lf"
                        loaded = type(model).load(model.save(path))
                        said |= {f"loaded {k}": v for k, v in answers(loaded, test)}
                        said["loaded embedding"] = np.array(loaded.embedding_)
                        model.save(path, drop_training=True)
                        bare = type(model).load(path)
                        said["bare transform"] = np.asarray(bare.transform(test))
                    if model.n_components > 1:
                        small = model.truncate(1)
                        said |= {f"first {k}": v for k, v in answers(small, test)}
            found |= {f"{name}|{table}|{key}": value for key, value in said.items()}
            print(f"{table:<10} {name:<12} {len(said)} arrays", file=sys.stderr)
    return found


def same(one: Any, other: Any) -> bool:
    """Whether two arrays are the same to the last bit."""
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind == "f":
        one, other = (np.ascontiguousarray(a).view(np.uint64) for a in (one, other))
    return bool(np.array_equal(one, other))


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print, for each model, how many arrays differ; return the number of them."""
    wrong = 0
    names = sorted({key.split("|")[0] for key in after})
    for name in names:
        keys = [key for key in before if key.startswith(f"{name}|")]
        odd = [k for k in keys if k not in after or not same(before[k], after[k])]
        print(f"{name:<12} {len(keys):>5} arrays, {len(odd)} differ")
        for key in odd[:3]:
            print(f"    {key}")
        wrong += len(odd)
    return wrong


def run(
    source: Path,
    target: Path,
    only: list[str] | None,
    *,
    before: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Record with the package in a source folder, in a process of its own."""
    command = [*before, sys.executable, __file__, "--record", str(target), *options]
    command += ["--only", *only] if only else []
    paths = os.environ | {"PYTHONPATH": str(source)} | (env or {})
    subprocess.run(command, check=True, env=paths)
    with np.load(target) as arrays:
        return dict(arrays)


def compare_threads(source: Path, folder: Path, only: list[str] | None) -> int:
    """Compare processes with other threads with one that has a single one."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

    def threads(number: str) -> dict[str, str]:
        return dict.fromkeys(names, number)

    one = run(source, folder / "one.npz", only, env=threads("1"))
    others: dict[str, dict[str, Any]] = {
        "two threads": {"env": threads("2")},
        "four threads": {"env": threads("4")},
        "one core": {"before": ("taskset", "--cpu-list", "0")},
        "after a crowd": {"options": ("--crowd",)},
    }
    wrong = 0
    for name, settings in others.items():
        print(f"# {name}", flush=True)
        wrong += compare(one, run(source, folder / "other.npz", only, **settings))
    return wrong


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--threads", action="store_true", help="compare threads")
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("--crowd", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compare", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=list(models()), metavar="MODEL")
    args = parser.parse_args()
    if args.record:
        np.savez_compressed(args.record, **record(args.only, crowd=args.crowd))
        return
    here = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.threads:
            sys.exit(1 if compare_threads(here / "src", folder, args.only) else 0)
        if args.compare:
            with np.load(args.compare) as arrays:
                before = dict(arrays)
        else:
            add = ["git", "-C", str(here), "worktree", "add", "--detach"]
            subprocess.run([*add, str(folder / "old"), args.against], check=True)
            try:
                source = folder / "old" / "src"
                before = run(source, folder / "before.npz", args.only)
            finally:
                drop = ["git", "-C", str(here), "worktree", "remove", "--force"]
                subprocess.run([*drop, str(folder / "old")], check=True)
        after = run(here / "src", folder / "after.npz", args.only)
    sys.exit(1 if compare(before, after) else 0)


if __name__ == "__main__":
    main()
