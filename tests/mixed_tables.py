"""Small mixed tables, forests to grow on them, and strategies that draw both."""

import json

import numpy as np
import pandas as pd
from hypothesis import settings
from hypothesis import strategies as st

from latentforest import (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest._base._section import NewSection, Section
from latentforest.table import TableSchema

LAW = settings(max_examples=25, deadline=None)

# To be cloned before they are fitted: tests share them.
FORESTS = {
    "adversarial": AdversarialForest(12, max_rounds=2),
    "completely random": CompletelyRandomForest(12, min_samples_leaf=3),
    "shi horvath": ShiHorvathForest(12, min_samples_leaf=2),
    "supervised": SupervisedForest(12, min_samples_leaf=2),
}


def _levels(t, names):
    return np.array(names)[np.minimum((t * len(names)).astype(int), len(names) - 1)]


# Every column follows a hidden number between 0 and 1, with noise of its own.
COLUMNS = {
    "length": lambda t: np.round(10 + 5 * t, 1),
    "area": lambda t: np.exp(t) / 3,
    "count": lambda t: (100 * t).astype(np.int32),
    "few": lambda t: (3.9 * t).astype(np.int64),
    "flag": lambda t: t > 0.5,
    "name": lambda t: pd.array(_levels(t, ["ada", "bob", "eve"]), dtype="str"),
    "grade": lambda t: pd.Categorical(
        _levels(t, ["low", "mid", "high"]), ["low", "mid", "high", "top"], ordered=True
    ),
    "group": lambda t: pd.Categorical(_levels(t, ["x", "y"]), ["y", "unused", "x"]),
    "rank": lambda t: pd.array((20 * t).astype(int), dtype="Int16"),
    "sure": lambda t: pd.array(t > 0.3, dtype="boolean"),
}
CAN_BE_MISSING = ("length", "area", "name", "grade", "group", "rank", "sure")


def mixed_frame(n_rows=60, *, columns=tuple(COLUMNS), missing=0.0, seed=0):
    """Data frame with columns of many kinds that depend on each other."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_rows)
    frame = pd.DataFrame(index=np.arange(n_rows) * 3 + 7)
    for name in columns:
        noisy = np.clip(hidden + 0.1 * rng.normal(size=n_rows), 0, 1)
        frame[name] = COLUMNS[name](noisy)
        if missing and name in CAN_BE_MISSING:
            frame.loc[rng.random(n_rows) < missing, name] = None
    return frame


def target_of(frame, *, seed=0):
    """Three classes for a supervised forest."""
    return np.random.default_rng(seed).integers(3, size=len(frame))


def shuffled(frame, seed=0):
    """Return rows that were never seen together: every column permuted alone."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: frame[name].array[rng.permutation(len(frame))] for name in frame}
    )


def factor_frame(n_rows, seed, n_factors=3):
    """Seven numbers, two categories and an integer that follow from a few factors."""
    law, rng = np.random.default_rng(n_factors), np.random.default_rng([1, seed])
    factors = rng.normal(size=(n_rows, n_factors))
    numbers = np.tanh(0.7 * factors @ law.normal(size=(n_factors, 7)))
    numbers += 0.3 * rng.normal(size=numbers.shape)
    table = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(7)])
    table["two"] = np.where(factors[:, 0] + rng.normal(size=n_rows) > 0, "a", "b")
    table["three"] = rng.choice(list("uvw"), n_rows)
    return table.assign(count=rng.poisson(np.exp(0.5 * factors[:, 1] + 1)))


@st.composite
def frames(draw, *, columns=tuple(COLUMNS), min_rows=6, max_rows=30):
    """Draw data frames of one to five columns, with and without missing cells."""
    chosen = draw(
        st.lists(st.sampled_from(columns), min_size=1, max_size=5, unique=True)
    )
    return mixed_frame(
        draw(st.integers(min_rows, max_rows)),
        columns=tuple(chosen),
        missing=draw(st.sampled_from([0.0, 0.2])),
        seed=draw(st.integers(0, 9_999)),
    )


def saved_and_read(schema):
    """Take a schema to the JSON of a model file and back."""
    new = NewSection()
    schema.put(new)
    text = json.dumps(new.data, allow_nan=False)
    return TableSchema.take(Section(json.loads(text), "the schema"))
