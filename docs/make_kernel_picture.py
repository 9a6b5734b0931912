"""Draw the picture of ``docs/kernels.md``: penguins through each kernel and weight."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from palmerpenguins import load_penguins
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor

from latentforest import RFAE

NUMBERS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
KERNELS = ("rf", "scornet", "oob", "gap")
WEIGHTS: dict[str, Any] = {
    'None, "equal"': None,
    '"gain"': "gain",
    "first 30 trees": 30,
    "first 5 trees": 5,
}


def own_share(model: RFAE, label: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the steps away from each row that lead to rows of its own label."""
    steps = model.kernel_.leaf_kernel_.dot(np.eye(len(label)))
    np.fill_diagonal(steps, 0)
    share: NDArray[np.float64] = np.average(
        label[:, None] == label, weights=steps, axis=1
    )
    return share


def tell_target(model: RFAE, target: pd.Series) -> float:
    """R² of the target, guessed by the ten nearest rows on the map."""
    near = KNeighborsRegressor(11).fit(model.embedding_, target)
    guess = (11 * near.predict(model.embedding_) - target) / 10  # without the row
    return float(r2_score(target, guess))


def main() -> None:
    """Fit, measure and draw."""
    mpl.use("Agg")
    table = load_penguins().dropna().reset_index(drop=True)
    X, rng = table[NUMBERS], np.random.default_rng(0)
    coin = rng.integers(2, size=len(X))
    figure, axes = plt.subplots(2, 4, figsize=(12, 6.4), layout="constrained")
    forest = RandomForestClassifier(500, random_state=0).fit(X, coin)
    for ax, kernel in zip(axes[0], KERNELS, strict=True):
        model = RFAE(2, forest=forest, kernel=kernel, decoder="knn", random_state=0)
        Z = model.fit_transform(X)
        share = own_share(model, coin)
        dots = ax.scatter(*Z.T, c=share, s=8, cmap="RdBu", vmin=0, vmax=1)
        ax.set_title(f'"{kernel}"\n{share.mean():.0%} of steps keep the side', size=10)
    figure.colorbar(dots, ax=axes[0], label="steps to rows of the same side")
    mass = X["body_mass_g"]
    boosted = GradientBoostingRegressor(
        n_estimators=300, max_depth=3, min_samples_leaf=5, random_state=0
    ).fit(X.drop(columns="body_mass_g"), mass)
    for ax, (name, weights) in zip(axes[1], WEIGHTS.items(), strict=True):
        model = RFAE(
            2, forest=boosted, tree_weights=weights, decoder="knn", random_state=0
        )
        Z = model.fit_transform(X.drop(columns="body_mass_g"))
        dots = ax.scatter(*Z.T, c=mass, s=8, cmap="viridis")
        told = tell_target(model, mass)
        ax.set_title(f"{name}\n{told:.0%} of the mass is told", size=10)
    figure.colorbar(dots, ax=axes[1], label="body mass, g")
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    axes[0, 0].set_ylabel("random forest that learned\nthe toss of a coin by heart")
    axes[1, 0].set_ylabel("boosting that predicts\nbody mass")
    figure.savefig(Path(__file__).parent / "kernels.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
