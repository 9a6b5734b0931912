"""Try settings of the autoencoder on training rows that are held back."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from latentforest._base._random import stage_rngs
from latentforest._base._types import Codes
from latentforest._settings import is_auto
from latentforest.decode._held_out import column_distortions
from latentforest.encoder import Encoder, fit_encoder
from latentforest.forest import CompletelyRandomForest, resolve_forest
from latentforest.refine import Refinement
from latentforest.spectral import DiffusionMap
from latentforest.table import EncodedTable

TRIAL_ROWS = 2_000  # distinct rows of a long table that the choice is made on
HELD_ROWS = 500
FORESTS = (
    CompletelyRandomForest(200, min_samples_leaf=20),
    CompletelyRandomForest(200, min_samples_leaf=5),
)
NEIGHBOURS = (12, 24, 48, 96, 192)
ROUNDS = (3, 8)


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting that was tried, and its mean distortion on held-back rows."""

    forest: Any
    refinement: Refinement
    distortion: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.distortion:<10.4f}  {self.refinement!r} on {self.forest!r}"


class Part:
    """Some rows to learn from, and some to judge by."""

    def __init__(self, known: EncodedTable, y: Any, held: Codes) -> None:
        self.known, self.y, self.held = known, y, held
        self.encoders: dict[int, Encoder] = {}

    def encoder(self, number: int, model: Any, seed: int) -> Encoder:
        """Grow each forest once, whatever is tried on it."""
        if number not in self.encoders:
            forest = resolve_forest(forests_to_try(model)[number])
            rng = stage_rngs(seed, "forest")["forest"]
            grown, _ = forest.grow(
                self.known, self.y, rng=rng, n_jobs=model.n_jobs, verbose=False
            )
            diffusion = DiffusionMap(
                model.n_components, time=model.diffusion_time, random_state=seed
            )
            self.encoders[number] = fit_encoder(
                self.known, grown, diffusion, kind=model.kernel, n_jobs=model.n_jobs
            )
        return self.encoders[number]


def forests_to_try(model: Any) -> tuple[Any, ...]:
    """Return the forest of the model, or several if it shall be chosen."""
    return FORESTS if is_auto(model.forest) else (model.forest,)


class Contest:
    """Parts of the training rows that all settings are tried on.

    Parameters
    ----------
    model : RFAE
        The model whose settings are chosen.
    table : EncodedTable
        The training rows. Copies of a row are held back together.
    y : array or None
        Target of a supervised forest.
    rng : Generator
        Draws the parts.
    """

    def __init__(
        self, model: Any, table: EncodedTable, y: Any, rng: np.random.Generator
    ) -> None:
        self.model, self.schema = model, table.schema
        if y is not None:
            y = np.asarray(y)
            check_consistent_length(table.values, y)
        _, first = np.unique(table.distinct_rows(), return_index=True)
        rows = rng.permutation(first)[:TRIAL_ROWS]
        self.seed = int(rng.integers(2**31))
        # Few rows are judged in two parts, each by the rows of the other and the rest.
        n_parts = 2 if len(rows) < TRIAL_ROWS else 1
        size = max(1, min(len(rows) // 4, HELD_ROWS))
        self.parts = []
        for number in range(n_parts):
            held = rows[number * size : (number + 1) * size]
            known = np.setdiff1d(rows, held)
            own_y = None if y is None else y[known]
            self.parts.append(Part(table.take(known), own_y, table.values[held]))
        self.n_known = min(part.known.n_rows for part in self.parts)
        if self.n_known <= model.n_components:
            message = (
                f"{len(first)} distinct rows are too few to choose settings for "
                f"{model.n_components} coordinates. Give refine=8 or refine=None, "
                "lower n_components, or add rows."
            )
            raise ValueError(message)

    def judge(self, number: int, refinement: Refinement) -> Trial:
        """Mean distortion of the held rows, with a refinement on one of the forests."""
        begin, decoded = perf_counter(), []
        for part in self.parts:
            rng = np.random.default_rng(self.seed)
            encoder = part.encoder(number, self.model, self.seed)
            encoder = encoder.refine(refinement, rng)
            decoder = refinement.decoder(n_jobs=self.model.n_jobs)
            decoder.fit_context(encoder.context(), rng)
            decoded.append(decoder.decode(encoder.place(part.held)))
        held = np.concatenate([part.held for part in self.parts])
        lost = column_distortions(self.schema, held, np.concatenate(decoded))
        forest = forests_to_try(self.model)[number]
        seconds = perf_counter() - begin
        return Trial(forest, refinement, float(np.nanmean(lost)), seconds)

    def run(self, time_budget: float | None) -> list[Trial]:
        """Try the starts, then neighbours and rounds of the best; best first.

        With a time budget, no trial begins that would, going by the longest one so
        far, end too late; the first is always made.
        """
        begin = perf_counter()
        trials: dict[tuple[Any, ...], Trial] = {}

        def try_out(number: int, start: str, n_neighbors: int, rounds: int) -> None:
            key = number, start, n_neighbors, rounds
            longest = max((trial.seconds for trial in trials.values()), default=0.0)
            spent = perf_counter() - begin
            late = time_budget is not None and spent + longest > time_budget
            if key not in trials and not (trials and late):
                refinement = Refinement(rounds, n_neighbors=n_neighbors, start=start)
                trials[key] = self.judge(number, refinement)

        most = max(2, self.n_known // 2)
        try_out(0, "linear", min(48, most), 3)
        for number in range(len(forests_to_try(self.model))):
            try_out(number, "forest", min(48, most), 3)
        number, start, *_ = min(trials, key=lambda key: trials[key].distortion)
        size = self.model.n_components
        most = min(most, 96 if size < 16 else 192)
        for n_neighbors in NEIGHBOURS:
            if size < n_neighbors <= most:
                for rounds in ROUNDS:
                    try_out(number, start, n_neighbors, rounds)
        return sorted(trials.values(), key=lambda trial: trial.distortion)
