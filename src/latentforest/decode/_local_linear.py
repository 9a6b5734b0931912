"""Beyond the paper: a plane fitted to the nearest rows."""

from collections.abc import Sequence

import numpy as np

from latentforest._base._checks import check_real
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.decode._context import DecoderContext
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.neighbours import Neighbours, Weights, plane_demand, plane_weights

BEYOND = 0.5  # how far an extrapolated number may leave its observed range, in ranges


class LocalLinearDecoder(NeighbourDecoder):
    """Fit a plane to the nearest training rows and read it off at the point.

    An average of neighbours pulls every row towards the middle of the data; a fitted
    plane does not. For neighbours x_i at z_i, with weights w_i = exp(−2 r_i²), r_i
    the distance relative to the farthest neighbour, it is the ridge regression

        min over a, B of  Σ_i w_i ‖x_i − a − B (z_i − z)‖² + ρ Σ_c v_c ‖B_c‖²,

    where v_c is the weighted variance of coordinate c, so that its scale does not
    matter. Numbers are fitted as such, categories by the indicators of their levels:
    the level with the largest fitted value wins. The neighbours lie where they would
    lie if they were new rows, if the encoder can tell (leave-one-out coordinates).

    Numbers stay in the range of their column in the training rows; with
    ``extrapolate`` they may leave it by at most half its width, but never change their
    sign in a column that has only one. Decoding takes O(k d_Z²) per row on top of the
    search for neighbours.

    Parameters
    ----------
    n_neighbors : int, default=80
        Rows that the plane is fitted to; all rows if there are fewer.
    ridge : float, default=0.03
        ρ. Large values flatten the plane to a weighted average.
    follow : bool, default=False
        Follow a plane beyond the neighbour that lies farthest in the direction of the
        point, up to four times the neighbours' mean distance from their middle.
        Noisy coordinates are better decoded without; refined ones with.
    extrapolate : bool, default=False
        Follow planes in the same way, and let numbers leave their training range.
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
        Codes of the training rows.

    Examples
    --------
    Decode the coordinates of another encoder, here principal components:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from latentforest import LocalLinearDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> Z = PCA(2).fit_transform(X)
    >>> decoder = LocalLinearDecoder(30).fit(Z, X)
    >>> decoder.predict(Z[:1])
       sepal length (cm)  sepal width (cm)  petal length (cm)  petal width (cm)
    0                5.1               3.5                1.4               0.2
    """

    def __init__(
        self,
        n_neighbors: int = 80,
        *,
        ridge: float = 0.03,
        follow: bool = False,
        extrapolate: bool = False,
        search: str = "exact",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.follow = follow
        self.extrapolate = extrapolate
        self.search = search
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_real("ridge", self.ridge, minimum=0.0)

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write points and prototypes."""
        super().put(new, context)
        new.need(plane_demand(self.n_neighbors, self.search_.points))

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read what was learned; a plane needs a finite ridge."""
        super().take(section, context)
        section.need(plane_demand(self.n_neighbors, self.search_.points))
        if not np.isfinite(self.ridge):
            raise damaged("the ridge of the decoder is not finite")

    def margin(self) -> float:
        """Half a range, for numbers that are extrapolated."""
        return BEYOND if self.extrapolate else 0.0

    def points(self, context: DecoderContext) -> Coords:
        """Where the rows would lie if they were new."""
        return context.new_coords

    def make_prototypes(
        self, context: DecoderContext, rng: np.random.Generator
    ) -> Codes:
        """Take the training rows as they are."""
        return context.table.values

    def weigh(self, found: Neighbours, queries: Coords) -> Weights:
        """Weights of the average, and of the plane's value at the query."""
        return self.weigh_ridges(found, queries, (self.ridge,))[0]

    def weigh_ridges(
        self, found: Neighbours, queries: Coords, ridges: Sequence[float]
    ) -> list[Weights]:
        """Weights for each of several ridges, which cost little more than one."""
        return plane_weights(
            self.search_.points,
            queries,
            found,
            ridges,
            follow=self.follow or self.extrapolate,
            n_jobs=self.n_jobs,
        )
