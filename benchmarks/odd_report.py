"""The report of ``odd.py``: mean AUC and rank, beside published figures."""

from pathlib import Path
from typing import Any

import pandas as pd

from data import data_folder

OURS = "OddRows"
FIELD = ("KNN", "IForest", "ECOD", "LOF", "MCD", "PCA")
METHODS = (OURS, *FIELD)
MIXED = ("adult", "king", "mushroom", "obesity", "plpn", "telco")
PUBLISHED = {"normal": "dte_normals", "all": "dte_contaminated"}
MEANING = {
    "normal": "trained on half of the rows that are not odd",
    "all": "trained on all rows, and scored on them",
}


def write_report(rows: list[dict[str, Any]], path: Path) -> None:
    """Write ``odd.md``."""
    parts = ["# Odd rows\n\nBy `benchmarks/odd.py`; AUC in percent.\n"]
    for protocol, meaning in MEANING.items():
        of_part = [row for row in rows if row.get("protocol") == protocol]
        if of_part:
            parts.append(f"## ADBench, {meaning}\n\n{_adbench(of_part, protocol)}\n")
    mixed = [row for row in rows if row["part"] == "mixed"]
    if mixed:
        parts.append(
            f"## Mixed tables, one cell of each odd row swapped\n\n{_mixed(mixed)}\n"
        )
    path.write_text("\n".join(parts))
    print(path.read_text())


def _means(rows: list[dict[str, Any]]) -> tuple[pd.DataFrame, pd.Series]:
    """Return mean AUC per table and method, in percent, and seeds per table."""
    frame = pd.DataFrame([{"table": row["table"], **row["auc"]} for row in rows])
    by_table = frame.groupby("table")
    return 100 * by_table.mean()[list(METHODS)], by_table.size()


def _adbench(rows: list[dict[str, Any]], protocol: str) -> str:
    auc, seeds = _means(rows)
    auc.index = [name.partition("_")[2].lower() for name in auc.index]
    seeds.index = auc.index
    auc, seeds = auc.sort_index(), seeds.sort_index()
    published = pd.read_csv(
        data_folder() / "adbench" / f"{PUBLISHED[protocol]}.csv", index_col=0
    )
    missing = sorted(set(published.index) - set(auc.index))
    # A method that cannot do a table has guessed.
    summary = pd.DataFrame(
        {
            "mean AUC": auc.fillna(50.0).mean(),
            "mean rank": auc.fillna(50.0).rank(axis=1, ascending=False).mean(),
            "published mean AUC": published.reindex(auc.index).mean().reindex(METHODS),
        }
    )
    best = published.reindex(auc.index).mean().nlargest(3)
    others = ", ".join(f"{name} {value:.1f}" for name, value in best.items())
    fewest, most = seeds.min(), seeds.max()
    n_seeds = f"{most}" if fewest == most else f"{fewest} to {most}"
    said = (
        f"{len(auc)} of 30 tables, {n_seeds} seeds each"
        + (f"; not run: {', '.join(missing)}" if missing else "")
        + f". Best of 26 published methods on these tables: {others} (there rows "
        "of small tables were repeated, and copies of test rows trained on)."
    )
    auc.insert(0, "seeds", seeds)
    return f"{said}\n\n{_table(summary, 2)}\n\n{_table(auc, 1)}"


def _mixed(rows: list[dict[str, Any]]) -> str:
    auc, seeds = _means(rows)
    cells = pd.DataFrame(rows).groupby("table")["cell_in_three"].mean() * 100
    auc.insert(0, "seeds", seeds)
    auc["cell in three"] = cells
    chosen = auc.loc[[name for name in MIXED if name in auc.index]]
    others = auc.drop(index=chosen.index)
    chosen = pd.concat([chosen, chosen.mean().to_frame("mean").T])
    return (
        "Six tables whose columns depend on each other. *cell in three*: share of odd "
        "rows whose swapped cell is among the three most surprising.\n\n"
        f"{_table(chosen, 1)}\n\n"
        "Tables whose columns tell little of each other: swaps are hardly seen.\n\n"
        f"{_table(others, 1)}"
    )


def _table(frame: pd.DataFrame, decimals: int) -> str:
    lines = ["| | " + " | ".join(map(str, frame.columns)) + " |"]
    lines.append("|---" * (len(frame.columns) + 1) + "|")
    for name, row in frame.iterrows():
        cells = [
            ""
            if pd.isna(value)
            else f"{value:.{0 if column == 'seeds' else decimals}f}"
            for column, value in row.items()
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
