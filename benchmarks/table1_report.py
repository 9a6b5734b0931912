"""Rows of Table 1 beside the authors' results: ``table1.md`` and ``bits.png``."""

import pandas as pd
from matplotlib.figure import Figure

from data import paper_results
from table1_others import BITS
from table1_ranks import draw_panels, joined, rank_lines, standard_errors
from table1_rows import KEYS, RESULTS, read_rows
from table1_simple import SIMPLE, error_lines, simple_lines, umap_lines

METHODS = ("rfae", "tvae", "ttvae", "ae", "vae")
PAPER_CONFIGS = ("paper", "pca")
IN_BITS = {"refined": "RFAE.auto", "default": "RFAE", "pca": "PCA"}


def make_table(rows: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset: our means beside the authors' on the same runs."""
    rows = rows[rows.config.isin(PAPER_CONFIGS)]
    ours = rows.pivot_table(index=KEYS, columns="config", values="distortion")
    slip = rows[rows.config == "paper"].set_index(KEYS)["with_slip"]
    theirs = paper.pivot_table(index=KEYS, columns="method", values="distortion")
    both = ours.join(slip.rename("paper, their scoring")).join(theirs, how="inner")
    both = both[both["paper"].notna()]
    table = both.groupby("dataset").mean()
    table.insert(0, "runs", both.groupby("dataset").apply(lambda g: len(g) // 10))
    table["difference"] = table["paper, their scoring"] - table["rfae"]
    table["±"] = standard_errors(both, "paper")
    table["best of five"] = table[list(METHODS)].min(axis=1)
    order = ["runs", "rfae", "paper, their scoring", "difference", "paper", "±", "pca"]
    return table[[*order, "tvae", "ttvae", "ae", "vae", "best of five"]]


def make_beyond(
    rows: pd.DataFrame, paper: pd.DataFrame, config: str, beside: list[str]
) -> pd.DataFrame:
    """One row per dataset: one of our configurations, on the runs that it has."""
    theirs = paper.pivot_table(index=KEYS, columns="method", values="distortion")
    own = rows[rows.config == config].set_index(KEYS)
    both = own[["distortion", *beside]].rename(columns={"distortion": config})
    for other in SIMPLE:
        lost = rows[rows.config == other].set_index(KEYS)["distortion"]
        if both.index.isin(lost.index).all():
            both = both.join(lost.rename(other))
    both = both.join(theirs, how="inner")
    table = both.groupby("dataset").mean()
    table.insert(0, "runs", both.groupby("dataset").apply(lambda g: len(g) // 10))
    table["best of five"] = table[list(METHODS)].min(axis=1)
    shown = [config, *beside, *(name for name in SIMPLE if name in table)]
    return table[["runs", "rfae", "best of five", *shown]]


def table_lines(table: pd.DataFrame) -> list[str]:
    """Write a table, with the mean of all datasets, in Markdown."""
    table = table.astype(float)
    table.loc["mean"] = table.mean()
    lines = [
        "| dataset | " + " | ".join(table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for name, row in table.iterrows():
        runs = f"{row['runs']:.0f}" if name != "mean" else ""
        cells = [
            f"{row[c]:+.4f}" if c == "difference" else f"{row[c]:.4f}"
            for c in row.index[1:]
        ]
        lines.append(f"| {name} | " + " | ".join([runs, *cells]) + " |")
    return lines


def count_lines(table: pd.DataFrame, config: str, scored: str) -> list[str]:
    """Say how often a configuration is better, and where it is not first."""
    simple = [name for name in SIMPLE if name in table]
    below = "".join(
        f", below `{name}` on {(table[config] < table[name]).sum()}" for name in simple
    )
    others = table[["best of five", *simple]].min(axis=1)
    first = table[config] < others
    lines = [
        f"`{config}` is below the authors' RFAE on "
        f"{(table[scored] < table['rfae']).sum()}, below the best of their five on "
        f"{(table[scored] < table['best of five']).sum()}{below}, and below all "
        f"of them together on {first.sum()} of {len(table)} tables.",
    ]
    if 0 < (~first).sum() < 6:
        behind = (table[config] - others)[~first]
        text = ", ".join(f"{name} by {gap:.4f}" for name, gap in behind.items())
        lines.append(f"It is behind on {text}.")
    return lines


def rate_lines(rows: pd.DataFrame) -> list[str]:
    """Mean distortion when each coordinate is kept in a few bits, as a table."""
    for config in IN_BITS:  # the runs that all of them have
        done = rows[rows.config == config].set_index(["dataset", "run"]).index
        rows = rows[rows.set_index(["dataset", "run"]).index.isin(done)]
    rows = rows[rows.config.isin(IN_BITS)]
    rows = rows.rename(columns={"distortion": "64 bits"})
    widths = [f"{bits} bits" for bits in (*BITS, 64)]
    means = rows.groupby(["config", "dataset"])[widths].mean().groupby("config").mean()
    draw_rates(rows, widths)
    lines = ["| bits per coordinate | " + " | ".join(w.split()[0] for w in widths)]
    lines = [lines[0] + " |", "|---" * (len(widths) + 1) + "|"]
    for config, mean in means.loc[list(IN_BITS)].iterrows():
        lines.append(f"| {config} | " + " | ".join(f"{x:.4f}" for x in mean) + " |")
    return lines


def draw_rates(rows: pd.DataFrame, widths: list[str]) -> None:
    """Draw distortion against bits per column of the table, in ``bits.png``."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    ax = figure.subplots()
    means = rows.groupby(["config", "factor", "dataset"])[widths].mean()
    means = means.groupby(["config", "factor"]).mean()
    colours = dict(
        zip(widths, ("#56B4E9", "#0072B2", "#E69F00", "#000000"), strict=True)
    )
    for (config, name), style in zip(IN_BITS.items(), ("-", ":", "--"), strict=True):
        for width in widths[:-1]:
            line = means.loc[config][width]
            bits = int(width.split()[0]) * line.index
            label = f"{name}, {width}"
            ax.plot(
                bits, line, style, marker="o", ms=3, color=colours[width], label=label
            )
    ax.set(
        xlabel="bits per column of the table (coordinates × bits / columns)",
        ylabel="mean distortion over the tables",
        xscale="log",
        ylim=(0, None),
    )
    ax.set_xticks([0.5, 1, 2, 4, 8, 12], ["0.5", "1", "2", "4", "8", "12"])
    ax.minorticks_off()
    ax.legend(frameon=False, ncols=3)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(RESULTS / "bits.png", dpi=120)


def write_report() -> None:
    """Turn rows into ``table1.md``."""
    rows = read_rows()
    paper = paper_results()
    plain = make_beyond(rows, paper, "auto", ["with_slip"])
    default = make_beyond(rows, paper, "default", ["8 bits"])
    refined = make_beyond(rows, paper, "refined", ["8 bits"])
    together = joined(rows, paper)
    draw_panels(together)
    lines = [
        "# Table 1: mean distortion over ten compression factors",
        "",
        "## The paper's configuration",
        "",
        "`rfae`, `tvae`, `ttvae`, `ae` and `vae` are the authors' values on the same "
        "runs; the other columns are ours. `paper` is `RFAE.paper`, scored correctly; "
        "`paper, their scoring` repeats the slip in the authors' scoring of `rfae` "
        "(columns with a blank in their name count as perfect: abalone, bc, wq), and "
        "`difference` is that minus `rfae`.",
        "",
        *table_lines(make_table(rows, paper)),
        "",
        "`±`: standard error of `paper` over the runs.",
        "",
        "![Distortion against compression on 20 tables](panels.png)",
        "",
        "## Ranks",
        "",
        *rank_lines(together),
        "",
        "## Methods of others",
        "",
        *simple_lines(rows),
        "",
        *error_lines(rows),
        "",
        *umap_lines(rows),
        "",
        "## The map without refinement",
        "",
        "`auto`: the diffusion map of a completely random forest of 500 trees, with "
        "`decoder='auto'`; `with_slip`: scored as the authors scored. `rfae` and `best "
        "of five` are the authors' values on the same runs.",
        "",
        *table_lines(plain),
        "",
        *count_lines(plain, "auto", "with_slip"),
        "",
        "## RFAE()",
        "",
        "`default`: `RFAE` with nothing but a number of coordinates, which makes maps "
        "to look at; `8 bits`: with each coordinate at the nearest of 256 levels.",
        "",
        *table_lines(default),
        "",
        *count_lines(default, "default", "default"),
        "",
        "## RFAE.auto",
        "",
        "`refined`: `RFAE.auto`, one configuration that chooses its settings on "
        "held-back training rows before any test row is touched.",
        "",
        *table_lines(refined),
        "",
        *count_lines(refined, "refined", "refined"),
        "",
        "## In bits",
        "",
        "Real numbers can hide a table in one coordinate. Mean distortion over the "
        "tables when each coordinate is rounded to the nearest of 2^bits levels, "
        "placed where the training rows lose least (Lloyd and Max):",
        "",
        *rate_lines(rows),
        "",
        "![Distortion against bits, ours and PCA's](bits.png)",
    ]
    (RESULTS / "table1.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
