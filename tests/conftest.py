"""Tables and fitted models that several tests look at and none may change."""

import os

import pytest

from latentforest import RFAE, CompletelyRandomForest
from mixed_tables import FORESTS, mixed_frame, target_of
from warm_up import compile_in_two_processes

os.environ["MPLBACKEND"] = "Agg"  # pictures without a screen


def pytest_configure(config):
    """Before several workers start, compile what each of them needs."""
    if getattr(config.option, "numprocesses", None):
        compile_in_two_processes()


@pytest.fixture(scope="session")
def table():
    """Sixty rows, all kinds of columns, nothing missing."""
    return mixed_frame()


@pytest.fixture(scope="session")
def holed_table():
    """Sixty rows, all kinds of columns, a tenth of the cells missing."""
    return mixed_frame(missing=0.1, seed=1)


@pytest.fixture(scope="session")
def model(table):
    """Fit a small model with two coordinates."""
    return RFAE(2, forest=CompletelyRandomForest(20), random_state=0).fit(table)


@pytest.fixture(scope="session")
def holed_model(holed_table):
    """Fit a small model on the table with missing cells."""
    forest = CompletelyRandomForest(20)
    return RFAE(2, forest=forest, random_state=0).fit(holed_table)


@pytest.fixture(scope="session")
def models(table):
    """Fit one small model per forest."""
    return {
        name: RFAE(2, forest=forest, random_state=0).fit(table, target_of(table))
        for name, forest in FORESTS.items()
    }
