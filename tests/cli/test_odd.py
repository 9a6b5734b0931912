"""odd and similar from a terminal, and warnings about what lies far away."""

import re

import numpy as np
import pandas as pd
import pytest

from cli_cases import SMALL
from latentforest import RFAE
from latentforest._base._in_words import shown


@pytest.fixture(scope="module")
def odd_table(folder, frame, tmp_path_factory):
    changed = frame.copy()
    changed.loc[7, "length"] = 40.0
    path = tmp_path_factory.mktemp("odd") / "odd.csv"
    changed.to_csv(path, index=False)
    return path


def test_the_oddest_rows_are_shown_with_their_cells(run, odd_table):
    shown = run("odd", odd_table, "--keep", "id", "--top", "2").out.decode()
    lines = shown.splitlines()
    assert lines[0].startswith("row 7  score -")
    assert lines[0].endswith("id 0007")
    assert lines[1].split()[:2] == ["length", "40.0"]
    assert "expected 1" in lines[1]
    assert re.search(r"\(p 0\.\d+, q [01]\.?\d*\)$", lines[1])
    assert sum(line.startswith("row ") for line in lines) == 2
    assert max(map(len, lines)) <= 80


def test_rows_are_written_as_python_scores_them(run, folder, odd_table, tmp_path):
    out = tmp_path / "scored.csv"
    words = ["odd", folder / "m.lf", odd_table, "-o", out, "--keep", "id"]
    run(*words, "--block-rows", "7")
    # pandas 2 reads some floats only nearly, unless it is told.
    old = pd.__version__.startswith("2.")
    exact = {"float_precision": "round_trip"} if old else {}
    scored = pd.read_csv(out, **exact)
    model = RFAE.load(folder / "m.lf")
    rows = pd.read_csv(odd_table, dtype={"code": str}, **exact)
    rows = rows[list(model.schema_.names)]
    cells = model.odd_cells(rows)
    np.testing.assert_array_equal(scored["score"], model.score_samples(rows))
    np.testing.assert_array_equal(scored["decision"], model.decision_function(rows))
    names = np.array(model.schema_.names)
    np.testing.assert_array_equal(scored["odd1"], names[cells.largest(1)[:, 0]])
    assert scored["odd1_found"][7] == "40.0"
    first = cells.largest(1)
    for what, of_cells in (("p", cells.p_values), ("q", cells.q_values)):
        wanted = np.take_along_axis(of_cells, first, axis=1)[:, 0]
        np.testing.assert_allclose(scored[f"odd1_{what}"], wanted, rtol=1e-12)
    assert scored.columns[0] == "id"
    before = out.read_bytes()
    run(*words)
    assert out.read_bytes() == before


def test_kept_cells_may_be_of_another_sort_in_the_next_block(
    run, folder, frame, tmp_path, monkeypatch
):
    monkeypatch.setattr("latentforest.reading._records.BATCH", 16)
    keys = [*range(40), *(f"k{i}" for i in range(40, 80))]
    table, out = tmp_path / "t.jsonl", tmp_path / "out.parquet"
    frame.assign(id=keys).to_json(table, orient="records", lines=True)
    for command in ("odd", "encode"):
        words = (command, folder / "m.lf", table, "-o", out, "--keep", "id")
        run(*words, "--block-rows", "10")
        assert pd.read_parquet(out)["id"].tolist() == list(map(str, keys))


def test_kept_columns_are_written_as_they_were_read(run, frame, tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "out.csv"
    names = {"day": "01/05/2021", "share": "5%", "id": frame["id"], "gap": ""}
    frame.assign(**names).to_csv(table, index=False)
    keep = [word for name in names for word in ("--keep", name)]
    shown = run("odd", table, *keep, "-o", out, "--top", "1").out.decode()
    assert "  day 01/05/2021  share 5%  id 00" in shown
    assert shown.splitlines()[0].endswith("gap missing")
    kept = pd.read_csv(out, dtype=str, keep_default_na=False)[list(names)]
    read = pd.read_csv(table, dtype=str, keep_default_na=False)[list(names)]
    pd.testing.assert_frame_equal(kept, read)


def test_a_table_alone_is_judged_block_by_block(run, odd_table, tmp_path, monkeypatch):
    from latentforest.cli import _odd

    sizes, judge = [], _odd.odd_cells

    def counted(oddness, codec, codes):
        sizes.append(len(codes))
        return judge(oddness, codec, codes)

    monkeypatch.setattr(_odd, "odd_cells", counted)
    out = [tmp_path / "at_once.csv", tmp_path / "in_blocks.csv"]
    words = ("odd", odd_table, "--keep", "id", "-o")
    at_once = run(*words, out[0])
    in_blocks = run(*words, out[1], "--block-rows", "7")
    assert sizes == [80, *[7] * 11, 3]
    assert out[0].read_bytes() == out[1].read_bytes()
    assert at_once.out == in_blocks.out


def test_rows_on_standard_output_are_alone(run, odd_table):
    done = run("odd", odd_table, "--keep", "id", "-o", "-")
    lines = done.out.decode().splitlines()
    assert lines[0].startswith("id,score,decision,odd1,")
    assert len(lines) == 81
    assert "row 7  score" in done.err


def test_what_cannot_be_judged_is_refused(fail, folder, tmp_path):
    table = folder / "t.csv"
    assert "drop-training" in fail("odd", folder / "small.lf", table)
    assert "a table alone" in fail("odd", table, table, table, code=2)
    assert "such as 0.05" in fail("odd", table, "--contamination", "x", code=2)
    assert "score" in fail("odd", table, "--keep", "score")
    assert "is an input" in fail("odd", folder / "m.lf", table, "-o", table)


def test_refusals_come_before_the_work(fail, folder, frame, tmp_path, monkeypatch):
    def learn(*_, **__):
        raise AssertionError

    for module in ("_odd_rows", "oddness._odd_rows"):
        monkeypatch.setattr(f"latentforest.{module}.fit_oddness", learn)
    monkeypatch.setattr(RFAE, "load", learn)
    model, table = folder / "m.lf", tmp_path / "t.csv"
    frame.assign(score=1).to_csv(table, index=False)
    for files in ((model, table), (table,)):
        words = ("odd", *files)
        assert "--keep score: the result" in fail(*words, "--keep", "score")
        assert "up to 0.5" in fail(*words, "--contamination", "0.9", code=2)
        assert "up to 0.5" in fail(*words, "--contamination", "nan", code=2)


def test_similar_rows_are_not_sought_if_they_cannot_be_written(
    run, fail, frame, tmp_path, monkeypatch
):
    model, table, out = (tmp_path / name for name in ("m.lf", "t.csv", "out.csv"))
    frame.rename(columns={"few": "row"}).to_csv(table, index=False)
    run("fit", table, "-o", model, *SMALL, "--drop", "id")
    monkeypatch.delattr("latentforest._odd_rows.JudgingModel.similar")
    assert "column named row" in fail("similar", model, table, "-o", out)


def test_similar_rows_stand_side_by_side(run, folder, tmp_path):
    shown = run("similar", folder / "m.lf", folder / "t.csv", "-n", "2").out.decode()
    head, kernel, *cells = shown.splitlines()
    assert head.split() == ["row", "0", "like", "0", "like", head.split()[-1]]
    assert kernel.split()[0] == "kernel"
    length = next(line for line in cells if line.startswith("length"))
    assert length.split()[1] == length.split()[2]
    out = tmp_path / "similar.csv"
    run("similar", folder / "m.lf", folder / "t.csv", "-n", "2", "-o", out)
    found = pd.read_csv(out)
    assert found["row"].tolist() == np.repeat(np.arange(80), 3).tolist()
    # Only rows that share all leaves of a row can come before itself.
    itself = found["training_row"] == found["row"]
    assert (found["training_row"][1::3] <= found["row"][1::3]).all()
    assert itself[1::3].mean() > 0.9


def test_expected_cells_are_written_as_the_file_writes_them(run, tmp_path):
    day = pd.date_range("2021-01-05", periods=60)
    price = 1_000 + 10.0 * np.arange(60)
    price[7] = 9_876.5
    words = [f"{p:,.2f} €".translate(str.maketrans(",.", ".,")) for p in price]
    days = day.strftime("%d.%m.%Y").to_numpy(copy=True)
    days[30] = "24.12.2031"
    table, out = tmp_path / "t.csv", tmp_path / "out.csv"
    frame = pd.DataFrame({"day": days, "price": words, "n": range(60)})
    frame.to_csv(table, index=False, sep=";")
    run("fit", table, "-o", tmp_path / "m.lf", *SMALL)
    for given in ((table,), (tmp_path / "m.lf", table)):
        shown = run("odd", *given, "-o", out).out.decode()
        assert re.search(r"9\.876,50 €  *expected \d\.\d{3},\d+ €", shown)
        assert re.search(r"24\.12\.2031  *expected \d\d\.\d\d\.2021", shown)
        scored = pd.read_csv(out)
        for rank in "123":
            for name, shape in {
                "price": r"\d\.\d{3},\d+ €",
                "day": r"\d\d\.\d\d\.20\d\d",
            }.items():
                odd = scored[scored[f"odd{rank}"] == name]
                assert odd[f"odd{rank}_found"].str.fullmatch(shape).all()
                assert odd[f"odd{rank}_expected"].str.fullmatch(shape).all()
    frame.assign(day=day).to_parquet(tmp_path / "t.parquet")
    shown = run("odd", tmp_path / "t.parquet").out.decode()  # dates without a notation
    assert re.search(r"9\.876,50 €  *expected \d\.\d{3},\d+ €", shown)


def test_long_words_are_cut_on_the_screen():
    assert shown("a" * 24, 24) == "a" * 24
    assert shown("a" * 25, 24) == "a" * 23 + "…"


def test_rows_and_positions_far_away_are_counted(run, folder, odd_table, tmp_path):
    model, out = folder / "m.lf", tmp_path / "out.csv"
    for command in ("encode", "reconstruct"):
        assert "training rows: 1." in run(command, model, odd_table, "-o", out).err
        assert "warning" not in run(command, model, folder / "t.csv", "-o", out).err
    coords = tmp_path / "z.csv"
    at = RFAE.load(model).embedding_[[0, 0, 0]] + [[0, 0], [1e3, 0], [1e4, 0]]
    pd.DataFrame(at, columns=["z1", "z2"]).to_csv(coords, index=False)
    assert "training row: 2." in run("decode", model, coords, "-o", out).err


def test_plots_and_pages_are_coloured_by_oddness(run, folder, tmp_path):
    model = folder / "m.lf"
    run("plot", model, "-o", tmp_path / "p.png", "--color-by", "oddness")
    run("explore", model, "-o", tmp_path / "p.html", "--color-by", "oddness")
    assert '"oddness"' in (tmp_path / "p.html").read_text()
