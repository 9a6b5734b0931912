"""The paper's decoder: a blend of the nearest training rows."""

import numpy as np

from latentforest._base._checks import check_option
from latentforest._base._types import Codes, Coords
from latentforest.decode._context import DecoderContext
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.neighbours import Neighbours, Weights, inverse_distance_weights
from latentforest.regions import column_facts, rows_in_regions

PROTOTYPES = ("draw", "middle", "rows")


class KNNDecoder(NeighbourDecoder):
    """Blend the nearest training rows, weighted by inverse distance (Sect. 4.3).

    A number becomes x̂ = Σ_i w_i(z) x̃_i over the nearest rows, a category the level
    with the most weight. x̃ is, for each training row, a row made from the region
    where its leaves meet.

    Parameters
    ----------
    n_neighbors : int, default=20
        Rows that are blended, k in the paper; all rows if there are fewer.
    prototypes : {"draw", "middle", "rows"}, default="draw"
        What is blended: a row drawn uniformly in the region of each training row (as
        in the paper), the middle of that region, or the training rows themselves,
        which needs no forest.
    search : {"exact", "approximate"}, default="exact"
        How neighbours are searched. "approximate" asks an index, which finds most of
        them (``pip install "latentforest[ann]"``); `recall_` says how many, and below
        0.9 there is a `RecallWarning`. It pays where rows without much structure have
        more than 8 coordinates, and 100,000 and more are decoded.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
    recall_ : float
        Share of the true neighbours that the search finds, measured on up to 1,000
        training rows, each without itself; 1 if it is exact.
    prototypes_ : ndarray of shape (n_rows, n_columns)
        Codes of the rows that are blended.

    Examples
    --------
    Decode the coordinates of another encoder, here principal components:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from latentforest import KNNDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> Z = PCA(2).fit_transform(X)
    >>> decoder = KNNDecoder(5, prototypes="rows").fit(Z, X)
    >>> decoder.predict(Z[:1])
       sepal length (cm)  sepal width (cm)  petal length (cm)  petal width (cm)
    0                5.1               3.5                1.4               0.2
    """

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        prototypes: str = "draw",
        search: str = "exact",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.prototypes = prototypes
        self.search = search
        self.n_jobs = n_jobs

    def needs(self) -> frozenset[str]:
        """Return what is needed: the forest, unless training rows are blended."""
        return frozenset() if self.prototypes == "rows" else frozenset({"forest"})

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_option("prototypes", self.prototypes, PROTOTYPES)

    def points(self, context: DecoderContext) -> Coords:
        """Where the rows lie: at their coordinates."""
        return context.coords

    def make_prototypes(
        self, context: DecoderContext, rng: np.random.Generator
    ) -> Codes:
        """Make x̃, a row in the region of each training row."""
        if context.grown is None or self.prototypes == "rows":
            return context.table.values
        values, forest = context.table.values, context.grown.forest
        return rows_in_regions(
            forest,
            values,
            context.grown.leaf_ids,
            column_facts(values, forest.split_levels, context.table.schema.is_whole),
            how="draw" if self.prototypes == "draw" else "middle",
            rng=rng,
            n_jobs=self.n_jobs,
        )

    def weigh(self, found: Neighbours, queries: Coords) -> Weights:
        """Weights by inverse distance."""
        return Weights(inverse_distance_weights(found.distances), None)
