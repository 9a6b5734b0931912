"""The pictures of MNIST, from its rows. Read by ``benchmarks/mnist_report.py``."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from latentforest.plot import PALETTE
from mnist_data import ROWS, SIDE, authors, images_of, load, mse

SIZES = (2, 4, 8, 16, 32)
METHODS = {
    "supervised": ("supervised", "RFAE"),
    "d_Z": ("random", "CRFAE"),
    "conv": ("convolution", "ConvAE"),
    "refined": ("refined", None),
}
SWEEPS = {
    "B": "trees",
    "n_train_enc": "images in the map",
    "t": "diffusion time",
    "k": "neighbours",
}

Rows = list[dict[str, Any]]
Line = tuple[str, np.ndarray, int]  # its name, ten images, its group


def draw_lines(lines: list[Line], title: str, name: str) -> None:
    """Draw lines of ten digits, groups a little apart."""
    gap, n_lines, last = 8, len(lines), lines[-1][2]
    sheet = np.ones((SIDE * n_lines + gap * last, 10 * SIDE))
    places = []
    for number, (_, images, group) in enumerate(lines):
        top = SIDE * number + gap * group
        sheet[top : top + SIDE] = 1 - np.hstack(list(images))
        places.append(top + (SIDE - 1) / 2)
    height = 5.2 * sheet.shape[0] / sheet.shape[1]
    figure = Figure(figsize=(7, height + 0.3), layout="constrained")
    axes = figure.subplots()
    axes.imshow(sheet, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    axes.set_yticks(places, [name for name, _, _ in lines])
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=11)
    figure.savefig(ROWS.with_name(name), dpi=100, metadata={"Software": None})


def digits_in(rows: Rows) -> dict[tuple[str, int], np.ndarray]:
    """Give the digits that were kept, by study and value."""
    return {
        (row["study"], row["value"]): images_of(row) for row in rows if "digits" in row
    }


def originals() -> Line:
    """Give the line of the digits themselves."""
    return "original", load().ten.reshape(-1, SIDE, SIDE), 0


def draw_sizes(rows: Rows) -> None:
    """Draw for each size what the authors and we make of the digits."""
    found, lines = digits_in(rows), [originals()]
    for group, value in enumerate(SIZES, start=1):
        lines += [(f"{value}: authors", authors(f"d_Z/CRFAE/{value}"), group)]
        lines += [
            (f"{value}: {name}", found[study, value], group)
            for study, name in (("d_Z", "ours"), ("refined", "refined"))
            if (study, value) in found
        ]
    draw_lines(lines, "Test digits through 2 to 32 coordinates", "mnist.png")


def draw_methods(rows: Rows) -> None:
    """Draw what each method makes of the digits at 32 coordinates."""
    found, lines = digits_in(rows), [originals()]
    for group, (study, (name, theirs)) in enumerate(METHODS.items(), start=1):
        if theirs is not None:
            images = authors(f"method_comparison/{theirs}")
            lines += [(f"{name}: authors", images, group)]
        if (study, SIZES[-1]) in found:
            lines += [(f"{name}: ours", found[study, SIZES[-1]], group)]
    draw_lines(lines, "Test digits through 32 coordinates", "mnist_methods.png")


def draw_sweeps(rows: Rows) -> None:
    """Draw the error of the ten digits while one thing changes."""
    known = [study for study in SWEEPS if any(row["study"] == study for row in rows)]
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    panels = figure.subplots(1, len(known), sharey=True, squeeze=False)[0]
    for axes, study in zip(panels, known, strict=True):
        ours = {row["value"]: row["mse"] for row in rows if row["study"] == study}
        values = sorted(ours)
        places = range(len(values))
        theirs = [mse(authors(f"{study}/CRFAE/{value}")) for value in values]
        axes.plot(places, theirs, "o-", color=PALETTE[1], label="authors", ms=4)
        axes.plot(
            places,
            [ours[value] for value in values],
            "s-",
            color=PALETTE[0],
            label="ours",
            ms=4,
        )
        axes.set_xticks(places, [f"{value:,}" for value in values], fontsize=8)
        axes.set_title(SWEEPS[study], fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="x", rotation=30)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("mean squared error")
    panels[0].legend(frameon=False, fontsize=8, loc="lower left")
    figure.savefig(
        ROWS.with_name("mnist_sweeps.png"), dpi=110, metadata={"Software": None}
    )
