"""Models of other libraries: reading them, and encoding beside their own leaf call.

    python benchmarks/foreign.py            # prints, and writes results/foreign.md

20 columns (15 numbers, 5 categories), 1,000 trees of up to 31 leaves fitted on 20,000
rows; 100,000 rows to encode. Reading: from the fitted model to our arrays; comparing
them with the library's own leaf call is a figure of its own. Encoding: leaves of all
rows in all trees, each library by its own call with all cores, from a table that it has
converted already where it can. Best of three, in one process. Needs lightgbm, xgboost
and catboost.
"""

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from latentforest.forest import resolve_forest
from latentforest.forest._foreign import read_model
from latentforest.forest._foreign._check import trial_rows

RESULT = Path(__file__).parent / "results" / "foreign.md"
TRAIN, NEW, TREES, LEAVES = 20_000, 100_000, 1_000, 31


def make_rows(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and categories that hang together, and a class."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, 3))
    mix = np.random.default_rng(7).normal(size=(3, 21))
    cells = hidden @ mix + 0.5 * rng.normal(size=(n_rows, 21))
    table = {f"x{j}": cells[:, j] for j in range(15)}
    for j in range(15, 20):
        ranks = np.clip(((np.tanh(cells[:, j]) + 1) * 6).astype(int), 0, 11)
        levels = [f"level {i}" for i in range(12)]
        table[f"c{j}"] = pd.Categorical.from_codes(ranks, levels)
    return pd.DataFrame(table), (cells[:, 20] > 0).astype(int)


def best_of(call: Callable[[], Any], repeats: int = 3) -> float:
    """Seconds of the fastest call."""
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return min(took)


def models(table: pd.DataFrame, target: np.ndarray, new: pd.DataFrame) -> dict:
    """Fitted models, the rows each reads, and its own leaf call for these."""
    import catboost
    import lightgbm
    import xgboost
    from sklearn import ensemble

    numbers = [name for name in table if name[0] == "x"]
    lgbm = lightgbm.LGBMClassifier(
        n_estimators=TREES, num_leaves=LEAVES, verbose=-1
    ).fit(table, target)
    xgb = xgboost.XGBClassifier(
        n_estimators=TREES,
        max_leaves=LEAVES,
        max_depth=0,
        grow_policy="lossguide",
        enable_categorical=True,
    ).fit(table, target)
    cat = catboost.CatBoostClassifier(
        iterations=TREES, depth=5, verbose=0, allow_writing_files=False
    ).fit(table[numbers], target)
    hist = ensemble.HistGradientBoostingClassifier(
        max_iter=TREES, max_leaf_nodes=LEAVES, early_stopping=False
    ).fit(table, target)
    forest = ensemble.RandomForestClassifier(
        TREES, max_leaf_nodes=LEAVES, n_jobs=-1
    ).fit(table[numbers], target)
    matrix = xgboost.DMatrix(new, enable_categorical=True)
    pool = catboost.Pool(new[numbers])
    single = new[numbers].to_numpy(np.float32)
    return {
        "LightGBM": (lgbm, table, new, lambda: lgbm.predict(new, pred_leaf=True)),
        "XGBoost": (
            xgb,
            table,
            new,
            lambda: xgb.get_booster().predict(matrix, pred_leaf=True),
        ),
        "CatBoost, numbers": (
            cat,
            table[numbers],
            new[numbers],
            lambda: cat.calc_leaf_indexes(pool),
        ),
        "scikit-learn, histograms": (hist, table, new, None),
        "scikit-learn, random forest, numbers": (
            forest,
            table[numbers],
            new[numbers],
            lambda: forest.apply(single),
        ),
    }


def main() -> None:
    """Measure, print and write."""
    warnings.simplefilter("ignore")
    table, target = make_rows(TRAIN, 0)
    new, _ = make_rows(NEW, 1)
    lines = [
        "# Models of other libraries",
        "",
        f"By `benchmarks/foreign.py`: {TREES:,} trees of up to {LEAVES} leaves, "
        f"{NEW:,} rows, two cores; seconds, best of three. *read*: from the fitted "
        "model to our arrays; *check*: the comparison with the library's own leaf "
        "call; *leaves*: of all rows in all trees, the table encoded already; *with "
        "the table*: the same from a data frame.",
        "",
        "| | read | check | their leaf call | our leaves | ratio | with the table |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (model, own, rows, call) in models(table, target, new).items():
        given = resolve_forest(model)
        codec, encoded, _ = given.read(own, kinds=None, unseen="missing")
        read = best_of(lambda m=model, e=encoded: _read(m, e))
        reading = _read(model, encoded)
        trial = trial_rows(reading.forest, encoded.values)
        check = best_of(lambda r=reading, t=trial: r.check(t), 1)
        codes = codec.encode(rows).values
        reading.forest.leaves(codes[:100])
        ours = best_of(lambda r=reading, c=codes: r.forest.leaves(c))
        whole = best_of(
            lambda r=reading, c=codec, t=rows: r.forest.leaves(c.encode(t).values)
        )
        theirs = best_of(call) if call else float("nan")
        lines.append(
            f"| {name} | {read:.2f} | {check:.2f} | {theirs:.2f} | {ours:.2f} | "
            f"{ours / theirs:.2f} | {whole:.2f} |"
        )
        print(lines[-1], flush=True)
    RESULT.write_text("\n".join(lines).replace("nan", "") + "\n")


def _read(model: Any, encoded: Any) -> Any:
    return read_model(resolve_forest(model).foreign, encoded)


if __name__ == "__main__":
    main()
