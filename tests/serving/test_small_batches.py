"""Rows of a service: few at a time, as frames or dicts; the same bits in any batch."""

import numpy as np
import pytest

from files.model_cases import HOLED, model_of, rows_of, same_bits

CASES = ["adversarial", "landmarks", "scornet", "refined", "refined forest", "gap"]
CASES += ["refined linear", "refined packed", "sklearn classes", "kinds"]


@pytest.mark.parametrize("case", CASES)
def test_any_batch_has_the_same_bits(case):
    model = model_of(case)
    rows = rows_of(model)
    wanted = model.transform(rows)
    records = rows.to_dict("records")
    assert same_bits(model.transform(records), wanted)
    for row in range(0, len(rows), 7):
        assert same_bits(model.transform(rows[row : row + 1]), wanted[row : row + 1])
        assert same_bits(model.transform(records[row]), wanted[row : row + 1])
        assert same_bits(model.transform(rows[row : row + 3]), wanted[row : row + 3])
        back = dict(reversed(records[row].items()))
        assert same_bits(model.transform(back), wanted[row : row + 1])


@pytest.mark.parametrize("case", ["adversarial", "refined", "refined packed"])
def test_one_row_decodes_as_in_one_table(case):
    model = model_of(case)
    rows = rows_of(model).reset_index(drop=True)
    whole = model.reconstruct(rows)
    coords = model.transform(rows)
    for row in range(0, len(rows), 7):
        one = rows[row : row + 1]
        assert model.reconstruct(one).equals(whole[row : row + 1])
        found = model.reconstruct(one.to_dict("records")[0])
        assert found.equals(whole[row : row + 1].reset_index(drop=True))
        back = model.inverse_transform(coords[row : row + 1])
        assert back.equals(whole[row : row + 1].reset_index(drop=True))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_as_dicts_give_the_output_that_is_set(library):
    model = model_of("refined packed")
    wanted = model.transform(HOLED)
    try:
        model.set_output(transform=library)
        for rows in (HOLED.to_dict("records"), HOLED.to_dict("records")[0]):
            found = model.transform(rows)
            assert type(found).__module__.startswith(library)
            assert same_bits(np.asarray(found), wanted[: len(found)])
    finally:
        model.set_output(transform="default")
