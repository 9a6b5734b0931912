"""Every check of the loader: what is wrong is refused, and the message says what."""

import importlib.util
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from files.model_cases import model_of
from latentforest import RFAE
from latentforest._base._errors import ModelFileError
from latentforest.files import describe, load_model, save_model

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fuzz_mutations.py"


@pytest.fixture(scope="module")
def fuzz():
    """Import the tools that take files apart."""
    if not SCRIPT.exists():
        pytest.skip("the fuzz script is in the repository, not in the package")
    spec = importlib.util.spec_from_file_location("fuzz_mutations", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def parts_of(fuzz, tmp_path):
    """Return a function that takes the file of a case apart."""
    return lambda case, **options: fuzz.Parts(
        save_model(model_of(case), tmp_path / "sound.lf", **options).read_bytes()
    )


@pytest.fixture
def refused(tmp_path):
    """Return a function that demands that some bytes are refused with a message."""

    def demand(data, message):
        path = tmp_path / "spoilt.lf"
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match=message) as caught:
            load_model(path, RFAE)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)

    return demand


def test_other_files_are_told_apart(refused, parts_of, tmp_path):
    refused(b"", "not a model file of latentforest")
    refused(b"length,count\n1,2\n", "not a model file of latentforest")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("readme.txt", "a zip of somebody else")
    refused(stream.getvalue(), r"it has no manifest\.json")
    parts = parts_of("knn rows")
    parts.manifest["format"] = "another format"
    refused(parts.build(), "this is a 'another format'")
    parts.manifest |= {"format": "latentforest model", "format_version": 3}
    refused(parts.build(), r"has format 3; .* Install a newer latentforest")
    parts.manifest |= {"format_version": 2, "model": "Other"}
    refused(parts.build(), "model='Other' is not known")
    path = tmp_path / "text"
    path.write_text("text", encoding="utf-8")
    with pytest.raises(ModelFileError, match="text: this is not a model file"):
        describe(path)


def edit_manifest(path, value):
    def edit(parts):
        *keys, last = path
        holder = parts.manifest
        for key in keys:
            holder = holder[key]
        holder[last] = value

    return edit


def edit_cell(name, where, value):
    def edit(parts):
        array = parts.array(f"{name}.npy")
        array[where] = value
        parts.put(f"{name}.npy", array)

    return edit


def cut(name, rows):
    def edit(parts):
        parts.put(f"{name}.npy", parts.array(f"{name}.npy")[rows])

    return edit


COLUMN = ("schema", "columns", 0)
WILD = {"row": 3, "value": 1e9}
CELLS = {
    "compact": (
        "knn draw",
        edit_manifest(("compact",), "yes"),
        "compact of the manifest is not a bool",
    ),
    "no tree": ("knn draw", edit_cell("forest/inner", 0, 255), "of tree 0 are not a"),
    "child loop": ("linked", edit_cell("forest/left", 0, 0), "none of its tree"),
    "nodes": ("knn draw", edit_cell("forest/start", -1, 10**6), "inner.npy has the sh"),
    "wild": (
        "knn draw",
        edit_manifest((*COLUMN, "wild"), [WILD | {"value": 12.5}]),
        "lie in its range",
    ),
    "wild rows": (
        "knn draw",
        edit_manifest((*COLUMN, "wild"), [WILD | {"row": -1}]),
        "row of wild 0 of columns 0 of schema",
    ),
    "wild labels": (
        "knn draw",
        edit_manifest((*COLUMN, "wild"), [WILD | {"label": 0.5}]),
        "is not a label of a row",
    ),
    "many wild": (
        "knn draw",
        edit_manifest((*COLUMN, "wild"), [WILD] * 1_001),
        "has 1001 wild cells",
    ),
    "no nodes": ("knn draw", edit_cell("forest/start", -1, -3), "trees have -3 nodes"),
    "start": ("knn draw", edit_cell("forest/start", 1, 0), "tree 0 has no nodes"),
    "layout": (
        "knn draw",
        edit_manifest(("forest", "layout"), "heap"),
        "the layout 'heap' of trees is not known",
    ),
    "feature": ("knn draw", edit_cell("forest/feature", 0, 10), "splits on column 10"),
    "threshold": ("knn draw", edit_cell("forest/threshold", 0, np.nan), "does not fit"),
    "map that places": (
        "refined neighbours",
        edit_manifest(("refined", "start"), "forest"),
        "the map that places rows is not in the file",
    ),
    "map without rows": (
        "refined neighbours",
        edit_manifest(("map", "n_solved"), 1),
        "n_components of map of the manifest is 2",
    ),
    "more coordinates than rows": (
        "refined neighbours",
        edit_manifest(("map", "n_solved"), 2**40),
        "have no map of that many coordinates",
    ),
    "eigenvalue": ("knn draw", edit_cell("map/eigenvalues", 0, 1.5), "between 0 and 1"),
    "eigenvalues rise": (
        "knn draw",
        edit_cell("map/eigenvalues", 0, 0.0),
        "eigenvalues do not fall",
    ),
    "level": (
        "knn draw",
        edit_cell("training/codes", (0, 5), 3.0),
        "training/codes holds cells that column 'name' cannot have",
    ),
    "half a level": ("knn draw", edit_cell("training/codes", (0, 4), 0.5), "'flag'"),
    "infinite number": (
        "knn draw",
        edit_cell("training/codes", (0, 0), np.inf),
        "column 'length' cannot have",
    ),
    "prototype": (
        "knn draw",
        edit_cell("decoder/prototypes", (2, 5), -1.0),
        "decoder/prototypes holds cells",
    ),
    "point": (
        "local linear",
        edit_cell("decoder/points", (2, 0), np.nan),
        "decoder/points holds numbers",
    ),
    "rank": ("knn draw", cut("decoder/rank", slice(-1)), "rank.npy has the shape"),
    "embedding": (
        "knn draw",
        edit_cell("map/embedding", (0, 0), np.inf),
        "map/embedding holds numbers",
    ),
    "rows of the map": (
        "landmarks",
        cut("training/landmarks", slice(1)),
        r"landmarks.npy has the shape \(1,\)",
    ),
    "landmark order": (
        "landmarks",
        edit_cell("training/landmarks", 0, 39),
        "not rows of the table in rising order",
    ),
    "landmark range": (
        "landmarks",
        edit_cell("training/landmarks", -1, 40),
        "not rows of the table in rising order",
    ),
    "refined rows": ("refined", edit_cell("refined/rows", 0, -1), "rising order"),
    "scale": ("refined", edit_cell("refined/scale", 0, 0.0), "refined/scale"),
    "moved levels": ("refined", edit_cell("refined/mean", 5, 2e9), "refined/mean or"),
    "scaled levels": ("refined", edit_cell("refined/scale", 5, 0.5), "refined/mean or"),
    "far cells": ("refined", edit_cell("refined/mean", 0, 1e9), "do not fit the rows"),
    "far packed cells": (
        "refined packed",
        edit_cell("refined/mean", 0, 1e9),
        "do not fit the rows",
    ),
    "coordinate": (
        "refined packed",
        edit_cell("refined/coordinate", 3, 2),
        "refined/coordinate.* names coordinates beyond",
    ),
    "no coordinate": (
        "refined packed",
        edit_cell("refined/coordinate", 3, -1),
        "refined/coordinate.* names coordinates beyond",
    ),
    "another start": (
        "refined packed",
        edit_manifest(("refined", "start"), "forest"),
        "refined",
    ),
    "packed decoder": (
        "refined",
        lambda parts: parts.manifest["decoder"].update(
            {"class": "PackedDecoder", "parameters": {"n_jobs": None}}
        ),
        "the decoder needs a columns, which the model lacks",
    ),
    "axes": (
        "refined linear",
        edit_cell("refined/axes", (0, 0), np.nan),
        "refined/axes holds",
    ),
    "stand-in": ("relabel", edit_cell("decoder/offset", 0, np.nan), "no number for a"),
    "centre": ("relabel", edit_cell("decoder/centre", 0, 99.0), "not one of its cells"),
    "leaf order": ("lasso", edit_cell("decoder/leaf_order", 0, 200), "leaves of trees"),
    "leaf twice": ("lasso", edit_cell("decoder/leaf_order", 0, 1), "leaf"),
    "predictions": (
        "classes",
        edit_cell("forest/leaf_values", (0, 0), np.nan),
        "forest/leaf_values holds NaN",
    ),
    "unknown class": (
        "knn draw",
        edit_manifest(("decoder", "class"), "Popen"),
        "'Popen' is not a class we know here",
    ),
    "class elsewhere": (
        "knn draw",
        edit_manifest(("decoder", "class"), "Refinement"),
        "not a class we know here",
    ),
    "parameter": (
        "knn draw",
        edit_manifest(("decoder", "parameters", "command"), "ls"),
        "KNNDecoder has no parameter 'command'",
    ),
    "neighbours": (
        "knn draw",
        edit_manifest(("decoder", "parameters", "n_neighbors"), 0),
        "n_neighbors=0 is too small",
    ),
    "margin": (
        "knn draw",
        edit_manifest(("decoder", "margin"), -0.5),
        "margin of the decoder is -0.5",
    ),
    "trees of the decoder": (
        "ilp",
        edit_manifest(("decoder", "parameters", "n_trees"), 11),
        "n_trees=11 is more than the 10 trees",
    ),
    "generator": (
        "knn draw",
        edit_manifest(("decoder", "generator", "increment"), "0" * 32),
        "increment of a generator is even",
    ),
    "seed": ("relabel", edit_manifest(("decoder", "seed"), 2**63), "seed of decoder"),
    "dtype": (
        "knn draw",
        edit_manifest((*COLUMN, "dtype"), "read_csv"),
        "the dtype 'read_csv' of column 'length' is not known",
    ),
    "storage": (
        "knn draw",
        edit_manifest((*COLUMN, "storage"), "text"),
        "dtype 'float64' of column 'length'",
    ),
    "kind": (
        "knn draw",
        edit_manifest((*COLUMN, "kind"), "ordered"),
        "column 'length' has the range",
    ),
    "missing cells": (
        "knn draw",
        edit_manifest((*COLUMN, "n_missing"), 0),
        "n_missing of .* is 0",
    ),
    "range": (
        "knn draw",
        edit_manifest((*COLUMN, "lower"), 1e9),
        "has the range 1000000000",
    ),
    "levels": (
        "knn draw",
        edit_manifest(("schema", "columns", 5, "levels"), ["a", "a", "b"]),
        "levels of column 'name' are not distinct",
    ),
    "level types": (
        "knn draw",
        edit_manifest(("schema", "columns", 5, "levels"), ["a", 1, "b"]),
        "levels that do not fit its dtype",
    ),
    "names": (
        "knn draw",
        edit_manifest((*COLUMN, "name"), "area"),
        "column names must be distinct",
    ),
    "library": (
        "knn draw",
        edit_manifest(("schema", "container"), "xlsx"),
        "'xlsx' is not a library of tables",
    ),
    "number of columns": (
        "knn draw",
        lambda parts: parts.manifest["schema"]["columns"].pop(),
        "splits on column 9|codes.npy has the shape",
    ),
    "kernel": ("knn draw", edit_manifest(("kernel", "kind"), "gauss"), "kind='gauss'"),
    "kernel with bags": (
        "knn draw",
        edit_manifest(("kernel", "kind"), "gap"),
        r"training/in_bag\.npy is missing",
    ),
    "nobody out of bag": (
        "gap",
        edit_cell("training/in_bag", ..., 1),
        "every tree was grown on all rows",
    ),
    "bags of fewer rows": (
        "gap",
        cut("training/in_bag", slice(0, 9)),
        r"in_bag\.npy has the shape",
    ),
    "tree weights": (
        "weighed",
        edit_cell("kernel/tree_weights", 0, -1.0),
        "tree_weights run from -1.0 to 9.0",
    ),
    "fewer tree weights": (
        "weighed",
        cut("kernel/tree_weights", slice(0, 3)),
        r"tree_weights\.npy has the shape",
    ),
    "jobs": ("knn draw", edit_manifest(("kernel", "n_jobs"), 0), "n_jobs=0"),
    "frozen twice": (
        "knn draw",
        edit_manifest(("parameters", "forest"), {"frozen": {"frozen": "auto"}}),
        "frozen twice",
    ),
    "parameter of the model": (
        "knn draw",
        edit_manifest(("parameters", "nonsense"), 1),
        "RFAE has no parameter 'nonsense'",
    ),
    "no spectrum": (
        "lasso",
        edit_manifest(("kernel", "kind"), "scornet"),
        "the decoder needs a spectrum",
    ),
    "unused array": (
        "knn draw",
        lambda parts: parts.put("forest/extra.npy", np.zeros(3)),
        "nothing uses forest/extra.npy",
    ),
}


DROPPED = {
    "leaf table nan": (
        edit_cell("map/leaf_values", (3, 0), np.nan),
        "map/leaf_values holds numbers that are too large, or none",
    ),
    "mass": (edit_cell("map/leaf_mass", 3, 7), "rows of each leaf"),
    "no leaf table": (
        lambda parts: parts.drop("map/leaf_values.npy"),
        "map/leaf_values.npy is missing",
    ),
}


@pytest.mark.parametrize("name", DROPPED)
def test_wrong_contents_without_training_rows_are_refused(name, refused, parts_of):
    edit, message = DROPPED[name]
    parts = parts_of("knn draw", drop_training=True)
    edit(parts)
    refused(parts.build(), message)


@pytest.mark.parametrize("name", CELLS)
def test_wrong_contents_are_refused(name, refused, parts_of, tmp_path):
    case, edit, message = CELLS[name]
    parts = parts_of(case)
    path = tmp_path / "rebuilt.lf"
    path.write_bytes(parts.build())
    load_model(path, RFAE)  # taken apart and put together, it is sound
    edit(parts)
    refused(parts.build(), message)


def test_lies_of_the_zip_are_refused(refused, parts_of, fuzz):
    parts = parts_of("linked")
    name, sound = "forest/left.npy", parts.build()
    body = parts.members[name]
    refused(parts.build(extra=[(name, body)]), "it has two members 'forest/left.npy'")
    refused(parts.build(extra=[("a.npy", b"")]), "'a.npy' is in the zip or in the man")
    refused(
        parts.build(methods={name: zipfile.ZIP_LZMA}), "compressed in an unknown way"
    )
    refused(
        parts.build(methods={fuzz.MANIFEST: zipfile.ZIP_DEFLATED}),
        "manifest.json is not stored as it is",
    )
    refused(sound[:-30], "the zip is broken")
    at = sound.index(body) + 200
    flipped = sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :]
    refused(flipped, "the zip is broken .*Bad CRC-32")
    parts.members[name] = body[:200] + bytes([body[200] ^ 1]) + body[201:]
    refused(parts.build(), "forest/left.npy does not match its checksum")
    parts.members[name] = body[:-4]
    refused(parts.build(), "forest/left.npy is not as large as its shape says")
    parts.members[name] = body.replace(b"'<i4'", b"'<u4'")
    parts.sign(name)
    refused(parts.build(), "does not begin as its shape says")


def test_bombs_are_refused_before_they_unpack(refused, parts_of, monkeypatch):
    parts = parts_of("knn rows")
    parts.put("forest/inner.npy", np.zeros(20_000_000, np.uint8))
    data = parts.build(methods={"forest/inner.npy": zipfile.ZIP_DEFLATED})
    assert len(data) < 100_000

    def unpack(*args):
        raise AssertionError

    monkeypatch.setattr(zipfile.ZipExtFile, "_read1", unpack)
    refused(data, "'forest/inner.npy' claims to unpack to far too much")


def test_shapes_are_checked_before_anything_is_allocated(refused, parts_of):
    parts = parts_of("knn rows")
    entry = parts.manifest["members"]["training/codes.npy"]
    for shape, message in (
        ([2**47, 10], "not as large as its shape says"),
        ([2**50, 10], "is not an array we know"),
        ([-1, 10], "is not an array we know"),
        ([40, 10, 1], "has 3 dimensions"),
        ([True], "is not an array we know"),
    ):
        entry["shape"] = shape
        refused(parts.build(), message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"drop_training":false', '"drop_training":NaN'),
        ('"drop_training":false', '"drop_training":0'),
        ('"drop_training":false', '"drop_training":false,"drop_training":false'),
        ('"drop_training":false', '"x":' + "[" * 100_000 + "]" * 100_000),
        ('"drop_training":false', '"x":' + "9" * 10_000),
        ('"drop_training":false', '"x":1'),
    ],
)
def test_odd_manifests_are_refused(old, new, refused, parts_of):
    parts = parts_of("knn rows")
    text = json.dumps(parts.manifest, separators=(",", ":"))
    assert old in text
    refused(parts.build(text=text.replace(old, new).encode()), re.escape("manifest"))
