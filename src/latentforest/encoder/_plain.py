"""The diffusion map of a forest, before any refinement."""

import warnings
from copy import deepcopy
from functools import cached_property
from typing import Self

import numpy as np

from latentforest._base._errors import SpectrumWarning
from latentforest.kernel import LeafKernel
from latentforest.placing import LeafTable, make_leaf_table
from latentforest.spectral import DiffusionMap, Spectrum, check_fewer


class PlainMap:
    """The map and its leaf table, worked out when they are asked for.

    Most refined models never ask.

    Parameters
    ----------
    diffusion : DiffusionMap
        Settings of the map; one that is fitted is taken as it is.
    kernel : LeafKernel or None
        Between the rows that define it; None if they were dropped.
    leaf_table : LeafTable or None, default=None
        The table, where it is known.
    n_components : int or None, default=None
        How many coordinates are kept, the first ones; None keeps all.
    """

    def __init__(
        self,
        diffusion: DiffusionMap,
        kernel: LeafKernel | None,
        leaf_table: LeafTable | None = None,
        n_components: int | None = None,
    ) -> None:
        self._given, self._kernel, self._known = diffusion, kernel, leaf_table
        self.n_components: int = n_components or diffusion.n_components
        self.n_solved: int = diffusion.n_components  # that are worked out together
        self.time: float = diffusion.time

    @property
    def seed(self) -> np.random.Generator | None:
        """What the map is drawn with when it is asked for; None if it is known."""
        seed = None if self._is_given else self._given.random_state
        return seed if isinstance(seed, np.random.Generator) else None

    @property
    def can_be_asked(self) -> bool:
        """Whether the map is there, or what it is worked out from."""
        return self._is_given or self._kernel is not None

    @property
    def _is_given(self) -> bool:
        return hasattr(self._given, "spectrum_")

    @cached_property
    def _solved(self) -> DiffusionMap:
        if self._is_given:
            return self._given
        assert self._kernel is not None, "where it was dropped nobody may ask"
        # A copy: threads that ask at once draw the same.
        return deepcopy(self._given).fit(self._kernel)

    @cached_property
    def diffusion(self) -> DiffusionMap:
        """The fitted map."""
        if self.n_components == self.n_solved:
            return self._solved
        return self._solved.truncate(self.n_components)

    @property
    def spectrum(self) -> Spectrum:
        """Eigenvalues, with vectors where the training rows are known."""
        spectrum: Spectrum = self.diffusion.spectrum_
        return spectrum

    @cached_property
    def leaf_table(self) -> LeafTable:
        """What each leaf adds to the coordinates of a row."""
        if self._known is not None:
            return self._known.first(self.n_components)
        assert self._kernel is not None, "where it was dropped nobody may ask"
        embedding, eigenvalues = self.diffusion.embedding_, self.spectrum.eigenvalues
        return make_leaf_table(self._kernel, embedding, eigenvalues)

    def worked_out(self) -> Self:
        """Work out all of it; what is unusual does not matter to who never asked."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpectrumWarning)
            _ = self.leaf_table
        return self

    def first(self, n_components: int) -> "PlainMap":
        """Return the map with the first coordinates only."""
        check_fewer(n_components, self.n_components)
        worked_out = vars(self)
        table = worked_out.get("leaf_table", self._known)
        fewer = PlainMap(self._given, self._kernel, table, n_components)
        if "_solved" in worked_out:
            fewer._solved = self._solved
        return fewer
