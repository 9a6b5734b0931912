"""What codes lose, column by column, and the measure that all losses share."""

from typing import TypeAlias

import numpy as np

from latentforest._base._types import Floats
from latentforest.metrics._losses import (
    NO_MODE,
    LabelLoss,
    NumberLoss,
    schema_unit,
)
from latentforest.metrics._yardstick import Yardstick
from latentforest.table import TableSchema

Loss: TypeAlias = NumberLoss | LabelLoss


def losses_by(
    schema: TableSchema, measure: Yardstick | None, *, units: bool
) -> list[Loss]:
    """Return a loss for each column, measured by training rows if there are any."""
    losses: list[Loss] = []
    for column, spec in enumerate(schema.columns):
        if spec.is_number:
            unit = schema_unit(spec) if units else None
            known = (
                () if measure is None else (measure.mean[column], measure.std[column])
            )
            losses.append(NumberLoss(unit, *map(float, known)))
        else:
            mode = NO_MODE if measure is None else measure.mode[column]
            losses.append(LabelLoss(mode))
    return losses


def code_distortions(measure: Yardstick, original: Floats, decoded: Floats) -> Floats:
    """Distortion of each column of codes, as `distortion` measures tables.

    Wild cells are left out. NaN where no original is left; `mean_distortion` leaves
    these out.
    """
    schema = measure.schema
    lost, losses = np.empty(schema.n_columns), losses_by(schema, measure, units=False)
    for column, (loss, spec) in enumerate(zip(losses, schema.columns, strict=True)):
        before, after = original[:, column], decoded[:, column]
        if isinstance(loss, NumberLoss):
            loss.add(loss.without_wild(before, spec), after)
        else:
            loss.add(_or_missing(before), _or_missing(after), range(spec.n_levels))
        lost[column] = loss.value()
    return lost


def _or_missing(codes: Floats) -> Floats:
    return np.where(np.isnan(codes), -1.0, codes)
