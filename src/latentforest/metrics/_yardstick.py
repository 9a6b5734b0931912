"""What guessing knows of the training rows: means, spreads, commonest levels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from latentforest._base._moments import mean_of, std_of
from latentforest._base._types import Floats
from latentforest.table import EncodedTable, Level, TableCodec, TableSchema


@dataclass(frozen=True, slots=True, eq=False)
class Yardstick:
    """What losses of other rows are measured by.

    A number is guessed by the mean of the training rows, and its spread is the unit of
    what is lost, both without wild cells; any other column is guessed by its commonest
    level, missing being one.
    """

    schema: TableSchema
    mean: Floats  # (n_columns,) NaN for levels, and where all cells were missing
    std: Floats  # (n_columns,) likewise
    mode: tuple[Level | None, ...]  # None: missing, or a number

    @classmethod
    def of_table(cls, table: EncodedTable) -> "Yardstick":
        """Read them off the training rows."""
        schema = table.schema
        mean, std = np.full((2, schema.n_columns), np.nan)
        mode: list[Level | None] = []
        for column, spec in enumerate(schema.columns):
            codes = table.values[:, column]
            seen, common = codes[~(np.isnan(codes) | spec.is_wild(codes))], None
            if spec.is_number and len(seen):
                mean[column] = mean_of(seen)
                # Rounding gives a constant column a spread of its own.
                std[column] = 0.0 if seen.min() == seen.max() else std_of(seen)
            elif len(seen):
                counts = np.bincount(seen.astype(np.int64))
                if counts.max() >= len(codes) - len(seen):
                    common = spec.levels[int(counts.argmax())]
            mode.append(common)
        return cls(schema, mean, std, tuple(mode))

    @classmethod
    def of(cls, training: Any, kinds: Any) -> "Yardstick":
        """Read them off rows in any form, or take what was read already."""
        if isinstance(training, Yardstick):
            return training
        if isinstance(training, EncodedTable):
            return cls.of_table(training)
        if isinstance(kinds, TableSchema):
            return cls.of_table(TableCodec.from_schema(kinds).encode(training))
        return cls.of_table(TableCodec(kinds).fit_encode(training))
