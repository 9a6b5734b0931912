"""The demo does the main job end to end and leaves files that work."""

import re

import pandas as pd
import pytest

from latentforest import RFAE
from latentforest._base._errors import MissingExtraError
from latentforest._base._optional import require

pytest.importorskip("typer", reason="needs the extra 'cli'")
pytest.importorskip("matplotlib.pyplot", reason="needs the extra 'plot'")
pytest.importorskip("palmerpenguins", reason="needs the extra 'demo'")

from cli_cases import invoke
from latentforest.demo import load_penguins


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the demo as a user would, in a folder that is not there yet."""
    folder = tmp_path_factory.mktemp("demo") / "deep" / "first"
    done = invoke("demo", "--folder", folder)
    assert done.code == 0, done.err
    names = {path.name for path in folder.iterdir()}
    return folder, done.out.decode(), names


def test_demo_prints_the_distortion(demo):
    _, printed, _ = demo
    table = re.search(
        r"^column +kind +distortion .+?\n(.+?)^mean", printed, re.M | re.S
    )[1]
    found = dict(re.findall(r"^(\w+) +\w+ +(\d\.\d{4}) ", table, re.M))
    assert list(found) == list(load_penguins().columns)
    assert float(found["species"]) < 0.1
    mean = re.search(r"^mean +(\d\.\d{4}) ", printed, re.M)[1]
    assert float(mean) < 0.6


def test_demo_leaves_table_model_picture_and_page(demo):
    folder, printed, left = demo
    names = {"penguins.csv", "penguins.lf", "penguins.png", "penguins.html"}
    assert left == names
    assert all(str(folder / name) in printed for name in names)
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "penguins.csv"), load_penguins(), check_dtype=False
    )
    assert (folder / "penguins.png").read_bytes().startswith(b"\x89PNG")
    assert "Palmer penguins" in (folder / "penguins.html").read_text()
    model = RFAE.load(folder / "penguins.lf")
    assert model.transform(load_penguins()).shape == (344, 2)


def test_the_commands_to_try_next_work(demo):
    _, printed, _ = demo
    commands = re.findall(r"^  latentforest (.+)$", printed, re.M)
    assert [command.split()[0] for command in commands] == ["inspect", "encode", "fit"]
    for command in commands:
        quick = ["--trees", "5"] if command.startswith("fit") else []
        done = invoke(*command.split(), *quick)
        assert done.code == 0, done.err


def test_missing_extra_is_named():
    with pytest.raises(MissingExtraError, match=r"pip install 'latentforest\[plot\]'"):
        require("no_such_package_anywhere.pyplot", extra="plot")
