"""Smaller models that place rows nearly where a fitted one does."""

from copy import copy
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from latentforest._base._random import RandomState
from latentforest._portable import PortableModel
from latentforest.distill import distil
from latentforest.forest import FORESTS, SupervisedForest, stored_forest


class DistillingModel(PortableModel):
    """A fitted model that can be made smaller."""

    def distill(
        self, size: float | str = 0.25, *, random_state: RandomState = None
    ) -> Self:
        """Return a smaller model that places new rows nearly where this one does.

        For maps that are not refined. Trees are left out, those first whose kernels
        agree least with the map; leaves are merged with their siblings where that
        moves rows least; and what the leaves say is fitted anew. Training rows stay
        where they are, and the decoder stays as it is. Files, memory and the time to
        place rows shrink.

        Parameters
        ----------
        size : float or "auto", default=0.25
            Share of the bytes of trees and leaf table that stays. "auto" halves it as
            long as held-back rows keep 99 % of trustworthiness and distortion.
        random_state : int, Generator, RandomState or None, default=None
            Seed, for the rows that are held back and those that leaves are fitted to.

        Returns
        -------
        RFAE
            Its ``distillation_`` says what became of size and fidelity;
            ``print(small.distillation_.report())``. A `SupervisedForest` still
            predicts (``small.grower_``), other forests only place rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> table = load_iris(as_frame=True).frame
        >>> model = RFAE(refine=None, random_state=0).fit(table)
        >>> small = model.distill(0.25, random_state=0)
        >>> small.encoder_.forest.n_trees, model.encoder_.forest.n_trees
        (250, 500)
        >>> small.distillation_.small.agreement > 0.99
        True
        """
        check_is_fitted(self, "encoder_")
        encoder, predictions, distillation = distil(
            self.encoder_, self.decoder_, self.grower_, size, random_state
        )
        small, grower = copy(self), self.grower_
        if isinstance(grower, SupervisedForest) and predictions is not None:
            small.grower_ = grower.with_trees(encoder.forest, predictions)
        else:
            small.grower_ = stored_forest(encoder.forest, grower, self.schema_)
        if not _can_be_grown(small.forest):
            small.forest = small.grower_
        small._settle(encoder, self.decoder_)
        small.distillation_ = distillation
        return small


def _can_be_grown(forest: Any) -> bool:
    """Whether a ``forest`` parameter still means what it did: a forest to be grown."""
    ours = isinstance(forest, str) or type(forest) in FORESTS.values()
    return ours and not hasattr(forest, "forest_")
