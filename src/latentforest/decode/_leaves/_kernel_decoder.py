"""What decoders that read kernel rows have in common."""

from abc import abstractmethod

import numpy as np

from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import LeafIds
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._kernel_rows import kernel_weights
from latentforest.decode._leaves._lasso_search import LassoSearch
from latentforest.decode._leaves._leaf_decoder import LeafDecoder

ROWS_AT_ONCE = 16  # that are decoded together


class KernelLeafDecoder(LeafDecoder):
    """Estimate rows of the kernel, and infer leaves from them.

    ``weights_`` give the estimates, ``search_`` the leaves; ``sparsity`` rows of the
    kernel take part.
    """

    sparsity: int

    def needs(self) -> frozenset[str]:
        """Return what is needed: the forest and the spectrum of its kernel."""
        return super().needs() | {"spectrum"}

    @abstractmethod
    def make_search(self, leaf_ids: LeafIds, rng: np.random.Generator) -> LassoSearch:
        """Prepare the search among the leaves of the rows that define the kernel."""

    def learn_leaves(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Work out the boxes of the leaves and the weights of kernel rows."""
        assert context.spectrum is not None, "needs() was checked"
        self.weights_ = kernel_weights(context.spectrum)
        self.search_ = self.make_search(context.spectrum.leaf_ids, rng)

    def demand(self, context: DecoderContext) -> Demand:
        """Add the leaves of the kernel's rows, and those that explain one row."""
        assert context.spectrum is not None, "needs() was checked"
        n_rows, n_trees = len(context.spectrum.leaf_ids), self.forest_.n_trees
        near = ROWS_AT_ONCE * min(self.sparsity, n_rows) * n_trees
        own = Demand(8 * n_rows * n_trees + 64 * near, 4 * n_rows * n_trees + near)
        return super().demand(context) + own

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write the weights and who wins ties; all else follows from the rows."""
        super().put(new, context)
        new.array("kernel_weights", self.weights_)
        self.search_.put(new)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read the weights and who wins ties."""
        super().take(section, context)
        assert context.spectrum is not None, "needs() was checked"
        leaf_ids = context.spectrum.leaf_ids
        shape = (context.coords.shape[1], len(leaf_ids))
        weights = section.coords("kernel_weights", shape)
        self.weights_ = np.ascontiguousarray(weights)
        self.search_ = self.make_search(leaf_ids, np.random.default_rng(0))
        self.search_.take(section)
