"""What is in the page, what is not, and what is refused."""

import json
import re
from base64 import b64decode

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentforest import RFAE, EForest, KNNDecoder
from latentforest.explore import _page, write_page
from latentforest.explore._arrays import ArrayStore, pack_levels, pack_numbers
from latentforest.explore._html import escape_json
from mixed_tables import LAW, mixed_frame

NUMBERS = st.one_of(
    st.floats(allow_infinity=False), st.integers(-300, 300).map(lambda k: k / 10)
)


def unpack(packed):
    """Read an array as the page does; the oracle of the packing."""
    raw = np.frombuffer(b64decode(packed["data"]), f"<{packed['type']}")
    cells = raw.astype(float) / packed["scale"]
    if packed["missing"] is not None:
        cells[raw == packed["missing"]] = np.nan
    return cells


@LAW
@given(st.lists(NUMBERS, min_size=1), st.sampled_from([None, 0, 1, 3]))
def test_numbers_come_back_as_the_same_bits(values, decimals):
    values = np.array(values)
    np.testing.assert_array_equal(
        unpack(pack_numbers(values, decimals).to_dict()), values
    )


@LAW
@given(st.data(), st.sampled_from([1, 254, 255, 256, 65_535, 65_536]))
def test_levels_come_back(data, n_levels):
    levels = st.one_of(st.integers(0, n_levels - 1), st.just(np.nan))
    codes = np.array(data.draw(st.lists(levels, min_size=1)), float)
    np.testing.assert_array_equal(unpack(pack_levels(codes, n_levels).to_dict()), codes)


@pytest.mark.parametrize(
    ("values", "decimals", "kind"),
    [
        ([0, 254, np.nan], 0, "u1"),
        ([0, 255], 0, "i2"),
        ([-1.5, 3000.1], 1, "i2"),
        ([1e6], 2, "i4"),
        ([1e9], 2, "f4"),
        ([1e308], 3, "f8"),
        ([0.1], None, "f8"),
        ([0.5, np.nan], None, "f4"),
        ([np.nan], 0, "f4"),
    ],
)
def test_the_smallest_type_is_taken(values, decimals, kind):
    assert pack_numbers(np.array(values, float), decimals).kind == kind


def test_the_same_array_is_kept_once():
    store = ArrayStore()
    numbers = [store.add(pack_numbers(np.array(x))) for x in ([1.0], [2.0], [1.0])]
    assert numbers == [0, 1, 0]
    assert len(store.arrays) == 2


@LAW
@given(st.text())
def test_text_cannot_leave_its_place(text):
    escaped = escape_json({text: [text]})
    assert json.loads(escaped) == {text: [text]}
    assert escaped.isascii()
    assert not set("<>&") & set(escaped)


def payload_of(path):
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(found[1])


def cells_of(payload, column):
    cells = unpack(payload["arrays"][column["cells"]])
    if not column["levels"]:
        return cells
    return [None if np.isnan(k) else column["levels"][int(k)] for k in cells]


def test_rows_and_coordinates_are_in_the_page(model, table, tmp_path):
    payload = payload_of(write_page(model, path=tmp_path / "a.html"))
    coords = [unpack(payload["arrays"][k]) for k in payload["coords"]]
    np.testing.assert_array_equal(np.transpose(coords), model.embedding_)
    assert [column["name"] for column in payload["columns"]] == list(table)
    for column in payload["columns"]:
        expected = table[column["name"]]
        if column["levels"]:
            assert cells_of(payload, column) == [str(cell) for cell in expected]
        else:
            np.testing.assert_array_equal(
                cells_of(payload, column), expected.astype(float)
            )


def test_training_rows_are_not_kept_twice(make_model, tmp_path):
    model = make_model(mixed_frame(50), decoder=KNNDecoder(prototypes="rows"))
    payload = payload_of(write_page(model, path=tmp_path / "a.html"))
    shown = [column["cells"] for column in payload["columns"]]
    assert [column["cells"] for column in payload["decoder"]["columns"]] == shown
    assert payload["decoder"]["points"] == payload["coords"]


def test_rows_are_called_by_their_labels(make_model, tmp_path):
    table = mixed_frame(50, seed=1).reset_index(drop=True)
    path = tmp_path / "a.html"
    assert payload_of(write_page(make_model(table), path=path))["labels"] is None
    named = table.set_axis([f"P<{k}" for k in table.index])
    model = make_model(named)
    payload = payload_of(write_page(model, path=path))
    assert payload["labels"] == named.index.tolist()
    payload = payload_of(write_page(model, named[10:], path, sample=20))
    numbers = unpack(payload["arrays"][payload["numbers"]]).astype(int)
    assert payload["labels"] == named.index[10:][numbers].tolist()
    # Who says which columns are in the file means these alone.
    for shown in (None, named):
        page = write_page(model, shown, path, columns=["length"])
        assert payload_of(page)["labels"] is None
        assert "P\\u003c1" not in path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def secretive():
    """Every row has a name and a number that no other row has."""
    table = mixed_frame(60, columns=("length", "area", "flag"))
    table["person"] = [f"SECRET{k:03d}" for k in range(60)]
    table["account"] = 7e8 + 1000 * np.arange(60) + 0.123456
    return table


@pytest.mark.parametrize("refine", [None, 2])
def test_rows_left_out_are_not_in_the_file(make_model, secretive, tmp_path, refine):
    model = make_model(secretive, decoder="local_linear", refine=refine)
    path = write_page(model, path=tmp_path / "a.html", sample=20)
    payload = payload_of(path)
    people = set(re.findall("SECRET[0-9]{3}", path.read_text(encoding="utf-8")))
    assert len(people) == 20
    shown = {column["name"]: cells_of(payload, column) for column in payload["columns"]}
    assert set(shown["person"]) == people
    kept = secretive[secretive["person"].isin(people)]
    assert sorted(shown["account"]) == sorted(kept["account"])
    known = payload["decoder"]["columns"]
    accounts = {
        account
        for column in known
        for account in unpack(payload["arrays"][column["cells"]])
    } & set(secretive["account"])
    assert accounts <= set(kept["account"])
    assert payload["decoder"]["n"] == 20
    bounds = known[list(secretive).index("account")]["bounds"]
    assert bounds == [kept["account"].min(), kept["account"].max()]


def test_columns_left_out_are_not_in_the_file(make_model, secretive, tmp_path):
    model = make_model(secretive)
    path = write_page(model, path=tmp_path / "a.html", columns=["flag", "area"])
    text = path.read_text(encoding="utf-8")
    assert "SECRET" not in text
    for name in ("person", "account", "length"):
        assert f'"{name}"' not in text
    payload = payload_of(path)
    # In the order of the table.
    assert [column["name"] for column in payload["columns"]] == ["area", "flag"]
    cells = np.concatenate([unpack(array) for array in payload["arrays"]])
    assert not np.isin(cells, secretive["account"]).any()
    assert len(payload["decoder"]["columns"]) == 2


def test_more_columns_only_where_asked_for(make_model, tmp_path):
    model = make_model(mixed_frame(40, columns=("length", "flag")))
    rows = mixed_frame(30, columns=("length", "flag"), seed=3)
    rows["label"] = ["SECRET"] * 10 + ["open"] * 20
    rows["size"] = np.arange(30.0)
    plain = write_page(model, rows, tmp_path / "a.html")
    assert "SECRET" not in plain.read_text(encoding="utf-8")
    payload = payload_of(write_page(model, rows, tmp_path / "b.html", color_by="label"))
    assert [c["name"] for c in payload["columns"]] == ["length", "flag", "label"]
    assert payload["color"] == 2
    payload = payload_of(
        write_page(model, rows, tmp_path / "c.html", columns=["size", "flag"])
    )
    assert [c["name"] for c in payload["columns"]] == ["flag", "size"]
    assert cells_of(payload, payload["columns"][1]).tolist() == list(range(30))


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, tuple])
def test_cells_of_ones_own_can_colour(model, table, tmp_path, kind):
    colours = kind([f"c{k % 3}" for k in range(len(table))])
    payload = payload_of(write_page(model, path=tmp_path / "a.html", color_by=colours))
    column = payload["columns"][payload["color"]]
    assert column["name"] == "colour"
    assert cells_of(payload, column) == list(colours)


def test_polars_and_arrays(make_model, tmp_path):
    pl = pytest.importorskip("polars")
    numbers = np.random.default_rng(0).normal(size=27)
    frame = pl.DataFrame({"a": numbers, "b": ["x", "y", None] * 9})
    model = make_model(frame)
    more = frame.with_columns(c=pl.Series([True, False, True] * 9))
    payload = payload_of(write_page(model, more, tmp_path / "a.html", color_by="c"))
    assert [c["name"] for c in payload["columns"]] == ["a", "b", "c"]
    array = np.random.default_rng(0).normal(size=(40, 3))
    payload = payload_of(
        write_page(make_model(array), array[:9], tmp_path / "a.html", color_by="x1")
    )
    assert payload["n"] == 9
    assert payload["color"] == 1


IMAGE = "image_shape"
MISTAKES = [
    ({"sample": 0}, ValueError, "sample=0 is too small"),
    ({"sample": 2.5}, TypeError, "sample=2.5"),
    ({"columns": "flag"}, TypeError, "list of column names"),
    ({"columns": ["flag", "nothing"]}, ValueError, "'nothing'"),
    ({"columns": []}, ValueError, "nothing to decode"),
    ({"color_by": "nothing"}, ValueError, "is not a column"),
    ({"color_by": [1, 2]}, ValueError, "one cell per row"),
    ({"color_by": "name", "columns": ["flag"]}, ValueError, "not among the columns"),
    ({IMAGE: (3, 3)}, ValueError, "9 pixels"),
    ({IMAGE: (5, 2)}, ValueError, "hold text"),
    ({IMAGE: 28}, ValueError, "not a pair"),
    ({IMAGE: (0, 4)}, ValueError, "too small"),
    ({"title": 3}, TypeError, "title=3"),
    ({"path": "."}, IsADirectoryError, "is a folder"),
    ({"path": "no/such/folder.html"}, FileNotFoundError, "there is no folder"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_are_refused_before_any_work(
    model, tmp_path, monkeypatch, options, error, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_page, "page_decoder", lambda _: pytest.fail("worked first"))
    with pytest.raises(error, match=message):
        write_page(model, **options)
    assert list(tmp_path.iterdir()) == []


def test_other_models_are_refused(table, tmp_path):
    with pytest.raises(TypeError, match="Give a fitted RFAE"):
        write_page(EForest(), path=tmp_path / "a.html")
    with pytest.raises(ValueError, match="not fitted"):
        write_page(RFAE(), path=tmp_path / "a.html")


def test_too_many_rows_are_refused(model, table, tmp_path, monkeypatch):
    rows = pd.concat([table] * 3500)
    with pytest.raises(ValueError, match=r"210,000 rows.*Give the size of a sample"):
        write_page(model, rows, tmp_path / "a.html")
    monkeypatch.setattr("latentforest.explore._request.MOST_ROWS", 50)
    with pytest.raises(ValueError, match="decoder has 60 rows"):
        write_page(model, table.iloc[:10], tmp_path / "a.html")
    write_page(model, table.iloc[:10], tmp_path / "a.html", sample=40)


def test_a_failure_leaves_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "a.html"
    path.write_text("old")

    def fail(*_):
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_page(model, path=path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_in_the_place_of_the_table_is_told(tmp_path, make_model):
    model = make_model(mixed_frame(30))
    with pytest.raises(TypeError, match="Give path= to say where"):
        model.explore(tmp_path / "page.html")
