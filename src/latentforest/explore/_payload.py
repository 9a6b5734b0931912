"""All that the page knows: rows, columns, decoder and arrays, ready for JSON."""

import re
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.explore._arrays import ArrayStore, pack_levels, pack_numbers
from latentforest.explore._decoder import PageDecoder
from latentforest.explore._request import Request
from latentforest.explore._rows import ShownRows
from latentforest.neighbours import NeighbourSearch, Reach
from latentforest.table import ColumnSpec, Storage, TableSchema, shape_of

# Floats of single precision, in the words of each library.
SINGLE = re.compile(r"[fF]loat32|float(\[pyarrow\])?")


def make_payload(
    request: Request,
    schema: TableSchema,
    shown: ShownRows,
    known: PageDecoder,
    rows: NDArray[np.int64],
    axes: list[list[str]] | None,
    map_note: str | None,
) -> dict[str, Any]:
    """Gather what goes into the page.

    ``rows`` are those the decoder may use, ``axes`` the columns that go with each
    coordinate, or None, and ``map_note`` what is to be said about the map, or None.
    """
    store = ArrayStore()
    position = {name: j for j, name in enumerate(schema.names)}
    factor, floor = known.error_factors()
    all_rows = len(rows) == known.n_rows
    columns: list[dict[str, Any]] = []
    decoded: list[dict[str, Any]] = []
    for number, spec in enumerate(shown.specs):
        cells = shown.codes[:, number]
        if number >= shown.n_fitted:
            columns.append(_shown_column(store, spec, cells, _used(spec, cells)))
            continue
        j = position[spec.name]
        prototypes = known.decoder.prototypes_[rows, j]
        used = _used(spec, cells, prototypes)
        columns.append(_shown_column(store, spec, cells, used))
        decoded.append(
            {
                "cells": store.add(_packed(spec, prototypes, used)),
                "bounds": known.bounds(j, prototypes, all_rows=all_rows),
                "factor": float(factor[j]) if np.isfinite(factor[j]) else None,
                "floor": float(floor[j]) if np.isfinite(floor[j]) else None,
                "ranks": [] if spec.is_number else known.ranks(j, used),
                "shares": [] if spec.is_number else known.level_shares(j, used),
                "absentAbove": float(known.decoder.priority_.absent_above[j]),
            }
        )
    points = known.decoder.search_.points[rows]
    n_shown = len(shown.rows)
    counted = np.array_equal(shown.numbers, np.arange(n_shown))
    return {
        "title": request.title,
        "n": n_shown,
        "nGiven": shown.n_given,
        "ofTraining": shown.of_training,
        "numbers": None if counted else store.add(pack_numbers(*_whole(shown))),
        "labels": None if shown.labels is None else list(map(str, shown.labels)),
        "coords": [store.add(pack_numbers(axis)) for axis in shown.coords.T],
        "axes": axes,
        "mapNote": map_note,
        "columns": columns,
        "color": shown.color,
        "image": request.image_shape,
        "decoder": {
            **known.settings(),
            "isOwn": known.is_own,
            "allRows": all_rows,
            "n": len(rows),
            "reach": Reach(NeighbourSearch(points)).limit,
            "points": [store.add(pack_numbers(axis)) for axis in points.T],
            "columns": decoded,
        },
        "arrays": store.arrays,
    }


def _whole(shown: ShownRows) -> tuple[Floats, int]:
    return shown.numbers.astype(np.float64), 0


def _used(spec: ColumnSpec, *cells: Floats) -> NDArray[np.int64]:
    """Levels that occur in the page; the names of others stay out of it."""
    if spec.is_number:
        return np.empty(0, np.int64)
    codes = np.unique(np.concatenate(cells))
    return codes[~np.isnan(codes)].astype(np.int64)


def _packed(spec: ColumnSpec, cells: Codes, used: NDArray[np.int64]) -> Any:
    if spec.is_number:
        return pack_numbers(cells, spec.decimals)
    missing = np.isnan(cells)
    place = np.searchsorted(used, np.where(missing, 0.0, cells)).astype(np.float64)
    return pack_levels(np.where(missing, np.nan, place), len(used))


def _time(spec: ColumnSpec) -> dict[str, Any] | None:
    """Return what codes of dates and times count; an origin is too long for JSON."""
    if spec.ticks is None:
        return None
    origin = str(spec.ticks.origin)
    return {**asdict(spec.ticks), "origin": origin, "sort": str(spec.storage)}


def _written(spec: ColumnSpec) -> str | int:
    """Tell how Python writes numbers: as floats, or with so many decimals."""
    if spec.storage is Storage.decimal:
        return max(0, shape_of(spec.dtype)[1])
    if spec.storage is Storage.float:
        return "single" if SINGLE.fullmatch(spec.dtype) else "double"
    return 0


def _shown_column(
    store: ArrayStore, spec: ColumnSpec, cells: Codes, used: NDArray[np.int64]
) -> dict[str, Any]:
    levels = [spec.levels[code] for code in used]
    return {
        "name": str(spec.name),
        "kind": str(spec.kind),
        "levels": [str(level) for level in levels],
        # Pixels may be level numbers: columns with few distinct values.
        "values": [
            None if isinstance(level, str) else float(level) for level in levels
        ],
        "decimals": spec.decimals,
        "time": _time(spec),
        "written": _written(spec),
        "cells": store.add(_packed(spec, cells, used)),
    }
