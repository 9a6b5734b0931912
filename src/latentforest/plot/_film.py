"""The training film: embeddings while the trees grow."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._errors import SpectrumWarning
from latentforest._base._types import Codes, Coords
from latentforest._latent import check_model
from latentforest.encoder import fit_encoder
from latentforest.forest import GrownForest, TreeFacts
from latentforest.plot._canvas import AxesArray, bare, grid_or_given
from latentforest.plot._key import Key
from latentforest.plot._model import n_rows_of, training_rows, values_for
from latentforest.plot._points import draw_points
from latentforest.spectral import DiffusionMap
from latentforest.table import EncodedTable
from latentforest.trees import cut_at_depth, node_depths

MOST_FRAMES = 5
MARGIN = 0.06  # of the range, on each side


def film(
    model: Any,
    table: Any = None,
    color_by: Any = None,
    *,
    depths: Sequence[int] | None = None,
    axes: Any = None,
    **style: Any,
) -> AxesArray:
    """Draw the first two coordinates as they are while the trees grow deeper.

    In every frame all trees are cut at a depth, and the diffusion map is computed
    anew from their leaves: what belongs together drifts together. Each frame is
    turned or mirrored so that points stay as near as possible to where they are in
    the next one; the last one is not turned. Frames have scales of their own. A
    refined model is shown as it is before the refinement.

    Parameters
    ----------
    model : RFAE
        A fitted model, with any number of coordinates.
    table : data frame or array of shape (n_rows, n_columns), default=None
        The rows to draw; None draws the training rows.
    color_by : column name or array of shape (n_rows,), default=None
        What to colour by, as in `scatter`.
    depths : list of int or None, default=None
        Depths at which to cut, at least 1. None takes 1, 2, 4, … up to the full
        depth of the trees, at most 5 frames.
    axes : array of matplotlib Axes or None, default=None
        Where to draw, one per depth; None makes a new figure.
    **style : dict
        Passed on to ``Axes.scatter``.

    Returns
    -------
    ndarray of matplotlib Axes, shape (n_depths,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(2, forest="completely_random", random_state=0).fit(table)
    >>> frames = plot.film(model, color_by="target", depths=[1, 3])
    >>> [ax.get_title() for ax in frames]
    ['depth 1', 'depth 3']
    """
    check_model(model)
    full = int(node_depths(model.encoder_.forest).max())
    chosen = _depths(depths, full)
    rows = training_rows(model)  # the kernel is theirs, whatever rows are drawn
    values = values_for(model, table, color_by, n_rows_of(model, table))
    shown = None
    if table is not None:
        shown = model.codec_.encode(table, caller=type(model).__name__).values
    frames = film_frames(model, rows, shown, chosen)
    panels = grid_or_given(axes, len(chosen), n_columns=len(chosen), panel=(2.5, 2.9))
    key = Key("")
    for ax, depth, coords in zip(panels, chosen, frames, strict=True):
        key = draw_points(ax, coords, values, style)
        bare(ax).set_title(
            f"full depth ({full})" if depth >= full else f"depth {depth}",
            fontsize="medium",
        )
        _frame(ax, coords)
    if axes is None:
        key.draw_scale(panels[0].figure, list(panels))
        key.write_below(panels[0].figure)
    else:
        key.explain(panels[-1], frames[-1])
    return panels


def film_frames(
    model: Any, training: EncodedTable, shown: Codes | None, depths: Sequence[int]
) -> list[Coords]:
    """Two coordinates per row and depth, turned so that frames follow each other."""
    frames: list[Coords] = []
    for depth in sorted(depths, reverse=True):
        coords = _map_at_depth(model, training, shown, depth)
        frames.append(turned(coords, frames[-1]) if frames else coords)
    return frames[::-1]


def turned(coords: Coords, goal: Coords) -> Coords:
    """Turn or mirror points about their centre to come nearest to others.

    The orthogonal Procrustes problem: the best turn is U Vᵀ, where U S Vᵀ is the
    product of the centred points.
    """
    centred = coords - coords.mean(axis=0)
    u, _, vt = np.linalg.svd(centred.T @ (goal - goal.mean(axis=0)))
    return coords @ (u @ vt)


def _map_at_depth(
    model: Any, training: EncodedTable, shown: Codes | None, depth: int
) -> Coords:
    known = model.encoder_.trained_on("a film")
    forest = cut_at_depth(model.encoder_.forest, depth)
    ids = forest.leaves(training.values, n_jobs=model.n_jobs)
    grown = GrownForest(forest, ids, TreeFacts(known.in_bag))
    with warnings.catch_warnings():  # shallow trees know few directions: not a fault
        warnings.simplefilter("ignore", SpectrumWarning)
        small = fit_encoder(
            training,
            grown,
            DiffusionMap(2, time=model.diffusion_time, random_state=0),
            kind=model.encoder_.kind,
            tree_weights=model.encoder_.tree_weights,
            landmarks=known.landmarks,
            n_jobs=model.n_jobs,
        )
    return small.place(training.values if shown is None else shown)


def _depths(depths: Sequence[int] | None, full: int) -> list[int]:
    if depths is None:
        doubled = [2**k for k in range(full.bit_length()) if 2**k < full]
        # Deep trees change least at the end: leave out depths there, not at first.
        return [*doubled[: MOST_FRAMES - 1], max(full, 1)]
    chosen = sorted({check_integer("depths", depth, minimum=1) for depth in depths})
    if not chosen:
        message = "depths is empty. Give depths of at least 1, such as [1, 2, 4]."
        raise ValueError(message)
    return chosen


def _frame(ax: Any, coords: Coords) -> None:
    """Square limits around the points: turned frames have no scale per axis."""
    centre = (coords.max(axis=0) + coords.min(axis=0)) / 2
    half = (0.5 + MARGIN) * float(np.ptp(coords, axis=0).max()) or 1.0
    ax.set(
        xlim=(centre[0] - half, centre[0] + half),
        ylim=(centre[1] - half, centre[1] + half),
    )
    ax.set_box_aspect(1)
