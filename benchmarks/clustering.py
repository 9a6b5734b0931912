"""Classes found again by clustering coordinates: ours, PCA, FAMD and UMAP.

    pip install umap-learn prince
    python benchmarks/clustering.py
    python benchmarks/clustering.py --methods umap --tables bc
    python benchmarks/clustering_report.py

Appends one JSON line per method, table, number of coordinates and seed to
``benchmarks/results/clustering.jsonl`` and skips what is there already, so an
interrupted run resumes. ``clustering_report.py`` writes ``clustering.md`` and
``clustering.png`` from the lines.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from latentforest import RFAE, Refinement, datasets
from mappers import Features
from pca import MixedPCA

ROWS = Path(__file__).parent / "results" / "clustering.jsonl"
CLASSES = {
    "banknote": "Class",
    "bc": "diagnosis",
    "dry_bean": "Class",
    "mushroom": "classes",
    "obesity": "NObeyesdad",
    "plpn": "species",
    "digits": "target",
}
SIZES = (2, 5)
SEEDS = (0, 1, 2)
MOST_ROWS = 5_000
SMALLEST = 50  # HDBSCAN's smallest cluster: one row in so many, and at least 5


class Labelled(NamedTuple):
    """A table without its class, the class, and whether its cells are pixels."""

    table: pd.DataFrame
    label: np.ndarray
    pixels: bool


def load(name: str, seed: int) -> Labelled:
    """Draw at most so many rows of a table, and take the class out."""
    pixels = name == "digits"
    table = load_digits(as_frame=True).frame if pixels else datasets.load(name)
    if len(table) > MOST_ROWS:
        table = table.sample(MOST_ROWS, random_state=seed, ignore_index=True)
    label = table.pop(CLASSES[name])
    return Labelled(table, label.to_numpy(), pixels)


def by_rfae(data: Labelled, size: int, seed: int) -> np.ndarray:
    """Place rows by our default."""
    return RFAE(n_components=size, random_state=seed).fit_transform(data.table)


def by_axes(data: Labelled, size: int, seed: int) -> np.ndarray:
    """Refine rows from principal components, where the default has the layout."""
    refine = Refinement(start="linear")
    model = RFAE(n_components=size, refine=refine, random_state=seed)
    return model.fit_transform(data.table)


def by_diffusion(data: Labelled, size: int, seed: int) -> np.ndarray:
    """Place rows by the diffusion map of the forest's kernel, as in the paper."""
    model = RFAE(n_components=size, refine=None, random_state=seed)
    return model.fit_transform(data.table)


def by_pca(data: Labelled, size: int, seed: int) -> np.ndarray:
    """Principal components: standardised columns, pixels as they are."""
    if data.pixels:
        return PCA(n_components=size).fit_transform(data.table.to_numpy(float))
    return MixedPCA().fit(data.table).transform(data.table)[:, :size]


def by_famd(data: Labelled, size: int, seed: int) -> np.ndarray:
    """FAMD, or what it asks for where all columns are of one sort."""
    prince, table = import_module("prince"), data.table
    is_number = table.dtypes.map(pd.api.types.is_numeric_dtype)
    settings: dict[str, Any] = {"n_components": size, "random_state": seed}
    if is_number.all():
        model = prince.PCA(**settings)
    elif not is_number.any():
        model = prince.MCA(**settings)
    else:
        model = prince.FAMD(**settings)
    return model.fit(table).row_coordinates(table).to_numpy()


def by_umap(data: Labelled, size: int, seed: int) -> np.ndarray:
    """UMAP of the features that its users would prepare."""
    features = Features(standardise=not data.pixels).fit(data.table)
    model = import_module("umap").UMAP(n_components=size, random_state=seed, n_jobs=1)
    return model.fit_transform(features.transform(data.table))


class Method(NamedTuple):
    """A way to coordinates, and how it is called in the report."""

    place: Callable[[Labelled, int, int], np.ndarray]
    title: str
    package: str


METHODS = {
    "rfae": Method(by_rfae, "RFAE()", "latentforest"),
    "pca": Method(by_pca, "PCA", "scikit-learn"),
    "famd": Method(by_famd, "FAMD", "prince"),
    "umap": Method(by_umap, "UMAP", "umap-learn"),
    "axes": Method(by_axes, "from principal components", "latentforest"),
    "diffusion": Method(by_diffusion, "diffusion map", "latentforest"),
}


def judge(coords: np.ndarray, label: np.ndarray, seed: int) -> dict[str, float]:
    """Cluster coordinates in two ways, and compare with the classes."""
    n_classes = len(np.unique(label))
    smallest = max(5, len(label) // SMALLEST)
    found = {
        "k-means": KMeans(n_classes, n_init=10, random_state=seed),
        "HDBSCAN": HDBSCAN(min_cluster_size=smallest, copy=True),
    }
    row: dict[str, float] = {}
    for name, model in found.items():
        cluster = model.fit_predict(coords)
        row[f"{name} ARI"] = adjusted_rand_score(label, cluster)
        row[f"{name} NMI"] = normalized_mutual_info_score(label, cluster)
    row["clusters"] = len(np.unique(cluster[cluster >= 0]))
    row["noise"] = float(np.mean(cluster < 0))
    return row


def measure(method: str, name: str, size: int, seed: int) -> dict[str, Any]:
    """Place the rows of a table and judge the clusters."""
    data = load(name, seed)
    size = min(size, data.table.shape[1])
    coords = METHODS[method].place(data, size, seed)
    if coords.shape != (len(data.label), size):
        message = f"{method} on {name}: {coords.shape}, not {size} coordinates per row."
        raise ValueError(message)
    return judge(coords, data.label, seed)


def stored() -> list[dict[str, Any]]:
    """Rows that were measured."""
    return list(map(json.loads, ROWS.read_text().splitlines())) if ROWS.exists() else []


def run(methods: list[str], tables: list[str]) -> None:
    """Measure what is not there yet."""
    keys = ("method", "table", "size", "seed")
    done = {tuple(row[key] for key in keys) for row in stored()}
    wanted = [
        (method, name, size, seed)
        for name in tables
        for seed in SEEDS
        for size in SIZES
        for method in methods
    ]
    for task in wanted:
        if task in done:
            continue
        found = measure(*task)
        package = METHODS[task[0]].package
        row = dict(zip(keys, task, strict=True)) | found
        row = {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
        row["package"] = f"{package} {version(package)}"
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--tables", nargs="+", choices=CLASSES, default=list(CLASSES))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    run(args.methods, args.tables)


if __name__ == "__main__":
    main()
