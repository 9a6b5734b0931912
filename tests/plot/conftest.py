"""Figures are closed after each test, and drawing leaves no trace beyond them."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from latentforest import RFAE, CompletelyRandomForest


@pytest.fixture(autouse=True)
def clean_pyplot():
    before = dict(mpl.rcParams)
    yield
    pyplot.close("all")
    assert dict(mpl.rcParams) == before


@pytest.fixture(scope="session")
def wide_model(table):
    """Fit a small model with four coordinates."""
    return RFAE(4, forest=CompletelyRandomForest(20), random_state=0).fit(table)


@pytest.fixture
def given_axes():
    """Twelve axes of a figure that is laid out."""
    _, axes = pyplot.subplots(3, 4, layout="constrained")
    return axes
