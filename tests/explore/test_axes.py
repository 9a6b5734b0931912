"""What the axes say: the columns that go with each coordinate."""

import pytest

from latentforest.explore._axes import axis_columns
from latentforest.explore._request import check_request
from mixed_tables import mixed_frame

RANKED = [["length", "name", "few", "flag"], ["area"], []]


@pytest.fixture
def model(make_model, monkeypatch):
    """Let coordinates go with columns of our choice."""
    fitted = make_model(mixed_frame(40), 3)
    monkeypatch.setattr(
        type(fitted),
        "coordinate_columns",
        lambda _, n=2: [names[:n] for names in RANKED],
    )
    return fitted


def asked(model, **options):
    settings = {"color_by": None, "columns": None, "sample": None, "title": None}
    return check_request(
        model, None, "a.html", **settings | {"image_shape": None} | options
    )


def test_axes_name_two_columns_that_are_shown(model):
    assert axis_columns(model, asked(model)) == [["length", "name"], ["area"], []]
    # Names of columns that are left out stay out of the file.
    request = asked(model, columns=["name", "flag", "group"])
    assert axis_columns(model, request) == [["name", "flag"], [], []]


def test_axes_name_what_the_model_tells(make_model, open_page):
    model = make_model(mixed_frame(40), 2)
    title = f"z1 · {', '.join(model.coordinate_columns(2)[0])}"
    assert open_page(model).text(".coordinate > span") == title


def test_pictures_have_plain_axes(model):
    request = asked(
        model, image_shape=(2, 2), columns=["length", "area", "count", "few"]
    )
    assert axis_columns(model, request) is None


def test_titles_are_in_the_page(open_page, model):
    page = open_page(model)
    titles = [
        "z1 · length, name",
        "z2 · area",
        "z3",
    ]
    short = ["z1 · length, name", "z2 · area", "z3"]
    for place, wanted in (
        (".coordinate > span", titles),
        ("#axis-x option", short),
        ("#axis-y option", short),
    ):
        found = [item.get_attribute("textContent") for item in page.elements(place)]
        assert found == wanted
    slider = page.element(".coordinate + input")
    assert slider.get_attribute("aria-label") == f"{titles[0]}, slider"


def test_long_titles_end_inside_the_plot(open_page, model, monkeypatch):
    monkeypatch.setattr(
        "latentforest.explore._page.axis_columns", lambda *_: [["x" * 400]] * 3
    )
    page = open_page(model)
    page.resize(390, 844)
    page.wait("innerWidth === 390")
    code = "const d = document.documentElement; return d.scrollWidth > d.clientWidth"
    assert not page.run(code)
    # Ink of a title would reach the left edge of the axis.
    written = page.run(
        """const pen = document.getElementById('over').getContext('2d');
        const seen = [];
        const draw = pen.fillText;
        pen.fillText = function (text, x, y) {
          seen.push([text, this.measureText(text).width]);
          draw.call(this, text, x, y);
        };
        document.getElementById('zoom-in').click();
        return new Promise((done) => requestAnimationFrame(() => done(seen)));"""
    )
    titles = [(text, width) for text, width in written if text.startswith("z")]
    assert len(titles) == 2
    room = page.element("#over").size["width"]
    assert all(text.endswith("…") and 200 < width < room for text, width in titles)
