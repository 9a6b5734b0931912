"""Measure and draw the pictures of the parameter guide.

``python docs/make_pictures.py`` measures what ``docs/pictures/measured.csv`` lacks
(all of it: about ten minutes on two cores) and draws; with ``--draw`` it only draws;
names of pictures at the end take only those.

Each measurement: a quarter of the rows is held out, the model is fitted on the rest,
the held-out rows are encoded and decoded, and their mean distortion is noted. Splits
and models share a seed; penguins and wine get three seeds, digits two.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from palmerpenguins import load_penguins
from sklearn.datasets import load_digits, load_wine

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    KNNDecoder,
    LocalLinearDecoder,
)
from latentforest.metrics import distortion
from latentforest.plot import PALETTE

FOLDER = Path(__file__).parent / "pictures"
MEASURED = FOLDER / "measured.csv"
SEEDS = {"penguins": 3, "wine": 3, "digits": 2}
COMPONENTS = {"penguins": 4, "wine": 4, "digits": 8}
FORESTS: dict[str, Any] = {
    "penguins": AdversarialForest,
    "wine": AdversarialForest,
    "digits": CompletelyRandomForest,
}


class Split(NamedTuple):
    """Rows to fit on and rows held out."""

    train: pd.DataFrame
    test: pd.DataFrame


@cache
def table_of(name: str) -> pd.DataFrame:
    """Read one of the three tables: mixed columns, numbers, pictures."""
    if name == "penguins":
        return load_penguins()
    if name == "digits":
        return load_digits(as_frame=True).data
    wine = load_wine(as_frame=True).frame
    return wine.assign(target=wine["target"].astype(str))


def split_of(name: str, seed: int) -> Split:
    """Hold a quarter of the rows out."""
    table = table_of(name)
    held = np.random.default_rng(seed).random(len(table)) < 0.25
    return Split(table[~held], table[held])


@cache
def forest_of(name: str, seed: int) -> Any:
    """Grow the default forest once for all knobs that leave it alone."""
    return FORESTS[name](random_state=seed).fit(split_of(name, seed).train)


def fitted(name: str, seed: int, **settings: Any) -> RFAE:
    """Fit a plain map, which all knobs shape, on the rows that are not held out."""
    settings = {
        "n_components": COMPONENTS[name],
        "forest": forest_of(name, seed) if "forest" not in settings else None,
        "refine": None,
    } | settings
    return RFAE(random_state=seed, **settings).fit(split_of(name, seed).train)


def lost(model: RFAE, test: pd.DataFrame) -> float:
    """Mean distortion of the held-out rows."""
    return distortion(test, model.reconstruct(test), kinds=model.schema_).mean


Models = Iterator[tuple[float, str, RFAE]]


def turn_trees(name: str, seed: int) -> Models:
    """Fit models with more and more trees."""
    for n in (5, 10, 20, 50, 100, 200, 500):
        yield n, "", fitted(name, seed, forest=FORESTS[name](n))


def turn_leaf_size(name: str, seed: int) -> Models:
    """Fit models with larger and larger leaves."""
    for size in (1, 2, 5, 10, 20, 40):
        yield size, "", fitted(name, seed, forest=FORESTS[name](min_samples_leaf=size))


def turn_diffusion_time(name: str, seed: int) -> Models:
    """Fit maps of longer and longer random walks on the same forest."""
    for time in (0.0, 0.5, 1.0, 2.0, 4.0, 8.0):
        yield time, "", fitted(name, seed, diffusion_time=time)


def turn_neighbours(name: str, seed: int) -> Models:
    """Fit decoders with more and more neighbours on the same coordinates."""
    for k in (1, 2, 5, 10, 20, 50, 100):
        yield k, "knn", fitted(name, seed, decoder=KNNDecoder(k))
        if k >= 5:
            plane = LocalLinearDecoder(k)
            yield k, "local_linear", fitted(name, seed, decoder=plane)


def turn_components(name: str, seed: int) -> Models:
    """Keep more and more coordinates of one fitted model."""
    sizes = [1, 2, 3, 4, 6, 8, 12, 16] + [24, 32] * (name == "digits")
    model = fitted(name, seed, n_components=max(sizes))
    for size in sizes:
        yield size, "", model.truncate(size)


KNOBS: dict[str, Callable[[str, int], Models]] = {
    "trees": turn_trees,
    "leaf_size": turn_leaf_size,
    "diffusion_time": turn_diffusion_time,
    "neighbours": turn_neighbours,
    "components": turn_components,
}


def measure(knob: str, name: str, seed: int) -> None:
    """Turn one knob on one table, unless it was done before, and note what is lost."""
    names = ["knob", "table", "seed", "decoder", "value", "distortion"]
    done = measured() if MEASURED.exists() else pd.DataFrame(columns=names)
    if ((done[names[:3]] == [knob, name, seed]).all(axis=1)).any():
        return
    test = split_of(name, seed).test
    rows = [
        (knob, name, seed, decoder, value, round(lost(model, test), 4))
        for value, decoder, model in KNOBS[knob](name, seed)
    ]
    pd.concat([done, pd.DataFrame(rows, columns=names)]).to_csv(MEASURED, index=False)


def measured() -> pd.DataFrame:
    """Read what was measured; an empty cell is the default decoder."""
    return pd.read_csv(MEASURED, keep_default_na=False)


STYLES = {
    "penguins": (PALETTE[0], "o"),
    "wine": (PALETTE[5], "s"),
    "digits": (PALETTE[2], "^"),
}


def draw_curves(ax: Any, knob: str, label: str, default: float | None) -> None:
    """Draw the distortion against the knob: the mean over seeds, and each seed."""
    mine = measured().query("knob == @knob")
    for (name, decoder), rows in mine.groupby(["table", "decoder"], sort=False):
        colour, marker = STYLES[name]
        line = "--" if decoder == "local_linear" else "-"
        mean = rows.groupby("value")["distortion"].mean()
        text = name if line == "-" else "_"  # names that begin so are not shown
        ax.plot(rows["value"], rows["distortion"], ".", ms=3, color=colour, alpha=0.35)
        ax.plot(mean.index, mean, line, marker=marker, ms=4, color=colour, label=text)
    if default is not None:
        ax.axvline(default, color="0.7", lw=1, zorder=0)
    if knob == "neighbours":
        ax.plot([], [], "-", color="0.3", label="knn")
        ax.plot([], [], "--", color="0.3", label="local_linear")
    if knob == "diffusion_time":
        ax.set_xscale("symlog", linthresh=0.5, linscale=0.5)
    else:
        ax.set_xscale("log")
    ticks = sorted(mine["value"].unique())
    ticks = [2**i for i in range(6)] if knob == "components" else ticks
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    room = 1.3 * mine["distortion"].max()
    ax.set(xlabel=label, ylabel="distortion of held-out rows", ylim=(0, room))
    ax.legend(fontsize="small", frameon=False, ncols=3, columnspacing=1.2)


def draw_species(ax: Any, x: Any, y: Any, species: Any) -> None:
    """Scatter penguins, one colour per species."""
    for colour, kind in zip(PALETTE, sorted(set(species)), strict=False):
        mine = np.asarray(species == kind)
        ax.plot(x[mine], y[mine], ".", ms=3, color=colour, alpha=0.7, label=kind)
    ax.tick_params(labelsize="x-small")


def maps(title: str, setting: str, values: dict[Any, Any]) -> Callable[[Any], None]:
    """Return how to draw penguins in two coordinates, once per value of a setting."""

    def show(axes: Any) -> None:
        species = split_of("penguins", 0).train["species"]
        for ax, (shown, value) in zip(axes, values.items(), strict=True):
            model = fitted("penguins", 0, n_components=2, **{setting: value})
            draw_species(ax, *model.embedding_.T, species)
            ax.set_title(title.format(shown), fontsize="medium")
            ax.set_aspect("equal", adjustable="datalim")
        axes[0].legend(fontsize="x-small", frameon=False, markerscale=3, loc=1)

    return show


def show_neighbours(axes: Any) -> None:
    """Draw held-out penguins as blends of few and of many rows."""
    test = split_of("penguins", 0).test
    for ax, k in zip(axes, (1, 20, 100), strict=True):
        rows = fitted("penguins", 0, decoder=KNNDecoder(k)).reconstruct(test)
        draw_species(
            ax, rows["flipper_length_mm"], rows["bill_length_mm"], rows["species"]
        )
        ax.set(xlim=(168, 235), ylim=(31, 61))
        ax.set_title(f"k = {k}", fontsize="medium")
    axes[1].set_xlabel("flipper (mm) against bill (mm), decoded", fontsize="small")


def show_components(axes: Any) -> None:
    """Draw held-out digits through few and through many coordinates."""
    test = split_of("digits", 0).test.iloc[:10]
    model = fitted("digits", 0, n_components=32)
    pictures = {"original": test}
    for size in (2, 8, 32):
        pictures[f"$d_Z$ = {size}"] = model.truncate(size).reconstruct(test)
    for ax, (title, rows) in zip(axes, pictures.items(), strict=True):
        tiles = np.pad(rows.to_numpy().reshape(5, 2, 8, 8), [(0, 0)] * 2 + [(1, 1)] * 2)
        ax.imshow(tiles.transpose(0, 2, 1, 3).reshape(50, 20), cmap="gray_r")
        ax.set_title(title, fontsize="medium")
        ax.set(xticks=[], yticks=[])


class Picture(NamedTuple):
    """One picture: the knob's axis, its default, and small pictures beside it."""

    label: str
    default: float | None
    n_panels: int
    show: Callable[[Any], None]


FEW_AND_MANY = {n: AdversarialForest(n) for n in (5, 50, 500)}
SMALL_AND_LARGE = {n: AdversarialForest(min_samples_leaf=n) for n in (1, 2, 40)}
SHORT_AND_LONG = {time: float(time) for time in (0, 1, 4)}
PICTURES = {
    "trees": Picture("trees", 500, 3, maps("{} trees", "forest", FEW_AND_MANY)),
    "leaf_size": Picture(
        "rows per leaf, at least",
        None,
        3,
        maps("leaves of {} or more", "forest", SMALL_AND_LARGE),
    ),
    "diffusion_time": Picture(
        "steps of the walk, t", 1, 3, maps("t = {}", "diffusion_time", SHORT_AND_LONG)
    ),
    "neighbours": Picture("neighbours, k", None, 3, show_neighbours),
    "components": Picture("coordinates, $d_Z$", None, 4, show_components),
}


def draw(knob: str) -> None:
    """Draw one picture and write it."""
    picture = PICTURES[knob]
    figure = plt.figure(figsize=(10, 3.1), layout="constrained")
    ratios = [1.35] + [0.55 if picture.n_panels == 4 else 0.8] * picture.n_panels
    axes = figure.subplots(1, 1 + picture.n_panels, width_ratios=ratios)
    draw_curves(axes[0], knob, picture.label, picture.default)
    picture.show(axes[1:])
    figure.savefig(FOLDER / f"{knob}.png", dpi=110)
    plt.close(figure)


def main() -> None:
    """Measure, unless told not to, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--draw", action="store_true", help="only draw")
    parser.add_argument("knobs", nargs="*", default=list(KNOBS), help="which pictures")
    chosen = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    mpl.use("Agg")
    if not chosen.draw:
        for seed, name, knob in product(range(3), SEEDS, chosen.knobs):
            if seed < SEEDS[name]:
                measure(knob, name, seed)
    for knob in chosen.knobs:
        draw(knob)


if __name__ == "__main__":
    main()
