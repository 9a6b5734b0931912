"""Files of every format that there ever was still load and say the same."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, Refinement
from latentforest.files import describe, load_model
from latentforest.forest import StoredForest

GOLDEN = Path(__file__).parent / "golden"
ROWS = json.loads((GOLDEN / "rows.json").read_text(encoding="utf-8"))
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
FILES = sorted(GOLDEN.glob("*.lf"))
# Planes were solved by the linear algebra of a machine: last bits may differ.
SOLVED = {"refined", "refined_beyond", "refined_linear", "refined_neighbours"}
SOLVED |= {"dropped_refined", "chosen", "two_neighbours", "dropped_two_neighbours"}
SOLVED |= {"two_truncated", "two_forest", "two_gaps"}
FORMATS = {path.stem: 2 if "two" in path.stem else 1 for path in FILES}


@pytest.fixture(scope="module")
def make():
    """Import the script that wrote the files."""
    spec = importlib.util.spec_from_file_location("make", GOLDEN / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_has_its_answers():
    assert {path.stem for path in FILES} == EXPECTED.keys()
    assert all(path.stat().st_size < 20_000 for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_old_files_give_the_same_answers(path, make):
    model, wanted = load_model(path, RFAE), EXPECTED[path.stem]
    dropped = not describe(path).has_training
    assert describe(path).format_version == FORMATS[path.stem]
    assert describe(path).compact == ("compact" in path.stem)
    assert dropped == path.stem.startswith("dropped")
    said = make.answers(model, make.as_frame(ROWS), dropped=dropped)
    assert said.keys() == wanted.keys()
    assert said.get("eigenvalues") == wanted.get("eigenvalues")
    if path.stem in SOLVED:
        np.testing.assert_allclose(said["coords"], wanted["coords"], atol=1e-8)
    else:
        assert said["coords"] == wanted["coords"]
        assert said.get("embedding") == wanted.get("embedding")
    for name, cells in wanted.get("decoded", {}).items():
        found = said["decoded"][name]
        assert list(map(type, found)) == list(map(type, cells))
        if isinstance(cells[0], float):
            np.testing.assert_allclose(np.array(found, float), np.array(cells, float))
        else:
            assert found == cells


def test_old_files_keep_their_settings(make):
    def load(name):
        return load_model(GOLDEN / f"{name}.lf", RFAE)

    model = load("local_linear")
    assert model.landmarks == 18
    assert model.kinds == {"count": "category"}
    assert (model.kernel, model.unseen, model.n_jobs) == ("scornet", "nearest", 1)
    assert repr(model.forest) == "ShiHorvathForest(min_samples_leaf=2, n_estimators=10)"
    assert isinstance(load("scikit_learn").forest, StoredForest)
    assert isinstance(load("chosen").tried_[0].refinement, Refinement)
    assert load("auto").decoder_.report().startswith("distortion")
    rows = pd.DataFrame(make.as_frame(ROWS))
    assert load("supervised").kernel_.grower_.predict(rows).dtype == np.int32
