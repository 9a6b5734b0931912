"""Write the golden files: models of today that must load for ever.

    python tests/files/golden/make.py

Each model has a file ``NAME.lf`` and, in ``expected.json``, what it says about the rows
in ``rows.json``. Files that are there are kept, whatever was added to the format since;
a model with a new name gets a new file.
"""

import json
import warnings
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from latentforest import (
    RFAE,
    AdversarialForest,
    AutoRefinement,
    CompletelyRandomForest,
    ILPDecoder,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    Refinement,
    RelabelDecoder,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.files import describe, load_model, save_model

DROP = {"drop_training": True}
HERE = Path(__file__).parent
GRADES = ["low", "mid", "high"]
KINDS = {
    "length": "float64",
    "count": "int32",
    "flag": "bool",
    "name": "object",
    "grade": pd.CategoricalDtype(pd.Index(GRADES, dtype=object), ordered=True),
}


def as_frame(columns):
    """Rows from JSON as a data frame whose dtypes no version of pandas changes."""
    return pd.DataFrame(
        {name: pd.Series(columns[name], dtype=kind) for name, kind in KINDS.items()}
    )


def dated(frame):
    """Dates, times and decimals that follow the numbers."""
    count = frame["count"].to_numpy(np.int64)
    day = np.datetime64("2021-03-01", "s") + count.astype("m8[D]")
    there = pd.Series(day).dt.tz_localize("Europe/Berlin")
    gaps = pd.Series(day + count.astype("m8[h]")).where(count % 7 > 0)
    columns = {
        "day": day,
        "there": there,
        "hour": gaps,
        "length": pd.Series((count * 90).astype("m8[s]")),
        "clock": pd.Series([time(k % 24, k % 60) for k in count], dtype=object),
        "date": pd.Series([d.date() for d in there], dtype=object),
        "price": pd.Series([Decimal(int(k)).scaleb(-2) for k in count], dtype=object),
        "length_cm": frame["length"],
    }
    return pd.DataFrame(columns)


def models(frame):
    """Fit one small model of each sort; name, model, how it is saved."""
    trees = CompletelyRandomForest(10, min_samples_leaf=3)
    classes = frame["count"].to_numpy() // 34
    numbers = frame[["count"]].to_numpy(np.float64) / [[4, 7]]
    forest = RandomForestClassifier(10, min_samples_leaf=2, random_state=0)
    small = Refinement(2, n_neighbors=6)
    linear = Refinement(2, n_neighbors=6, start="linear", max_rows=20)
    rfae = lambda n, forest=trees, **more: RFAE(  # noqa: E731
        n, forest=forest, random_state=0, n_jobs=1, **more
    )
    yield "knn_draw", rfae(2, AdversarialForest(10), decoder="knn").fit(frame), {}
    yield "auto", rfae(2).fit(frame), {}
    yield (
        "local_linear",
        rfae(
            2,
            ShiHorvathForest(10, min_samples_leaf=2),
            decoder=LocalLinearDecoder(9),
            landmarks=18,
            kernel="scornet",
            kinds={"count": "category"},
            unseen="nearest",
        ).fit(frame),
        {},
    )
    yield "relabel", rfae(2, decoder=RelabelDecoder(n_trees=6)).fit(frame), {}
    yield "lasso", rfae(4, decoder=LassoDecoder(12)).fit(frame), {}
    # Long enough on a busy machine, and not too long once the fuzz script spoils it.
    exact = ILPDecoder(n_trees=3, time_limit=5.0)
    yield "ilp", rfae(4, decoder=exact).fit(frame), {}
    yield (
        "supervised",
        rfae(2, SupervisedForest(10), decoder="knn").fit(frame, classes),
        {},
    )
    forest.fit(numbers, classes)
    middle = KNNDecoder(5, prototypes="middle")
    yield "scikit_learn", rfae(1, forest, decoder=middle).fit(numbers), {}
    yield "refined", rfae(2, refine=small).fit(frame), {}
    # The same, since decoded numbers may leave their observed range.
    yield "refined_beyond", rfae(2, refine=small).fit(frame), {}
    yield "refined_linear", rfae(2, refine=linear).fit(frame), {}
    few = frame[["length", "count", "name"]]
    yield "chosen", rfae(1, refine=AutoRefinement(0.0)).fit(few), {}
    near = Refinement(2, n_neighbors=6, start="neighbours")
    yield "refined_neighbours", rfae(2, refine=near).fit(frame), {}
    packed = Refinement(start="packed", max_rows=20)
    yield "packed", rfae(2, refine=packed).fit(frame), {}
    # Coordinates for each column, and one more; most places are numbers themselves.
    yield "packed_apart", rfae(6, refine=packed).fit(frame), {}
    yield "dropped_packed", rfae(2, refine=packed).fit(frame), DROP
    yield "dropped", rfae(2, decoder="knn").fit(frame), DROP
    yield "dropped_refined", rfae(2, refine=linear).fit(frame), DROP
    rows = KNNDecoder(6, prototypes="rows")
    yield "dated", rfae(2, decoder=rows).fit(dated(frame)), {}
    yield from models_of_format_2(frame, rfae, classes, numbers)


def models_of_format_2(frame, rfae, classes, numbers):
    """Fit models whose files have another layout since format 2."""
    plain = rfae(2, AdversarialForest(10), decoder="knn").fit(frame)
    yield "two_walked", plain, {}
    yield "two_compact", plain, {"compact": True}
    yield "dropped_two", plain, DROP
    yield "dropped_two_compact", plain, DROP | {"compact": True}
    yield "two_paired", rfae(2, landmarks=18, kernel="scornet").fit(frame), {}
    forest = RandomForestClassifier(10, max_leaf_nodes=6, random_state=0)
    linked = rfae(1, forest.fit(numbers, classes), decoder="knn").fit(numbers)
    yield "two_linked", linked, {}
    near = Refinement(2, n_neighbors=6, start="neighbours")
    refined = rfae(2, refine=near).fit(frame)
    yield "two_neighbours", refined, {}
    yield "dropped_two_neighbours", refined, DROP
    # The same, since gaps are told from values and have a limit of their own.
    yield "two_gaps", refined, {}
    yield "two_truncated", rfae(3, refine=near).fit(frame).truncate(1), {}
    first = Refinement(2, n_neighbors=6, start="forest")
    yield "two_forest", rfae(2, refine=first).fit(frame), {}
    packed = Refinement(start="packed", max_rows=20)
    yield "two_packed", rfae(2, refine=packed).fit(frame), {}
    bags = {"kernel": "gap", "landmarks": 18, "tree_weights": np.arange(10.0)}
    drawn = rfae(2, SupervisedForest(10), decoder="knn", **bags).fit(frame, classes)
    yield "two_in_bag", drawn, {}
    yield "dropped_two_in_bag", drawn, DROP


def rows_for(model, frame):
    """Take the columns that a model knows."""
    if model.schema_.container == "numpy":
        return frame[["count"]].to_numpy(np.float64) / [[4, 7]]
    if "day" in model.schema_.names:
        return dated(frame)
    return frame[list(model.schema_.names)]


def plain(cells):
    """Cells as JSON holds them."""
    texts = (date, time, timedelta, Decimal)
    return [
        None if pd.isna(cell) else str(cell) if isinstance(cell, texts) else cell
        for cell in cells
    ]


def answers(model, frame, *, dropped):
    """Return what the model says about the rows."""
    rows = rows_for(model, frame)
    coords = model.transform(rows)
    said = {"coords": coords.tolist()}
    if model.encoder_.asks_map or model.encoder_.plain.seed is None:
        said["eigenvalues"] = model.eigenvalues_.tolist()  # else not in the file
    if not dropped:
        decoded = pd.DataFrame(model.inverse_transform(coords))
        said["decoded"] = {
            str(name): plain(decoded[name].tolist()) for name in decoded.columns
        }
        said["embedding"] = model.embedding_.tolist()
    return said


def main():
    """Write the files that are not there yet."""
    columns = json.loads((HERE / "rows.json").read_text(encoding="utf-8"))
    expected = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these models are too small to be good
        for name, model, options in models(as_frame(columns)):
            if name in expected:
                continue
            path = save_model(model, HERE / f"{name}.lf", **options)
            dropped = not describe(path).has_training
            model = load_model(path, RFAE)  # noqa: PLW2901 (it may have fewer digits)
            expected[name] = answers(model, as_frame(columns), dropped=dropped)
    (HERE / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
