"""Ranks of the methods of Table 1; its pictures: 20 panels, critical difference."""

from io import BytesIO

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from scipy.stats import friedmanchisquare, studentized_range

from table1_rows import KEYS, RESULTS

THEIRS = ("tvae", "ttvae", "ae", "vae")  # the neural methods of the paper
SCORED = "with_slip"  # as the authors scored their own method
NAMES = {
    "rfae": "RFAE, authors",
    "paper": "RFAE.paper",
    "tvae": "TVAE",
    "ttvae": "TTVAE",
    "ae": "AE",
    "vae": "VAE",
    "pca": "PCA",
    "pca_local": "PCA, our decoder",
    "eforest": "eForest",
    "umap": "UMAP",
    "default": "RFAE()",
    "refined": "RFAE.auto",
}
COLOURS = {
    "rfae": "#56B4E9",
    "paper": "#0072B2",
    "tvae": "#CC79A7",
    "ttvae": "#E69F00",
    "ae": "#999999",
    "vae": "#666666",
    "pca": "#000000",
    "pca_local": "#000000",
    "eforest": "#8B5A2B",
    "umap": "#6A3D9A",
    "default": "#009E73",
    "refined": "#D55E00",
}
STYLES = {"pca_local": "--", "eforest": "--", "umap": ".:"}
PARTIAL = ("umap",)  # cannot give every number of coordinates, and has no rank
SURE = 0.95


def joined(rows: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Distortion of all methods; one line per dataset, run and factor."""
    ours = rows.pivot_table(index=KEYS, columns="config", values="distortion")
    slip = rows[rows.config == "paper"].set_index(KEYS)[SCORED]
    theirs = paper.pivot_table(index=KEYS, columns="method", values="distortion")
    return ours.join(slip).join(theirs, how="inner")


def mean_ranks(table: pd.DataFrame, methods: list[str]) -> pd.Series:
    """Rank methods on each dataset by their mean distortion, then average."""
    means = table.dropna(subset=methods).groupby("dataset")[methods].mean()
    ranks = means.rank(axis=1)
    return ranks.mean().sort_values()


def paper_rank(table: pd.DataFrame, own: str) -> float:
    """Average rank of a method among the four neural ones."""
    return float(mean_ranks(table, [own, *THEIRS])[own])


def standard_errors(table: pd.DataFrame, method: str) -> pd.Series:
    """Return the standard error of the mean over the runs, for each dataset."""
    runs = table[method].dropna().groupby(["dataset", "run"]).mean()
    return runs.groupby("dataset").sem()


def critical_difference(n_methods: int, n_tables: int) -> float:
    """Ranks further apart than this differ (Nemenyi, as Demšar 2006)."""
    q = studentized_range.ppf(SURE, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_tables)))


def rank_lines(table: pd.DataFrame) -> list[str]:
    """Ranks as text and table; draws ``ranks.png``."""
    methods = [m for m in NAMES if m in table and m not in PARTIAL]
    complete = table.dropna(subset=methods)
    ranks = mean_ranks(table, methods)
    n_tables = complete.index.get_level_values("dataset").nunique()
    means = complete.groupby("dataset")[methods].mean()
    apart = critical_difference(len(methods), n_tables)
    p_value = friedmanchisquare(*(means[m] for m in methods)).pvalue
    draw_ranks(ranks, apart)
    return [
        "Average rank among TVAE, TTVAE, AE and VAE, on the runs at hand: the authors' "
        f"RFAE {paper_rank(table, 'rfae'):.2f}, `RFAE.paper` under their scoring "
        f"{paper_rank(table, SCORED):.2f}, scored correctly "
        f"{paper_rank(table, 'paper'):.2f}. All methods, on the runs that all have:",
        "",
        "| | " + " | ".join(NAMES[m] for m in ranks.index) + " |",
        "|---" * (len(ranks) + 1) + "|",
        "| average rank | " + " | ".join(f"{rank:.2f}" for rank in ranks) + " |",
        "| mean distortion | "
        + " | ".join(f"{means[m].mean():.3f}" for m in ranks.index)
        + " |",
        "",
        f"Friedman's test: p = {p_value:.1e}. Ranks differ where they lie {apart:.2f} "
        "apart (Nemenyi, 95 %).",
        "",
        "![Average ranks and their critical difference](ranks.png)",
    ]


def draw_ranks(ranks: pd.Series, apart: float) -> None:
    """Draw the ranks on a line; bars join methods that cannot be told apart."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    ax = figure.subplots()
    half = -(-len(ranks) // 2)
    for place, (method, rank) in enumerate(ranks.items()):
        left = place < half
        height = -0.5 - 0.45 * (place if left else len(ranks) - 1 - place)
        end = 0.6 if left else len(ranks) + 0.4
        ax.plot([rank, rank, end], [0, height, height], color=COLOURS[method], lw=1.4)
        ax.annotate(
            f"{NAMES[method]}  {rank:.2f}" if left else f"{rank:.2f}  {NAMES[method]}",
            (end, height),
            xytext=(-4 if left else 4, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
        )
    groups = [ranks.index[(ranks >= r) & (ranks <= r + apart)] for r in ranks]
    last = -1.0
    height = -0.12
    for group in groups:
        low, high = ranks[group].min(), ranks[group].max()
        if high > last and len(group) > 1:
            ax.plot([low - 0.04, high + 0.04], [height, height], color="black", lw=3)
            last, height = high, height - 0.11
    ax.plot([1, 1 + apart], [0.45, 0.45], color="black", lw=1.5)
    ax.annotate(f"critical difference {apart:.2f}", (1, 0.52))
    ax.plot([1, len(ranks)], [0, 0], color="black", lw=1)
    for tick in range(1, len(ranks) + 1):
        ax.plot([tick, tick], [0, 0.08], color="black", lw=1)
        ax.annotate(str(tick), (tick, 0.12), ha="center")
    ax.set(xlim=(-1.6, len(ranks) + 2.6), ylim=(-0.7 - 0.45 * half, 0.9))
    ax.axis("off")
    figure.savefig(RESULTS / "ranks.png", dpi=120)


def draw_panels(table: pd.DataFrame) -> None:
    """Draw distortion against compression, a panel for each table."""
    names = sorted(table.index.get_level_values("dataset").unique())
    figure = Figure(figsize=(12, 12.5), layout="constrained")
    axes = figure.subplots(5, 4, sharex=True)
    for ax, name in zip(axes.flat, names, strict=True):
        draw_panel(ax, table.loc[name])
        ax.set_title(name, size=11)
    for ax in axes[-1]:
        ax.set_xlabel("coordinates per column")
    for ax in axes[:, 0]:
        ax.set_ylabel("distortion")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100)
    # A palette holds the few colours in a third of the bytes.
    picture = Image.open(drawn).convert("RGB").quantize(256)
    picture.save(RESULTS / "panels.png", optimize=True)


def draw_panel(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the means of one table, with standard errors of the paper's method."""
    for method, name in NAMES.items():
        if method not in table:
            continue
        by_factor = table[method].dropna().groupby("factor")
        mean = by_factor.mean()
        wide = method in ("paper", "default", "refined")
        width = 1.8 if wide else 1.0
        style = STYLES.get(method, "-")
        ax.plot(mean.index, mean, style, color=COLOURS[method], lw=width, label=name)
        if method == "paper":
            error = by_factor.sem().fillna(0.0)
            ax.fill_between(
                mean.index,
                mean - error,
                mean + error,
                color=COLOURS[method],
                alpha=0.25,
                lw=0,
            )
    ax.set_ylim(0, None)
    ax.spines[["top", "right"]].set_visible(False)
