"""The command line does what the Python interface does, in every format."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from cli_cases import SMALL
from latentforest import RFAE, CompletelyRandomForest
from latentforest.files import load_model
from latentforest.table import _codec

SUFFIXES = (
    *("csv", "tsv", "csv.gz", "tsv.gz", "csv.zst", "tsv.zst"),
    *("parquet", "feather", "arrow"),
)
TEXT = {"id": str, "code": str}
# Python reads floats to the last bit; not every version of pandas does.
EXACT = dict.fromkeys(("z1", "z2", "area", "x0", "x1", "x2", "a", "b", "c"), float)


def write_by_pandas(frame, path):
    """Write a table without the code under test."""
    name = path.name
    if ".csv" in name or ".tsv" in name:
        separator = "," if ".csv" in name else "\t"
        words = frame.to_csv(None, index=False, sep=separator).encode()
        codec = {"gz": "gzip", "st": "zstd"}.get(name[-2:])
        if codec:
            with pa.output_stream(path, compression=codec) as stream:
                stream.write(words)
        else:
            path.write_bytes(words)
    elif name.endswith("parquet"):
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    else:
        pyarrow.feather.write_feather(frame, path)


def read_by_pandas(path):
    """Read a table without the code under test."""
    name = path.name
    if ".csv" in name or ".tsv" in name:
        separator = "," if ".csv" in name else "\t"
        codec = {"gz": "gzip", "st": "zstd"}.get(name[-2:])
        with pa.input_stream(path, compression=codec) as stream:
            words = stream.read()
        return pd.read_csv(
            io.BytesIO(words), sep=separator, dtype=TEXT, converters=EXACT
        )
    if name.endswith("parquet"):
        return pq.read_table(path).to_pandas()
    return pyarrow.feather.read_table(path).to_pandas()


@pytest.fixture(scope="module")
def model(folder):
    """Load the model that the command line made."""
    return load_model(folder / "m.lf", RFAE)


@pytest.fixture(scope="module")
def rows(frame):
    """The columns that were fitted."""
    return frame.drop(columns="id")


def test_fit_equals_the_python_interface(model, rows, folder):
    by_hand = RFAE(2, forest=CompletelyRandomForest(15), random_state=3).fit(rows)
    assert np.array_equal(model.transform(rows), by_hand.transform(rows))
    read = read_by_pandas(folder / "t.csv").drop(columns="id")
    assert np.array_equal(model.transform(read), by_hand.transform(rows))
    assert [str(c.kind) for c in model.schema_.columns] == [
        *("continuous", "continuous", "integer", "ordered", "boolean"),
        *("category", "category"),
    ]


def test_fit_saves_the_same_bits_from_every_format(frame, folder, tmp_path, run):
    reference = load_model(folder / "m.lf", RFAE).embedding_
    for suffix in ("tsv.zst", "parquet", "feather"):
        path, out = tmp_path / f"t.{suffix}", tmp_path / f"{suffix}.lf"
        write_by_pandas(frame, path)
        run("fit", path, "-o", out, *SMALL, "--drop", "id")
        assert np.array_equal(load_model(out, RFAE).embedding_, reference), suffix


def test_fit_reads_standard_input(folder, tmp_path, run):
    words = ("fit", "-", "-o", tmp_path / "m.lf", *SMALL, "--drop", "id")
    done = run(*words, stdin=(folder / "t.csv").read_bytes())
    assert (tmp_path / "m.lf").read_bytes() == (folder / "m.lf").read_bytes()
    assert "80 rows, 7 columns read from standard input" in done.err


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_in_and_out(suffix, frame, rows, model, folder, tmp_path, run):
    table, coords = tmp_path / f"t.{suffix}", tmp_path / f"z.{suffix}"
    shuffled = frame[sorted(frame.columns)]  # another order, and an id
    write_by_pandas(shuffled, table)
    run("encode", folder / "m.lf", table, "-o", coords, "--keep", "id")
    found = read_by_pandas(coords)
    assert list(found.columns) == ["id", "z1", "z2"]
    assert found["id"].tolist() == frame["id"].tolist()
    expected = model.transform(rows)
    assert np.array_equal(found[["z1", "z2"]].to_numpy(), expected)

    back = tmp_path / f"back.{suffix}"
    run("decode", folder / "m.lf", coords, "-o", back, "--keep", "id")
    found = read_by_pandas(back)
    truth = model.inverse_transform(expected)
    assert list(found.columns) == ["id", *truth.columns]
    for name in truth.columns:
        got, want = found[name].astype(object), truth[name].astype(object)
        assert (
            got.where(got.notna(), None).tolist()
            == want.where(want.notna(), None).tolist()
        )

    run("reconstruct", folder / "m.lf", table, "-o", tmp_path / f"again.{suffix}")
    again = read_by_pandas(tmp_path / f"again.{suffix}")
    pd.testing.assert_frame_equal(again, found.drop(columns="id"))


def test_types_are_those_of_the_fitted_table(folder, tmp_path, run):
    run("reconstruct", folder / "m.lf", folder / "t.csv", "-o", tmp_path / "b.parquet")
    assert pq.read_schema(tmp_path / "b.parquet").types == [
        *(pa.float64(), pa.float64(), pa.int64(), pa.int64(), pa.bool_()),
        *(pa.string(), pa.string()),
    ]


def test_categories_and_small_types_survive_parquet(tmp_path, run):
    rng = np.random.default_rng(0)
    size = rng.random(60)
    frame = pd.DataFrame(
        {
            "small": (100 * size).astype(np.int8),
            "short": size.astype(np.float32),
            "grade": pd.Categorical(
                np.array(["low", "mid", "top"])[(3 * size).astype(int)],
                ["low", "mid", "top", "never"],
                ordered=True,
            ),
            "digit": pd.Categorical((4 * size).astype(int)),
            "gap": pd.array((9 * size).astype(int), dtype="UInt16"),
        }
    )
    frame.loc[3, "gap"] = pd.NA
    frame.to_parquet(tmp_path / "t.parquet")
    run("fit", tmp_path / "t.parquet", "-o", tmp_path / "m.lf", *SMALL)
    for suffix in ("parquet", "arrow", "csv"):
        out = tmp_path / f"b.{suffix}"
        command = ("reconstruct", tmp_path / "m.lf", tmp_path / "t.parquet", "-o", out)
        run(*command, "--block-rows", "7")
    back = pq.read_table(tmp_path / "b.parquet")
    assert str(back.schema.field("small").type) == "int8"
    assert str(back.schema.field("short").type) == "float"
    assert str(back.schema.field("gap").type) == "uint16"
    assert back.schema.field("grade").type.ordered
    levels = back.to_pandas()["grade"].cat.categories.tolist()
    assert levels == ["low", "mid", "top", "never"]
    assert pyarrow.feather.read_table(tmp_path / "b.arrow").equals(back)
    # Text has no categories: the same cells come back as words and numbers.
    run("encode", tmp_path / "m.lf", tmp_path / "t.parquet", "-o", tmp_path / "z1.csv")
    frame.to_csv(tmp_path / "t.csv", index=False)
    run("encode", tmp_path / "m.lf", tmp_path / "t.csv", "-o", tmp_path / "z2.csv")
    assert (tmp_path / "z1.csv").read_text() == (tmp_path / "z2.csv").read_text()


def test_pandas_index_is_no_column(frame, tmp_path, run):
    frame.set_index("id").to_parquet(tmp_path / "t.parquet")
    run("fit", tmp_path / "t.parquet", "-o", tmp_path / "m.lf", *SMALL)
    assert load_model(tmp_path / "m.lf", RFAE).n_features_in_ == 7
    z = tmp_path / "z.csv"
    run("encode", tmp_path / "m.lf", tmp_path / "t.parquet", "-o", z, "--keep", "id")
    assert read_by_pandas(z)["id"].tolist() == frame["id"].tolist()


def test_models_from_arrays_read_by_place(tmp_path, run):
    array = np.random.default_rng(0).random((50, 3))
    model = RFAE(2, forest=CompletelyRandomForest(10), random_state=0).fit(array)
    from latentforest.files import save_model

    save_model(model, tmp_path / "m.lf")
    pd.DataFrame(array, columns=list("abc")).to_csv(tmp_path / "t.csv", index=False)
    run("encode", tmp_path / "m.lf", tmp_path / "t.csv", "-o", tmp_path / "z.csv")
    found = read_by_pandas(tmp_path / "z.csv").to_numpy()
    assert np.array_equal(found, model.transform(array))
    run("decode", tmp_path / "m.lf", tmp_path / "z.csv", "-o", tmp_path / "b.csv")
    back = read_by_pandas(tmp_path / "b.csv")
    assert list(back.columns) == ["x0", "x1", "x2"]
    assert np.array_equal(back.to_numpy(), model.inverse_transform(found))


def test_reconstruct_reports_the_distortion(folder, rows, model, tmp_path, run):
    out, report = tmp_path / "b.csv", tmp_path / "lost.json"
    command = ("reconstruct", folder / "m.lf", folder / "t.csv", "-o", out)
    done = run(*command, "--report", report, "--block-rows", "9")
    expected = model.distortion(rows)
    found = json.loads(report.read_text())
    assert found["rows"] == len(rows)
    assert [c["name"] for c in found["columns"]] == list(rows.columns)
    values = [c["distortion"] for c in found["columns"]]
    assert values == pytest.approx([c.distortion for c in expected.columns], rel=1e-12)
    assert found["mean"] == pytest.approx(expected.mean, rel=1e-12)
    assert [c["guess"] for c in found["columns"]] == pytest.approx(
        [c.guess for c in expected.columns], rel=1e-12
    )
    assert str(expected) in done.err
    assert "All were trained on; rows that the model has not seen lose" in done.err
    assert found["training_rows"] == len(rows)


def test_rows_that_were_not_trained_on_are_told_apart(folder, tmp_path, frame, run):
    new = pd.concat([frame[:5], frame[5:8].assign(length=9.9)])
    new.to_csv(tmp_path / "new.csv", index=False)
    command = ("reconstruct", folder / "m.lf", tmp_path / "new.csv", "-o")
    assert "5 of 8 rows were trained on" in run(*command, tmp_path / "b.csv").err
    new[5:].to_csv(tmp_path / "new.csv", index=False)
    assert "trained on" not in run(*command, tmp_path / "b.csv").err


def test_rows_are_held_back(folder, tmp_path, run, fail):
    out = tmp_path / "m.lf"
    fit = ("fit", folder / "t.csv", "-o", out, *SMALL, "--drop", "id", "--force")
    told = run(*fit, "--test", "0.25").err
    model = load_model(out, RFAE)
    assert model.embedding_.shape[0] == 60
    assert "20 rows held back, which the model has not seen:" in told
    held = told.split("seen:\n\n")[1].split("\n\n")[0]
    assert held.splitlines()[0].split()[-2:] == ["guessing", "relative"]
    back = run("reconstruct", out, folder / "t.csv", "-o", tmp_path / "b.csv").err
    assert "60 of 80 rows were trained on" in back
    assert "leaves" in fail(*fit, "--test", "0.001", "--quiet")


def test_supervised_fit_takes_the_target_out(frame, folder, tmp_path, run):
    out = tmp_path / "m.lf"
    command = ("fit", folder / "t.csv", "-o", out, "--target", "flag", "--drop", "id")
    run(*command, "--trees", "10", "--seed", "1", "--leaf-size", "4")
    model = load_model(out, RFAE)
    assert "flag" not in model.schema_.names
    from latentforest import SupervisedForest

    rows, y = frame.drop(columns=["id", "flag"]), frame["flag"].to_numpy()
    forest = SupervisedForest(10, min_samples_leaf=4)
    by_hand = RFAE(2, forest=forest, random_state=1).fit(rows, y)
    assert np.array_equal(model.embedding_, by_hand.embedding_)


def test_kinds_and_other_settings_reach_the_model(folder, tmp_path, run):
    out = tmp_path / "m.lf"
    done = run(
        *("fit", folder / "t.csv", "-o", out, *SMALL, "-k", "3", "--drop", "id"),
        *("--kind", "few=category", "--kind", "count=continuous"),
        *("--decoder", "knn", "--unseen", "nearest", "--refine", "1"),
    )
    model = load_model(out, RFAE)
    kinds = {c.name: str(c.kind) for c in model.schema_.columns}
    assert (kinds["few"], kinds["count"]) == ("category", "continuous")
    assert (model.n_components, model.unseen) == (3, "nearest")
    assert type(model.decoder_).__name__ == "KNNDecoder"
    assert "set by --kind" in done.err
    assert f"{out}: " in done.err
    strange = tmp_path / "s.csv"
    text = (folder / "t.csv").read_text().replace("eve", "nobody")
    strange.write_text(text)
    run("encode", out, strange, "-o", tmp_path / "z.csv")


def test_an_order_reaches_the_model_and_its_file(folder, tmp_path, run):
    out = tmp_path / "m.lf"
    done = run(
        *("fit", folder / "t.csv", "-o", out, *SMALL, "--drop", "id"),
        *("--kind", 'name=ordered:eve,"ada, b", b"o"b,zoe'),
        *("--kind", "few=ordered:2,0,3,1", "--kind", "flag=ordered:True,False"),
    )
    names, few = ["eve", "ada, b", 'b"o"b', "zoe"], (2, 0, 3, 1)
    model = load_model(out, RFAE)
    levels = {c.name: c.levels for c in model.schema_.columns if c.kind == "ordered"}
    assert levels == {"name": tuple(names), "few": few, "flag": ("True", "False")}
    assert model.kinds["name"] == names
    assert clone(model).get_params()["kinds"]["name"] == names
    assert "ordered     4 levels: eve, ada, b" in done.err
    told = json.loads(run("inspect", out, "--json").out)
    assert told["parameters"]["kinds"]["name"] == names
    run("encode", out, folder / "t.csv", "-o", tmp_path / "z.csv")
    run("decode", out, tmp_path / "z.csv", "-o", tmp_path / "back.csv")
    assert set(pd.read_csv(tmp_path / "back.csv")["name"].dropna()) <= set(names)


@pytest.mark.parametrize("how", ["--auto", "--paper"])
def test_whole_configurations(how, folder, tmp_path, run):
    out = tmp_path / "m.lf"
    more = ("--time-budget", "0") if how == "--auto" else ()
    run("fit", folder / "t.csv", "-o", out, how, *more, "--seed", "0", "--drop", "id")
    model = load_model(out, RFAE)
    assert model.kernel_.forest_.n_trees == (200 if how == "--auto" else 500)


@pytest.mark.parametrize("how", [SMALL, ["--auto", "--time-budget", "0"]])
def test_a_table_is_encoded_once(run, folder, tmp_path, monkeypatch, how):
    read, open_one = [], _codec.open_table
    monkeypatch.setattr(
        _codec, "open_table", lambda *given: read.append(1) or open_one(*given)
    )
    done = run("fit", folder / "t.csv", "-o", tmp_path / "m.lf", *how, "--drop", "id")
    assert len(read) == 1
    assert "table with 7 columns" in done.err  # the report is there all the same


def test_formulas_are_written_as_they_are_unless_safe_text_is_wanted(tmp_path, run):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"=sum": rng.normal(size=40), "who": ["=1+1", "ok"] * 20})
    table["+id"] = [f"-{i}" if i % 2 else f"@{i}" for i in range(40)]
    table.to_csv(tmp_path / "t.csv", index=False)
    model, coords = tmp_path / "m.lf", tmp_path / "z.csv"
    run("fit", tmp_path / "t.csv", "-o", model, *SMALL, "--drop", "+id")
    keep = ("--keep", "+id")
    run("encode", model, tmp_path / "t.csv", "-o", coords, *keep)
    for command, given in (("reconstruct", tmp_path / "t.csv"), ("decode", coords)):
        words = (command, model, given, "-o", "-", *keep)
        plain = pd.read_csv(io.BytesIO(run(*words).out), dtype=str)
        safe = pd.read_csv(io.BytesIO(run(*words, "--safe-csv").out), dtype=str)
        assert list(plain) == ["+id", "=sum", "who"]
        assert list(safe) == ["'+id", "'=sum", "who"]
        assert set(plain["who"]) == {"=1+1", "ok"}
        assert set(safe["who"]) == {"'=1+1", "ok"}
        assert list(safe["'=sum"]) == list(plain["=sum"])
        assert list(safe["'+id"][:3]) == ["'@0", "-1", "'@2"]
    done = run("encode", model, tmp_path / "t.csv", "-o", "-", *keep, "--safe-csv")
    assert done.lines[0] == "'+id,z1,z2"
    assert done.lines[1:] == [
        f"'{line}" if line[0] == "@" else line
        for line in coords.read_text().splitlines()[1:]
    ]
