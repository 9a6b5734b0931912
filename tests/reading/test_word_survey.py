"""Long columns of text are known by a few words of each shape."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest.reading import Dialect, infer_columns
from latentforest.reading import _word_survey as words
from latentforest.reading._word_survey import WordSurvey


def survey_of(cells, cuts=()):
    survey, ends = WordSurvey(), sorted({0, len(cells), *cuts})
    for begin, end in pairwise(ends):
        survey.add(pa.array(cells[begin:end], pa.string()))
    return survey.result()


def as_dict(found):
    return dict(zip(found[0].to_pylist(), found[1].tolist(), strict=True))


@settings(deadline=None, max_examples=30)
@given(
    cells=st.lists(
        st.sampled_from(["a", "b", "12", "7", "007", "", "1,5"]), min_size=1
    ),
    cuts=st.lists(st.integers(0, 50), max_size=5),
)
def test_few_words_are_all_counted(cells, cuts):
    found = as_dict(survey_of(cells, [cut for cut in cuts if cut < len(cells)]))
    assert found == {word: cells.count(word) for word in cells}


@pytest.mark.parametrize("patience", [0, 300, 10**6])
def test_words_that_are_kept_do_not_depend_on_the_pieces(monkeypatch, patience):
    rng = np.random.default_rng(0)
    cells = [f"{x:.2f} €" for x in rng.gamma(2, 50, 4_000)] + ["n.a."] * 3
    rng.shuffle(cells)
    whole = as_dict(survey_of(cells))
    monkeypatch.setattr(words, "_PATIENCE", patience)
    cut = as_dict(survey_of(cells, [10, 500, 501, 2_000]))
    assert whole.keys() == cut.keys()
    assert whole == pytest.approx(cut)
    assert sum(whole.values()) == pytest.approx(len(cells))
    assert whole["n.a."] == 3
    assert len(whole) < 1_000


@pytest.mark.parametrize(
    "cells",
    [
        [f"{x:.3f}" for x in np.random.default_rng(1).normal(size=3_000)],
        [f"{x:,.2f} $" for x in np.random.default_rng(1).gamma(3, 900, 3_000)],
        [f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/2021" for i in range(3_000)],
        [f"{i:06d}" for i in range(3_000)],
        [str(i) for i in range(3_000)],
        [f"id{i}" for i in range(3_000)],
        ["unknown", *(f"{i / 7:.2f} %" for i in range(3_000))],
    ],
)
def test_decisions_are_those_over_all_cells(cells):
    column = pa.array(cells, pa.string())
    one = infer_columns({"x": column}, Dialect(), {})["x"]
    found, counts = survey_of(cells, [1_000, 2_000])
    two = infer_columns({"x": found}, Dialect(), {}, counts={"x": counts})["x"]
    assert (two.values.type, two.notation, two.told) == (
        one.values.type,
        one.notation,
        one.told,
    )


@pytest.mark.parametrize("patience", [0, 10**6])
def test_words_come_in_the_order_of_the_column(monkeypatch, patience):
    monkeypatch.setattr(words, "_PATIENCE", patience)
    rng = np.random.default_rng(2)
    cells = [f"{x:.2f}" for x in rng.uniform(1, 9, 3_000)]
    found = survey_of(cells, range(0, 3_000, 70))[0].to_pylist()
    assert found[0] == cells[0]  # what notes show
    assert found == sorted(found, key=cells.index)


@pytest.mark.parametrize("write", [str, "{:,}".format, "{} €".format])
def test_one_number_that_no_float_holds_is_known_among_many(write):
    cells = [write(2**53 + 2 * n) for n in range(3_000)]
    cells[1_234] = write(2**53 + 2_001)
    assert cells[1_234] in survey_of(cells, [1_000])[0].to_pylist()
