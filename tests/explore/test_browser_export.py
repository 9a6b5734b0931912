"""Rows that leave the page, as files and by the clipboard, in a real browser."""

import csv
import datetime as dt
from decimal import Decimal
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from latentforest import KNNDecoder
from latentforest.cli._iso import iso_words
from mixed_tables import mixed_frame

PASTE = "\ue009v\ue000"
ENTER = "\ue007"
HARD = ["plain", 'a "b", c', "two\nlines", "tab\there", "=1+1", "-5", "ö €", " a", "@x"]


def hard_frame(n_rows=60):
    """Cells that are hard to write: long and short floats, quotes, line ends, gaps."""
    table = mixed_frame(n_rows, missing=0.2, seed=4)
    rng = np.random.default_rng(0)
    table["z1"] = rng.choice(HARD, n_rows)
    # Twice the same, so that no cell stands apart from all others.
    few = rng.normal(size=n_rows // 2) * 10.0 ** rng.integers(-9, 22, n_rows // 2)
    table["wide"] = np.repeat(few, 2)
    table["single"] = rng.normal(size=n_rows).astype("float32")
    table["whole"] = rng.integers(-3, 9, n_rows).astype(float)
    table["large"] = rng.integers(0, 2**50, n_rows)
    table["price, €"] = [Decimal(int(k)) / 100 for k in 100 * rng.integers(9, 99, 60)]
    table["price, €"] = table["price, €"].map(lambda x: x.quantize(Decimal("0.01")))
    return table


@pytest.fixture(scope="module")
def model(make_model):
    return make_model(hard_frame(), decoder=KNNDecoder(5, prototypes="rows"))


def select_all(page):
    """Select every row by the keyboard alone."""
    page.run("document.getElementById('over').focus()")
    page.press("s")
    page.wait("latentforest.summary() !== null")
    return page.run("return latentforest.selected()")


def saved(page, folder):
    """Press the button and read the file that the browser saves."""
    page.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.element("#selection-save").send_keys(ENTER)
    path = folder / "selected-rows.csv"
    page.wait(
        "document.getElementById('live').textContent.includes('selected-rows.csv')"
    )
    for _ in range(200):
        if path.exists():
            break
        page.wait("new Promise((done) => setTimeout(() => done(true), 20))")
    return path.read_bytes().decode("utf-8")


def pasted(page):
    """What another program would get from the clipboard."""
    page.run(
        "const a = document.createElement('textarea'); a.id = 'paste';"
        "document.body.append(a)"
    )
    page.element("#paste").send_keys(PASTE)
    text = page.run("return document.getElementById('paste').value")
    page.run("document.getElementById('paste').remove()")
    return text


def told(page, button, place):
    """Press a button and return what is said, to eyes and to screen readers."""
    both = f"document.querySelectorAll('{place}, #live')"
    page.run(f"{both}.forEach((item) => {{ item.textContent = ''; }})")
    page.element(button).send_keys(ENTER)
    # Screen readers are told a little later.
    texts = f"[...{both}].map((item) => item.textContent)"
    page.wait(f"{texts}.every((text, _, all) => text && text === all[0])")
    return page.text("#live")


def test_saved_rows_are_the_text_that_pandas_writes(open_page, model, tmp_path):
    table = hard_frame()
    page = open_page(model)
    assert select_all(page) == list(range(60))
    expected = table.reset_index(drop=True)
    coords = model.embedding_
    expected.insert(0, "row", np.arange(60))
    # A column is called z1 already.
    expected.insert(1, "label", table.index)
    expected.insert(2, "z1_", coords[:, 0])
    expected.insert(3, "z2", coords[:, 1])
    assert saved(page, tmp_path) == expected.to_csv(index=False, lineterminator="\n")
    assert page.text("#live") == "60 rows saved as selected-rows.csv."


def test_only_selected_rows_and_their_numbers_are_saved(
    open_page, make_model, tmp_path
):
    table = mixed_frame(80, missing=0.1, seed=2)
    page = open_page(make_model(table), sample=50, columns=["length", "name"])
    page.drag([[60, 20], [500, 300], [520, 640]], modifiers=8)
    page.wait("latentforest.summary() !== null")
    chosen = page.run("return latentforest.selected().map(latentforest.rowNumber)")
    assert 3 < len(chosen) < 50
    found = pd.read_csv(StringIO(saved(page, tmp_path)))
    assert list(found) == ["row", "z1", "z2", "length", "name"]
    assert found["row"].tolist() == chosen
    inside = table.iloc[chosen].reset_index(drop=True)
    pd.testing.assert_series_equal(found["length"], inside["length"])
    assert found["name"].fillna("").tolist() == inside["name"].fillna("").tolist()


def rows_of(text):
    return list(csv.reader(StringIO(text, newline=""), delimiter="\t"))


def test_copied_rows_paste_as_cells(open_page, model):
    table = hard_frame()
    page = open_page(model)
    select_all(page)
    message = told(page, "#selection-copy", "#selection-told")
    assert message == "60 rows copied."
    head, *rows = rows_of(pasted(page))
    assert head[:4] == ["row", "label", "z1_", "z2"]
    assert head[4:] == list(table)
    assert {len(row) for row in rows} == {len(head)}
    cells = pd.DataFrame(rows, columns=head)
    assert cells["row"].tolist() == [str(k) for k in range(60)]
    assert cells["label"].tolist() == [*map(str, table.index)]
    assert cells["z2"].astype(float).tolist() == model.embedding_[:, 1].tolist()
    # No spreadsheet runs what it is given; numbers stay numbers.
    unsafe = {"=1+1": "'=1+1", "@x": "'@x"}
    assert cells["z1"].tolist() == [unsafe.get(text, text) for text in table["z1"]]
    gaps = table["length"].isna().to_numpy()
    assert ((cells["length"] == "").to_numpy() == gaps).all()


def test_the_decoded_row_is_copied(open_page, make_model):
    model = make_model(mixed_frame(50))
    page = open_page(model)
    assert not page.element("#decoded-copy").is_displayed()
    page.click(page.run("return latentforest.rowPlace(7)"))
    position = page.run("return latentforest.position()")
    message = told(page, "#decoded-copy", "#decoded-told")
    assert message == "Decoded row copied."
    head, row = rows_of(pasted(page))
    assert head == ["z1", "z2", *model.schema_.names]
    assert [float(z) for z in row[:2]] == position
    expected = model.inverse_transform([position]).iloc[0]
    for name, cell in zip(head[2:], row[2:], strict=True):
        if isinstance(expected[name], float):
            assert float(cell) == pytest.approx(expected[name], rel=1e-6)
        else:
            assert cell == str(expected[name])
    page.press("\ue00c")
    assert not page.element("#decoded-copy").is_displayed()


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
REFUSED = (
    "Object.defineProperty(navigator, 'clipboard', "
    "{value: {writeText: () => Promise.reject(new DOMException('no'))}});"
)


@pytest.mark.parametrize("how", [NO_CLIPBOARD, REFUSED])
def test_copying_without_the_clipboard_of_today(open_page, model, how):
    page = open_page(model)
    page.run(how)
    select_all(page)
    message = told(page, "#selection-copy", "#selection-told")
    assert message == "60 rows copied."
    assert page.run("return document.activeElement.id") == "selection-copy"
    assert len(rows_of(pasted(page))) == 61
    page.run("document.execCommand = () => false")
    message = told(page, "#selection-copy", "#selection-told")
    assert message == "Not copied: the browser refused. Save the rows as CSV."
    assert page.elements("textarea") == []


def test_dates_are_saved_as_the_command_line_writes_them(
    open_page, make_model, tmp_path
):
    t = np.random.default_rng(0).random(40)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta((365 * t).astype(int), "D")
    hour = day.tz_localize("UTC") + pd.to_timedelta((24 * t).astype(int), "h")
    table = pd.DataFrame(
        {
            "moment": hour.tz_convert("America/New_York"),
            "there": day.tz_localize("Pacific/Auckland"),
            "utc": hour,
            "fixed": hour.tz_convert("+05:45") + pd.Timedelta("1ms"),
            "clock": [dt.time(int(23 * x), int(59 * x)) for x in t],
            "length": pd.to_timedelta((1e6 * (t - 0.5)).astype(int), "s"),
            "tiny": pd.Timestamp("1969") + pd.to_timedelta((1e6 * t).astype(int), "ns"),
            "day": day,
        }
    )
    table.loc[3, "moment"] = pd.NaT
    # Summer time ends three hours later.
    table.loc[5, "there"] = pd.Timestamp("2021-04-04", tz="Pacific/Auckland")
    page = open_page(make_model(table))
    assert len(select_all(page)) == 40
    found = pd.read_csv(
        StringIO(saved(page, tmp_path)), dtype=str, keep_default_na=False
    )
    for name in table:
        cells = pa.Array.from_pandas(table[name])
        words = iso_words(cells.cast(pa.date32()) if name == "day" else cells)
        assert found[name].tolist() == [
            "" if w is None else w for w in words.to_pylist()
        ]
    told(page, "#selection-copy", "#selection-told")
    head, first, *_ = rows_of(pasted(page))
    shown = dict(zip(head, first, strict=True))
    # As the page shows them, which spreadsheets know.
    assert shown["utc"] == table["utc"].iloc[0].strftime("%Y-%m-%d %H:%M")
    assert shown["day"] == table["day"].iloc[0].strftime("%Y-%m-%d")
