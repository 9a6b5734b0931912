"""Choose the decoder by what it loses on rows that it has not seen."""

from collections.abc import Iterator
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
from latentforest.metrics import code_distortions, mean_distortion
from latentforest.neighbours import Neighbours, Weights

KNN_NEIGHBOURS = (5, 20, 50)
LINEAR_NEIGHBOURS = (20, 40, 80, 160, 320)
RIDGES = (0.0003, 0.003, 0.03, 0.3)
CANDIDATES = (KNNDecoder, LocalLinearDecoder)
FIVE_PARTS = HoldOut(n_parts=5, one_in=5, rows_per_part=400)


class AutoDecoder(Decoder):
    """Try several decoders on held-back training rows and keep the best.

    The distinct training rows are cut into five parts. Each part (of a long table, a
    sample of it) is decoded by the other rows, from coordinates in which each row was
    left out of its own leaves. Tried are `KNNDecoder` with 5, 20 and 50 neighbours,
    blending rows, and `LocalLinearDecoder` with 20 to 320 neighbours and four ridges;
    on coordinates that come from no forest, such as principal components, also with
    ``extrapolate``. The decoder with the smallest mean distortion is kept.

    Parameters
    ----------
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

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters; there are none that could be wrong."""

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Fit the candidates, then compare their settings."""
        # Middles of regions, which take as long as growing the forest, lose as much as
        # rows to three digits: they are not tried.
        candidates = [KNNDecoder(prototypes="rows"), LocalLinearDecoder()]
        if context.grown is None:
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
        parts = list(held_out_parts(context.table, rng, FIVE_PARTS))
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
) -> Iterator[Trial]:
    """Try all settings of one candidate; each part is searched once."""
    is_linear = isinstance(candidate, LocalLinearDecoder)
    # More neighbours than there are rows would be the same decoder again.
    n_known = min((len(part.known) for part in parts), default=0)
    first, *more = LINEAR_NEIGHBOURS if is_linear else KNN_NEIGHBOURS
    sizes = [first, *(size for size in more if size <= n_known)]
    settings: list[dict[str, Any]] = [
        {"n_neighbors": size} | setting
        for size in sizes
        for setting in ([{"ridge": ridge} for ridge in RIDGES] if is_linear else [{}])
    ]
    decoded: list[list[Codes]] = [[] for _ in settings]
    for part in parts:
        coords = np.ascontiguousarray(context.new_coords[part.held])
        known = candidate.keep(part.known).set_params(n_neighbors=sizes[-1])
        found = known.find(coords)
        rows = (
            known.mix(near, weights)
            for near in map(found.first, sizes)
            for weights in _weights(known, near, coords)
        )
        for codes, made in zip(decoded, rows, strict=True):
            codes.append(made)
    if not parts:
        return
    original = context.table.values[np.concatenate([part.held for part in parts])]
    for codes, setting in zip(decoded, settings, strict=True):
        lost = code_distortions(context.table.schema, original, np.concatenate(codes))
        decoder = copy(candidate).set_params(**setting)
        yield Trial(mean_distortion(lost), decoder=decoder)


def _weights(
    decoder: NeighbourDecoder, found: Neighbours, coords: Coords
) -> list[Weights]:
    """Weights for each ridge that is tried, or the only ones there are."""
    if isinstance(decoder, LocalLinearDecoder):
        return decoder.weigh_ridges(found, coords, RIDGES)
    return [decoder.weigh(found, coords)]
