"""A real browser, pages to open in it, and small models to look at."""

import os

import pytest

from explorer_page import Page, find_browser, start_browser
from latentforest import RFAE, CompletelyRandomForest
from latentforest.explore import write_page

NO_BROWSER = (
    "NO BROWSER: the explorer page is not tested in one. "
    "Install Chromium with its driver (Debian: apt-get install chromium "
    "chromium-driver)."
)


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Start headless Chromium; without one tests are skipped, but fail in CI."""
    if None in find_browser():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_BROWSER)
    pytest.importorskip("selenium")
    browser = start_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture
def open_page(driver, tmp_path):
    """Write a page and open it; at the end nothing may be on the console."""
    pages = []

    def write_and_open(model, *arguments, how="", **options):
        options.setdefault("path", tmp_path / "explore.html")
        path = write_page(model, *arguments, **options)
        pages.append(Page(driver, path, how))
        return pages[-1]

    yield write_and_open
    for page in pages:
        assert page.complaints() == []


@pytest.fixture(scope="session")
def make_model():
    """Fit small models."""

    def fit(table, n_components=2, **settings):
        settings.setdefault("forest", CompletelyRandomForest(20))
        return RFAE(n_components, random_state=0, **settings).fit(table)

    return fit
