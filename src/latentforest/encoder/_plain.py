"""The diffusion map of a forest, before any refinement."""

import warnings
from copy import deepcopy
from functools import cached_property
from typing import Self

from latentforest._base._errors import SpectrumWarning
from latentforest.encoder._leaf_table import LeafTable, make_leaf_table
from latentforest.kernel import LeafKernel
from latentforest.spectral import DiffusionMap, Spectrum


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
    """

    def __init__(
        self,
        diffusion: DiffusionMap,
        kernel: LeafKernel | None,
        leaf_table: LeafTable | None = None,
    ) -> None:
        self._given, self._kernel, self._known = diffusion, kernel, leaf_table
        self.n_components: int = diffusion.n_components
        self.time: float = diffusion.time

    @cached_property
    def diffusion(self) -> DiffusionMap:
        """The fitted map."""
        if hasattr(self._given, "spectrum_"):
            return self._given
        assert self._kernel is not None, "where it was dropped the map is known"
        # A copy: threads that ask at once draw the same.
        return deepcopy(self._given).fit(self._kernel)

    @property
    def spectrum(self) -> Spectrum:
        """Eigenvalues, with vectors where the training rows are known."""
        spectrum: Spectrum = self.diffusion.spectrum_
        return spectrum

    @cached_property
    def leaf_table(self) -> LeafTable:
        """What each leaf adds to the coordinates of a row."""
        if self._known is not None:
            return self._known
        assert self._kernel is not None, "where it was dropped the table is known"
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
        diffusion = self.worked_out().diffusion.truncate(n_components)
        return PlainMap(diffusion, self._kernel, self.leaf_table.first(n_components))
