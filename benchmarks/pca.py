"""The baseline to beat: principal components of mixed columns, decoded linearly."""

import numpy as np
import pandas as pd

from latentforest.table import TableCodec


class WideTable:
    """Mixed columns as numbers: standardised ones, and indicators of the levels.

    The indicators of a category share a variance of 1.
    """

    def fit(self, table: pd.DataFrame) -> "WideTable":
        """Learn scales and shares."""
        self.codec = TableCodec(unseen="nearest").fit(table)
        values = self.codec.encode(table).values
        self.numbers = np.flatnonzero(self.codec.schema_.is_number)
        self.categories = np.flatnonzero(~self.codec.schema_.is_number)
        self.mean = values[:, self.numbers].mean(axis=0)
        self.scale = values[:, self.numbers].std(axis=0)
        self.scale[self.scale == 0] = 1.0
        self.shares = [
            np.bincount(values[:, j].astype(int)) / len(values) for j in self.categories
        ]
        return self

    def widen(self, table: pd.DataFrame) -> np.ndarray:
        """Standardised numbers beside centred, scaled indicators."""
        values = self.codec.encode(table).values
        parts = [(values[:, self.numbers] - self.mean) / self.scale]
        for j, share in zip(self.categories, self.shares, strict=True):
            hot = values[:, j, None] == np.arange(len(share))
            parts.append((hot - share) / spread(share))
        return np.column_stack(parts)

    def narrow(self, wide: np.ndarray) -> pd.DataFrame:
        """Rows of the table; of a category, the level with the largest indicator."""
        values = np.empty((len(wide), self.codec.schema_.n_columns))
        at = len(self.numbers)
        values[:, self.numbers] = wide[:, :at] * self.scale + self.mean
        for j, share in zip(self.categories, self.shares, strict=True):
            hot = wide[:, at : at + len(share)] * spread(share) + share
            values[:, j] = hot.argmax(axis=1)
            at += len(share)
        return self.codec.decode(values)


class MixedPCA:
    """PCA of a wide table."""

    def fit(self, table: pd.DataFrame) -> "MixedPCA":
        """Learn scales, shares and axes."""
        self.wide = WideTable().fit(table)
        self.codec = self.wide.codec
        self.axes = np.linalg.svd(self.wide.widen(table), full_matrices=False)[2]
        return self

    def transform(self, table: pd.DataFrame) -> np.ndarray:
        """Coordinates on all axes."""
        return self.wide.widen(table) @ self.axes.T

    def inverse_transform(self, coords: np.ndarray) -> pd.DataFrame:
        """Rows at coordinates on the first axes."""
        return self.wide.narrow(coords @ self.axes[: coords.shape[1]])


def spread(share: np.ndarray) -> float:
    """Return the root of the total variance of a category's indicators."""
    return float(np.sqrt(max((share * (1 - share)).sum(), 1e-12)))
