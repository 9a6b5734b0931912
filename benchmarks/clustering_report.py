"""Write the report and the picture of ``clustering.py`` from its rows.

python benchmarks/clustering_report.py
"""

from io import BytesIO

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from clustering import CLASSES, METHODS, MOST_ROWS, ROWS, SEEDS, SIZES, SMALLEST, stored

RIVALS = ("pca", "famd", "umap")
COMPARED = ("rfae", *RIVALS)
NEAR = 0.02
MEASURES = ("k-means ARI", "k-means NMI", "HDBSCAN ARI", "HDBSCAN NMI")

INTRODUCTION = f"""\
Made by `benchmarks/clustering.py` and `benchmarks/clustering_report.py`. The class is
taken out of the table, the rest is placed in {SIZES[0]} or {SIZES[1]} coordinates
(banknote has only four columns, and gets four), the coordinates are clustered, and the
clusters are compared with the class: adjusted Rand index (ARI) and normalised mutual
information (NMI), 1 if they agree. k-means knows the number of classes; HDBSCAN
(scikit-learn) finds it, with clusters of at least one row in {SMALLEST}, and rows that
it calls noise count as one more cluster. Means of {len(SEEDS)} seeds, which also draw
{MOST_ROWS:,} rows of the longer tables (dry_bean, mushroom). Tables and measures were
fixed before the first run. How hard neighbours pull in our layout was chosen later,
among 1, 2, 3 and 4, with these tables in view, and those of `maps.md`; that rows begin
in the layout up to eight coordinates, by what is lost of the new rows of Table 1, after
it was seen here that it makes better clusters.

RFAE gets the table itself, with its defaults. PCA gets standardised numbers and scaled
indicators (`benchmarks/pca.py`); FAMD is that of `prince`, which asks for its PCA where
all columns are numbers and for its MCA where all are categories; UMAP gets standardised
numbers and indicators. Pixels of digits are left as they are for PCA and UMAP. All have
their default settings.
"""

OTHERS = """\
## Other maps of ours

Added after the rows above were seen, to find out what the default's choice costs; they
are not part of the comparison. *From principal components* is
`RFAE(refine=Refinement(start="linear"))`, where the default begins with the layout.
*Diffusion map* is `RFAE(refine=None)`, the map of the paper. ARI, mean of the seven.
"""

RERUN = """\
## Run it again

```bash
pip install umap-learn prince
export LATENTFOREST_DATA=FOLDER      # or the tables are fetched
python benchmarks/clustering.py      # resumes; --methods, --tables
python benchmarks/clustering_report.py
```
"""


def means(rows: pd.DataFrame, key: str, size: int) -> pd.DataFrame:
    """One measure at one size: tables down, methods across."""
    part = rows[rows["size"] == size]
    table = part.pivot_table(index="table", columns="method", values=key)
    return table.loc[list(CLASSES), list(COMPARED)]


def table_lines(table: pd.DataFrame) -> list[str]:
    """Write a measure as a table, the best of each line bold."""
    heads = [METHODS[name].title for name in table]
    lines = ["| table | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    table = pd.concat([table, table.mean().to_frame("**mean**").T])
    for name, row in table.iterrows():
        cells = [f"{value:.3f}" for value in row]
        best = f"{row.max():.3f}"
        cells = [f"**{cell}**" if cell == best else cell for cell in cells]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def aim_line(over: pd.DataFrame, size: int | None) -> str:
    """Tell whether the aim is reached, with so many coordinates or over all."""
    some = over if size is None else over.filter(like=f", {size} ", axis=0)
    mean = some.mean()
    above = "reached" if mean["rfae"] > mean[["pca", "famd"]].max() else "not reached"
    near = "reached" if mean["rfae"] >= mean["umap"] - NEAR else "not reached"
    if size is None:
        where = "Over all"
    else:
        default = ", as RFAE, FAMD and UMAP come" if size == SIZES[0] else ""
        where = f"With {size} coordinates{default}"
    return (
        f"{where}: ours {mean['rfae']:.3f}, PCA {mean['pca']:.3f}, FAMD "
        f"{mean['famd']:.3f} ({above}), UMAP {mean['umap']:.3f} ({near})."
    )


def summary_lines(rows: pd.DataFrame) -> list[str]:
    """Mean ARI of each way, and plainly where others are better."""
    found = {
        (way, size): means(rows, f"{way} ARI", size)
        for way in ("k-means", "HDBSCAN")
        for size in SIZES
    }
    over = pd.DataFrame(
        {f"{way}, {size} coordinates": t.mean() for (way, size), t in found.items()}
    ).T
    lines = ["Mean ARI over the seven data sets:", "", *table_lines(over)]
    lines[2] = lines[2].replace("| table |", "| |", 1)
    total = over.mean()
    words = []
    for name in RIVALS:
        ahead = [
            str(line)
            for line in over.index
            if over.at[line, name] > over.at[line, "rfae"]
        ]
        words.append(
            f"{METHODS[name].title}: our default is "
            f"{'above' if total['rfae'] > total[name] else 'below'} it by "
            f"{abs(total['rfae'] - total[name]):.3f} over all four ways"
            + (f", and behind it with {'; '.join(ahead)}." if ahead else ".")
        )
    lines += [
        "The aim was a mean above that of PCA and FAMD, and at most "
        f"{NEAR} below that of UMAP.",
        "",
        *(f"- {aim_line(over, size)}" for size in (*SIZES, None)),
        "",
    ]
    by_seed = rows.pivot_table(index="seed", columns="method", values="k-means ARI")
    margins = by_seed["rfae"] - by_seed[["pca", "famd"]].max(axis=1)
    told = ", ".join(f"{margin:+.3f}" for margin in margins)
    words.append(
        "With k-means alone, the default less the better of PCA and FAMD is, seed by "
        f"seed, {told}."
    )
    lines += ["Where we do not win:", "", *(f"- {line}" for line in words)]
    best = pd.concat(found).idxmax(axis=1)
    counts = best.value_counts()
    told = ", ".join(f"{METHODS[m].title} {counts.get(m, 0)}" for m in COMPARED)
    per_table = pd.concat(found).groupby(level="table").mean()
    behind = [
        f"{name} ({METHODS[row.idxmax()].title} {row.max():.2f}, "
        f"ours {row['rfae']:.2f})"
        for name, row in per_table.iterrows()
        if row.idxmax() != "rfae"
    ]
    lines.append(
        f"- Best of the {len(best)} cases (table, coordinates, clusters): {told}."
    )
    lines.append(
        f"- Mean of the four ways, tables where another is best: {', '.join(behind)}."
    )
    return [*lines, ""]


def other_lines(rows: pd.DataFrame) -> list[str]:
    """Mean ARI of our other maps beside the default."""
    ours = ["rfae", "axes", "diffusion"]
    part = rows[rows.method.isin(ours)]
    if part.groupby("method").size().nunique() != 1 or set(part.method) != set(ours):
        return []  # not all of them are measured
    heads = [METHODS[name].title for name in ours]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for way in ("k-means", "HDBSCAN"):
        table = part.pivot_table(index="size", columns="method", values=f"{way} ARI")
        for size, row in table.iterrows():
            cells = " | ".join(f"{row[name]:.3f}" for name in ours)
            lines.append(f"| {way}, {size} coordinates | {cells} |")
    return [OTHERS, *lines, ""]


def draw(rows: pd.DataFrame) -> None:
    """Draw the ARI of both ways to cluster, at both sizes, as four heat maps."""
    figure = Figure(figsize=(10.4, 4.2), layout="constrained")
    axes = figure.subplots(1, 4, sharey=True)
    ways = [(way, size) for way in ("k-means", "HDBSCAN") for size in SIZES]
    for ax, (way, size) in zip(axes, ways, strict=True):
        table = means(rows, f"{way} ARI", size)
        table = pd.concat([table, table.mean().to_frame("mean").T])
        image = ax.imshow(table, cmap="viridis", vmin=0, vmax=0.9, aspect="auto")
        for (i, j), value in np.ndenumerate(table.to_numpy()):
            colour = "white" if value < 0.55 else "black"
            weight = "bold" if value == table.iloc[i].max() else "normal"
            ax.text(
                j,
                i,
                f"{value:.2f}",
                color=colour,
                weight=weight,
                size=9.5,
                ha="center",
                va="center",
            )
        ax.set_xticks(
            range(len(COMPARED)), [METHODS[m].title for m in COMPARED], size=10
        )
        ax.set_yticks(range(len(table)), table.index, size=11)
        ax.axhline(len(table) - 1.5, color="white", linewidth=3)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_title(f"{way}, {size} coordinates", size=12)
    figure.colorbar(image, ax=axes, label="adjusted Rand index", pad=0.01, aspect=30)
    with BytesIO() as file:
        figure.savefig(file, dpi=110)
        picture = Image.open(file).convert("RGB")
    picture.quantize(256).save(ROWS.with_suffix(".png"), optimize=True)


def main() -> None:
    """Write the report and the picture."""
    rows = pd.DataFrame(stored())
    draw(rows)
    lines = ["# Clusters beside classes", "", INTRODUCTION]
    lines.append("Measured with " + ", ".join(sorted(set(rows.package))) + ".\n")
    lines += summary_lines(rows)
    lines += ["![ARI of four methods on seven data sets](clustering.png)", ""]
    for key in MEASURES:
        for size in SIZES:
            lines += [f"## {key}, {size} coordinates", ""]
            lines += table_lines(means(rows, key, size))
    lines += [*other_lines(rows), RERUN]
    ROWS.with_suffix(".md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
