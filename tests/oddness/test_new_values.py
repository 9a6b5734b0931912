"""Values that the training rows do not have."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, OddRows


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n_rows = 300
    return pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "y": rng.normal(size=n_rows),
            "k": rng.integers(1, 5, n_rows),
            "same": np.ones(n_rows, int),
        }
    )


@pytest.mark.filterwarnings("ignore:Column .* holds values that were not seen")
@pytest.mark.parametrize("column", ["k", "same"])
@pytest.mark.parametrize("model", [OddRows(random_state=0), RFAE(random_state=0)])
def test_a_number_that_was_never_there_surprises(model, table, column):
    model.fit(table)
    new = table.assign(**{column: 999})
    place = table.columns.get_loc(column)
    cells = model.odd_cells(new)
    assert np.median(cells.p_values[:, place]) < 0.01
    assert (cells.largest(1)[:, 0] == place).mean() > 0.9


@pytest.mark.parametrize("dtype", ["string", "float64"])
def test_a_column_without_any_value_expects_none(table, dtype):
    empty = pd.Series([None] * len(table), dtype=dtype)
    cells = (
        OddRows(random_state=0)
        .fit(table.assign(e=empty))
        .odd_cells(table.assign(e=empty))
    )
    assert cells.expected["e"].isna().all()
