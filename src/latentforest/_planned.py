"""A model before it is fitted: what the fit will cost, and whether there is room."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from latentforest._base._checks import check_integer
from latentforest._base._errors import RoomError
from latentforest._base._in_words import counted, in_bytes, in_rows
from latentforest._base._room import free_memory
from latentforest._distilled import DistillingModel
from latentforest._forecast import Forecast, forecast
from latentforest._long import open_source
from latentforest._plan import Plan, Size
from latentforest._settings import check_settings
from latentforest.table import EncodedTable, TableCodec, Whole, learn

MARGIN = 1.5  # times what is free: less may fit, since a forecast is rough
# What can be lowered to save memory, and how far that makes sense.
LOWEST = {"max_samples": 100, "landmarks": 100, "n_trees": 10}


class PlannedModel(DistillingModel):
    """A model that can say what a fit will cost."""

    def estimate(
        self,
        X: Any = None,
        *,
        rows: int | None = None,
        columns: int | None = None,
        levels: int | Iterable[int] = (),
    ) -> Forecast:
        """Forecast time and memory of a fit, and the size of its file.

        Nothing is fitted. A table is read once or twice and not kept.

        Parameters
        ----------
        X : table, path or other source, default=None
            What would be given to ``fit``; its rows, columns and levels are counted.
        rows, columns : int or None, default=None
            Their number, instead of a table. It counts as one in memory.
        levels : int or list of int, default=()
            Levels of each column that is a category, instead of a table; one number
            stands for one such column.

        Returns
        -------
        Forecast
            Readable when printed. Usually right within a factor of two.

        Examples
        --------
        >>> from latentforest import RFAE
        >>> print(RFAE().estimate(rows=1_000_000, columns=30))
        1,000,000 rows, 100,000 of them kept, 30 columns, 50 trees, 2 coordinates,
        completely_random forest, refined
        ...
        """
        check_settings(self)
        if X is not None:
            if rows is not None or columns is not None or levels != ():
                message = (
                    "X and rows, columns or levels were given. Give a table, or "
                    "numbers instead of one."
                )
                raise ValueError(message)
            return forecast(Plan.of(self), size_of(X, self))
        if rows is None or columns is None:
            message = "Neither X nor rows and columns were given. Give one of them."
            raise ValueError(message)
        each = (levels,) if isinstance(levels, int) else tuple(levels)
        check_integer("rows", rows, minimum=1)
        check_integer("columns", columns, minimum=max(1, len(each)))
        for n_levels in each:
            check_integer("levels", n_levels, minimum=1)
        return forecast(Plan.of(self), Size(rows, columns, each))


def size_of(X: Any, model: Any) -> Size:
    """Count the rows, columns and levels of what may be given to ``fit``."""
    batches = open_source(X, model)
    if isinstance(batches, EncodedTable):
        return Size.of(batches.schema, batches.n_rows, in_memory=True)
    codec = TableCodec(model.kinds)
    n_rows = sum(learn(codec, batches))
    return Size.of(codec.schema_, n_rows, in_memory=isinstance(batches, Whole))


def check_room(model: Any, size: Size, *, is_read: bool = True) -> None:
    """Refuse a fit that clearly has no room, and say what would have.

    Parameters
    ----------
    model : RFAE
        The model, not fitted yet.
    size : Size
        Of the table.
    is_read : bool, default=True
        Whether the table is in memory already, if it is going to be.

    Raises
    ------
    RoomError
        If the forecast is more than one and a half times what is free.
    """
    free, plan = free_memory(), Plan.of(model)
    there = 0.0 if is_read else size.table_bytes
    need = there + forecast(plan, size).more_bytes
    if free is None or need <= MARGIN * free:
        return
    columns = counted(size.columns, "column")
    found = (
        f"Fitting {in_rows(size.rows)} of {columns} needs about "
        f"{in_bytes(need)} of memory, and {in_bytes(free)} are free."
    )
    raise RoomError(found, _remedies(plan, size, free - there))


def _remedies(plan: Plan, size: Size, free: float) -> dict[str, int]:
    """Find what each setting would have to be for a fit with so much memory."""
    now = {"max_samples": plan.kept(size.rows)}
    if plan.refinement is None:
        now["landmarks"] = min(plan.landmarks or size.rows, now["max_samples"])
    if plan.growing is not None:
        now["n_trees"] = plan.n_trees
    found = {}
    for name, most in now.items():
        least = LOWEST[name]
        if name != "n_trees":  # a map needs more rows than coordinates
            least = max(least, 2 * plan.n_components)
        if name == "max_samples":  # landmarks are some of these
            least = max(least, plan.landmarks or 0)
        value = _largest(name, least, most, plan, size, free)
        if value is not None:
            found[name] = value
    return found


def _largest(
    name: str, least: int, most: int, plan: Plan, size: Size, free: float
) -> int | None:
    """Find the largest value of a setting that fits, in two digits; None if none."""

    def fits(value: int) -> bool:
        changed: dict[str, Any] = {name: value}
        return forecast(replace(plan, **changed), size).more_bytes <= free

    if least >= most or not fits(least):
        return None
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    step = 10 ** max(0, len(str(least)) - 2)
    return max(LOWEST[name], least // step * step)
