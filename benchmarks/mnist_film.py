"""The training film of the paper: a classifier's map while its trees grow deeper.

A forest of 200 trees tells the digits 3, 4, 8 and 9 apart; its trees are cut at depths
1 to 16, and each cut gives a diffusion map of two coordinates. The paper takes "a
subset" of the images; here it is the first 2,000 of these digits. Read by
``benchmarks/mnist.py``.
"""

import time
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier

from latentforest import RFAE, KNNDecoder, SupervisedForest, plot
from mnist_data import ROWS, Found, load

FILM = ROWS.with_name("mnist_film.png")
SHOWN, DEPTHS = (3, 4, 8, 9), (1, 2, 4, 8, 16)
TREES, IMAGES, NEW = 200, 2_000, 1_000
NEIGHBOURS = 10  # on the map, that vote for the digit of a new image


def film(wanted: list[int]) -> Found:
    """Draw the film, and ask of each frame how well new images fall to their own."""
    begin = time.perf_counter()
    digits = load()
    rows = np.flatnonzero(np.isin(digits.labels, SHOWN))[: IMAGES + NEW]
    images, labels = digits.train[rows], digits.labels[rows]
    forest = SupervisedForest(TREES)
    model = RFAE(
        2, forest=forest, decoder=KNNDecoder(), refine=None, random_state=0
    ).fit(images[:IMAGES], labels[:IMAGES])
    draw_film(model, labels[:IMAGES])
    frames = plot.film(model, images, labels.astype(str), depths=DEPTHS)
    plt.close("all")
    for depth, ax in zip(DEPTHS, frames, strict=True):
        coords = coords_of(ax, labels)
        vote = KNeighborsClassifier(NEIGHBOURS).fit(coords[:IMAGES], labels[:IMAGES])
        right = vote.score(coords[IMAGES:], labels[IMAGES:])
        took = round(time.perf_counter() - begin, 1)
        if depth in wanted:
            yield depth, {"own digit": round(float(right), 4), "seconds": took}


def coords_of(ax: Any, labels: np.ndarray) -> np.ndarray:
    """Read the points of a frame, which are drawn digit by digit, in their order."""
    coords = np.empty((len(labels), 2))
    for digit, points in zip(SHOWN, ax.collections, strict=True):
        coords[labels == digit] = points.get_offsets()
    return coords


def draw_film(model: RFAE, labels: np.ndarray) -> None:
    """Draw the frames in a row, all to the same scale: the map opens with depth."""
    figure, axes = plt.subplots(1, len(DEPTHS), figsize=(10, 2.5), layout="constrained")
    plot.film(
        model, color_by=labels.astype(str), depths=DEPTHS, axes=axes, s=5, linewidths=0
    )
    reach = max(np.abs([*ax.get_xlim(), *ax.get_ylim()]).max() for ax in axes)
    for ax in axes:
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    figure.savefig(FILM, dpi=110, metadata={"Software": None})
