"""Try settings of the autoencoder on training rows that are held back."""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from latentforest._base._errors import SpectrumWarning
from latentforest._base._progress import progress
from latentforest._base._random import stage_rngs
from latentforest._base._types import Codes
from latentforest._settings import is_auto, refined_decoder, resolve_refinement
from latentforest.choice import HoldOut, Trial, held_out_parts
from latentforest.decode import AutoDecoder
from latentforest.encoder import Encoder, fit_encoder
from latentforest.forest import CompletelyRandomForest, resolve_forest
from latentforest.kernel import BAG_KINDS
from latentforest.metrics import Yardstick, code_distortions, mean_distortion
from latentforest.refine import AutoRefinement, Refinement
from latentforest.spectral import DiffusionMap
from latentforest.table import EncodedTable

# Few rows are judged in two parts, each by the rows of the other and the rest.
TWO_PARTS = HoldOut(n_parts=2, one_in=4, rows_per_part=500, most_rows=2_000)
LEAF_SIZES = (20, 5)
NEIGHBOURS = (12, 24, 48, 96, 192)
ROUNDS = (3, 8)
FEW, MANY = 50, 500  # trees; once refined, maps of either are as good
CLEARLY = 2.0  # times as much is lost without packing: more trials change nothing


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
                self.known,
                self.y,
                rng=rng,
                n_jobs=model.n_jobs,
                verbose=False,
                bags=model.kernel in BAG_KINDS,
            )
            diffusion = DiffusionMap(
                model.n_components, time=model.diffusion_time, random_state=seed
            )
            self.encoders[number] = fit_encoder(
                self.known,
                grown,
                diffusion,
                kind=model.kernel,
                tree_weights=model.tree_weights,
                n_jobs=model.n_jobs,
            )
        return self.encoders[number]


def forests_to_try(model: Any) -> tuple[Any, ...]:
    """Return the forest of the model; if it is left to us, one, or several to try."""
    if not is_auto(model.forest):
        return (model.forest,)
    # New objects every time: they end in the hands of users, who may change them.
    refinement = resolve_refinement(model)
    if not isinstance(refinement, AutoRefinement):
        return (CompletelyRandomForest(MANY if refinement is None else FEW),)
    return tuple(
        CompletelyRandomForest(200, min_samples_leaf=size) for size in LEAF_SIZES
    )


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
        self.model, self.measure = model, Yardstick.of_table(table)
        if y is not None:
            y = np.asarray(y)
            check_consistent_length(table.values, y)
        at_edges = table.at_edges().values
        self.parts = [
            Part(table.take(known), None if y is None else y[known], at_edges[held])
            for held, known in held_out_parts(table, rng, TWO_PARTS)
        ]
        self.seed = int(rng.integers(2**31))
        self.n_known = min((part.known.n_rows for part in self.parts), default=0)
        if self.n_known <= model.n_components:
            n_distinct = table.distinct_rows().max() + 1
            message = (
                f"{n_distinct} distinct rows are too few to choose settings for "
                f"{model.n_components} coordinates. Ask for fewer components, add "
                "rows, or set the settings yourself, for example refine=8."
            )
            raise ValueError(message)

    def judge(self, number: int, refinement: Refinement) -> Trial:
        """Mean distortion of the held rows, with a refinement on one of the forests."""
        begin = perf_counter()
        with warnings.catch_warnings():
            # Nobody need know what is wrong with maps that are not kept.
            warnings.simplefilter("ignore", SpectrumWarning)
            decoded = [self._decoded(part, number, refinement) for part in self.parts]
        held = np.concatenate([part.held for part in self.parts])
        lost = code_distortions(self.measure, held, np.concatenate(decoded))
        return Trial(
            mean_distortion(lost),
            perf_counter() - begin,
            forest=forests_to_try(self.model)[number],
            refinement=refinement,
        )

    def _decoded(self, part: Part, number: int, refinement: Refinement) -> Codes:
        rng = np.random.default_rng(self.seed)
        encoder = part.encoder(number, self.model, self.seed).refine(refinement, rng)
        named = self.model.decoder
        auto = named if isinstance(named, AutoDecoder) else AutoDecoder()
        auto = clone(auto).set_params(n_jobs=self.model.n_jobs)
        decoder = refined_decoder(auto, encoder)
        decoder.fit_context(encoder.context(), rng)
        codes: Codes = decoder.decode(encoder.place(part.held))
        return codes

    def run(self, time_budget: float | None) -> list[Trial]:
        """Try the starts, then neighbours and rounds of the best; best first.

        Nothing more is tried once packed coordinates lose less than half of what the
        next best start does: rounds and neighbours seldom make up for that. With a
        time budget, no trial begins that would, going by the longest one so far, end
        too late; the first is always made.
        """
        begin = perf_counter()
        trials: dict[tuple[Any, ...], Trial] = {}
        n_forests = len(forests_to_try(self.model))
        size, most = self.model.n_components, max(2, self.n_known // 2)
        widest = min(most, 96 if size < 16 else 192)
        widths = [n for n in NEIGHBOURS if size < n <= widest]

        def try_out(number: int, start: str, n_neighbors: int, rounds: int) -> None:
            key = number, start, n_neighbors, rounds
            longest = max((t.seconds or 0.0 for t in trials.values()), default=0.0)
            spent = perf_counter() - begin
            late = time_budget is not None and spent + longest > time_budget
            if key not in trials and not (trials and late):
                refinement = Refinement(rounds, n_neighbors=n_neighbors, start=start)
                trials[key] = self.judge(number, refinement)
                bar.say(str(trials[key]))
            bar.step()

        what = "trying settings" if self.model.verbose else None
        with progress(what, 3 + n_forests + len(widths) * len(ROUNDS)) as bar:
            try_out(0, "packed", min(48, most), 0)
            try_out(0, "linear", min(48, most), 3)
            # The last forest has the smallest leaves, which know relatives best.
            try_out(n_forests - 1, "neighbours", min(24 if size < 24 else 48, most), 3)
            packed, *others = trials.values()
            best = min((trial.distortion for trial in others), default=np.inf)
            if not others or best > CLEARLY * packed.distortion:
                return sorted(trials.values(), key=lambda trial: trial.distortion)
            for number in range(n_forests):
                try_out(number, "forest", min(48, most), 3)
            moved = {key: trial for key, trial in trials.items() if key[1] != "packed"}
            number, start, *_ = min(moved, key=lambda key: moved[key].distortion)
            for n_neighbors in widths:
                for rounds in ROUNDS:
                    try_out(number, start, n_neighbors, rounds)
        return sorted(trials.values(), key=lambda trial: trial.distortion)
