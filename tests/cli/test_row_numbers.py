"""Rows have the numbers of the file, whatever part of it a model was made of."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from cli_cases import SMALL
from latentforest import RFAE


@pytest.fixture(scope="module")
def table():
    """Rows that tell by a cell of theirs which ones they are."""
    rng = np.random.default_rng(0)
    hidden = rng.random(120)
    return pd.DataFrame(
        {
            "which": np.arange(120) + 1000.5,
            "a": np.round(hidden + 0.1 * rng.normal(size=120), 3),
            "b": np.where(rng.random(120) < hidden, "one", "two"),
        }
    )


PARTS = {
    "held back": ("--test", "0.2"),
    "some kept": ("--max-samples", "50"),
    "both": ("--test", "0.3", "--max-samples", "40"),
}


@pytest.fixture(scope="module", params=["file", "folder"])
def source(request, table, tmp_path_factory):
    """The table as a file, or in parts, which is read in pieces."""
    place = tmp_path_factory.mktemp("rows")
    if request.param == "file":
        table.to_csv(place / "t.csv", index=False)
        return place / "t.csv"
    for number, first in enumerate((0, 37, 38, 90)):
        last = (37, 38, 90, 120)[number]
        table[first:last].to_csv(place / f"{number}.csv", index=False)
    return place


@pytest.fixture(params=PARTS)
def path(request, source, tmp_path, run):
    run("fit", source, "-o", tmp_path / "m.lf", *SMALL, *PARTS[request.param])
    return tmp_path / "m.lf"


def rows_of(table, cells):
    """Look rows up in the table by the cell that tells them apart."""
    return [int(np.flatnonzero(table["which"] == cell)[0]) for cell in cells]


def test_every_result_has_the_numbers_of_the_file(path, table, tmp_path, run):
    model = RFAE.load(path)
    assert 20 < len(model.rows_) < 120
    known = model.kernel_.codec_.decode(model.kernel_.table_.values)
    assert rows_of(table, known["which"]) == model.rows_.tolist()
    for found in (model.prototypes(5), model.similar(table, 3)):
        ours = found[found["training_row"] >= 0]
        assert rows_of(table, ours["which"]) == ours["training_row"].tolist()

    table.to_csv(tmp_path / "t.csv", index=False)
    run("similar", path, tmp_path / "t.csv", "-n", "3", "-o", tmp_path / "like.csv")
    like = pd.read_csv(tmp_path / "like.csv")
    given = like["rank"] == 0
    assert like["row"][given].tolist() == list(range(120))
    assert rows_of(table, like["which"][given]) == list(range(120))
    at = like["training_row"][~given].astype(int)
    assert rows_of(table, like["which"][~given]) == at.tolist()
    shown = run("similar", path, tmp_path / "t.csv", "-n", "2")
    head, _, which, *_ = shown.lines
    like = [int(number) for number in re.findall(r"like (\d+)", head)]
    assert head.split()[:2] == ["row", "0"]
    assert rows_of(table, map(float, which.split()[2:])) == like
    assert "numbered from 0" in shown.err


def test_the_explorer_has_the_numbers_of_the_file(path, table, tmp_path, run):
    for more in ((), ("--sample", "15")):
        run("explore", path, "-o", tmp_path / "e.html", *more)
        payload = payload_of(tmp_path / "e.html")
        numbers = numbers_in(payload, payload["numbers"])
        which = next(c for c in payload["columns"] if c["name"] == "which")
        cells = numbers_in(payload, which["cells"])
        assert rows_of(table, cells) == numbers.astype(int).tolist()
        assert payload["labels"] is None


def payload_of(path):
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(found[1])


def numbers_in(payload, number):
    from explore.test_payload import unpack

    return unpack(payload["arrays"][number])


def test_odd_rows_have_the_numbers_of_the_file(table, tmp_path, run):
    changed = table.assign(a=table["a"].where(table.index != 71, 50.0))
    changed.to_csv(tmp_path / "t.csv", index=False)
    shown = run("odd", tmp_path / "t.csv", "--keep", "which", "--top", "1")
    assert shown.lines[0].startswith("row 71  score -")
    assert shown.lines[0].endswith("which 1071.5")
    assert "numbered from 0" in shown.err


def test_a_bad_cell_is_named_by_the_number_of_its_row(table, tmp_path, fail, run):
    table.to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    cells = table["a"].astype(object)
    cells[71] = "tall"
    table.assign(a=cells).to_csv(tmp_path / "bad.csv", index=False)
    words = "encode", tmp_path / "m.lf", tmp_path / "bad.csv", "-o", tmp_path / "z.csv"
    assert "in row 71 (the first is row 0)" in fail(*words)
    assert "in row 71 (the first is row 0)" in fail(*words, "--block-rows", "10")


def test_a_target_of_a_long_table_goes_with_its_rows(source, tmp_path, run):
    words = ("fit", source, "-o", tmp_path / "m.lf", "--target", "b", "--seed", "1")
    run(*words, "--max-samples", "50", "--trees", "5", "--test", "0.2")
    model = RFAE.load(tmp_path / "m.lf")
    assert len(model.rows_) == 50
