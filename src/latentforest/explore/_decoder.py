"""The decoder as the page runs it: its points, its rows, and how sure it is."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest._latent import LatentModel
from latentforest.decode import (
    ONE_SIGMA,
    AutoDecoder,
    Calibration,
    KNNDecoder,
    LocalLinearDecoder,
)

STAND_IN_NEIGHBORS = 20


@dataclass(frozen=True, slots=True)
class PageDecoder:
    """A decoder that blends rows, and its calibration."""

    decoder: KNNDecoder | LocalLinearDecoder
    calibration: Calibration
    is_own: bool  # the model's own, or a stand-in

    @property
    def n_rows(self) -> int:
        """Rows that it blends from."""
        return len(self.decoder.prototypes_)

    def settings(self) -> dict[str, Any]:
        """Return what the page needs to weigh neighbours."""
        decoder = self.decoder
        common = {"neighbors": decoder.n_neighbors, "name": repr(decoder)}
        if isinstance(decoder, KNNDecoder):
            return common | {"method": "knn"}
        return common | {
            "method": "local_linear",
            "ridge": float(decoder.ridge),
            "follow": bool(decoder.follow or decoder.extrapolate),
        }

    def error_factors(self) -> tuple[Floats, Floats]:
        """Factor and floor per column: std = factor · hypot(spread, floor).

        A factor of infinity says that too few rows were held back to tell.
        """
        spread = np.ones((1, len(self.calibration.floor)))
        width = self.calibration.width(spread, ONE_SIGMA)[0]
        return width / self.calibration.scale(spread)[0], self.calibration.floor

    def ranks(self, column: int, levels: NDArray[np.int64]) -> list[int]:
        """Who wins a tie among some levels of a column and, last, missing."""
        priority = self.decoder.priority_
        last = int(priority.n_levels[column])
        at = priority.start[column] + np.array([*levels, last])
        return np.argsort(np.argsort(priority.rank[at])).tolist()

    def level_shares(self, column: int, levels: NDArray[np.int64]) -> list[float]:
        """Share of some levels, and of missing, in the training rows.

        What other levels have is in none of them: their names are not in the page.
        """
        shares = self.calibration.shares[column]
        return shares[np.array([*levels, len(shares) - 1])].tolist()

    def bounds(
        self, column: int, prototypes: Codes, *, all_rows: bool
    ) -> tuple[float, float] | None:
        """Range that decoded numbers stay in; None for decoders that only average.

        If some rows are left out, their range is too.
        """
        if isinstance(self.decoder, KNNDecoder):
            return None
        if all_rows:
            lower, upper = self.decoder.lower_[column], self.decoder.upper_[column]
        elif np.isnan(prototypes).all():
            return None
        else:
            lower, upper = np.nanmin(prototypes), np.nanmax(prototypes)
        return None if np.isnan(lower) else (float(lower), float(upper))


def page_decoder(model: LatentModel) -> PageDecoder:
    """Return the model's decoder, or k-NN where that blends no rows."""
    own = model.decoder_
    inner = own.chosen_ if isinstance(own, AutoDecoder) else own
    # A subclass may weigh neighbours in a way that the page does not know.
    if type(inner) in (KNNDecoder, LocalLinearDecoder):
        return PageDecoder(inner, _calibration(model, inner), is_own=True)
    context, rng = model.encoder_.context(), deepcopy(own.rng_)
    knn = KNNDecoder(STAND_IN_NEIGHBORS, prototypes="rows", n_jobs=own.n_jobs)
    knn.fit_context(context, rng)
    return PageDecoder(knn, model._calibrate(knn), is_own=False)


def _calibration(
    model: LatentModel, inner: KNNDecoder | LocalLinearDecoder
) -> Calibration:
    """Return the model's own calibration, which it makes when first asked."""
    if model._calibration is None:
        model.inverse_transform(inner.search_.points[:1], return_uncertainty=True)
    assert model._calibration is not None
    return model._calibration
