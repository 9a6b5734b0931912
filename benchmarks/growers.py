"""Who shall grow the trees: scikit-learn, LightGBM's rf mode, or our own grower.

    python benchmarks/growers.py who --datasets churn marketing
    python benchmarks/growers.py rounds --datasets plpn hd --seeds 1 2 3
    python benchmarks/growers.py table

The task is round 0 of the adversarial forest: real rows against rows drawn column by
column. Two thirds of both train 100 trees, the rest judge them by accuracy. All use
two threads, √d columns per split and leaves of at least 2 rows; scikit-learn sees
level numbers, LightGBM and ours see categories. Run it on an idle machine.

``rounds`` asks how many trees the adversarial rounds need: the configuration of the
paper on bootstrap 1, with all 500 trees in every round and with fewer, at factors 0.2
and 0.5. It appends to ``results/growers.jsonl`` what is not there yet; ``table`` writes
``results/growers.md``.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from data import NAMES, load_split, n_components
from latentforest import RFAE, AdversarialForest, SupervisedForest
from latentforest.metrics import distortion
from latentforest.table import EncodedTable, TableCodec

TREES = 100
MANY_LEAVES = 2**14
SIZES = (None, 200, 100, 50)  # trees of a round; None is all 500
ROWS = Path(__file__).parent / "results" / "growers.jsonl"

HEADER = """# How many trees the adversarial rounds need

Made by `benchmarks/growers.py`: the configuration of the paper (500 trees, k-NN with
k = 20), bootstrap 1, mean distortion of factors 0.2 and 0.5, by the trees that judge
and draw in each round. The forest kept has 500 trees in all cases. Seeds 1 to 3; king,
marketing and adult seed 1.

| data | all 500 | 200 | 100 | 50 | seeds |
|---|---|---|---|---|---|"""

# Taken by hand: two commits cannot be loaded side by side.
SECONDS = """
Where columns differ, another round was kept, or its rows were drawn from fewer trees.
Seeds differ as much: forestfires, with all 500 trees in every round, 0.516, 0.557 and
0.541.

`AdversarialForest` on king (21,613 rows, 500 trees), processor seconds, busy machine:

| | forests grown | seconds |
|---|---|---|
| floats, references counted (before) | 8 | 82.3 |
| whole numbers (`round_estimators=None`, the same trees) | 8 | 41.9 |
| `round_estimators=100` (the default) | 7 | 12.7 |
| `round_estimators=50` | 7 | 9.2 |
"""


def task(name: str) -> tuple[EncodedTable, np.ndarray, np.ndarray]:
    """Return encoded rows, their labels, and which of them train."""
    rng = np.random.default_rng(0)
    encoded = TableCodec().fit_encode(load_split(name, 1).train)
    synthetic = np.column_stack(
        [rng.choice(column, len(column)) for column in encoded.values.T]
    )
    values = np.ascontiguousarray(np.concatenate([encoded.values, synthetic]))
    labels = np.repeat([1, 0], encoded.n_rows)
    return EncodedTable(encoded.schema, values), labels, rng.random(len(values)) < 2 / 3


def grow_sklearn(rows: EncodedTable, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Exact splits on level numbers."""
    model = RandomForestClassifier(TREES, min_samples_leaf=2, n_jobs=2, random_state=0)
    return model.fit(rows.values, y).predict(new)


def grow_lightgbm(rows: EncodedTable, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Binned splits, native categories, bagging without replacement."""
    import lightgbm

    n_columns = rows.schema.n_columns
    data = lightgbm.Dataset(
        rows.values,
        y,
        categorical_feature=np.flatnonzero(rows.schema.split_levels).tolist(),
        params={"verbose": -1},
    )
    settings = {
        "boosting": "rf",
        "objective": "binary",
        "bagging_fraction": 0.632,
        "bagging_freq": 1,
        "feature_fraction_bynode": int(np.sqrt(n_columns)) / n_columns,
        "min_data_in_leaf": 2,
        "num_leaves": MANY_LEAVES,
        "num_threads": 2,
        "verbose": -1,
        "seed": 0,
    }
    return lightgbm.train(settings, data, TREES).predict(new) > 0.5


def grow_ours(rows: EncodedTable, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Rank bins, native categories, bootstrap."""
    forest = SupervisedForest(TREES, task="classification", min_samples_leaf=2)
    forest.grow_on(rows, y, np.random.default_rng(0))
    shares = forest.leaf_values_[forest.forest_.leaves(new)].mean(axis=1)
    return shares[:, 1] > 0.5


GROWERS = {
    "scikit-learn": grow_sklearn,
    "LightGBM rf": grow_lightgbm,
    "ours": grow_ours,
}


def run_rounds(args: argparse.Namespace) -> None:
    """Fit with all trees in every round, and with fewer."""
    done = set()
    if ROWS.exists():
        rows = map(json.loads, ROWS.read_text().splitlines())
        done = {(r["dataset"], r["seed"], r["round_estimators"]) for r in rows}
    jobs = [(d, s, n) for s in args.seeds for d in args.datasets for n in SIZES]
    grown = AdversarialForest._grow  # to count the trees
    for name, seed, size in jobs:
        if (name, seed, size) in done:
            continue
        count, rounds = [0], set()

        def counted(
            self: AdversarialForest,
            contest: Any,
            seeds: np.ndarray,
            votes: Any,
            job: str,
            count: list[int] = count,
            rounds: set[str] = rounds,
        ) -> Any:
            count[0] += len(seeds)
            rounds |= {job} if votes is not None else set()
            return grown(self, contest, seeds, votes, job)

        AdversarialForest._grow = counted  # type: ignore[method-assign]
        train, test = load_split(name, 1)
        model = RFAE.paper(n_components(train.shape[1], 0.5), random_state=seed)
        model.set_params(unseen="nearest", forest__round_estimators=size).fit(train)
        row = {"dataset": name, "seed": seed, "round_estimators": size}
        row |= {"rounds": len(rounds), "trees": count[0]}
        for factor in (0.2, 0.5):
            small = model.truncate(n_components(train.shape[1], factor))
            lost = distortion(test, small.reconstruct(test), kinds=small.schema_)
            row[str(factor)] = round(lost.mean, 6)
        print(row, flush=True)
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
    AdversarialForest._grow = grown  # type: ignore[method-assign]


def write_table(args: argparse.Namespace) -> None:
    """Put the rounds of few trees beside those of all trees."""
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    lost = {
        (r["dataset"], r["seed"], r["round_estimators"]): (r["0.2"] + r["0.5"]) / 2
        for r in rows
    }
    names = sorted({r["dataset"] for r in rows})
    lines = [HEADER]
    for name in names:
        cells = [name]
        for size in SIZES:
            found = [lost[key] for key in lost if key[0] == name and key[2] == size]
            cells.append(f"{np.mean(found):.3f}")
        cells.append(str(len(found)))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| trees of a round | less all 500 | largest | trees grown |"]
    lines.append("|---|---|---|---|")
    all_trees = sum(r["trees"] for r in rows if r["round_estimators"] is None)
    for size in SIZES[1:]:
        gaps = {
            name: np.mean(
                [
                    lost[key] - lost[*key[:2], None]
                    for key in lost
                    if key[0] == name and key[2] == size
                ]
            )
            for name in names
        }
        worst = max(gaps, key=gaps.__getitem__)
        share = sum(r["trees"] for r in rows if r["round_estimators"] == size)
        lines.append(
            f"| {size} | {np.mean(list(gaps.values())):+.4f} | {gaps[worst]:+.3f} "
            f"({worst}) | {share / all_trees:.0%} |"
        )
    text = "\n".join(lines) + "\n" + SECONDS
    ROWS.with_suffix(".md").write_text(text)
    print(text)


def compare(args: argparse.Namespace) -> None:
    """Compare the growers."""
    for name in args.datasets:
        rows, labels, trains = task(name)
        train = EncodedTable(rows.schema, np.ascontiguousarray(rows.values[trains]))
        for who, grow in GROWERS.items():
            small = train.take(np.arange(200))
            grow(small, np.arange(200) % 2, rows.values[:9])  # compile, load
            start = time.perf_counter()
            guess = grow(train, labels[trains], rows.values[~trains])
            seconds = time.perf_counter() - start
            accuracy = (guess == labels[~trains]).mean()
            print(f"{name}: {who:12} {seconds:7.2f} s, accuracy {accuracy:.3f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    who = commands.add_parser("who", help="compare growers")
    who.add_argument("--datasets", nargs="+", default=["churn", "marketing"])
    who.set_defaults(do=compare)
    rounds = commands.add_parser("rounds", help="append missing rows")
    rounds.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES)
    rounds.add_argument("--seeds", nargs="+", type=int, default=[1])
    rounds.set_defaults(do=run_rounds)
    commands.add_parser("table", help="rows to table").set_defaults(do=write_table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
