"""What a user does with the page, in a real browser."""

import numpy as np
import pandas as pd
import pytest

from latentforest import KNNDecoder
from mixed_tables import mixed_frame

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror='window.hacked = 3'>",
    '"><b id=injected>&amp;',
    "{{script}}",
    "a\u2028b\u2029c",
]


def test_hostile_text_stays_text(open_page, make_model):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "<script>window.hacked = 4</script>": rng.choice(HOSTILE, 60),
            "</title><b id=injected>": rng.normal(size=60),
            "size": rng.normal(size=60),
        }
    )
    model = make_model(table)
    page = open_page(
        model, color_by=table.columns[0], title="</title><script>window.hacked=5"
    )
    place = page.run("return latentforest.rowPlace(5)")
    page.mouse("mouseMoved", [place[0] + 1, place[1]])
    page.wait("!document.getElementById('tip').hidden")
    page.click(place)
    page.tool("box")
    page.drag(page.corners())
    page.wait("latentforest.summary() !== null")
    assert page.run("return window.hacked") is None
    assert page.elements("#injected") == []
    assert page.run("return document.scripts.length") == 1
    assert page.driver.title == "</title><script>window.hacked=5"
    names = [cell.text for cell in page.elements(".cell .name")]
    assert names == list(table.columns)
    levels = {
        chip.get_attribute("textContent") for chip in page.elements("#legend .level")
    }
    assert levels == set(table.iloc[:, 0])
    assert page.text("#tip dt") == table.columns[0]


def test_nothing_but_our_script_may_run(open_page, make_model):
    page = open_page(make_model(mixed_frame(20)))
    policy = page.element("meta[http-equiv='Content-Security-Policy']")
    rules = policy.get_attribute("content").split("; ")
    assert rules[0] == "default-src 'none'"
    assert "unsafe" not in policy.get_attribute("content")
    page.run(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s)"
    )
    assert page.run("return window.ran") is None
    assert "Content Security Policy" in page.complaints()[0]["message"]


def test_summary_equals_pandas(open_page, make_model):
    table = mixed_frame(80, missing=0.1, seed=2)
    page = open_page(make_model(table))
    page.tool("lasso")
    page.drag([[60, 20], [500, 20], [520, 300], [500, 640], [300, 500], [60, 640]])
    page.wait("latentforest.summary() !== null")
    chosen = page.run("return latentforest.selected()")
    assert 5 < len(chosen) < 75
    inside = table.iloc[chosen]
    rest = table.drop(index=inside.index)
    lines = page.run("return latentforest.summary()")
    assert {line["column"]["name"] for line in lines} == set(table.columns)
    strengths = [line["strength"] for line in lines]
    assert strengths == sorted(strengths, reverse=True)
    for line in lines:
        name, sides = line["column"]["name"], (inside, rest)
        if "shares" not in line:
            for side, rows in zip(("inside", "rest"), sides, strict=True):
                cells = rows[name].astype(float)
                assert line[side]["mean"] == pytest.approx(cells.mean())
                assert line[side]["median"] == pytest.approx(cells.median())
                assert line[side]["n"] == cells.count()
            spread = np.sqrt(
                np.mean([rows[name].astype(float).var() for rows in sides])
            )
            gap = inside[name].astype(float).mean() - rest[name].astype(float).mean()
            assert line["difference"] == pytest.approx(gap / spread)
            continue
        for side, rows in enumerate(sides):
            shares = rows[name].astype(object).map(str, na_action="ignore")
            shares = shares.value_counts(normalize=True, dropna=False)
            shares.index = [None if pd.isna(level) else level for level in shares.index]
            levels = [*line["column"]["levels"], None]
            for level, share in zip(levels, line["shares"][side], strict=True):
                assert share == pytest.approx(shares.get(level, 0.0))
    assert len(page.elements("#selection-lines .line")) == len(lines)


def test_shift_and_drag_selects_and_escape_clears(open_page, make_model):
    page = open_page(make_model(mixed_frame(40)))
    page.drag(page.corners(), modifiers=8)
    page.wait("latentforest.summary() !== null")
    assert len(page.run("return latentforest.selected()")) == 40
    page.press("\ue00c")
    assert page.run("return latentforest.selected()") == []
    assert not page.element("#selection").is_displayed()


def test_a_hidden_level_is_not_there(open_page, make_model):
    table = mixed_frame(60)
    page = open_page(make_model(table), color_by="name")
    page.elements("#legend button")[0].click()
    page.drag(page.corners(), modifiers=8)
    page.wait("latentforest.summary() !== null")
    chosen = page.run("return latentforest.selected()")
    assert sorted(set(table["name"].iloc[chosen])) == ["bob", "eve"]


def test_decode_by_keyboard_alone(open_page, make_model):
    model = make_model(mixed_frame(50))
    page = open_page(model)
    wanted = model.embedding_[3] * 0.9
    for _ in range(40):  # tab until the first coordinate has the focus
        page.press("\ue004")
        if page.run("return document.activeElement.id") == "coordinate-0":
            break
    # The tab key selects what is in the box.
    page.press(repr(float(wanted[0])), "\ue004", "\ue004")
    assert page.run("return document.activeElement.id") == "coordinate-1"
    page.press(repr(float(wanted[1])), "\ue007")
    assert page.run("return latentforest.position()") == wanted.tolist()
    expected = model.inverse_transform([wanted])
    values = [cell.text for cell in page.elements(".cell .value")]
    assert float(values[0].split(" ±")[0]) == pytest.approx(expected["length"].iloc[0])
    page.wait("document.getElementById('live').textContent.includes('Decoded')")
    page.element("#walk-from").send_keys("\ue007")
    page.element("#coordinate-0").send_keys("\ue009a\ue000", "0", "\ue007")
    page.element("#walk-to").send_keys("\ue007")
    assert page.run("return latentforest.position()") == wanted.tolist()
    page.press(*["\ue014"] * 40)
    assert page.run("return latentforest.position()[0]") == 0


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        *(("1,5", 1.5), ("1.5", 1.5), (" -0,25 ", -0.25), ("\u22122", -2), (",5", 0.5)),
        *(("+1.", 1), ("1e-3", 1e-3), ("1,5E2", 150), ("", None), ("1,234.5", None)),
        *(("1.234,5", None), ("1,2,3", None), ("1 5", None), ("0x10", None)),
        *((",", None), ("five", None), ("Infinity", None), ("1e400", None)),
    ],
)
def test_a_typed_coordinate_is_that_number_or_an_error(
    open_page, make_model, typed, wanted
):
    page = open_page(make_model(mixed_frame(30)))
    before = page.run("return latentforest.position()")
    box = page.element("#coordinate-0")
    box.send_keys("\ue009a\ue000", typed or "\ue017", "\ue007")  # or delete
    if wanted is None:
        page.run("document.activeElement.blur()")  # an empty box tells when it is left
        assert page.run("return latentforest.position()") == before
        assert "bad" in box.get_attribute("class").split()
        page.wait("document.getElementById('live').textContent.includes('a number')")
        return
    assert page.run("return latentforest.position()[0]") == wanted
    assert "bad" not in box.get_attribute("class").split()
    # What was typed stays as it is.
    assert box.get_attribute("value") == typed


def test_arrow_keys_move_and_enter_decodes_the_middle(open_page, make_model):
    page = open_page(make_model(mixed_frame(50)))
    page.run("document.getElementById('over').focus()")
    page.press("\ue007")
    before = page.run("return latentforest.position()")
    page.press("+", "+", "\ue014", "\ue013", "\ue007")
    after = page.run("return latentforest.position()")
    assert after[0] > before[0]
    assert after[1] > before[1]


def test_walk_between_two_rows(open_page, make_model):
    model = make_model(mixed_frame(50), decoder="local_linear")
    page = open_page(model)
    order = np.argsort(model.embedding_[:, 0])
    ends = [int(order[0]), int(order[-1])]
    page.tool("walk")
    places = [page.run("return latentforest.rowPlace(arguments[0])", k) for k in ends]
    middle = np.mean(places, axis=0).tolist()
    page.drag([places[0], middle, places[1]])
    np.testing.assert_array_equal(
        page.run("return latentforest.position()"), model.embedding_[ends[0]]
    )
    assert page.elements(".cell.changed") == []
    page.element("#walk-step").send_keys(*["\ue014"] * 20)
    half = page.run("return latentforest.position()")
    np.testing.assert_allclose(half, model.embedding_[ends].mean(axis=0), rtol=1e-12)
    start, now = model.inverse_transform([model.embedding_[ends[0]], half]).iloc
    cells = dict(zip(model.schema_.names, page.elements(".cell"), strict=True))
    changed = {
        name for name, cell in cells.items() if "changed" in cell.get_attribute("class")
    }
    # Numbers without fixed decimals are compared as they are shown.
    others = set(cells) - {"area"}
    assert changed & others == {name for name in others if start[name] != now[name]}
    page.element("#walk-step").send_keys("\ue010")
    np.testing.assert_array_equal(
        page.run("return latentforest.position()"), model.embedding_[ends[1]]
    )


def test_pictures(open_page, make_model):
    rng = np.random.default_rng(0)
    side = rng.random((60, 1))
    pixels = np.round(255 * np.hstack([side, 1 - side, side**2, 0 * side, side, side]))
    model = make_model(pixels, decoder=KNNDecoder(5, prototypes="rows"))
    page = open_page(model, image_shape=(2, 3))
    page.click(page.run("return latentforest.rowPlace(7)"))
    position = page.run("return latentforest.position()")
    canvas = "document.getElementById('decoded-picture')"
    drawn = page.run(
        f"return [...{canvas}.getContext('2d').getImageData(0, 0, 3, 2).data]"
    )
    expected = model.inverse_transform([position])[0]
    spread = pixels.max() - pixels.min()
    light = 255 * (expected - pixels.min()) / spread
    np.testing.assert_allclose(np.reshape(drawn, (-1, 4))[:, 0], light, atol=1)
    place = page.run("return latentforest.rowPlace(9)")
    page.mouse("mouseMoved", [place[0] + 1, place[1]])
    page.wait("document.querySelector('#tip canvas') !== null")
    page.drag([[60, 20], [500, 300], [700, 640]], modifiers=8)
    page.wait("document.querySelectorAll('#selection-pictures canvas').length === 2")


def test_one_coordinate(open_page, make_model):
    model = make_model(mixed_frame(40), 1)
    page = open_page(model)
    page.click([400, 200])
    (z,) = page.run("return latentforest.position()")
    assert page.run("return latentforest.place(arguments[0], 0)[0]", z) == (
        pytest.approx(400, abs=9)
    )
    assert model.embedding_.min() <= z <= model.embedding_.max()


def test_fits_a_phone_and_takes_touches(open_page, make_model):
    table = mixed_frame(40).rename(columns={"name": "a_very_long_column_name" * 4})
    page = open_page(make_model(table, 4), color_by="grade")
    page.resize(390, 844)
    page.wait("innerWidth === 390")
    assert not is_too_wide(page)
    x, y = page.client([150, 200])

    def touch(kind, *places):
        points = [{"x": px, "y": py, "id": k} for k, (px, py) in enumerate(places)]
        page.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", (x, y))
    touch("touchEnd")
    page.wait("latentforest.position() !== null")
    before = page.run(
        "return latentforest.place(1, 1)[0] - latentforest.place(0, 0)[0]"
    )
    touch("touchStart", (x - 20, y))
    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 60, y), (x + 60, y))
    touch("touchEnd")
    after = page.run("return latentforest.place(1, 1)[0] - latentforest.place(0, 0)[0]")
    assert after == pytest.approx(3 * before, rel=0.05)
    assert not is_too_wide(page)


def is_too_wide(page):
    """Whether anything sticks out at the right, so that one has to scroll."""
    code = "const d = document.documentElement; return d.scrollWidth > d.clientWidth"
    return page.run(code)


@pytest.mark.parametrize("how", ["#webgl", "#pixels"])
def test_points_are_drawn(open_page, make_model, how):
    page = open_page(make_model(mixed_frame(30)), color_by="name", how=how)
    probe = "return document.createElement('canvas').getContext('webgl') !== null"
    wanted = how[1:] if page.run(probe) else "pixels"
    assert page.run("return latentforest.painter()") == wanted
    place = page.run("return latentforest.rowPlace(4)")
    shot = pixel_of(page, page.client(place))
    assert max(shot) - min(shot) > 60  # a colour, neither white nor grey
    page.element("#theme").click()
    dark = pixel_of(page, page.client([600, 8]))
    assert max(dark) < 60


def pixel_of(page, place):
    """Colour of one pixel of the window, as an eye would see it."""
    from base64 import b64decode
    from io import BytesIO

    from matplotlib.image import imread

    clip = {"x": place[0] - 1, "y": place[1] - 1, "width": 3, "height": 3, "scale": 1}
    page.wait("new Promise((done) => requestAnimationFrame(() => done(true)))")
    shot = page.cdp("Page.captureScreenshot", clip=clip)
    return (255 * imread(BytesIO(b64decode(shot["data"])))[1, 1, :3]).tolist()


def test_positions_far_from_any_row_are_told(open_page, make_model):
    model = make_model(mixed_frame(60, seed=6), 2)
    page = open_page(model, color_by="oddness")
    low, high = model.embedding_.min(axis=0), model.embedding_.max(axis=0)
    for share, far in ((50.0, True), (0.0, False)):
        position = model.embedding_[3] + share * (high - low) + 1e-9
        for axis, value in enumerate(position):
            page.element(f"#coordinate-{axis}").send_keys(
                "\ue009a\ue000", repr(float(value)), "\ue007"
            )
        told = page.text("#decoded-where")
        assert told == ("far from any row" if far else "between the rows")
        assert bool(model.reach_.is_far(position[None])[0]) == far
