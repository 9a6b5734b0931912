"""Maps made again without some of their rows: how these rows would lie if new."""

import warnings
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SpectrumWarning
from latentforest._base._types import Coords
from latentforest.decode import DecoderContext
from latentforest.encoder._encoder import Encoder, Regrow
from latentforest.encoder._fit import fit_encoder
from latentforest.forest import GrownForest
from latentforest.kernel import LeafRows
from latentforest.neighbours import NeighbourSearch, inverse_distance_weights
from latentforest.placing import relatives_of
from latentforest.refine import Hints, PackedMap
from latentforest.spectral import DiffusionMap

Rows: TypeAlias = NDArray[np.integer]
PARTS = 10  # of the refined rows, each left out at once
# Rounds in which a layout forgets rows; more would tear neighbourhoods apart.
LOOSENING = 3
SHIFTED_WITH = 5  # neighbours that say how the model's map lies beside one made again


def plain_without(
    encoder: Encoder, regrow: Regrow | None, known: Rows, held: Rows
) -> tuple[DecoderContext, Coords]:
    """Make a diffusion map of the known rows, and place the held ones on it.

    Trees that cannot be grown again stay as they are; landmarks are drawn anew.
    """
    training = encoder.trained_on("decoding")
    landmarks = None
    if encoder.landmarks is not None:
        n_landmarks = min(encoder.landmarks, len(known))
        rng = np.random.default_rng(0)
        landmarks = np.sort(rng.choice(len(known), n_landmarks, replace=False))
    n_kernel_rows = len(known) if landmarks is None else len(landmarks)
    n_components = min(encoder.n_components, n_kernel_rows - 1)
    with warnings.catch_warnings():
        # What is wrong with the graph was said when the model was fitted.
        warnings.simplefilter("ignore", SpectrumWarning)
        fewer = fit_encoder(
            training.table.take(known),
            _grown_on(encoder, regrow, known),
            DiffusionMap(n_components, time=encoder.plain.time, random_state=0),
            kind=encoder.kind,
            tree_weights=encoder.tree_weights,
            landmarks=landmarks,
            n_jobs=encoder.n_jobs,
        )
        return fewer.context(), fewer.place(training.table.values[held])


def refined_without(
    encoder: Encoder,
    regrow: Regrow | None,
    known: Rows,
    held: Rows,
    *,
    rounds: int | None = None,
) -> tuple[DecoderContext, Coords]:
    """Make a refined map of the known rows again, and place the held ones on it.

    Rows are numbered as the refined rows are; see `RefinedRows.without` for rounds.
    """
    refined, training = encoder.refined, encoder.trained_on("decoding")
    assert refined is not None, "asked where there are refined rows"
    rows, new = refined.rows[known], refined.rows[held]
    grown, n_jobs = _grown_on(encoder, regrow, rows), encoder.n_jobs
    leaves = LeafRows.of_ids(grown.leaf_ids, grown.forest.n_leaves, n_jobs=n_jobs)
    # The forest's own coordinates are those without the row, on one and the same map.
    others = partial(relatives_of, leaves, grown.leaf_ids, own=True, n_jobs=n_jobs)
    hints = Hints(lambda: encoder.new_coords[rows], others)
    fewer = refined.without(known, hints, rounds=rounds)
    codes = training.table.values[new]
    ids = grown.forest.leaves(codes, n_jobs=n_jobs)
    relatives = partial(relatives_of, leaves, ids, n_jobs=n_jobs)
    coords = fewer.place(codes, Hints(lambda: encoder.new_coords[new], relatives))
    return DecoderContext(training.table.take(rows), fewer.map.coords_), coords


def refined_as_new(encoder: Encoder, regrow: Regrow | None) -> Coords:
    """Coordinates of the refined rows, a tenth at a time placed on a map without them.

    From there they are shifted as the model's map is beside that one, by the mean of
    their neighbours on it.
    """
    assert encoder.refined is not None, "asked where there are refined rows"
    coords = encoder.refined.map.coords_
    if isinstance(encoder.refined.map, PackedMap) or len(coords) < 3:
        return encoder.context().new_coords
    as_new = np.empty_like(coords)
    drawn = np.random.default_rng(0).permutation(len(coords))
    for held in np.array_split(drawn, min(len(coords), PARTS)):
        known = np.setdiff1d(drawn, held)
        fewer, placed = refined_without(encoder, regrow, known, held, rounds=LOOSENING)
        search = NeighbourSearch(fewer.coords)
        n_near = min(SHIFTED_WITH, len(known))
        near = search.nearest(placed, n_near, n_jobs=encoder.n_jobs)
        weights = inverse_distance_weights(near.distances)
        shifts = (coords[known] - fewer.coords)[near.rows]
        as_new[held] = placed + np.einsum("ij,ijk->ik", weights, shifts)
    return as_new


def _grown_on(encoder: Encoder, regrow: Regrow | None, rows: Rows) -> GrownForest:
    """Return the forest, grown on these rows if it can be, with their leaves."""
    training = encoder.trained_on("decoding")
    if regrow is None:
        return training.grown(encoder.forest, rows)
    return regrow(training.table.take(rows), rows)
