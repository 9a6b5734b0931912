"""Draw the picture of ``docs/odd.md``: penguins, six of them with a swapped cell."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from palmerpenguins import load_penguins

from latentforest import RFAE
from latentforest.plot import latent

COLUMNS = ("species", "bill_length_mm", "bill_depth_mm", "flipper_length_mm")


def main() -> None:
    """Swap cells, score rows, draw."""
    mpl.use("Agg")
    table, rng = load_penguins(), np.random.default_rng(4)
    table = table.dropna().reset_index(drop=True)
    odd = rng.choice(len(table), 6, replace=False)
    for row in odd:
        column = COLUMNS[rng.integers(len(COLUMNS))]
        cells, cell = table[column], table.loc[row, column]
        others = cells[cells != cell]
        if column != "species":  # at least one standard deviation away
            others = cells[(cells - cell).abs() >= cells.std()]
        table.loc[row, column] = others.iloc[rng.integers(len(others))]
    model = RFAE(random_state=0).fit(table)
    ax = latent(model, color_by="oddness")
    ax.scatter(*model.embedding_[odd].T, s=120, facecolors="none", edgecolors="black")
    ranks = np.argsort(np.argsort(model.score_samples(table)))
    for row in odd:
        label = f"{ranks[row] + 1}"
        ax.annotate(label, model.embedding_[row], (7, 5), textcoords="offset points")
    ax.set_title("Circles: one cell was swapped. Numbers: 1 is the oddest row", size=10)
    ax.figure.savefig(Path(__file__).parent / "odd.png", dpi=130)
    plt.close(ax.figure)


if __name__ == "__main__":
    main()
