"""The split relabelling decoder: the forest's own trees, read in coordinate space."""

from typing import Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer, check_option
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords, LeafIds
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._greedy import agreeing_regions
from latentforest.decode._leaves._leaf_decoder import LeafDecoder
from latentforest.decode._leaves._relabel_local import relabel_locally
from latentforest.decode._leaves._relabel_splits import StandIns, relabel_globally
from latentforest.regions import Regions, leaf_boxes, observed_region

MODES = ("global", "local")
MOST_SAMPLES = 5_000
SPLITS = ("axis", "logistic")


class RelabelDecoder(LeafDecoder):
    """Route coordinates down the forest by new splits, in place of the old (Sect. 4.2).

    Every split of the table's columns gets a stand-in, a split of the coordinates that
    sends as many samples as possible the same way. The trees keep their shape, so a
    row of coordinates reaches one leaf per tree; the row is made where the most of
    these leaves meet. Both sides of a stand-in may be swapped. Coordinates may come
    from any encoder.

    Learning takes O(d_Z · n) steps for every split that parts the n rows differently
    in global mode, and O(d_Z · m log m) for each node with m samples, plus the
    encoding of the synthetic ones, in local mode; "logistic" takes d_Z times longer.
    Decoding takes one pass down each tree, and the search for the leaves that meet.

    Parameters
    ----------
    mode : {"global", "local"}, default="global"
        "global" compares splits on all training rows, as in the paper's appendix.
        "local" compares them, node by node, on the rows that reach the node and
        synthetic rows drawn in its region, which needs the encoder.
    split : {"axis", "logistic"}, default="axis"
        Stand-ins cut one coordinate, or are logistic regressions on all of them
        wherever these agree with no fewer samples.
    n_samples : int, default=100
        Samples that each node has at least in local mode, up to 5,000.
    n_trees : int or None, default=None
        Use the first trees only; None uses all.
    point : {"middle", "draw"}, default="middle"
        The row made in a region: its middle, or drawn uniformly.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
    stand_ins_ : StandIns
        The splits of coordinates; ``stand_ins_.agreement`` holds the share of samples
        that each sends the old way.

    Examples
    --------
    Decode principal components with the splits of a forest:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from latentforest import CompletelyRandomForest
    >>> from latentforest import RelabelDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> forest = CompletelyRandomForest(50, random_state=0).fit(X)
    >>> Z = PCA(2).fit_transform(X)
    >>> decoder = RelabelDecoder().fit(Z, X, forest=forest)
    >>> decoder.assign(Z).shape
    (150, 50)
    >>> decoder.predict(Z[:1]).shape
    (1, 4)
    """

    def __init__(
        self,
        *,
        mode: Literal["global", "local"] = "global",
        split: Literal["axis", "logistic"] = "axis",
        n_samples: int = 100,
        n_trees: int | None = None,
        point: Literal["middle", "draw"] = "middle",
        n_jobs: int | None = None,
    ) -> None:
        self.mode = mode
        self.split = split
        self.n_samples = n_samples
        self.n_trees = n_trees
        self.point = point
        self.n_jobs = n_jobs

    def needs(self) -> frozenset[str]:
        """Return what is needed: the forest, and in local mode the encoder."""
        return super().needs() | ({"encode"} if self.mode == "local" else set())

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_option("mode", self.mode, MODES)
        check_option("split", self.split, SPLITS)
        check_integer("n_samples", self.n_samples, minimum=1, maximum=MOST_SAMPLES)

    def learn_leaves(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Find a stand-in for every split of the forest."""
        assert context.grown is not None, "fit_context has checked needs()"
        values, logistic = context.table.values, self.split == "logistic"
        if self.mode == "global":
            self.stand_ins_ = relabel_globally(
                self.forest_,
                values,
                context.new_coords,
                logistic=logistic,
                n_jobs=self.n_jobs,
            )
        else:
            assert context.encode is not None, "fit_context has checked needs()"
            self.stand_ins_ = relabel_locally(
                self.forest_,
                values,
                context.new_coords,
                context.grown.leaf_ids,
                self.facts_,
                context.encode,
                n_samples=self.n_samples,
                logistic=logistic,
                rng=rng,
                n_jobs=self.n_jobs,
            )
        self._find_boxes()

    def _find_boxes(self) -> None:
        self.boxes_ = leaf_boxes(self.forest_, self.facts_.whole)
        self.observed_ = observed_region(self.facts_, self.forest_.split_levels)

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write the stand-ins."""
        super().put(new, context)
        self.stand_ins_.put(new)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read the stand-ins."""
        super().take(section, context)
        n_components = context.coords.shape[1]
        self.stand_ins_ = StandIns.take(section, self.forest_, n_components)
        self._find_boxes()

    def assign(self, Z: Coords) -> LeafIds:
        """Leaf that each row of coordinates reaches in each relabelled tree.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            Forest-wide leaf numbers. The leaves of a row need not meet.
        """
        check_is_fitted(self, "stand_ins_")
        return self.stand_ins_.route(self.forest_, Z, n_jobs=self.n_jobs)

    def regions(self, coords: Coords) -> Regions:
        """Region where the most of the assigned leaves meet, for each row."""
        return agreeing_regions(
            self.boxes_, self.observed_, self.assign(coords), n_jobs=self.n_jobs
        )
