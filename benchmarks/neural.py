"""Neural baselines rerun, beside the authors' own values of the same runs.

    pip install -e ".[neural]"
    LATENTFOREST_DATA=… python benchmarks/neural.py run      # then ``page``
    LATENTFOREST_DATA=… python benchmarks/neural.py run --methods ae vae --runs 1
    LATENTFOREST_DATA=… python benchmarks/neural.py page

``run`` appends one JSON line per table, run, compression and method to
``results/neural.jsonl`` and skips what is there already. Everything works in one thread
and is trained anew for each compression, ``RFAE`` too; times are processor seconds of
``fit``, since a machine has other work. ``page`` writes ``results/neural.md``. Other
readings of the paper's appendix (``--methods ae_linear …``) are run when asked for.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import latentforest
from data import FACTORS, load_split, n_components
from latentforest import RFAE
from latentforest.metrics import distortion
from latentforest.table import TableCodec, TableSchema
from neural_report import FORESTS, NEURAL, TABLES, VARIANTS, write_page

ROWS = Path(__file__).parent / "results" / "neural.jsonl"
METHODS = (*NEURAL, *FORESTS)
KEYS = ("method", "dataset", "run", "factor")
Builder = Callable[[int, int], Any]


def forest(build: Callable[..., RFAE]) -> Builder:
    """Return an ``RFAE`` that works in one thread."""

    def make(size: int, seed: int) -> RFAE:
        return build(size, random_state=seed, n_jobs=1).set_params(unseen="nearest")

    return make


def builders() -> dict[str, Builder]:
    """Methods by name; all have fit, transform and inverse_transform."""
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # ctgan takes all cores otherwise
    try:
        import torch

        import neural_models as dense
        from neural_transformer import LongTransformerVAE, TransformerVAE
    except ModuleNotFoundError as missing:
        sys.exit(
            f"{missing.name!r} is needed here. Install torch and ctgan with: "
            "pip install -e '.[neural]'"
        )
    torch.set_num_threads(1)
    return {
        "ae": dense.DenseAutoencoder,
        "vae": dense.DenseVAE,
        "tvae": dense.PackagedTVAE,
        "ttvae": TransformerVAE,
        "ae_linear": dense.LinearCodeAutoencoder,
        "vae_mean": dense.MeanErrorVAE,
        "vae_drawn": dense.DrawingVAE,
        "tvae_quiet": dense.QuietTVAE,
        "ttvae_long": LongTransformerVAE,
        "rfae_paper": forest(RFAE.paper),
        "rfae": forest(RFAE),
    }


def scores(
    test: pd.DataFrame, back: pd.DataFrame, kinds: TableSchema
) -> dict[str, float]:
    """Distortion of rows as they come, and with whole numbers made whole."""
    plain = distortion(test, back, kinds=kinds).mean
    whole = test.select_dtypes("integer").columns
    rounded = back.assign(**{str(name): back[name].round() for name in whole})
    return {
        "distortion": round(plain, 6),
        "rounded": round(distortion(test, rounded, kinds=kinds).mean, 6),
    }


def run(args: argparse.Namespace) -> None:
    """Compute the rows that are not there yet."""
    methods, done = builders(), set()
    if ROWS.exists():
        rows = map(json.loads, ROWS.read_text().splitlines())
        done = {tuple(row[key] for key in KEYS) for row in rows}
    jobs = [
        (method, dataset, number, factor)
        for number in args.runs
        for dataset in args.datasets
        for factor in args.factors
        for method in args.methods
    ]
    warm = [method for method in args.methods if method.startswith("rfae")]
    for method in warm:  # compiled before the clock runs
        methods[method](2, 0).fit(load_split("plpn", 1).train)
    for job in jobs:
        if job in done:
            continue
        method, dataset, number, factor = job
        train, test = load_split(dataset, number)
        kinds = TableCodec(unseen="nearest").fit(train).schema_
        size = n_components(train.shape[1], factor)
        model = methods[method](size, number)
        start, started = time.process_time(), time.perf_counter()
        model.fit(train)
        seconds, waited = time.process_time() - start, time.perf_counter() - started
        back = model.inverse_transform(model.transform(test))
        row = dict(zip(KEYS, job, strict=True)) | {"n_components": size}
        row |= scores(test, back, kinds)
        row |= {"seconds": round(seconds, 2), "version": latentforest.__version__}
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(
            f"{dataset} run {number} at {factor}, {method}: {row['distortion']:.4f} "
            f"in {seconds:.1f} s (waited {waited:.1f} s)",
            flush=True,
        )


def main() -> None:
    """Read the command line."""
    # Not ours to mend: mixtures that have not settled, levels that ctgan did not see.
    warnings.filterwarnings("ignore", module="sklearn|rdt|ctgan|torch")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="append missing rows")
    runner.add_argument(
        "--methods", nargs="+", choices=(*METHODS, *VARIANTS), default=METHODS
    )
    runner.add_argument("--datasets", nargs="+", choices=TABLES, default=TABLES)
    runner.add_argument("--runs", nargs="+", type=int, default=[1, 2, 3])
    runner.add_argument("--factors", nargs="+", type=float, default=list(FACTORS))
    runner.set_defaults(do=run)
    writer = commands.add_parser("page", help="rows to page")
    writer.set_defaults(do=lambda _: write_page())
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
