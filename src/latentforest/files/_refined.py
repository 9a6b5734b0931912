"""A refined map: the rows that are searched, and what places others among them."""

from typing import Any

import numpy as np

from latentforest._base._types import Floats
from latentforest._encoding import Encoding
from latentforest.files._checks import check_rising, take_coords
from latentforest.files._dropped import DroppedKernel
from latentforest.files._read import ModelArchive
from latentforest.files._schema import check_codes
from latentforest.files._section import Section
from latentforest.files._settings import decode_object, encode_object
from latentforest.files._values import damaged
from latentforest.kernel import ForestKernel
from latentforest.neighbours import NeighbourSearch
from latentforest.refine import Refinement
from latentforest.refine._cells import Cells, CellSpace
from latentforest.refine._map import RefinedMap
from latentforest.refine._rows import RefinedRows
from latentforest.refine._start import LinearStart
from latentforest.table import TableSchema

FARTHEST_CELL = 1e6  # standard deviations from the mean; √n_rows is the most there is


def put_refined(
    encoding: Encoding, arrays: dict[str, Any], *, drop_training: bool
) -> dict[str, Any] | None:
    """Add the arrays of a refinement, if any; return what the manifest says of it."""
    refined = encoding.refined
    if refined is None:
        return None
    codes = stored_codes(encoding)
    if drop_training:
        arrays["refined/codes"] = codes
    else:
        arrays["refined/rows"] = refined.rows.astype(np.int64)
    arrays["refined/mean"] = refined.space.mean
    arrays["refined/scale"] = refined.space.scale
    arrays["refined/fill"] = _fill_of_gaps(refined.map.cells_, refined.map.fill_)
    arrays["refined/coords"] = refined.map.coords_
    if refined.linear is not None:
        arrays["refined/centre"] = refined.linear.mean
        arrays["refined/axes"] = refined.linear.axes
    return {
        "settings": encode_object(refined.map.settings, "the refinement"),
        "objective": [float(loss) for loss in refined.map.objective_],
        "linear": refined.linear is not None,
    }


def stored_codes(encoding: Encoding) -> Floats:
    """Codes of the refined rows, also where the other rows are gone."""
    assert encoding.refined is not None, "asked of refined models only"
    if isinstance(encoding.kernel, DroppedKernel):
        codes: Floats = encoding.kernel.refined_codes_
        return codes
    return encoding.kernel.table_.values[encoding.refined.rows]


def _fill_of_gaps(cells: Cells, fill: Floats) -> Floats:
    """Tell what the gaps of each cell count as; 0 where there are none."""
    gaps = np.isnan(cells.values).any(axis=0)
    return np.where(np.repeat(gaps, np.diff(cells.start)), fill, 0.0)


def take_refined(
    section: Section,
    archive: ModelArchive,
    kernel: ForestKernel,
    schema: TableSchema,
    n_components: int,
) -> RefinedRows:
    """Rebuild a refinement."""
    settings = decode_object(section.section("settings"), (Refinement,))
    coords = take_coords(archive, "refined/coords", (None, n_components))
    if isinstance(kernel, DroppedKernel):
        wanted = (len(coords), schema.n_columns)
        codes = archive.take("refined/codes", np.float64, wanted)
        check_codes(schema, codes, "refined/codes")
        rows, kernel.refined_codes_ = np.empty(0, np.int64), codes
    else:
        rows = archive.take("refined/rows", np.int64, (len(coords),))
        check_rising(rows, kernel.table_.n_rows, "refined/rows")
        codes = kernel.table_.values[rows]
    if len(codes) == 0:
        raise damaged("there are no refined rows")
    space = _take_space(archive, schema)
    cells = space.cells(codes)
    n_cells = cells.n_cells
    fill = take_coords(archive, "refined/fill", (n_cells,))
    linear = None
    if section.flag("linear"):
        linear = LinearStart(
            take_coords(archive, "refined/centre", (n_cells,)),
            take_coords(archive, "refined/axes", (n_components, n_cells)),
        )
    refined = RefinedMap(settings, n_jobs=kernel.n_jobs)
    refined.cells_, refined.fill_ = cells, fill
    if (np.abs(cells.values[:, cells.is_number]) > FARTHEST_CELL).any() or (
        np.abs(fill) > FARTHEST_CELL
    ).any():
        raise damaged("refined/mean and refined/scale do not fit the rows")
    refined.objective_ = section.values("objective")
    refined.coords_ = np.ascontiguousarray(coords)
    refined.search_ = NeighbourSearch(refined.coords_)
    return RefinedRows(rows, space, linear, refined)


def _take_space(archive: ModelArchive, schema: TableSchema) -> CellSpace:
    mean = archive.take("refined/mean", np.float64, (schema.n_columns,))
    scale = archive.take("refined/scale", np.float64, (schema.n_columns,))
    if not (np.isfinite(mean) & np.isfinite(scale) & (scale > 0)).all():
        raise damaged("refined/mean or refined/scale holds no such numbers")
    return CellSpace(schema, mean, scale)
