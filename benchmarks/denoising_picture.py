"""Pictures of the study of cells: before and after, by PCA and t-SNE."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.manifold import TSNE

from cells_data import NAMES, UNKNOWN, Cells, load_cells
from denoising_page import chosen_pass
from denoising_ways import WAYS

BASES = {"brain": "Tasic", "blood": "control"}
SEED = 0
GREY = "0.8"


def draw(pair: str, rows: pd.DataFrame, path: Path) -> None:
    """Draw cells as they are, corrected and autoencoded in two ways; log values."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    own = rows[(rows["pair"] == pair) & (rows["table"] == "log")]
    best, parts = chosen_pass(own.groupby("method").mean(numeric_only=True))
    paper = f"RFAE, grown on {BASES[pair]}"
    way_of = dict(zip(own["method"], own["way"], strict=True))
    cells = load_cells(pair, "log")
    style = {"xtick.bottom": False, "ytick.left": False, "axes.linewidth": 0.6}
    with mpl.rc_context(style):
        figure, axes = plt.subplots(3, 4, figsize=(10.5, 7.4), layout="constrained")
        for column, method in enumerate(("as they are", best, paper, parts)):
            points = points_of(cells, way_of[method], method)
            flat = TSNE(random_state=0, init="pca").fit_transform(points)
            by_study(axes[0, column], points[:, :2], cells)
            by_study(axes[1, column], flat, cells)
            by_type(axes[2, column], flat, cells)
            title = method[0].upper() + method[1:]
            axes[0, column].set_title(title.replace(", in", ",\nin"), fontsize=10)
        labels = ("PCA, by study", "t-SNE, by study", "t-SNE, by type")
        for ax, label in zip(axes[:, 0], labels, strict=True):
            ax.set_ylabel(label)
        for ax in axes.flat:
            ax.set(xticklabels=[], yticklabels=[])
            ax.spines[["top", "right"]].set_visible(False)
        looks = {"frameon": False, "loc": "center left", "bbox_to_anchor": (1, 0.5)}
        for row in (0, 2):
            axes[row, -1].legend(markerscale=2.5, fontsize=8, **looks)
        drawn = BytesIO()
        figure.savefig(drawn, dpi=100)
        plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(256).save(path, optimize=True)


def points_of(cells: Cells, way: str, method: str) -> np.ndarray:
    """Points of all cells, as a method leaves them."""
    ways = {one.__name__: one for one in WAYS}
    return next(points for name, points in ways[way](cells, SEED) if name == method)


def by_study(ax: Any, points: np.ndarray, cells: Cells) -> None:
    """Draw points in the colours of their studies, in an order that hides none."""
    from latentforest.plot import PALETTE

    colours = dict(zip(cells.studies, PALETTE[1::-1], strict=True))
    order = np.random.default_rng(0).permutation(len(points))
    for study in cells.studies:
        ax.scatter([], [], s=5, color=colours[study], label=NAMES[study])
    shown = [colours[study] for study in cells.study[order]]
    ax.scatter(*points[order].T, s=5, c=shown, linewidths=0, alpha=0.8)


def by_type(ax: Any, points: np.ndarray, cells: Cells) -> None:
    """Draw points in the colours of their types; Zeisel's, which are many, in grey."""
    from latentforest.plot import PALETTE

    grey = (cells.study == "zeisel") | (cells.types == UNKNOWN)
    name = "Zeisel's" if "zeisel" in cells.studies else UNKNOWN
    ax.scatter(*points[grey].T, s=4, color=GREY, linewidths=0, label=name)
    for kind, colour in zip(np.unique(cells.types[~grey]), PALETTE, strict=False):
        here = points[~grey & (cells.types == kind)]
        ax.scatter(*here.T, s=5, color=colour, linewidths=0, label=kind)
