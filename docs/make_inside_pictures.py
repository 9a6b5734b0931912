"""Draw the pictures of ``docs/inside.md``: what a classifier and a regressor see."""

from pathlib import Path
from typing import Any

import lightgbm
import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from palmerpenguins import load_penguins
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from latentforest import RFAE, plot

HERE = Path(__file__).parent


def draw_penguins() -> Any:
    """Draw a classifier that tells the sex of penguins."""
    table = load_penguins().dropna().reset_index(drop=True)
    sex = table.pop("sex")
    table = table.astype({"species": "category", "island": "category"})
    is_new = np.arange(len(table)) % 3 == 0
    forest = lightgbm.LGBMClassifier(
        n_estimators=100, min_child_samples=5, verbose=-1
    ).fit(table[~is_new], sex[~is_new])
    model = RFAE(forest=forest, tree_weights="gain", random_state=0)
    model.fit(table[~is_new])
    return plot.explanation(model, table[is_new], sex[is_new])


def draw_patients() -> Any:
    """Draw a regressor of the progress of a disease."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = RandomForestRegressor(300, min_samples_leaf=5, random_state=0)
    forest.fit(X[::2], y[::2])
    model = RFAE(forest=forest, random_state=0).fit(X[::2])
    return plot.explanation(model, X[1::2], y[1::2], y_train=y[::2])


def main() -> None:
    """Draw both."""
    mpl.use("Agg")
    for name, draw in (("classifier", draw_penguins), ("regressor", draw_patients)):
        figure = draw()[0].figure
        figure.savefig(HERE / f"inside-{name}.png", dpi=90)
        plt.close(figure)


if __name__ == "__main__":
    main()
