"""Measure whether the spread of predicted numbers goes with their errors.

``python benchmarks/spread.py`` prints the rank correlation of the spread that
``RFAE.explain`` gives with the absolute error of held-out rows, mean over five splits:
with the predictions of training rows, with their targets (``y_train=``), and, for
forests whose trees can be asked one by one, the standard deviation over trees. Data
ship with scikit-learn or are drawn. About half a minute on two cores.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import train_test_split

from latentforest import RFAE

SPLITS = 5
FORESTS = {
    "random forest, leaves of 1": lambda: RandomForestRegressor(200),
    "random forest, leaves of 5": lambda: RandomForestRegressor(
        200, min_samples_leaf=5
    ),
    "extra trees, leaves of 5": lambda: ExtraTreesRegressor(200, min_samples_leaf=5),
}


def uneven_noise(n_rows: int = 1_500) -> tuple[Any, Any]:
    """Draw a smooth response of three columns out of six, noisy in half of the rows."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 6))
    noise = np.where(X[:, 0] > 0.5, 3.0, 0.3) * rng.normal(size=n_rows)
    smooth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, smooth + noise


TABLES: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "drawn, uneven noise": uneven_noise,
}


def correlations(X: Any, y: Any, forest: Any, seed: int) -> list[float]:
    """Measure one split: predictions, targets, trees."""
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.4, random_state=seed
    )
    forest.set_params(random_state=seed).fit(train, y_train)
    model = RFAE(forest=forest, random_state=0).fit(train)
    found = model.explain(test, y_test)
    spreads = [
        found.spread,
        model.explain(test, y_train=y_train).spread,
        np.std([tree.predict(test) for tree in forest.estimators_], axis=0),
    ]
    size = np.abs(found.error)
    return [float(spearmanr(spread, size)[0]) for spread in spreads]


def main() -> None:
    """Print the table."""
    print("| table, forest | of predictions | of targets | over trees |")
    print("|---|---|---|---|")
    for table, load in TABLES.items():
        for name, make in FORESTS.items():
            X, y = load()
            found = [correlations(X, y, make(), seed) for seed in range(SPLITS)]
            cells = " | ".join(f"{value:.2f}" for value in np.mean(found, axis=0))
            print(f"| {table}; {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
