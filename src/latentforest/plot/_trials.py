"""What the automatic choice of settings tried."""

from typing import Any

from latentforest._latent import check_model
from latentforest.plot._scatter import scatter


def trials(model: Any, *, ax: Any = None) -> Any:
    """Draw what ``RFAE.auto`` tried: distortion against neighbours, by start.

    Parameters
    ----------
    model : RFAE
        A model fitted with ``refine="auto"``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> model = RFAE.auto(1, time_budget=0, random_state=0)
    >>> ax = plot.trials(model.fit(load_iris().data))
    >>> ax.get_ylabel()
    'distortion of held-back rows'
    """
    check_model(model)
    tried = getattr(model, "tried_", None)
    if not tried:
        message = (
            "The model tried no settings: it was not fitted with refine='auto'. "
            "Fit RFAE.auto(n_components) to see a choice."
        )
        raise ValueError(message)
    names = [
        f"{trial.refinement.start} start, {trial.refinement.rounds} rounds"
        for trial in tried
    ]
    neighbours = [trial.refinement.n_neighbors for trial in tried]
    lost = [trial.distortion for trial in tried]
    ax = scatter(neighbours, lost, names, ax=ax, s=50)
    best = tried[0]
    ax.annotate(
        "chosen",
        (best.refinement.n_neighbors, best.distortion),
        textcoords="offset points",
        xytext=(8, -4),
    )
    ax.set(
        xlabel="neighbours",
        ylabel="distortion of held-back rows",
        xscale="log",
        xticks=sorted(set(neighbours)),
        xticklabels=sorted(set(neighbours)),
    )
    ax.minorticks_off()
    return ax
