"""Rows of ``maps.py`` to ``benchmarks/results/maps.md`` and ``docs/pictures/maps.png``.

    python benchmarks/maps_report.py

The picture needs the coordinates that ``maps.py`` left in its scratch folder; where
some are missing, the old picture stays.
"""

import argparse
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from mappers import METHODS
from maps import BITS, COORDS, NEIGHBOURS, ROWS, SIZES, TABLES, stored

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "maps.png"
NAMES = {
    "default": "RFAE(2)",
    "auto": "RFAE.auto(2)",
    "paper": "RFAE.paper(2)",
    "umap": "UMAP",
    "umap seeded": "UMAP, seeded",
    "openTSNE": "openTSNE",
    "phate": "PHATE",
    "pca": "PCA",
    "commonest": "commonest class",
}
SHOWN_METHODS = ("default", "umap", "openTSNE", "phate", "pca")
SHOWN_TABLES = {
    "digits": "digits\n10 digits",
    "mnist": "MNIST\n10 digits",
    "obesity": "obesity\n7 weights",
    "mushroom": "mushroom\n7 habitats",
    "wq": "wq (wine)\nquality 3 to 9",
    "dry_bean": "dry_bean\n7 sorts",
}
IN_ORDER = ("wq",)
WIDTH = 0.98  # share of the rows, per coordinate, that sets the frame of a map


class Measure(NamedTuple):
    """A table of the report."""

    key: str
    title: str
    words: str
    best: str = ""  # "max" or "min"; what is best is printed bold


MEASURES = (
    Measure(
        "accuracy",
        "Class of new rows",
        f"Share of new rows whose class most of the {NEIGHBOURS} nearest training rows "
        "in the map have; beside it the share of the commonest class of the training "
        "rows. Higher is better.",
        "max",
    ),
    Measure(
        "trustworthiness",
        "Trustworthiness",
        f"Whether the {NEIGHBOURS} neighbours of a new row in the map, among new rows, "
        "are near it in the features too. Higher is better.",
        "max",
    ),
    Measure(
        "continuity",
        "Continuity",
        f"The same with map and features exchanged: whether the {NEIGHBOURS} "
        "neighbours in the features stay near in the map. Higher is better.",
        "max",
    ),
    Measure(
        "distortion",
        "Distortion",
        "New rows placed on the map and taken back by `inverse_transform`: "
        "mean distortion of the columns (1 − R² or share of wrong cells). Lower is "
        "better. openTSNE and PHATE have no way back. UMAP's is left out for MNIST, "
        "where ten rows took six seconds; elsewhere it differs much from run to run, "
        "in two runs by up to 0.09.",
        "min",
    ),
    *(
        Measure(
            f"{bits} bits",
            f"Distortion, coordinates in {bits} bits",
            "Real numbers can hide a table in fine differences that no eye sees. The "
            f"same, with each coordinate at the nearest of {2**bits} levels, placed "
            "where the training rows lose least (Lloyd and Max).",
            "min",
        )
        for bits in sorted(BITS, reverse=True)
    ),
    Measure("fit", "Seconds to fit", "From features, or for RFAE from the table."),
    Measure("transform", "Seconds to place the new rows", "All of them at once."),
    Measure("inverse", "Seconds to take the new rows back", "From the map to rows."),
)

INTRODUCTION = """\
Made by `benchmarks/maps.py` and `benchmarks/maps_report.py` on 2 cores. Two \
coordinates; at most 3,000 rows of a table (MNIST: 10,000), drawn with a fixed seed; \
30 % of them are new rows that no method has seen in `fit`, and all measures are taken \
on these. The last column is the class and is left out of the table. One run \
each.

The other packages get the features that their users would prepare: numbers \
standardised, categories as indicator columns, integers with few values as numbers; \
pixels (digits, MNIST) are left as they are. Trustworthiness and continuity are judged \
in these features. RFAE gets the table itself. All methods have their default \
settings, with all threads: `n_jobs=-1` for openTSNE and PHATE, and no `random_state` \
for UMAP, which would take it to one thread (its results differ a little from run to \
run). PHATE places new rows by interpolation and warns that it should not. Compilation \
is not counted: each method fits a tiny table first.
"""

RERUN = """\
## Run it again

```bash
pip install umap-learn openTSNE phate
export LATENTFOREST_DATA=FOLDER      # tabular/NAME.csv.gz, mnist/mnist.npz
python benchmarks/maps.py            # resumes; --part, --methods, --tables, --again
python benchmarks/maps_report.py
```
"""


def in_order(rows: pd.DataFrame, key: str) -> pd.DataFrame:
    """One measure: tables down, methods across."""
    table = rows.pivot_table(index="table", columns="method", values=key)
    methods = [name for name in METHODS if name in table]
    return table.loc[[name for name in TABLES if name in table.index], methods]


def measure_lines(rows: pd.DataFrame, measure: Measure) -> list[str]:
    """Write a measure as a table, with the mean of the tables that all methods have."""
    table = in_order(rows, measure.key)
    if measure.key == "accuracy":
        table["commonest"] = rows.groupby("table").commonest.first()
    complete = table.dropna()
    if len(complete) > 1:
        table.loc[f"mean of {len(complete)}"] = complete.mean()
    lines = [f"## {measure.title}", "", measure.words, ""]
    lines.append("| table | " + " | ".join(NAMES[name] for name in table) + " |")
    lines.append("|---" * (table.shape[1] + 1) + "|")
    for name, row in table.iterrows():
        form = "{:.3f}" if measure.best else "{:.2f}"
        cells = ["" if np.isnan(value) else form.format(value) for value in row]
        if measure.best:
            best = form.format(getattr(row, measure.best)())
            cells = [f"**{cell}**" if cell == best else cell for cell in cells]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def growth_lines(rows: pd.DataFrame) -> list[str]:
    """Seconds on longer and longer tables, and UMAP's as a multiple of ours."""
    if rows.empty:
        return []
    methods = [name for name in METHODS if name in set(rows.method)]
    ratios = [name for name in methods if name.startswith("umap")]
    heads = [NAMES[name] for name in methods]
    heads += [f"{NAMES[name]} / {NAMES['default']}" for name in ratios]
    lines = [
        "## Growth",
        "",
        "Seconds to fit, and to place a tenth as many new rows: a made table of 14 "
        "numbers and 6 categories that follow three hidden numbers. Median of three "
        "runs; one run of 100,000 rows. UMAP with a seed and PHATE go up to 10,000 "
        "rows; what would take more than 15 minutes is left out. The ratios compare "
        "the sums.",
        "",
        "| rows | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|",
    ]
    seconds = {
        (r.method, int(r.table)): (r.fit, r.transform) for r in rows.itertuples()
    }
    for n_rows in sorted({n_rows for _, n_rows in seconds} | set(SIZES)):
        pairs = [seconds.get((name, n_rows)) for name in methods]
        cells = [f"{pair[0]:.2f} + {pair[1]:.2f}" if pair else "" for pair in pairs]
        own = seconds.get(("default", n_rows))
        for name in ratios:
            pair = seconds.get((name, n_rows))
            cells.append(f"{sum(pair) / sum(own):.1f}" if pair and own else "")
        lines.append(f"| {n_rows:,} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def draw_map(ax: Axes, coords: np.ndarray, label: np.ndarray, ordered: bool) -> None:
    """Draw the new rows of one map; a few that lie far out fall off the frame."""
    classes, code = np.unique(label, return_inverse=True)
    if ordered:
        colours = mpl.colormaps["viridis"](code / (len(classes) - 1))
    else:
        colours = np.array(mpl.colormaps["tab10"].colors)[code]
    rows = np.random.default_rng(0).permutation(len(coords))  # no class on top
    size = 4.0 if len(coords) < 1000 else 1.5
    ax.scatter(*coords[rows].T, s=size, c=colours[rows], linewidths=0, rasterized=True)
    edges = np.quantile(coords, [(1 - WIDTH) / 2, (1 + WIDTH) / 2], axis=0)
    room = 0.08 * (edges[1] - edges[0])
    ax.set_xlim(edges[0, 0] - room[0], edges[1, 0] + room[0])
    ax.set_ylim(edges[0, 1] - room[1], edges[1, 1] + room[1])
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(color="#C4C4C4", linewidth=0.6)


def draw(rows: pd.DataFrame, folder: Path) -> bool:
    """Draw the maps side by side; return whether all coordinates were there."""
    files = {
        (method, name): folder / f"{method}-{name}.npz"
        for name in SHOWN_TABLES
        for method in SHOWN_METHODS
    }
    missing = [path.name for path in files.values() if not path.exists()]
    if missing:
        print(f"No picture: {folder} lacks {', '.join(missing)}.")
        return False
    accuracy = in_order(rows, "accuracy")
    figure = Figure(figsize=(9.6, 11.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03)
    axes = figure.subplots(len(SHOWN_TABLES), len(SHOWN_METHODS))
    for line, (name, title) in zip(axes, SHOWN_TABLES.items(), strict=True):
        for ax, method in zip(line, SHOWN_METHODS, strict=True):
            with np.load(files[method, name]) as file:
                draw_map(ax, file["coords"], file["label"], name in IN_ORDER)
            ax.set_xlabel(f"{accuracy.loc[name, method]:.3f}", size=10, labelpad=2)
        line[0].set_ylabel(title, size=12, labelpad=6)
    for ax, method in zip(axes[0], SHOWN_METHODS, strict=True):
        ax.set_title(NAMES[method], size=14, pad=6)
    words = (
        f"below each map: share of new rows whose class {NEIGHBOURS} neighbours find"
    )
    figure.supxlabel(words, size=11)
    with BytesIO() as file:
        figure.savefig(file, dpi=100)
        image = Image.open(file).convert("RGB")
    image.quantize(256).save(PICTURE, optimize=True)  # a third of the bytes
    return True


def main() -> None:
    """Write the report and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--coords", type=Path, default=COORDS, help="scratch folder")
    args = parser.parse_args()
    rows = pd.DataFrame(stored())
    maps, growth = rows[rows.part == "maps"], rows[rows.part == "growth"]
    draw(maps, args.coords)
    lines = ["# Maps in two coordinates", "", INTRODUCTION]
    lines.append("Measured with " + ", ".join(sorted(set(rows.package))) + ".\n")
    if PICTURE.exists():
        lines += [
            "![Maps of six tables by five methods](../../docs/pictures/maps.png)",
            "",
            "New rows, coloured by their class, which no method was given; below each "
            "map the share of new rows whose class their neighbours have. The frames "
            f"hold {WIDTH:.0%} of the rows in each coordinate; the others lie outside.",
            "",
        ]
    for measure in MEASURES:
        if measure.key in maps:
            lines += measure_lines(maps, measure)
    lines += [*growth_lines(growth), RERUN]
    ROWS.with_suffix(".md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
