"""Choose the decoder by what it loses on rows that it has not seen."""

from copy import copy
from typing import Any, Self

import numpy as np

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.choice import HoldOut, Part, Trial, held_out_parts
from latentforest.decode._context import DecoderContext
from latentforest.decode._contract import Decoder
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._local_linear import LocalLinearDecoder
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.metrics import Yardstick, code_distortions, mean_distortion
from latentforest.neighbours import Neighbours, Weights

KNN_NEIGHBOURS = (5, 20, 50)
LINEAR_NEIGHBOURS = (20, 40, 80, 160, 320)
RIDGES = (0.0003, 0.003, 0.03, 0.3)
CANDIDATES = (KNNDecoder, LocalLinearDecoder)
FIRST_RIDGE = 0.003
# As many rows to judge by, and from LONG rows on a single search.
FIVE_PARTS = HoldOut(n_parts=5, one_in=5, rows_per_part=200)
ONE_PART = HoldOut(n_parts=1, one_in=5, rows_per_part=1_000)
LONG = 5_000


class AutoDecoder(Decoder):
    """Try several decoders on held-back training rows and keep the best.

    Up to 1,000 of the distinct training rows are held back, in five parts or, of a
    long table, at once, and decoded by the other rows, from coordinates in which each
    row was left out of its own leaves. Tried are `KNNDecoder` with 5, 20 and 50
    neighbours, blending rows, and `LocalLinearDecoder` with 20 to 320 neighbours, then,
    with the best number, four ridges; on coordinates that come from no forest, such as
    principal components, also with ``follow``. The decoder with the smallest mean
    distortion is kept.

    Parameters
    ----------
    extrapolate : bool, default=False
        Try planes that may leave the training range of a number, too. In a model that
        refines rows or packs coordinates, the decoder that it uses may leave it.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
    chosen_ : NeighbourDecoder
        The decoder that was kept, fitted on all rows.
    tried_ : list of Trial
        What was tried, best first; ``report()`` prints it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(2, refine=None, random_state=0).fit(table)
    >>> print(model.decoder_.report())
    distortion  decoder
    0...      LocalLinearDecoder(...)
    ...
    """

    def __init__(self, *, extrapolate: bool = False, n_jobs: int | None = None) -> None:
        self.extrapolate = extrapolate
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters; there are none that could be wrong."""

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Fit the candidates, then compare their settings."""
        # Middles of regions, which take as long as growing the forest, lose as much as
        # rows to three digits: they are not tried.
        candidates = [KNNDecoder(prototypes="rows"), LocalLinearDecoder()]
        if context.grown is None:
            candidates.append(LocalLinearDecoder(follow=True))
        if self.extrapolate:
            candidates.append(LocalLinearDecoder(extrapolate=True))
        self.candidates_: list[NeighbourDecoder] = [
            candidate.set_params(n_jobs=self.n_jobs).fit_context(context, rng)
            for candidate in candidates
        ]
        self.seed_ = int(rng.integers(2**63))
        self._choose(context)

    def with_context(self, context: DecoderContext) -> Self:
        """Choose again for other coordinates, with the same prototypes and parts."""
        moved = copy(self)
        moved.n_components_ = context.coords.shape[1]
        moved.candidates_ = [c.with_context(context) for c in self.candidates_]
        moved._choose(context)
        return moved

    def _choose(self, context: DecoderContext) -> None:
        rng = np.random.default_rng(self.seed_)
        policy = FIVE_PARTS if context.table.n_rows < LONG else ONE_PART
        parts = list(held_out_parts(context.table, rng, policy))
        trials = [
            trial for c in self.candidates_ for trial in _compare(c, context, parts)
        ]
        # A table of copies of one row leaves nothing to compare.
        self.tried_ = sorted(trials, key=lambda trial: trial.distortion)
        self.chosen_ = self.tried_[0].decoder if trials else self.candidates_[0]

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write the decoders that were compared, and how they did."""
        super().put(new, context)
        new.put("seed", self.seed_)
        parts = new.sections("sorts", len(self.candidates_))
        for sort, part in zip(self.candidates_, parts, strict=True):
            part.object(sort, CANDIDATES, "a decoder that was tried")
            sort.put(part, context)
        for trial, part in zip(
            self.tried_, new.sections("tried", len(self.tried_)), strict=True
        ):
            part.put("sort", self._sort_of(trial.decoder))
            part.put("n_neighbors", int(trial.decoder.n_neighbors))
            part.put("ridge", getattr(trial.decoder, "ridge", None))
            part.put("distortion", trial.distortion)

    def _sort_of(self, decoder: NeighbourDecoder) -> int:
        """Find the decoder that another one differs from by settings that are tried."""

        def kept(one: NeighbourDecoder) -> dict[str, Any]:
            return one.get_params() | {"n_neighbors": None, "ridge": None}

        return next(
            number
            for number, sort in enumerate(self.candidates_)
            if type(sort) is type(decoder) and kept(sort) == kept(decoder)
        )

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read the decoders that were compared, and how they did."""
        super().take(section, context)
        self.seed_ = section.integer("seed", lowest=0)
        parts = section.sections("sorts")
        if not 1 <= len(parts) <= 9:
            raise damaged(f"a choice among {len(parts)} decoders")
        self.candidates_ = []
        for part in parts:
            self.candidates_.append(part.object(CANDIDATES))
            self.candidates_[-1].take(part, context)
        self.tried_ = [self._take_trial(part) for part in section.sections("tried")]
        self.chosen_ = self.tried_[0].decoder if self.tried_ else self.candidates_[0]

    def _take_trial(self, section: Section) -> Trial:
        highest = len(self.candidates_) - 1
        sort: Any = copy(
            self.candidates_[section.integer("sort", lowest=0, highest=highest)]
        )
        sort.n_neighbors = section.integer("n_neighbors", lowest=1)
        if hasattr(sort, "ridge"):
            sort.ridge = section.value("ridge")
            section.number("ridge")
        sort.check()
        return Trial(section.value("distortion"), decoder=sort)

    def decode(self, coords: Coords) -> Codes:
        """Decode with the decoder that was kept."""
        return self.chosen_.decode(coords)

    def without_gaps(self) -> NeighbourDecoder:
        """Return the decoder that was kept, without its gaps."""
        return self.chosen_.without_gaps()

    def report(self) -> str:
        """Tell what was tried, best first."""
        return "\n".join(["distortion  decoder", *map(str, self.tried_)])


def _compare(
    candidate: NeighbourDecoder, context: DecoderContext, parts: list[Part]
) -> list[Trial]:
    """Try settings of one candidate: how many neighbours, then with which ridge."""
    is_linear = isinstance(candidate, LocalLinearDecoder)
    # More neighbours than there are rows would be the same decoder again.
    n_known = min((len(part.known) for part in parts), default=0)
    first, *more = LINEAR_NEIGHBOURS if is_linear else KNN_NEIGHBOURS
    sizes = [first, *(size for size in more if size <= n_known)]
    if not parts:
        return []
    held = _Held(candidate, context, parts, sizes[-1])
    if not is_linear:
        return [held.trials(size, None)[0] for size in sizes]
    trials = [held.trials(size, [FIRST_RIDGE])[0] for size in sizes]
    best = min(trials, key=lambda trial: trial.distortion).decoder.n_neighbors
    return trials + held.trials(best, [r for r in RIDGES if r != FIRST_RIDGE])


class _Held:
    """Rows held back, with their neighbours among the others: searched once."""

    def __init__(
        self,
        candidate: NeighbourDecoder,
        context: DecoderContext,
        parts: list[Part],
        most: int,
    ) -> None:
        self._candidate = candidate
        self._measure = Yardstick.of_table(context.table)
        rows = np.concatenate([part.held for part in parts])
        self._original = context.table.values[rows]
        self._parts = []
        for part in parts:
            coords = np.ascontiguousarray(context.new_coords[part.held])
            known = candidate.keep(part.known).set_params(n_neighbors=most)
            self._parts.append((known, coords, known.find(coords)))

    def trials(self, size: int, ridges: list[float] | None) -> list[Trial]:
        """Try so many neighbours, with each ridge; None where there are none."""
        decoded = [
            [
                known.mix(near, weights)
                for weights in _weigh(known, near, coords, ridges)
            ]
            for known, coords, found in self._parts
            for near in [found.first(size)]
        ]
        found = []
        for number, codes in enumerate(zip(*decoded, strict=True)):
            lost = code_distortions(
                self._measure, self._original, np.concatenate(codes)
            )
            setting = {"ridge": ridges[number]} if ridges else {}
            decoder = copy(self._candidate).set_params(n_neighbors=size, **setting)
            found.append(Trial(mean_distortion(lost), decoder=decoder))
        return found


def _weigh(
    decoder: NeighbourDecoder,
    found: Neighbours,
    coords: Coords,
    ridges: list[float] | None,
) -> list[Weights]:
    """Weights for each ridge that is tried, or the only ones there are."""
    if isinstance(decoder, LocalLinearDecoder) and ridges:
        return decoder.weigh_ridges(found, coords, ridges)
    return [decoder.weigh(found, coords)]
