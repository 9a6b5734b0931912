"""Tables of very many columns: work grows with their number, not with its square."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, OddRows, Refinement
from latentforest.table import TableSchema

ALL_COLUMNS = (
    *("names", "n_levels", "split_levels", "is_ordered", "is_number", "is_whole"),
    *("lower", "upper"),
)


@pytest.fixture
def asked(monkeypatch):
    """How often a schema was asked for something of all of its columns."""
    counts = Counter()

    def counted(name, read):
        def ask(schema):
            counts[name] += 1
            return read(schema)

        return property(ask)

    for name in ALL_COLUMNS:
        own = getattr(TableSchema, name).fget
        monkeypatch.setattr(TableSchema, name, counted(name, own))
    return counts


def wide_table(n_columns):
    """Numbers and categories in turn; a number has a gap."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, n_columns))).add_prefix("c")
    for name in table.columns[::2]:
        table[name] = pd.cut(table[name], 3, labels=["low", "middle", "high"])
    table.loc[5, "c1"] = np.nan
    return table


def use_rfae(table, **settings):
    target = np.arange(len(table)) % 2
    model = RFAE(2, random_state=0, **settings).fit(table, target)
    coords = model.transform(table)
    _, sure = model.inverse_transform(coords, return_uncertainty=True)
    sure.interval(0.9)
    model.fill_gaps(table)
    model.score(table)


def use_odd_rows(table):
    odd = OddRows(random_state=0).fit(table)
    odd.score_samples(table)
    odd.odd_cells(table)


@pytest.mark.parametrize(
    ("use", "settings"),
    [
        pytest.param(use_rfae, {}, id="default"),
        pytest.param(use_rfae, {"forest": "adversarial"}, id="adversarial"),
        pytest.param(use_rfae, {"forest": "supervised"}, id="supervised"),
        pytest.param(use_rfae, {"refine": Refinement(start="packed")}, id="packed"),
        pytest.param(use_odd_rows, {}, id="odd"),
    ],
)
def test_nothing_asks_for_all_columns_once_per_column(asked, use, settings):
    use(wide_table(12), **settings)
    few = asked.total()
    asked.clear()
    use(wide_table(72), **settings)
    assert asked.total() < few + 60
