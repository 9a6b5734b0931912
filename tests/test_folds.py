"""Cross-validation with defaults on tables as they come."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from latentforest import RFAE


def rare(seed, n_rows=60):
    """Return a table in which most folds have values that the others lack."""
    rng = np.random.default_rng(seed)
    names = np.array(["usual", *(f"rare {k}" for k in range(8))])
    at = np.where(rng.random(n_rows) < 0.85, 0, rng.integers(1, 9, n_rows))
    return pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "children": rng.choice(5, n_rows, p=[0.5, 0.4, 0.06, 0.02, 0.02]),
            "name": names[at],
            "flag": rng.random(n_rows) < 0.05,
            "grade": pd.Categorical(names[at % 3], ordered=True),
            "gaps": pd.Series(rng.normal(size=n_rows)).where(rng.random(n_rows) < 0.9),
        }
    )


@pytest.mark.filterwarnings("ignore:Column 'name' holds values")
@pytest.mark.parametrize("seed", range(3))
def test_no_fold_fails(seed):
    scores = cross_val_score(RFAE(random_state=0), rare(seed), cv=5)
    assert np.isfinite(scores).all()
    assert (scores > 0).all()
