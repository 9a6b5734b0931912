"""Beyond the paper: a plane fitted to the nearest rows."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from collections.abc import Sequence

import numpy as np

from latentforest._base._checks import check_real
from latentforest._base._compiled import compiled
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.decode._context import DecoderContext
from latentforest.decode._neighbour_decoder import NeighbourDecoder, Weights
from latentforest.decode._neighbours import Neighbours

QUERY_BLOCK = 128
# Squared Mahalanobis distance from the middle of the neighbours, in units of their
# own mean, beyond which a plane is not followed.
FARTHEST = 16.0
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

    Numbers stay in their observed range, or, with ``extrapolate``, leave it by at most
    half its width, and never change their sign in a column that has only one. Decoding
    takes O(k d_Z²) per row on top of the search for neighbours.

    Parameters
    ----------
    n_neighbors : int, default=80
        Rows that the plane is fitted to; all rows if there are fewer.
    ridge : float, default=0.03
        ρ. Large values flatten the plane to a weighted average.
    extrapolate : bool, default=False
        Follow a plane beyond the neighbour that lies farthest in the direction of the
        point, up to four times the neighbours' mean distance from their middle.
        Noisy coordinates are better decoded without; refined ones with.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
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
        extrapolate: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.extrapolate = extrapolate
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_real("ridge", self.ridge, minimum=0.0)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read what was learned; a plane needs a finite ridge."""
        super().take(section, context)
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
        average = np.empty(found.rows.shape)
        linear = np.empty((len(ridges), *found.rows.shape))
        queries = np.ascontiguousarray(queries)

        def work(block: tuple[int, int]) -> None:
            _weigh(
                self.search_.points,
                queries,
                found.rows,
                found.distances,
                np.array(ridges, np.float64),
                self.extrapolate,
                *block,
                average,
                linear,
            )

        blocks = list(blocks_of(len(queries), QUERY_BLOCK))
        run_blocks(work, blocks, n_jobs=self.n_jobs)
        return [Weights(average, planes) for planes in linear]


@compiled
def _weigh(
    points,
    queries,
    rows,
    distances,
    ridges,
    extrapolate,
    begin,
    end,
    average,
    linear,
):
    """Fill some rows of the weights.

    With z̄ and C the weighted mean and covariance of the neighbours, the plane's value
    at z is Σ_i w_i (1 + (z_i − z̄)ᵀ (C + ρ diag C)⁻¹ (z − z̄)) x_i.
    """
    n_neighbors, n_components = rows.shape[1], points.shape[1]
    centred = np.empty((n_neighbors, n_components))
    scatter, regular = np.empty((2, n_components, n_components))
    middle = np.empty(n_components)
    for q in range(begin, end):
        farthest, total = distances[q, n_neighbors - 1], 0.0
        for k in range(n_neighbors):
            ratio = distances[q, k] / farthest if farthest > 0.0 else 0.0
            average[q, k] = np.exp(-2.0 * ratio * ratio)
            total += average[q, k]
        middle[:] = 0.0
        for k in range(n_neighbors):
            average[q, k] /= total
            for c in range(n_components):
                middle[c] += average[q, k] * points[rows[q, k], c]
        offset = queries[q] - middle
        scatter[:] = 0.0
        for k in range(n_neighbors):
            for c in range(n_components):
                centred[k, c] = points[rows[q, k], c] - middle[c]
            for c in range(n_components):
                scaled = average[q, k] * centred[k, c]
                for e in range(c + 1):
                    scatter[c, e] += scaled * centred[k, e]
        largest = 0.0
        for c in range(n_components):
            largest = max(largest, scatter[c, c])
        for r in range(len(ridges)):
            for c in range(n_components):
                for e in range(c):
                    regular[c, e] = regular[e, c] = scatter[c, e]
                # A direction without spread has no slope; the rest are kept regular.
                spread = scatter[c, c]
                spread += (ridges[r] + 1e-9) * spread + 1e-12 * largest
                regular[c, c] = spread if spread > 0.0 else 1.0
            slope = np.linalg.solve(regular, offset)
            asked = 0.0
            for c in range(n_components):
                asked += slope[c] * offset[c]
            reach = 0.0
            for k in range(n_neighbors):
                height = 0.0
                for c in range(n_components):
                    height += slope[c] * centred[k, c]
                linear[r, q, k] = height
                reach = max(reach, height)
            shrink = 1.0
            if extrapolate and asked > FARTHEST * n_components:
                shrink = np.sqrt(FARTHEST * n_components / asked)
            elif not extrapolate and asked > reach:
                shrink = reach / asked
            for k in range(n_neighbors):
                linear[r, q, k] = average[q, k] * (1.0 + shrink * linear[r, q, k])
