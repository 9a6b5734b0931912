"""Ways to place the rows of a table on a map: ours, and those of other packages.

Ours take tables. The others get the features that their users would prepare: numbers
standardised, categories as indicator columns, few-valued integers as numbers.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentforest import RFAE
from latentforest.table import ColumnKind, TableCodec

SIZE = 2  # coordinates
SEED = 0


class Features:
    """Columns as other packages want them, and back.

    Parameters
    ----------
    standardise : bool, default=True
        Give every number its own scale. Pixels share one, and are left as they are.
    """

    def __init__(self, *, standardise: bool = True) -> None:
        self.standardise = standardise

    def fit(self, train: pd.DataFrame) -> "Features":
        """Learn kinds, levels and scales."""
        inferred = TableCodec().fit(train).schema_.columns
        few = [j for j, c in enumerate(inferred) if c.kind is ColumnKind.ordered]
        kinds = {inferred[j].name: ColumnKind.integer for j in few}
        self.known = {j: np.array(inferred[j].levels, float) for j in few}
        self.codec = TableCodec(kinds, unseen="nearest").fit(train)
        columns = self.codec.schema_.columns
        self.numbers = [j for j, c in enumerate(columns) if c.is_number]
        self.levels = {j: c.n_levels for j, c in enumerate(columns) if c.n_levels}
        values = self.codec.encode(train).values[:, self.numbers]
        self.mean, self.scale = np.zeros(len(self.numbers)), np.ones(len(self.numbers))
        if self.standardise:
            self.mean, self.scale = values.mean(axis=0), values.std(axis=0)
            self.scale[self.scale == 0] = 1.0
        return self

    def transform(self, table: pd.DataFrame) -> np.ndarray:
        """Numbers beside indicators; a level that fit has not seen has none."""
        values = self.codec.encode(table).values
        parts = [(values[:, self.numbers] - self.mean) / self.scale]
        parts += [values[:, [j]] == np.arange(n) for j, n in self.levels.items()]
        return np.column_stack(parts)

    def inverse_transform(self, wide: np.ndarray) -> pd.DataFrame:
        """Rows: levels with the largest indicator, nearest few-valued integers."""
        values = np.empty((len(wide), self.codec.schema_.n_columns))
        at = len(self.numbers)
        values[:, self.numbers] = wide[:, :at] * self.scale + self.mean
        for j, known in self.known.items():
            nearest = np.abs(values[:, [j]] - known).argmin(axis=1)
            values[:, j] = known[nearest]
        for j, n_levels in self.levels.items():
            values[:, j] = wide[:, at : at + n_levels].argmax(axis=1)
            at += n_levels
        return self.codec.decode(values)


class Method(NamedTuple):
    """A model of scikit-learn's kind, and what it can do."""

    package: str
    build: Callable[[], Any]
    takes_features: bool = True
    has_inverse: bool = False
    most_grown: int | None = None  # rows of the longest table; None: any


def ours(build: Callable[..., RFAE]) -> Method:
    """One of our models; it takes tables, with categories it may not have seen."""

    def make() -> RFAE:
        return build(SIZE, random_state=SEED).set_params(unseen="nearest")

    return Method("latentforest", make, takes_features=False, has_inverse=True)


def theirs(module: str, name: str, **settings: Any) -> Callable[[], Any]:
    """Build a model of another package, which is imported only if it is asked for."""
    return lambda: getattr(import_module(module), name)(n_components=SIZE, **settings)


THREADS: dict[str, Any] = {"n_jobs": -1, "random_state": SEED}
TSNE = theirs("openTSNE.sklearn", "TSNE", **THREADS)
PHATE = theirs("phate", "PHATE", verbose=0, **THREADS)
PCA = theirs("sklearn.decomposition", "PCA")
# Without a seed UMAP uses all threads; with one it uses a single thread.
UMAP = theirs("umap", "UMAP")
SEEDED = theirs("umap", "UMAP", random_state=SEED, n_jobs=1)
METHODS = {
    "default": ours(RFAE),
    "auto": ours(RFAE.auto),
    "paper": ours(RFAE.paper),
    "umap": Method("umap-learn", UMAP, has_inverse=True),
    "umap seeded": Method("umap-learn", SEEDED, most_grown=10_000),
    "openTSNE": Method("openTSNE", TSNE),
    "phate": Method("phate", PHATE, most_grown=10_000),
    "pca": Method("scikit-learn", PCA, has_inverse=True),
}


def package_of(method: str) -> str:
    """Return the package of a method, with its version."""
    name = METHODS[method].package
    return f"{name} {version(name)}"


def warm_up(method: str, tiny: pd.DataFrame) -> None:
    """Fit on a tiny table, so that what is compiled is compiled before the clock runs.

    UMAP has other loops for short tables than for long ones.
    """
    how = METHODS[method]
    models = [how.build()]
    if method.startswith("umap"):
        models.append(how.build().set_params(force_approximation_algorithm=True))
    table = Features().fit(tiny).transform(tiny) if how.takes_features else tiny
    for model in models:
        model.fit_transform(table)
        coords = model.transform(table[:50])
        if how.has_inverse:
            model.inverse_transform(coords[:5])
