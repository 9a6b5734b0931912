"""The page of all results, from their rows: what was run, and where we do not win.

    python benchmarks/results_page.py       # writes results/README.md

Dates and commits are those of the rows, by git.
"""

import json
import subprocess
from pathlib import Path

import pandas as pd

from denoising_page import chosen_pass
from table1_ranks import NAMES
from table1_rows import KEYS, read_rows
from table1_simple import SIMPLE

RESULTS = Path(__file__).parent / "results"
# Page, rows, the command, and what it is about.
STUDIES = (
    ("table1", "table1.py", "20 tables, ten compressions: the paper's Table 1"),
    ("neural", "neural.py run", "AE, VAE, TVAE and TTVAE, rerun on four tables"),
    ("mnist", "mnist.py", "ten digits beside the authors' reconstructions"),
    ("golub", "golub.py", "leukaemia: supervised against unsupervised"),
    ("denoising", "denoising.py", "cells of two pairs of studies, beside harmonypy"),
    ("clustering", "clustering.py", "clusters against classes, beside PCA, FAMD, UMAP"),
    ("maps", "maps.py", "maps of two coordinates beside those of others"),
    ("decoders", "decoders.py", "decoders compared"),
    ("intervals", "intervals.py run", "what share of new cells intervals cover"),
    ("odd", "odd.py", "odd rows against the field (ADBench)"),
    ("pvalues", "pvalues.py run", "p-values of usual cells"),
    ("distill", "distill.py", "smaller models"),
    ("ranges", "ranges.py", "decoded numbers within their training range"),
    ("growers", "growers.py", "trees of adversarial rounds"),
    ("wild", "wild.py run", "wild cells in training rows: what clean new rows lose"),
    ("runtime", "runtime.py", "phases on the 20 tables beside the authors' R code"),
    ("scale", "scale.py", "time and memory, 1,000 to 10,000,000 rows"),
    ("forecast", "forecast.py", "forecast beside measured"),
)


def rows_of(name: str) -> pd.DataFrame:
    """Read the rows of a study."""
    lines = (RESULTS / f"{name}.jsonl").read_text().splitlines()
    return pd.DataFrame(map(json.loads, lines))


def last_change(path: Path) -> str:
    """Date and commit of the last change of a file."""
    words = ["git", "log", "-1", "--format=%as, %h", "--", str(path)]
    made = subprocess.run(
        words, check=True, capture_output=True, text=True, cwd=RESULTS
    )
    return made.stdout.strip()


def behind_in_table1() -> list[str]:
    """Tables on which a configuration of ours loses more than another method."""
    from data import paper_results

    rows = read_rows()
    theirs = paper_results().pivot_table(
        index=KEYS, columns="method", values="distortion"
    )
    ours = rows.pivot_table(index=KEYS, columns="config", values="distortion")
    lines = []
    for config in ("paper", "default", "refined"):
        others = ours[list(SIMPLE)].join(theirs.drop(columns="rfae"))
        both = ours[[config]].join(others).dropna().groupby("dataset").mean()
        best = both.drop(columns=config).idxmin(axis=1)
        gap = both[config] - both.drop(columns=config).min(axis=1)
        worse = gap[gap > 0].sort_values(ascending=False)
        told = ", ".join(
            f"{name} ({NAMES[best[name]]}, by {lost:.3f})"
            for name, lost in worse.head(5).items()
        )
        more = f" and {len(worse) - 5} more" if len(worse) > 5 else ""
        where = f": {told}{more}" if len(worse) else ""
        lines.append(
            f"- Table 1: `{NAMES[config]}` is not the best, PCA and eForest counted, "
            f"on {len(worse)} of {len(both)} tables{where}."
        )
    return lines


def behind_elsewhere() -> list[str]:
    """Tell what the rows of the other studies say."""
    clusters = rows_of("clustering")
    clusters = clusters[clusters.method.isin(["rfae", "pca", "famd", "umap"])]
    ari = clusters.groupby(["size", "method"])[["k-means ARI", "HDBSCAN ARI"]].mean()
    ari = ari.mean(axis=1)
    return [
        *(
            f"- Clusters, {size} coordinates: mean adjusted Rand index "
            + ", ".join(f"{name} {value:.3f}" for name, value in of_size.items())
            + "."
            for size in ari.index.levels[0]
            for of_size in [ari[size].sort_values(ascending=False)]
            if of_size.index[0] != "rfae"
        ),
        *behind_in_cells(),
        *missed_goals(),
    ]


def behind_in_cells() -> list[str]:
    """Tell where studies mix less than with harmonypy, or types are found less well."""
    lines = []
    for (pair, table), rows in rows_of("denoising").groupby(["pair", "table"]):
        mean = rows.groupby("method").mean(numeric_only=True)
        best, own = chosen_pass(mean)
        figures = ["ilisi", "ari_1", "ari_2"]
        if (mean.loc[own, figures] >= mean.loc[best, figures]).all():
            continue
        grown = mean.index[mean.index.str.fullmatch(r"RFAE, grown on \w+")]
        paper = mean.loc[grown, "ilisi"].max()
        ari = [
            f"{mean.loc[name, 'ari_1']:.2f} and {mean.loc[name, 'ari_2']:.2f}"
            for name in (own, best)
        ]
        lines.append(
            f"- Cells, {pair}, {table}: studies mix {paper:.2f} the paper's way, "
            f"{mean.loc[best, 'ilisi']:.2f} with harmonypy, "
            f"{mean.loc[own, 'ilisi']:.2f} decoded in equal parts (2 is best), which "
            f"leaves k-means an adjusted Rand index of {ari[0]}, harmonypy {ari[1]}."
        )
    return lines


def missed_goals() -> list[str]:
    """List settings whose goal the page of MNIST calls missed."""
    lines, section = [], ""
    for line in (RESULTS / "mnist.md").read_text().splitlines():
        section = line.lstrip("# ") if line.startswith("##") else section
        if "**no**" in line:
            setting, authors, own = (part.strip() for part in line.split("|")[1:4])
            lines.append(
                f"- MNIST, {section[0].lower()}{section[1:]}, {setting}: error {own}, "
                f"the authors' {authors}."
            )
    return lines


def main() -> None:
    """Write the page."""
    lines = [
        "# Results",
        "",
        "Each study is one command, with `LATENTFOREST_DATA` set where it needs the "
        "paper's data; rows that are there are not run again.",
        "",
        "| study | command | rows | last run |",
        "|---|---|---|---|",
    ]
    for name, script, about in STUDIES:
        path = RESULTS / f"{name}.jsonl"
        n_rows = len(read_rows() if name == "table1" else rows_of(name))
        lines.append(
            f"| [{about}]({name}.md) | `benchmarks/{script}` | {n_rows:,} | "
            f"{last_change(path)} |"
        )
    lines += [
        "",
        "## Where we do not win",
        "",
        *behind_in_table1(),
        *behind_elsewhere(),
        "",
        "The pages of the studies say more, each where it stands.",
    ]
    (RESULTS / "README.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
