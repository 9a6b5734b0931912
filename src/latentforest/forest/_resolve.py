"""From what a user calls a forest to a grown one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from latentforest._base._checks import check_option
from latentforest._base._random import stage_rngs
from latentforest.forest._adversarial import AdversarialForest
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._draws import draws_of
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign import (
    LIBRARIES,
    ForeignForest,
    check_kinds,
    is_known,
    kinds_for,
    open_foreign,
    read_trees,
)
from latentforest.forest._growing._grow import GrownForest
from latentforest.forest._supervised import SupervisedForest
from latentforest.forest._unsupervised import CompletelyRandomForest, ShiHorvathForest
from latentforest.table import (
    Batches,
    EncodedTable,
    Kept,
    TableCodec,
    Whole,
    index_of,
    learn,
    open_table,
    read_rows,
)

Rows: TypeAlias = NDArray[np.integer]
FORESTS: dict[str, type[BaseForest]] = {
    "adversarial": AdversarialForest,
    "completely_random": CompletelyRandomForest,
    "shi_horvath": ShiHorvathForest,
    "supervised": SupervisedForest,
}


@dataclass(frozen=True, slots=True)
class GivenForest:
    """A forest, as the user gave it, ready to be grown or read."""

    grower: BaseForest | None  # to be grown; None: ``fitted`` is used as it is
    fitted: Any
    foreign: ForeignForest | None = None  # ``fitted``, where it is another library's

    def read(
        self, X: Any, *, kinds: Any, unseen: Any, most: int | None = None, seed: int = 0
    ) -> tuple[TableCodec, EncodedTable, Kept]:
        """Encode ``X`` as the forest understands it.

        Parameters
        ----------
        X : table, Batches or EncodedTable
            A table that is encoded already is taken as it is.
        kinds, unseen : Any
            Parameters of the codec.
        most : int or None, default=None
            Rows to keep at most; None keeps all.
        seed : int, default=0
            What decides which rows are kept.

        Returns
        -------
        codec : TableCodec
        table : EncodedTable
            The rows that are kept.
        kept : Kept
            Which ones these are.
        """
        if isinstance(X, EncodedTable):
            codec, table = self._take(X, unseen)
            kept = table.kept or Kept(table.n_rows, most, seed)
            if table.kept is not None:
                return codec, table, kept
            return codec, table if kept.is_all else table.take(kept.rows()), kept
        if self.fitted is not None and kinds:
            message = (
                f"kinds={kinds!r} cannot be chosen for a fitted forest: it was fitted "
                "on columns as they are. Fit the forest again, or leave kinds out."
            )
            raise ValueError(message)
        batches = X if isinstance(X, Batches) else Whole(X)
        if isinstance(batches, Whole):
            kept = Kept(open_table(batches.table).n_rows, most, seed)
            if kept.is_all:
                read = self._read_whole(batches, kinds, unseen)
                return *read, kept.labelled(index_of(batches.table))
        codec, lengths = self._learn(batches, kinds, unseen)
        kept = Kept(sum(lengths), most, seed)
        if isinstance(batches, Whole):
            kept = kept.labelled(index_of(batches.table))
        table = read_rows(codec, batches, lengths, kept, self._caller)
        return codec, table, kept

    @property
    def _caller(self) -> str:
        """Who is named where the number of columns is wrong."""
        return type(self.fitted or self.grower).__name__

    def _read_whole(
        self, whole: Whole, kinds: Any, unseen: Any
    ) -> tuple[TableCodec, EncodedTable]:
        """Encode all rows of a table in memory, in one reading where that is enough."""
        if self.fitted is None:
            codec = TableCodec(kinds, unseen)
            return codec, codec.fit_encode(whole.table)
        codec, _ = self._learn(whole, kinds, unseen)
        return codec, codec.encode(whole.table, caller=self._caller)

    def _learn(
        self, batches: Batches, kinds: Any, unseen: Any
    ) -> tuple[TableCodec, list[int]]:
        """Return a codec for the table, and the number of rows in each piece."""
        if self.foreign is not None and isinstance(batches, Whole):
            self.foreign.sample = batches.table
        if isinstance(self.fitted, BaseForest):
            schema = self.fitted.codec_.schema_
            return TableCodec.from_schema(schema, unseen=unseen), batches.lengths()
        codec = TableCodec(kinds, unseen)
        lengths = learn(codec, batches)
        if self.foreign is None:
            return codec, lengths
        kinds = kinds_for(self.foreign, codec.schema_)
        if kinds:
            codec = TableCodec(kinds, unseen)
            lengths = learn(codec, batches)
        check_kinds(self.foreign, codec.schema_)
        return codec, lengths

    def _take(
        self, table: EncodedTable, unseen: Any
    ) -> tuple[TableCodec, EncodedTable]:
        if isinstance(self.fitted, BaseForest):
            if table.schema != self.fitted.codec_.schema_:
                message = (
                    "the encoded table has other columns or levels than the table that "
                    "the forest was fitted on. Encode it with forest.codec_."
                )
                raise ValueError(message)
        elif self.foreign is not None:
            kinds_for(self.foreign, table.schema)
            check_kinds(self.foreign, table.schema)
        return TableCodec.from_schema(table.schema, unseen=unseen), table

    def grow(
        self,
        table: EncodedTable,
        y: Any,
        *,
        rng: np.random.Generator,
        n_jobs: int | None,
        verbose: bool,
        bags: bool = False,
    ) -> tuple[GrownForest, Any]:
        """Grow or read the forest; also return the estimator it belongs to.

        ``bags`` says whether the rows that each tree was grown on are asked for.
        """
        if self.grower is None:
            facts = TreeFacts()
            if self.foreign is None:
                forest = self.fitted.forest_
            else:
                forest = read_trees(self.foreign, table)
                self.foreign.sample = None
                facts = self.foreign.facts()
            leaf_ids = forest.leaves(table.values, n_jobs=n_jobs)
            if bags:
                try:
                    facts = replace(
                        facts, in_bag=draws_of(self.fitted, forest, leaf_ids)
                    )
                except LookupError as reason:
                    facts = replace(facts, untold=str(reason.args[0]))
            return GrownForest(forest, leaf_ids, facts), self.fitted
        grower = clone(self.grower)
        if grower.n_jobs is None:
            grower.n_jobs = n_jobs
        grower.verbose = grower.verbose or verbose
        if grower.random_state is not None:
            rng = stage_rngs(grower.random_state, "forest")["forest"]
        return grower.grow_on(table, y, rng), grower


def resolve_forest(forest: Any) -> GivenForest:
    """Read a ``forest`` parameter: a name, a forest of ours, or a fitted one."""
    if isinstance(forest, str):
        others = ", a forest of latentforest or a fitted model; RFAE also knows 'auto'"
        return GivenForest(
            FORESTS[check_option("forest", forest, FORESTS, others)](), None
        )
    if isinstance(forest, FrozenEstimator):
        forest = forest.estimator
    if isinstance(forest, BaseForest):
        if hasattr(forest, "forest_"):
            return GivenForest(None, forest)
        return GivenForest(forest, None)
    if not is_known(forest):
        names = ", ".join(repr(name) for name in FORESTS)
        message = (
            f"forest={forest!r} is not a forest. Give one of {names}, a forest of "
            f"latentforest, or a fitted one of {LIBRARIES}; of a search, its "
            "best_estimator_."
        )
        raise TypeError(message)
    try:
        return GivenForest(None, forest, open_foreign(forest))
    except NotFittedError as exc:
        message = (
            f"forest={forest!r} is not fitted. Fit it first; wrap it in "
            "sklearn.frozen.FrozenEstimator where copies are made, as in a grid search."
        )
        raise ValueError(message) from exc


def regrower(grower: Any) -> Callable[[EncodedTable, Rows], GrownForest] | None:
    """Return what grows a forest like a grown one on some of its rows, and no others.

    The rows are given with their numbers. None stands for a forest that cannot grow
    again: one of a file that holds its trees alone, or of another library.
    """
    if type(grower) not in FORESTS.values():
        return None
    settings: dict[str, Any] = {"verbose": False}
    if isinstance(grower, SupervisedForest):
        if not hasattr(grower, "target_"):
            return None
        is_classes = grower.classes_ is not None
        settings["task"] = "classification" if is_classes else "regression"

    def grow(table: EncodedTable, rows: Rows) -> GrownForest:
        fresh = clone(grower).set_params(**settings)
        return fresh.grow_on(table, grower.response_of(rows), np.random.default_rng(0))

    return grow
