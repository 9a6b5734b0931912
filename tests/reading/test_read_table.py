"""The helper of Python: files, open files and frames come back clean."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, read_table
from latentforest._base._errors import DataError
from messy_table import clean_frame, messy_csv, messy_words, write_workbook


def check(found, clean):
    assert list(found) == list(clean)
    for name in clean:
        wanted, cells = clean[name], found[name]
        if wanted.dtype == object:  # times of day
            cells = cells.astype(object).where(cells.notna(), None)
        assert cells.astype(wanted.dtype).equals(wanted), name


@pytest.fixture(autouse=True)
def _quiet():
    """Let notes about gap words pass."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*count as missing.*")
        yield


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_messy_table_is_read(separator, tmp_path):
    (tmp_path / "t.csv").write_bytes(messy_csv(sep=separator))
    check(read_table(tmp_path / "t.csv"), clean_frame())


def test_the_messy_table_from_frames_and_streams():
    clean = clean_frame()
    check(read_table(io.BytesIO(messy_csv())), clean)
    check(read_table(io.StringIO(messy_csv().decode())), clean)
    messy = messy_words()
    check(read_table(messy), clean)
    moved = messy.set_axis(range(50, 50 + len(messy)))
    assert list(read_table(moved).index) == list(moved.index)
    assert messy.equals(messy_words())  # what was given is left alone


def test_the_messy_table_from_other_libraries():
    pl = pytest.importorskip("polars", reason="needs the extra 'polars'")
    check(read_table(pl.from_pandas(messy_words())), clean_frame())


def test_the_clean_table_from_typed_files(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra 'excel'")
    clean = clean_frame()
    clean.to_parquet(tmp_path / "t.parquet")
    check(read_table(tmp_path / "t.parquet").astype(clean.dtypes), clean)
    clean["iso_stamp"] = clean["iso_stamp"].dt.tz_localize(None)  # Excel has no zones
    write_workbook(clean, tmp_path / "t.xlsx")
    check(read_table(tmp_path / "t.xlsx"), clean)


def test_typed_files_are_believed_but_for_disguises(tmp_path):
    frame = pd.DataFrame(
        {"zip": ["12345", "90210"], "price": ["5 €", "6 €"], "x": [1.5, np.nan]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet")
    assert found["zip"].tolist() == ["12345", "90210"]
    assert found["price"].tolist() == [5, 6]


def test_other_columns_of_a_frame_stay_as_they_are():
    frame = pd.DataFrame(
        {
            "level": pd.Categorical(["1", "2", "1"]),
            "mixed": [1, "2", None],
            "lists": [[1], [2], [3]],
            3: ["a ", "b", None],
        }
    )
    found = read_table(frame)
    assert found["level"].dtype == frame["level"].dtype
    assert found["mixed"].tolist()[:2] == [1, 2]
    assert found["lists"].tolist() == [[1], [2], [3]]
    assert found[3].tolist()[:2] == ["a", "b"]


def test_messages_name_arguments_of_python():
    frame = pd.DataFrame({"x": [*map(str, range(90)), *["tall"] * 10]})
    with pytest.warns(UserWarning, match=r"give na=\['tall'\]"):
        read_table(frame)
    assert read_table(frame, na="tall")["x"].isna().sum() == 10
    with pytest.raises(DataError, match="dates='day-first'"):
        read_table(pd.DataFrame({"x": ["01/05/2021", "02/03/2021"]}))
    with pytest.raises(TypeError, match="source is a int"):
        read_table(5)


def test_a_clean_frame_is_fitted_and_comes_back():
    frame = read_table(messy_words(60)).drop(columns=["id"])
    model = RFAE(refine=None, forest="completely_random", random_state=0).fit(frame)
    back = model.reconstruct(frame)
    for name in ("iso_day", "us_stamp", "euros", "iso_stamp"):
        assert back[name].dtype == frame[name].dtype


def test_long_ids_stay_words(tmp_path):
    ids = [f"{10**17 + i}" for i in range(5)]
    path = tmp_path / "t.csv"
    path.write_text("id,x\n" + "".join(f"{i},{j}\n" for j, i in enumerate(ids)))
    assert list(read_table(path)["id"]) == ids
