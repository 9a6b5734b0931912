"""Tables of the methods of others in Table 1's study: PCA, eForest, UMAP."""

import pandas as pd

from table1_others import UMAP_GROWTH, UMAP_SIZES, UMAP_WORK, WHOLE_TREES
from table1_rows import KEYS

SIMPLE = ("pca", "pca_local", "eforest")
OURS = ("paper", "default", "refined")


def simple_lines(rows: pd.DataFrame) -> list[str]:
    """Methods that give every number of coordinates, on the runs that all have."""
    wide = _wide(rows, [*SIMPLE, *OURS])
    whole = rows[rows.config == "eforest_whole"].set_index("dataset")
    lines = [
        "`pca`: principal components of standardised numbers and scaled indicators, "
        "decoded linearly; `pca_local`: decoded by our `AutoDecoder`; `eforest`: Feng "
        "and Zhou's autoencoder, completely random trees down to single rows, with as "
        "many trees as the others have coordinates, decoded where the leaves meet. "
        "Its numbers are leaves, not coordinates: nothing lies between two of them. "
        f"With {WHOLE_TREES} trees, as they have it, a code is {WHOLE_TREES} leaves, "
        "or a box of two numbers for each column, so that nothing is compressed; "
        "`eforest, whole` is that, on bootstrap 1, a bound and no competitor. Means "
        "over ten factors, on the runs that all of these have:",
        "",
        f"| dataset | runs | {' | '.join(wide)} | eforest, whole |",
        "|---" * (len(wide.columns) + 3) + "|",
    ]
    means = wide.groupby("dataset").mean()
    for name, mean in means.iterrows():
        cells = [f"{lost:.4f}" for lost in mean]
        cells.append(
            f"{whole.distortion[name]:.4f}" if name in whole.index else "not run"
        )
        runs = wide.loc[name].index.get_level_values("run").nunique()
        lines.append(f"| {name} | {runs} | {' | '.join(cells)} |")
    overall = [f"{lost:.4f}" for lost in means.mean()]
    return [*lines, f"| mean | | {' | '.join(overall)} | |"]


def error_lines(rows: pd.DataFrame) -> list[str]:
    """Means and standard errors of each method over all of its runs."""
    configs = [*SIMPLE, *OURS]
    some = rows[rows.config.isin(configs)]
    runs = some.groupby(["dataset", "config", "run"])["distortion"].mean()
    over = runs.groupby(["dataset", "config"]).agg(["mean", "sem", "size"])
    lines = [
        "The same over all runs of each: mean ± standard error (runs).",
        "",
        f"| dataset | {' | '.join(configs)} |",
        "|---" * (len(configs) + 1) + "|",
    ]
    for name, found in over.groupby(level="dataset"):
        cells = []
        for config in configs:
            mean, error, size = found.loc[name, config]
            more = f" ± {error:.4f}" if size > 1 else ""
            cells.append(f"{mean:.4f}{more} ({size:.0f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def umap_lines(rows: pd.DataFrame) -> list[str]:
    """UMAP where it can be inverted, beside the others at the same sizes."""
    wide = _wide(rows, ["umap", *SIMPLE, *OURS])
    sizes = rows[rows.config == "umap"].groupby("dataset").n_components.unique()
    lines = [
        "UMAP (umap-learn, `inverse_transform`) sees the columns as PCA does. It "
        "inverts by a Delaunay triangulation: none of one coordinate, and with each "
        "coordinate more it takes several times as long. It was run with "
        f"{UMAP_SIZES[0]} to {UMAP_SIZES[-1]} coordinates, while new rows × "
        f"{UMAP_GROWTH}^coordinates stay below {UMAP_WORK:,}; the others here at the "
        "same factors and runs:",
        "",
        f"| dataset | runs | coordinates | {' | '.join(wide)} |",
        "|---" * (len(wide.columns) + 3) + "|",
    ]
    means = wide.groupby("dataset").mean()
    for name, mean in means.iterrows():
        runs = wide.loc[name].index.get_level_values("run").nunique()
        which = ", ".join(map(str, sorted(sizes[name])))
        cells = " | ".join(f"{lost:.4f}" for lost in mean)
        lines.append(f"| {name} | {runs} | {which} | {cells} |")
    overall = " | ".join(f"{lost:.4f}" for lost in means.mean())
    return [*lines, f"| mean | | | {overall} |"]


def _wide(rows: pd.DataFrame, configs: list[str]) -> pd.DataFrame:
    """Distortion of each configuration, where all of them have it."""
    some = rows[rows.config.isin(configs)]
    wide = some.pivot(index=KEYS, columns="config", values="distortion")
    return wide[configs].dropna()
