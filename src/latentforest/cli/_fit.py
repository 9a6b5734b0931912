"""fit: from a table to a model file."""

import csv
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from latentforest import RFAE
from latentforest._base._compiled import kept_on_disk
from latentforest._base._complete import completed, is_stream
from latentforest._base._errors import DataError, UsageError
from latentforest._base._in_words import in_rows, in_seconds
from latentforest._fitted import PACKED
from latentforest._trials import FEW, MANY
from latentforest.cli._count import check_table
from latentforest.cli._notes import Notes, size_of
from latentforest.cli._sink import check_output
from latentforest.cli._training import Wanted, is_long, read_training
from latentforest.decode import DECODERS
from latentforest.forest import FORESTS
from latentforest.reading import TABLE_SUFFIXES, Dialect
from latentforest.refine import Refinement
from latentforest.table import ColumnKind, EncodedTable
from latentforest.trees import goes_left

LOADING = 0.3  # seconds until compiled loops are there, in every new process


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asks of a model."""

    components: int = 2
    auto: bool = False
    time_budget: float | None = None
    paper: bool = False
    forest: str | None = None
    trees: int | None = None
    leaf_size: int | None = None
    decoder: str | None = None
    refine: str | None = None
    max_samples: str | None = None
    unseen: str = "missing"
    seed: int | None = None
    jobs: int | None = None
    target: str | None = None
    drop: tuple[str, ...] = ()
    kinds: dict[str, str | list[str]] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse settings that contradict each other, before anything is read."""
        self.check_choices()
        if (self.forest == "supervised") != (self.target is not None):
            if self.forest not in {None, "auto", "supervised"}:
                message = f"--target is for --forest supervised, not {self.forest}."
                raise UsageError(message)
            if self.target is None:
                message = (
                    "--forest supervised needs a column to learn. Name it: --target."
                )
                raise UsageError(message)

    def check_choices(self) -> None:
        """Refuse choices that contradict each other; there need be no target yet."""
        chosen = {
            "--forest": self.forest,
            "--trees": self.trees,
            "--leaf-size": self.leaf_size,
            "--decoder": self.decoder,
            "--refine": self.refine,
            "--target": self.target,
        }
        given = [name for name, value in chosen.items() if value is not None]
        whole = [name for name in ("--auto", "--paper") if getattr(self, name[2:])]
        if len(whole) == 2 or (whole and given):
            named = " and ".join([*whole, *given][:2])
            message = f"{named} cannot be combined: {whole[0]} makes its own choices."
            raise UsageError(message)
        if self.time_budget is not None and not self.auto:
            message = "--time-budget is for --auto. Give both, or neither."
            raise UsageError(message)
        if self.forest is not None:
            check_word("--forest", self.forest, ["auto", *FORESTS])
        if self.decoder is not None:
            check_word("--decoder", self.decoder, list(DECODERS))
        check_word("--unseen", self.unseen, ["missing", "error", "nearest"])
        for name, kind in self.kinds.items():
            if isinstance(kind, str):  # else levels in order
                kinds = [str(kind) for kind in ColumnKind]
                check_word(f"--kind {name}", kind, kinds, "=")

    def model(self) -> RFAE:
        """Build the model, not fitted yet."""
        if self.auto:
            model = RFAE.auto(self.components, self.time_budget)
        elif self.paper:
            model = RFAE.paper(self.components)
        else:
            model = RFAE(
                self.components,
                forest=self._forest(),
                decoder=self.decoder or "auto",
                refine=self._refine(),
            )
        if self.max_samples is not None:
            model.set_params(max_samples=self._max_samples())
        return model.set_params(
            kinds=self.kinds or None,
            unseen=self.unseen,
            random_state=self.seed,
            n_jobs=self.jobs,
        )

    def _forest(self) -> Any:
        if not self._names_forest and self.trees is None and self.leaf_size is None:
            return "auto"
        usual = "completely_random" if self.target is None else "supervised"
        named = usual if self.forest in {None, "auto"} else self.forest
        forest = FORESTS[named](self._n_trees)
        if self.leaf_size is not None:
            forest.set_params(min_samples_leaf=self.leaf_size)
        return forest

    def _refine(self) -> int | str | Refinement | None:
        if self.refine is None:
            return Refinement() if self._refines else None
        if self.refine == "none":
            return None
        if self.refine == "auto":
            return "auto"
        if not self.refine.isdecimal() or int(self.refine) < 1:
            message = f"--refine {self.refine}: give a number of rounds, auto or none."
            raise UsageError(message)
        return int(self.refine)

    def _max_samples(self) -> int | None:
        word = self.max_samples or ""
        if word == "none":
            return None
        if not word.isdecimal() or int(word) < 2:
            message = f"--max-samples {word}: give a number of rows from 2, or none."
            raise UsageError(message)
        return int(word)

    @property
    def _names_forest(self) -> bool:
        return self.forest not in {None, "auto"} or self.target is not None

    @property
    def _refines(self) -> bool:
        """Whether rows will be moved until they decode best."""
        if self.refine is not None:
            return self.refine != "none"
        # Who names a forest or a decoder wants to see what it does.
        return not self._names_forest and self.decoder is None

    @property
    def _n_trees(self) -> int:
        return self.trees or (FEW if self._refines and not self._names_forest else MANY)


def check_word(option: str, word: str, words: list[str], sign: str = " ") -> None:
    """Refuse a word that an option cannot have, and list those it can have."""
    if word not in words:
        known = ", ".join(words)
        message = f"{option}{sign}{word} is not known. Choose one of {known}."
        raise UsageError(message)


def read_kinds(pairs: list[str]) -> dict[str, str | list[str]]:
    """Read COLUMN=KIND pairs; a column name may hold '=' itself.

    ``size=ordered:S,M,L`` lists levels, in quotes where they hold a comma.
    """
    kinds: dict[str, str | list[str]] = {}
    for pair in pairs:
        name, listed, levels = pair.partition("=ordered:")
        if listed and name:
            kinds[name] = [level.strip() for level in _cells(levels)]
            continue
        name, equals, kind = pair.rpartition("=")
        if not equals or not name:
            message = f"--kind {pair}: write COLUMN=KIND, such as --kind grade=ordered."
            raise UsageError(message)
        kinds[name] = kind
    return kinds


def _cells(line: str) -> list[str]:
    return next(csv.reader([line], skipinitialspace=True), [])


def fit(
    table: str,
    out: str,
    settings: Settings,
    dialect: Dialect,
    notes: Notes,
    *,
    drop_training: bool,
    force: bool,
    test: float | None = None,
) -> None:
    """Fit a model on a table and save it; report on rows that are held back."""
    settings.check()
    model = settings.model()
    check_output(out, (table,))
    if PurePath(out).suffix.lower() in TABLE_SUFFIXES:
        message = f"{out} is a name for tables. Give -o a name that ends in .lf."
        raise DataError(message)
    if Path(out).exists() and not (force or is_stream(out)):
        raise _exists(out)
    if not is_long(table):  # else only some rows are held
        check_table(table, model, dialect, notes)
    start = time.perf_counter()
    wanted = Wanted(settings.kinds, settings.drop, settings.target, test)
    read = read_training(table, dialect, notes, wanted, model, settings.seed)
    was_read, encoded = time.perf_counter(), read.table
    # Said before the long part: an id to be dropped is best noticed now.
    notes.say(f"\n{encoded.schema.report()}\n")
    if not kept_on_disk(goes_left):
        notes.say("Compiling first, which takes about half a minute and happens once.")
    seconds = LOADING + model.estimate(encoded).fit_seconds
    notes.say(f"Fitting: {in_seconds(seconds)} by forecast")
    _fit_shown(model, encoded, read.y, notes)
    fitted = time.perf_counter()
    if model.is_packed_:
        notes.say(PACKED)
    if read.held is not None:
        lost = model.distortion(read.held)
        what = f"{in_rows(len(read.held))} held back, which the model has not seen:"
        notes.say(f"\n{what}\n\n{lost}\n")
    try:
        with completed(out, must_be_new=not force) as unfinished:
            model.save(unfinished, drop_training=drop_training)
    except FileExistsError as exc:  # it was not there when the fit began
        raise _exists(out) from exc
    saved = time.perf_counter()
    notes.say(
        f"Read {in_seconds(was_read - start)}, "
        f"fitted {in_seconds(fitted - was_read)}, "
        f"saved {in_seconds(saved - fitted)}"
    )
    inside = (
        "what encoding needs, no training rows: it cannot decode"
        if drop_training
        else "the model and its training rows, which decoding needs"
    )
    notes.say(f"{out}: {size_of(out)}, holds {inside}")


def _exists(out: str) -> DataError:
    return DataError(f"{out} exists already. Give another -o, or --force.")


def _fit_shown(model: RFAE, table: EncodedTable, y: Any, notes: Notes) -> None:
    """Fit, with bars where someone looks; the file is the same without."""
    model.set_params(verbose=notes.shows_progress).fit(table, y)
    for part in (model, model.grower_):
        part.set_params(verbose=False)
