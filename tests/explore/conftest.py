"""A real browser, pages to open in it, and small models to look at."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from latentforest import RFAE, CompletelyRandomForest
from latentforest.explore import write_page

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = (
    "NO BROWSER: the explorer page is not tested in one. "
    "Install Chromium with its driver (Debian: apt-get install chromium "
    "chromium-driver)."
)


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Start headless Chromium; without one tests are skipped, but fail in CI."""
    chromium, chromedriver = map(shutil.which, ("chromium", "chromedriver"))
    if chromium is None or chromedriver is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_BROWSER)
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    profile = tmp_path_factory.mktemp("profile")
    for flag in [*FLAGS, f"--user-data-dir={profile}", "--window-size=1400,1000"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(chromedriver)
    )
    yield browser
    browser.quit()


class Page:
    """An open explorer page, and what a user does with it."""

    def __init__(self, driver, path, how=""):
        self.driver = driver
        self.resize(1400, 900)
        # A changed fragment alone would not load the page again.
        driver.get("about:blank")
        driver.get_log("browser")
        driver.get(Path(path).as_uri() + how)

    def run(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def decode(self, coords):
        """Decode many positions in one call."""
        code = "return arguments[0].map((z) => latentforest.decode(z))"
        return self.run(code, np.asarray(coords).tolist())

    def element(self, css):
        return self.driver.find_element("css selector", css)

    def elements(self, css):
        return self.driver.find_elements("css selector", css)

    def text(self, css):
        return self.element(css).get_attribute("textContent")

    def resize(self, width, height):
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.cdp("Emulation.setDeviceMetricsOverride", mobile=False, **size)

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def client(self, place):
        """From a place in the plot to a place in the window."""
        box = self.run(
            "const b = document.getElementById('over').getBoundingClientRect();"
            "return [b.left, b.top]"
        )
        return [place[0] + box[0], place[1] + box[1]]

    def mouse(self, kind, place, **more):
        x, y = self.client(place)
        down = {"button": "left", "clickCount": 1} if kind != "mouseWheel" else {}
        if kind == "mouseMoved" and not more.get("buttons"):
            down = {}
        self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, **down, **more)

    def click(self, place):
        self.mouse("mouseMoved", place)
        self.mouse("mousePressed", place)
        self.mouse("mouseReleased", place)

    def drag(self, places, **more):
        self.mouse("mouseMoved", places[0])
        self.mouse("mousePressed", places[0], **more)
        for place in places[1:]:
            self.mouse("mouseMoved", place, buttons=1, **more)
        self.mouse("mouseReleased", places[-1], **more)

    def corners(self):
        """Return two corners of the plot, and its middle between them."""
        size = self.element("#over").size
        far = [size["width"] - 2, size["height"] - 2]
        return [[2, 2], [far[0] / 2, far[1] / 2], far]

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def choose(self, select_id, value):
        self.run(
            "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change'))",
            select_id,
            str(value),
        )

    def tool(self, name):
        self.element(f"input[value={name}] + span").click()

    def wait(self, code, *arguments):
        """Wait for a condition in the page."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 10, poll_frequency=0.02).until(
            lambda _: self.run(f"return {code}", *arguments)
        )

    def complaints(self):
        """Everything on the console, but for what the browser says of its drawing."""
        log = self.driver.get_log("browser")
        return [line for line in log if line["source"] != "rendering"]


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
