"""The page of the study of intervals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

HEAD = """# Coverage of intervals on new rows

Made by `benchmarks/intervals.py`. Eight tables (six real ones, two simulated), up to
100,000 rows eight long ones (five real, three simulated); 3,000 new rows each; means
over {samples} samples of training rows; two, four and eight coordinates. Continuous
columns first: those of which no value makes up more than 2 %. Mean over their columns,
then the median over tables and coordinates, and in brackets the lowest and the highest.
"""


def read_rows(path: Path) -> pd.DataFrame:
    """One row per column of each line."""
    rows = []
    for line in map(json.loads, path.read_text().splitlines()):
        key = {k: line[k] for k in ("table", "rows", "model", "components", "samples")}
        arrays = {k: np.array(line[k]) for k in ("covered", "width", "fifths")}
        against = np.array(line["against_split"])
        for j, (column, tied) in enumerate(
            zip(line["columns"], line["tied"], strict=True)
        ):
            rows.append(
                key
                | {"column": column, "tied": tied, "seconds": line["seconds"]}
                | {k: a[:, j] for k, a in arrays.items()}
                | {"against": against[:, j], "spread": line["spread"][j]}
            )
    return pd.DataFrame(rows)


def write_report(path: Path, coverages: tuple[float, ...]) -> None:
    """Write the page beside the rows."""
    found = read_rows(path)
    samples = found.groupby("rows").samples.max()
    counts = ", ".join(f"{n} ({size:,} rows)" for size, n in samples.items())
    parts = [HEAD.format(samples=counts)]
    smooth, tied = found[~found.tied], found[found.tied]
    keys = ["rows", "model", "table", "components"]
    means = (
        smooth.groupby(keys)
        .covered.apply(lambda c: np.stack(c.to_list()).mean(axis=0))
        .reset_index()
    )
    parts += [_coverage(means, coverages), "\n## Worst columns\n"]
    parts += [_worst(smooth, tied, coverages), "\n## Beside an honest split\n"]
    parts += [_split(smooth, coverages), "\n## Fifths of predicted spread\n"]
    parts += [_fifths(smooth), "\n## Width and cost\n", _cost(smooth)]
    text = "\n".join(parts) + "\n"
    path.with_suffix(".md").write_text(text)
    print(text)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _coverage(means: pd.DataFrame, coverages: tuple[float, ...]) -> str:
    rows = []
    for (size, model), part in means.groupby(["rows", "model"]):
        shares = np.stack(part.covered.to_list())
        cells = [f"{np.median(s):.3f} ({s.min():.3f}–{s.max():.3f})" for s in shares.T]
        rows.append([f"{size:,}", model, *cells])
    far = np.abs(np.stack(means.covered.to_list()) - coverages).max(axis=1)
    table = _table(["rows", "model", *(f"{c:.0%}" for c in coverages)], rows)
    beyond = means[far > 0.02]
    text = f"\n\nFarther than 0.02 from nominal: {len(beyond)} of {len(means)}"
    names = [
        f"{r.table} {r.rows:,} {r.model} {r.components}" for r in beyond.itertuples()
    ]
    return table + text + (f" ({'; '.join(names)})." if names else ".")


def _worst(smooth: pd.DataFrame, tied: pd.DataFrame, coverages: tuple) -> str:
    rows = []
    for name, part in (("continuous", smooth), ("with ties", tied)):
        below = np.stack(part.covered.to_list()) - coverages
        place = below.argsort(axis=None)[:3]
        worst = [
            f"{below.flat[p]:+.3f} ({part.table.iloc[p // 5]}"
            f" {part.column.iloc[p // 5]},"
            f" {part.rows.iloc[p // 5]:,} {part.model.iloc[p // 5]}"
            f" {part.components.iloc[p // 5]}, {coverages[p % 5]:.0%})"
            for p in place
        ]
        limit = -0.05 if name == "continuous" else -0.02
        rows.append([name, f"{(below < limit).mean():.4f} below {limit}", *worst])
    return _table(["columns", "share", "worst", "second", "third"], rows)


def _split(smooth: pd.DataFrame, coverages: tuple[float, ...]) -> str:
    rows = []
    for (size, model), part in smooth.groupby(["rows", "model"]):
        ratio = np.stack(part.against.to_list())
        ratio = np.where(np.isfinite(ratio), ratio, np.nan)
        by_table = pd.DataFrame(ratio).groupby(part.table.to_numpy()).mean()
        rows.append(
            [
                f"{size:,}",
                model,
                *(
                    f"{m:.3f} ({w:.3f})"
                    for m, w in zip(by_table.mean(), by_table.max(), strict=True)
                ),
            ]
        )
    head = "Interval score in units of the split's; mean of tables, worst table.\n\n"
    return head + _table(["rows", "model", *(f"{c:.0%}" for c in coverages)], rows)


def _fifths(smooth: pd.DataFrame) -> str:
    rows = []
    for (size, model), part in smooth.groupby(["rows", "model"]):
        shares = np.stack(part.fifths.to_list())
        by_model = (
            pd.DataFrame(shares)
            .groupby([part.table.to_numpy(), part.components.to_numpy()])
            .mean()
        )
        cells = [
            f"{m:.3f} ({w:.3f})"
            for m, w in zip(by_model.mean(), by_model.min(), strict=True)
        ]
        rows.append([f"{size:,}", model, *cells])
    head = (
        "Covered at 80 %, narrowest predictions first; mean, and the worst table.\n\n"
    )
    return head + _table(["rows", "model", "1", "2", "3", "4", "5"], rows)


def _cost(smooth: pd.DataFrame) -> str:
    rows = []
    for (size, model, k), part in smooth.groupby(["rows", "model", "components"]):
        fit, calibration = np.median(np.stack(part.seconds.to_list()), axis=0)
        width = np.median(
            np.stack(part.width.to_list()) / part.spread.to_numpy()[:, None], axis=0
        )
        cells = [*(f"{w:.2f}" for w in width[1:4]), f"{fit:.2f}", f"{calibration:.2f}"]
        rows.append([f"{size:,}", model, str(k), *cells])
    head = (
        "Width in standard deviations of the column, the median of columns. Seconds of "
        "one core: the fit, and the first call that asks for intervals.\n\n"
    )
    names = ["coordinates", "80% width", "90%", "95%", "fit", "calibration"]
    return head + _table(["rows", "model", *names], rows)
