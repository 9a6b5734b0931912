"""Where refinement may begin, beside the forest's coordinates."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._types import Coords, Floats
from latentforest.refine._targets import without_gaps

NEGLIGIBLE_SHARE = 1e-12  # of the largest variance


@dataclass(frozen=True, slots=True)
class LinearStart:
    """Principal components of the cells: the best start where columns are linear."""

    mean: Floats  # (n_cells,)
    axes: Floats  # (n_components, n_cells); zeros beyond the rank

    @classmethod
    def fit(cls, cells: Floats, n_components: int) -> "LinearStart":
        """Find the axes of largest variance; the largest entry of each is positive."""
        filled = without_gaps(cells)
        mean = filled.mean(axis=0)
        covariance = (filled - mean).T @ (filled - mean) / len(filled)
        values, vectors = np.linalg.eigh(covariance)
        axes = np.zeros((n_components, len(mean)))
        spread = values > NEGLIGIBLE_SHARE * values[-1]
        found = vectors[:, spread][:, ::-1][:, :n_components].T
        signs = np.sign(np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1))
        axes[: len(found)] = found * signs
        return cls(mean, axes)

    def place(self, cells: Floats) -> Coords:
        """Coordinates of rows given by their cells; gaps count as the mean."""
        centred = np.where(np.isnan(cells), 0.0, cells - self.mean)
        # A matrix product would round a row differently in another batch.
        coords: Coords = np.einsum("ij,kj->ik", centred, self.axes, optimize=False)
        return coords
