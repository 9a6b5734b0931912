"""The table, the growth and the picture of ``benchmarks/scale.py``."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "scale.png"
NAMES = {
    "default": "`RFAE()`, 2 coordinates",
    "refined": "`RFAE()` with 100 trees",
    "refined, 500 trees": "`RFAE()` with 500 trees",
    "plain": "100 completely random trees, 8 coordinates",
    "plain, 500 trees": "500 completely random trees, 8 coordinates",
    "adversarial": "100 adversarial trees, 8 coordinates",
    "all": "100 trees, 8 coordinates, `max_samples=None`",
    "all, 500 trees": "500 trees, 8 coordinates, `max_samples=None`",
    "files": "`RFAE()` from 20 Parquet files; 1,000,000 rows placed and decoded",
    "umap": "umap-learn, 8 coordinates (does not decode)",
    "pca": "PCA, 8 coordinates",
    "kernel_pca": "KernelPCA, 8 coordinates",
    "arfpy": "arfpy, 100 trees (the forest alone)",
}
STAGES = ("read", "forest", "spectrum", "refinement", "decoder", "other", "fit")
AFTER = ("transform", "decode")
Run = dict[str, Any]


def write_report(rows: list[Run]) -> None:
    """Write scale.md, and draw scale.png."""
    made = [row for row in rows if "table" not in row]
    lines = [
        "# Time and memory",
        "",
        "By `benchmarks/scale.py`: 20 mixed columns, two cores. Seconds per stage; "
        "*new*: 100,000 new rows placed, and decoded. Peak: resident memory of the "
        "process, the table and the new rows in it.",
        "",
        "| | rows | read | forest | spectrum | refinement | decoder | fit | "
        "new, placed | new, decoded | peak, GiB |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for config, name in NAMES.items():
        for row in _of(made, config):
            took = row["seconds"]
            cells = [f"{took[s]:.2f}" if s in took else "" for s in STAGES[:5]]
            fit = sum(took.get(stage, 0.0) for stage in STAGES)
            after = [f"{took[s]:.2f}" if s in took else "" for s in AFTER]
            lines.append(
                f"| {name} | {row['n_rows']:,} | {' | '.join(cells)} | {fit:.2f} | "
                f"{' | '.join(after)} | {row['peak'] / 2**30:.2f} |"
            )
    lines += ["", "## Growth", "", *_growth(made)]
    real = [row for row in rows if "table" in row]
    if real:
        lines += ["", "## Long tables of the world", "", *_real(real)]
    (RESULTS / "scale.md").write_text("\n".join(lines) + "\n")
    _draw(made)


def _of(rows: list[Run], config: str) -> list[Run]:
    found = [row for row in rows if row["config"] == config]
    return sorted(found, key=lambda row: row["n_rows"])


def _growth(rows: list[Run]) -> list[str]:
    """Exponents between 10⁴ and the longest table, and what follows the forest."""
    lines = [
        "Exponent *a* of time ~ rowsᵃ, by least squares over the sizes from 10,000 "
        "rows on; 1 is in proportion. *after / forest*: all stages of the fit after "
        "the forest in units of its time, at the worst size.",
        "",
        "| | fit | forest | spectrum | refinement | decoder | peak memory | after / "
        "forest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for config, name in NAMES.items():
        runs = [row for row in _of(rows, config) if row["n_rows"] >= 10_000]
        if len(runs) < 2:
            continue
        fit = [sum(r["seconds"].get(s, 0.0) for s in STAGES) for r in runs]
        cells = [_exponent(runs, fit)]
        for stage in STAGES[1:5]:
            took = [r["seconds"].get(stage, 0.0) for r in runs]
            cells.append(_exponent(runs, took) if min(took) > 0.05 else "")
        cells.append(_exponent(runs, [r["peak"] for r in runs]))
        ratios = [
            sum(r["seconds"].get(s, 0.0) for s in STAGES[2:5]) / r["seconds"]["forest"]
            for r in runs
            if "forest" in r["seconds"]
        ]
        cells.append(f"{max(ratios):.2f}" if ratios else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _exponent(runs: list[Run], values: list[float]) -> str:
    return f"{exponent([row['n_rows'] for row in runs], values):.2f}"


def exponent(sizes: list[int], values: list[float]) -> float:
    """Return *a* of values ~ sizesᵃ, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-9)), 1)[0])


def _real(rows: list[Run]) -> list[str]:
    lines = [
        "`RFAE()` with more and more rows kept; distortion of 20,000 new rows, read as "
        "those of fit, by the spread of the training rows.",
        "",
        "| table | rows | columns | `max_samples` | fit, s | distortion | peak, GiB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda r: (r["table"], r["max_samples"] or 1e12)):
        most = f"{row['max_samples']:,}" if row["max_samples"] else "None"
        lines.append(
            f"| {row['table']} | {row['n_rows']:,} | {row['n_columns']} | {most} | "
            f"{row['seconds']['fit']:.1f} | {row['distortion']:.4f} | "
            f"{row['peak'] / 2**30:.2f} |"
        )
    return lines


def _draw(rows: list[Run]) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for config, name in NAMES.items():
        runs = _of(rows, config)
        if len(runs) < 2 or config.startswith("refined"):  # they would crowd it
            continue
        sizes = [row["n_rows"] for row in runs]
        fit = [sum(r["seconds"].get(s, 0.0) for s in STAGES) for r in runs]
        style = "--" if config in {"umap", "pca", "kernel_pca", "arfpy"} else "-"
        label = name.replace("`", "")
        axes[0].loglog(sizes, fit, style, marker="o", ms=4, label=label)
        axes[1].loglog(
            sizes, [r["peak"] / 2**30 for r in runs], style, marker="o", ms=4
        )
    axes[0].set(xlabel="rows", ylabel="seconds to fit")
    axes[1].set(xlabel="rows", ylabel="peak memory, GiB")
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2
    )
    figure.savefig(PICTURE, dpi=120)
