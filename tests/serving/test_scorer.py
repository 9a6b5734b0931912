"""A scorer gives the bits of ``transform``, and loads no library of tables."""

import pickle
import subprocess
import sys
import warnings
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    ModelFileError,
    OddRows,
    Refinement,
    SchemaError,
    Scorer,
    UnseenLevelsWarning,
)
from latentforest.table import TableCodec, _codec

sys.path.append(str(Path(__file__).parents[1] / "files"))
from model_cases import MODELS, model_of, rows_of, same_bits

GOLDEN = Path(__file__).parents[1] / "files" / "golden"
BERLIN = ZoneInfo("Europe/Berlin")
UNWANTED = ("pandas", "polars", "pyarrow", "matplotlib", "sklearn")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=80).round(3),
            "count": rng.integers(0, 50, 80),
            "colour": rng.choice(["red", "blue", "green"], 80),
            "flag": rng.random(80) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def model(table):
    return RFAE(forest=CompletelyRandomForest(10), random_state=0, refine=1).fit(table)


@pytest.mark.parametrize(
    ("dropped", "compact"),
    [(False, False), (True, False), (False, True)],
    ids=["whole", "dropped", "compact"],
)
@pytest.mark.parametrize("case", MODELS)
def test_bits_are_those_of_the_loaded_model(case, dropped, compact, tmp_path):
    model = model_of(case)
    path = model.save(tmp_path / "m.lf", drop_training=dropped, compact=compact)
    rows = rows_of(model)
    wanted = RFAE.load(path).transform(rows)
    scorer = Scorer.load(path)
    assert scorer.n_components == wanted.shape[1]
    assert same_bits(scorer.transform(rows.to_dict("records")), wanted)
    for number in (0, 41):
        row = rows[number : number + 1].to_dict("records")[0]
        assert same_bits(scorer.transform(row), wanted[number : number + 1])


@pytest.mark.parametrize(
    "case",
    [
        "landmarks",
        "refined",
        "refined packed",
        "scornet",
        "oob",
        "gap, weighed",
        "gain",
    ],
)
def test_fitted_models_have_scorers_too(case):
    model = model_of(case)
    scorer, rows = Scorer.of(model), rows_of(model)
    wanted = model.transform(rows)
    assert same_bits(scorer.transform(rows.to_dict("records")), wanted)
    again = pickle.loads(pickle.dumps(scorer))
    assert same_bits(again.transform(rows.to_dict("records")), wanted)


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.glob("*.lf")), ids=lambda path: path.stem
)
def test_files_of_every_format(path):
    model, scorer = RFAE.load(path), Scorer.load(path)
    schema = model.schema_
    middle = np.where(schema.is_number, (schema.lower + schema.upper) / 2, np.nan)
    rows = model.codec_.decode(np.vstack([schema.lower, schema.upper, middle]))
    assert same_bits(scorer.transform(rows), model.transform(rows))


def test_rows_come_in_many_ways(table, model):
    scorer, wanted = Scorer.of(model), model.transform(table[:9])
    dicts = table[:9].to_dict("records")
    lists = table[:9].values.tolist()
    ways = [dicts, tuple(dicts), lists, [tuple(row) for row in lists], table[:9]]
    ways += [np.array(lists, dtype=object), [dict(reversed(r.items())) for r in dicts]]
    for way in ways:
        assert same_bits(scorer.transform(way), wanted)
    numbers = RFAE(forest=CompletelyRandomForest(5), random_state=0, refine=1)
    numbers.fit(table[["size", "count"]].to_numpy())
    some = table[["size", "count"]].to_numpy()[:5]
    wanted = numbers.transform(some)
    for way in (some, some.tolist(), [dict(zip(["x0", "x1"], r)) for r in some]):  # noqa: B905
        assert same_bits(Scorer.of(numbers).transform(way), wanted)


CELLS = {
    "when": [
        datetime(2021, 3, 28, h, m, tzinfo=BERLIN) for h in (0, 3) for m in (0, 9)
    ],
    "midnight": [datetime(2021, 3, d, tzinfo=BERLIN) for d in (27, 28, 29, 30)],
    "naive": [datetime(2021, 1, 1, 5, 6, 7, d) for d in range(4)],
    "day": [date(2020, 2, 26 + d) for d in range(4)],
    "clock": [time(5, m) for m in (0, 15, 30, 59)],
    "length": [timedelta(minutes=7 * m) for m in range(4)],
    "price": [Decimal("1.50"), Decimal("2.25"), Decimal("0.75"), Decimal("9.99")],
    "name": ["a", "b", "a", "c"],
    "grade": [1, 2, 3, 2],
}


@pytest.fixture(scope="module")
def dated():
    rng = np.random.default_rng(1)
    columns = {
        name: [cells[i] for i in rng.integers(0, 4, 60)]
        for name, cells in CELLS.items()
    }
    return pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in columns.items()})


def test_dates_and_decimals(dated, tmp_path):
    model = RFAE(random_state=0, forest=CompletelyRandomForest(10), refine=1)
    path = model.fit(dated.mask(np.eye(60, 9, dtype=bool))).save(tmp_path / "m.lf")
    rows = [dict(zip(CELLS, row, strict=True)) for row in dated.to_numpy()]
    for row in rows:
        row["when"] = row["when"].astimezone(UTC)
    rows[1]["midnight"], rows[2]["price"], rows[3]["day"] = None, np.nan, pd.NaT
    wanted = model.transform(pd.DataFrame(rows, dtype=object))
    assert same_bits(Scorer.load(path).transform(rows), wanted)
    assert same_bits(
        Scorer.load(path).transform([list(row.values()) for row in rows]), wanted
    )


WITHOUT_PANDAS = """
import pickle, sys
from latentforest import Scorer
with open(sys.argv[2], "rb") as file:
    rows = pickle.load(file)
coords = Scorer.load(sys.argv[1]).transform(rows)
coords.tofile(sys.argv[3])
print(*{name.partition(".")[0] for name in sys.modules})
"""


@pytest.mark.parametrize("refine", [None, 1, "packed", "linear", "forest"])
def test_no_library_of_tables_is_loaded(refine, dated, tmp_path):
    if isinstance(refine, str):
        refine = Refinement(1, start=refine)
    model = RFAE(random_state=0, forest=CompletelyRandomForest(10), refine=refine)
    model.fit(dated).save(tmp_path / "m.lf")
    rows = [dict(zip(CELLS, row, strict=True)) for row in dated.to_numpy()]
    rows[0]["name"] = None
    (tmp_path / "rows").write_bytes(pickle.dumps(rows))
    names = [str(tmp_path / name) for name in ("m.lf", "rows", "coords")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PANDAS, *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not set(UNWANTED) & set(done.stdout.split())
    found = np.fromfile(names[2]).reshape(60, -1)
    assert same_bits(found, model.transform(pd.DataFrame(rows, dtype=object)))


WRONG = {
    "a column too few": [{"size": 1.0, "count": 3, "colour": "red"}],
    "a column too many": [
        {"size": 1.0, "count": 3, "colour": "red", "flag": 1, "q": 0}
    ],
    "text for a number": [{"size": "1", "count": 3, "colour": "red", "flag": True}],
    "infinite": [{"size": np.inf, "count": 3, "colour": "red", "flag": True}],
    "huge": [{"size": 1.0, "count": 2**60, "colour": "red", "flag": True}],
    "a date": [{"size": date(2020, 1, 1), "count": 1, "colour": "red", "flag": True}],
    "a list": [{"size": [1], "count": 1, "colour": "red", "flag": True}],
    "mixed": [
        {"size": 1.0, "count": 1, "colour": "red", "flag": True},
        {"size": True, "count": 1, "colour": "red", "flag": True},
    ],
    "not only dicts": [{"size": 1.0, "count": 1, "colour": "red", "flag": True}, 3],
    "nothing": [],
    "one dimension": [1.0, 3, "red", True],
}


@pytest.mark.parametrize("rows", WRONG.values(), ids=WRONG)
def test_refusals_are_those_of_transform(rows, model):
    with pytest.raises((SchemaError, TypeError, ValueError)) as wanted:
        model.transform(rows)
    with pytest.raises(type(wanted.value)) as found:
        Scorer.of(model).transform(rows)
    assert str(found.value) == str(wanted.value)


def test_lists_need_a_cell_for_each_column(model):
    with pytest.raises(
        SchemaError, match="Row 1 has 3 cells, but Scorer is expecting 4"
    ):
        Scorer.of(model).transform([[1.0, 2, "red", True], [1.0, 2, "red"]])
    with pytest.raises(
        SchemaError, match="X has 2 features, but Scorer is expecting 4"
    ):
        Scorer.of(model).transform(np.ones((3, 2)))


def test_unseen_levels_are_treated_as_the_model_says(table, tmp_path):
    row = {"size": 1.0, "count": 2, "colour": "pink", "flag": True}
    for unseen in ("missing", "error", "nearest"):
        model = RFAE(random_state=0, unseen=unseen, refine=1).fit(table)
        scorer = Scorer.load(model.save(tmp_path / "m.lf"))
        if unseen == "error":
            with pytest.raises(SchemaError, match="not seen in fit: 'pink'"):
                scorer.transform(row)
            continue
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = scorer.transform(row)
        kinds = [warning.category for warning in told]
        assert kinds == [UnseenLevelsWarning] * (unseen == "missing")
        assert same_bits(found, scorer.transform(row | {"colour": None}))


def test_plain_cells_and_others_get_the_same_codes(monkeypatch):
    """Quick reading may change nothing: neither codes nor what is refused."""
    table = rows_of(model_of("completely random"))
    rows = table.to_dict("records")
    codec = TableCodec().fit(table)
    quick = codec.encode(rows).values
    monkeypatch.setattr(_codec, "plain_codes", lambda *_: None)
    assert same_bits(codec.encode(rows).values, quick)
    assert same_bits(codec.encode(table).values, quick)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(TypeError, match="Give a fitted RFAE"):
        Scorer.of(OddRows())
    (tmp_path / "m.lf").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(ModelFileError, match=r"m\.lf"):
        Scorer.load(tmp_path / "m.lf")
