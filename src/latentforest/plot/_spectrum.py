"""Eigenvalues of the kernel, and how many of them the model uses."""

import warnings
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._errors import SpectrumWarning
from latentforest._base._types import Floats
from latentforest._latent import check_model
from latentforest.plot._canvas import axes_or_new, tidy
from latentforest.plot._colours import MISSING, PALETTE, QUIET
from latentforest.spectral import leading_spectrum


def spectrum(model: Any, *, n_eigenvalues: int | None = None, ax: Any = None) -> Any:
    """Draw the eigenvalues of the kernel, the chosen size, and the gaps.

    A large gap after an eigenvalue says that the coordinates up to it belong together
    and that the next one adds much less.

    Parameters
    ----------
    model : RFAE
        A fitted model.
    n_eigenvalues : int or None, default=None
        How many to draw. Those beyond the fitted ones are computed from the kernel of
        the model, which takes about as long as the map took in ``fit``. None draws
        twice as many as were fitted, at least 10, or as many as there are.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(3, forest="completely_random", random_state=0).fit(table)
    >>> ax = plot.spectrum(model, n_eigenvalues=6)
    >>> [bar.get_height() for bar in ax.patches[:3]] == model.eigenvalues_.tolist()
    True
    """
    check_model(model)
    values = _eigenvalues(model, n_eigenvalues)
    ax = tidy(axes_or_new(ax))
    chosen = model.encoder_.n_components
    places = np.arange(1, len(values) + 1)
    ax.bar(places[:chosen], values[:chosen], color=PALETTE[0], label="kept")
    if len(values) > chosen:
        ax.bar(places[chosen:], values[chosen:], color=MISSING, label="not kept")
        ax.axvline(chosen + 0.5, color=QUIET, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate(
            f"{chosen} chosen",
            (chosen + 0.5, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -2),
            textcoords="offset points",
            color=QUIET,
            va="top",
        )
    if len(values) > 1:
        ax.plot(
            places[:-1] + 0.5,
            values[:-1] - values[1:],
            color=PALETTE[5],
            marker="o",
            markersize=4,
            linewidth=1.2,
            label="gap to the next",
        )
    ax.set(xlabel="coordinate", ylabel="eigenvalue", xlim=(0.3, len(values) + 0.7))
    ax.set_ylim(0, 1.12 * values[0] if values[0] > 0 else 1.0)
    if len(values) <= 20:
        ax.set_xticks(places)
    handles = ax.get_legend_handles_labels()[0]
    bars_first = sorted(handles, key=lambda handle: hasattr(handle, "get_marker"))
    ax.legend(
        handles=bars_first, frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.92)
    )
    return ax


def _eigenvalues(model: Any, wanted: int | None) -> Floats:
    """Fitted eigenvalues, and those that follow them if the kernel is there."""
    fitted: Floats = model.eigenvalues_
    if wanted is not None:
        check_integer("n_eigenvalues", wanted, minimum=1)
    training = model.encoder_.training
    if training is None:  # saved without training rows
        return fitted[:wanted]
    kernel = training.kernel
    n_drawn = max(2 * len(fitted), 10) if wanted is None else wanted
    n_drawn = min(n_drawn, kernel.index.n_rows - 1)
    if n_drawn <= len(fitted):
        return fitted[: max(n_drawn, 1)] if wanted is not None else fitted
    with warnings.catch_warnings():  # what is unusual here was said in fit
        warnings.simplefilter("ignore", SpectrumWarning)
        further = leading_spectrum(
            kernel.as_linear_operator(),
            n_drawn,
            constant=np.sqrt(kernel.row_mass),
            labels=kernel.components(),
            rng=np.random.default_rng(0),
        )
    return np.concatenate([fitted, further.eigenvalues[len(fitted) :]])
