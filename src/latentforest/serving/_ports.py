"""The inputs of the graph: one per column, doubles or text."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table import UNIT_NAMES, ColumnSpec, TableSchema

OUTPUT = "coordinates"
INSIDE = "latentforest/"  # how the names of values inside the graph begin
_EXACT = 2**53  # doubles hold every integer up to here


@dataclass(frozen=True, slots=True)
class Port:
    """How the cells of one column enter the graph.

    Numbers, booleans and levels that are numbers come as doubles, NaN is missing; so
    do dates and times, counted in units since an origin. Text
    comes as text; what is not a level is missing, ``missing`` itself among them. So the
    type of an input follows from what the column holds, not from how many
    distinct values or missing cells the fitted table happened to have.
    """

    name: str
    spec: ColumnSpec
    missing: str | None = None  # None for doubles

    @property
    def is_text(self) -> bool:
        """Whether the input is text."""
        return self.missing is not None

    def known_cells(self) -> NDArray[Any]:
        """Return the levels as cells, in level order, and the missing cell."""
        if self.is_text:
            return np.array([*self.spec.levels, self.missing], dtype=object)
        return np.array([*self.spec.levels, np.nan], dtype=np.float64)

    def cells(self, codes: Floats) -> NDArray[Any]:
        """Turn codes of the column, NaN is missing, into what the input takes."""
        if self.spec.is_number:
            return np.ascontiguousarray(codes)[:, None]
        index = np.where(np.isnan(codes), -1, codes).astype(np.int64)
        found: NDArray[Any] = self.known_cells()[index]
        return found[:, None]

    def describe(self) -> dict[str, str]:
        """Return what the metadata of the graph say about the input."""
        return {
            "input": self.name,
            "column": str(self.spec.name),
            "kind": str(self.spec.kind),
            "type": "double" if self.missing is None else "string",
            "missing": "NaN" if self.missing is None else self.missing,
            **_counted(self.spec),
        }


def _counted(spec: ColumnSpec) -> dict[str, str]:
    """Return what doubles of dates and times count: units since an origin.

    The origin is a time on the clock of a zone, UTC for columns that have none.
    """
    if spec.ticks is None:
        return {}
    unit = UNIT_NAMES[spec.ticks.unit]
    if not spec.storage.is_instant:
        return {"unit": unit, "origin": "0"}
    fine = spec.ticks.unit if spec.ticks.unit in {"ms", "us", "ns"} else "s"
    counted = np.array(spec.ticks.origin).astype(f"M8[{spec.ticks.unit}]")
    origin = counted.astype(f"M8[{fine}]")
    clock = spec.ticks.zone if spec.ticks.local else "UTC"
    return {"unit": unit, "origin": str(origin), "clock": clock}


def ports_of(schema: TableSchema) -> tuple[Port, ...]:
    """One port per column; levels that no input can hold are refused."""
    names = _input_names(schema.names)
    return tuple(
        Port(name, spec, _missing_text(spec))
        for name, spec in zip(names, schema.columns, strict=True)
    )


def _missing_text(spec: ColumnSpec) -> str | None:
    """Return a text that is not a level, or None where the input is double."""
    if spec.is_number or spec.storage.is_numeric:
        return None
    text = [level for level in spec.levels if isinstance(level, str)]
    if len(text) == spec.n_levels:
        _check_unicode(spec, text)
        token = ""
        while token in text:
            token += "?"
        return token
    if text:
        found = sorted({type(level).__name__ for level in spec.levels})
        _refuse(spec, f"levels of several types ({', '.join(found)})")
    if any(isinstance(x, int) and abs(x) > _EXACT for x in spec.levels):
        _refuse(spec, "integers beyond 2**53 as levels")
    return None


def _check_unicode(spec: ColumnSpec, text: list[str]) -> None:
    for level in text:
        try:
            level.encode("utf-8")
        except UnicodeEncodeError:
            _refuse(spec, f"the level {level!r}, which is not valid Unicode,")


def _refuse(spec: ColumnSpec, what: str) -> None:
    message = (
        f"Column {spec.name!r} has {what}: no input of ONNX can tell them apart. "
        f"Convert the column to plain text before fitting."
    )
    raise SchemaError(message)


def _input_names(names: tuple[Hashable, ...]) -> list[str]:
    """Column names as text, made distinct from each other and from our own."""
    taken = {OUTPUT}
    inputs = []
    for column in names:
        text = str(column).encode("utf-8", "replace").decode("utf-8") or "column"
        if text.startswith(INSIDE):
            text = text.replace("/", "_")
        name, number = text, 2
        while name in taken:
            name, number = f"{text}_{number}", number + 1
        taken.add(name)
        inputs.append(name)
    return inputs
