"""An explorer page in a real browser, for tests and benchmarks."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd

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


def find_browser():
    """Return the paths of Chromium and its driver; None for what is not there."""
    return shutil.which("chromium"), shutil.which("chromedriver")


def start_browser(profile):
    """Start headless Chromium with a folder of its own."""
    from selenium import webdriver

    chromium, chromedriver = find_browser()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={profile}", "--window-size=1400,1000"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(
        options=options, service=webdriver.ChromeService(chromedriver)
    )


def many_rows(n_rows):
    """Return a table of numbers and categories that follow a hidden number."""
    rng = np.random.default_rng(0)
    hidden = rng.random(n_rows)
    return pd.DataFrame(
        {
            "a": np.round(hidden + 0.1 * rng.normal(size=n_rows), 2),
            "b": rng.normal(size=n_rows),
            "c": np.round(rng.normal(size=n_rows) * hidden, 2),
            "kind": np.where(rng.random(n_rows) < hidden, "one", "two"),
        }
    )


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
