"""Who shall grow the trees: scikit-learn, LightGBM's rf mode, or our own grower.

    python benchmarks/growers.py --datasets churn marketing

The task is round 0 of the adversarial forest: real rows against rows drawn column by
column. Two thirds of both train 100 trees, the rest judge them by accuracy. All use
two threads, √d columns per split and leaves of at least 2 rows; scikit-learn sees
level numbers, LightGBM and ours see categories. Run it on an idle machine.
"""

import argparse
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from data import load_split
from latentforest import SupervisedForest
from latentforest.table import EncodedTable, TableCodec

TREES = 100
MANY_LEAVES = 2**14


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


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=["churn", "marketing"])
    for name in parser.parse_args().datasets:
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


if __name__ == "__main__":
    main()
