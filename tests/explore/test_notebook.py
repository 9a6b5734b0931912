"""The page in the cell of a notebook, and what stays of the path that it is."""

import html
import os
import pickle
import re
from pathlib import Path

import pytest

from explorer_page import Page
from latentforest.explore import _notebook, write_page
from mixed_tables import mixed_frame


@pytest.fixture(scope="module")
def model(make_model):
    return make_model(mixed_frame(40))


def test_what_explore_returns_is_a_path(model, tmp_path):
    page = model.explore(path=tmp_path / "a.html")
    plain = tmp_path / "a.html"
    assert isinstance(page, Path)
    assert (page, str(page), os.fspath(page)) == (plain, str(plain), str(plain))
    assert hash(page) == hash(plain)
    assert pickle.loads(pickle.dumps(page)) == plain
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    # Only the page itself shows a page.
    page.with_suffix(".txt").write_text("<p>no page</p>")
    for other in (page.parent, page.with_suffix(".txt"), tmp_path / page):
        assert getattr(other, "_repr_html_", lambda: None)() is None
    page.unlink()
    assert page._repr_html_() is None


def test_the_frame_holds_the_page_as_text(model, tmp_path):
    title = '"><script>x</script>'
    page = write_page(model, path=tmp_path / "a.html", title=title)
    frame = page._repr_html_()
    held = re.fullmatch(
        '<iframe srcdoc="([^"]*)" title="([^"]*)" [^<>]*></iframe>', frame
    )
    assert html.unescape(held[1]) == page.read_text(encoding="utf-8")
    assert html.unescape(held[2]) == f"{title}, explorer page"
    assert "height: 640px" in frame
    # Nothing but scripts, downloads and copying: no way into the notebook.
    assert re.search('sandbox="(.*?)"', frame)[1] == "allow-scripts allow-downloads"


def test_a_page_too_large_for_a_cell_says_so(model, tmp_path, monkeypatch):
    page = write_page(model, path=tmp_path / "<b>.html")
    monkeypatch.setattr(_notebook, "MOST_BYTES", 1000)
    told = page._repr_html_()
    assert "too much for the cell of a notebook" in told
    assert "&lt;b&gt;.html" in told
    assert "<iframe" not in told


def test_the_page_works_in_a_cell(driver, model, tmp_path):
    page = write_page(model, path=tmp_path / "a.html")
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!DOCTYPE html><body>{page._repr_html_()}", encoding="utf-8")
    shown = Page(driver, cell)
    driver.switch_to.frame(0)
    shown.run("document.getElementById('over').focus()")
    shown.press("s", "\ue007")
    shown.wait("latentforest.summary() !== null")
    assert len(shown.run("return latentforest.selected()")) == 40
    assert shown.run("return latentforest.position().length") == 2
    shown.cdp(
        "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path)
    )
    for button, message in (("copy", "40 rows copied."), ("save", "40 rows saved as ")):
        shown.element(f"#selection-{button}").click()
        shown.wait(
            "document.getElementById('live').textContent.startsWith(arguments[0])",
            message,
        )
    shown.wait("new Promise((done) => setTimeout(() => done(true), 200))")
    assert len((tmp_path / "selected-rows.csv").read_text().splitlines()) == 41
    assert shown.complaints() == []
    driver.switch_to.default_content()
