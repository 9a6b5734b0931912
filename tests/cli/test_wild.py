"""Wild cells are named on the command line, with the row of the file."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import SMALL

ROW = 57


@pytest.fixture(scope="module", params=["file", "folder"])
def source(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120)})
    table.loc[ROW, "a"] = 31_500.5
    place = tmp_path_factory.mktemp("wild")
    if request.param == "file":
        table.to_csv(place / "t.csv", index=False)
        return place / "t.csv"
    for number, (first, last) in enumerate([(0, 37), (37, 90), (90, 120)]):
        table[first:last].to_csv(place / f"{number}.csv", index=False)
    return place


@pytest.mark.parametrize("part", [(), ("--max-samples", "50"), ("--test", "0.1")])
def test_fit_and_inspect_name_them(source, part, tmp_path, run):
    done = run("fit", source, "-o", tmp_path / "m.lf", *SMALL, *part)
    told = " ".join(done.err.split())
    assert "latentforest: warning: Of 1 column, 1 cell stands apart" in told
    assert f"'a' row {ROW}: 31500.5 (all others: -" in told
    shown = " ".join(" ".join(run("inspect", tmp_path / "m.lf").lines).split())
    assert f"'a': row {ROW}: 31500.5" in shown
    data = json.loads(run("inspect", tmp_path / "m.lf", "--json").out)
    assert data["schema"]["columns"][0]["wild"] == [{"row": ROW, "value": 31500.5}]
