"""Models of other libraries, small and made at random, each with its own leaf call."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

LEVELS = ("red", "green", "blue", "grey", "teal")


@dataclass(frozen=True)
class Case:
    """What a model is fitted on, and how."""

    table: pd.DataFrame
    target: Any
    task: str
    n_trees: int
    depth: int
    seed: int

    @property
    def numbers(self) -> pd.DataFrame:
        """Columns without categories, as floats."""
        return self.table.select_dtypes(["number", "bool"]).astype(float)

    @property
    def known(self) -> pd.DataFrame:
        """The same without gaps."""
        return self.numbers.fillna(0.25)


def make_case(n_rows, n_trees, depth, task, *, missing, coarse, seed):
    """Columns of many sorts that hang together, and a target."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_rows)
    table = pd.DataFrame(
        {
            "wide": hidden * 10.0 ** rng.integers(-3, 6),
            "ties": np.round(hidden + 0.3 * rng.normal(size=n_rows), coarse),
            "colour": pd.Categorical(rng.choice(LEVELS[:4], n_rows), LEVELS),
            "count": rng.poisson(3, n_rows),
            "flag": hidden + 0.5 * rng.normal(size=n_rows) > 0,
            "code": pd.Categorical(rng.integers(0, 9, n_rows)),
        }
    )
    for name in ("wide", "ties", "colour"):
        table.loc[rng.random(n_rows) < missing, name] = np.nan
    signal = (
        np.sin(2 * hidden)
        + table["colour"].isin(LEVELS[:2])
        + 0.2 * rng.normal(size=n_rows)
    ).to_numpy()
    if task == "two classes":
        target = signal > np.median(signal)
    elif task == "three classes":
        target = np.searchsorted(np.quantile(signal, [0.3, 0.7]), signal)
    elif task == "two outputs":
        target = np.column_stack([signal, hidden])
    else:
        target = signal
    return Case(table, target, task, n_trees, depth, seed)


@st.composite
def cases(draw, *, tasks=("two classes", "three classes", "number"), gaps=True):
    """Draw a table, a task, and how many trees of which depth."""
    return make_case(
        draw(st.integers(20, 200)),
        draw(st.integers(1, 50)),
        draw(st.integers(1, 6)),
        draw(st.sampled_from(tasks)),
        missing=draw(st.sampled_from([0.0, 0.2] if gaps else [0.0])),
        coarse=draw(st.integers(0, 2)),
        seed=draw(st.integers(0, 9_999)),
    )


def lightgbm_model(case, boosting="gbdt", **more):
    """Train a booster of LightGBM; gbdt, dart or rf."""
    import lightgbm

    kind = lightgbm.LGBMRegressor if case.task == "number" else lightgbm.LGBMClassifier
    bag = {"bagging_freq": 1, "bagging_fraction": 0.6} if boosting == "rf" else {}
    return kind(
        boosting_type=boosting,
        n_estimators=case.n_trees,
        num_leaves=2**case.depth,
        min_child_samples=2,
        min_data_per_group=1,
        cat_smooth=0.1,
        verbose=-1,
        n_jobs=1,
        random_state=case.seed,
        **(bag | more),
    ).fit(case.table, case.target)


def xgboost_model(case, **more):
    """Train a booster of XGBoost; gbtree, dart, or many trees in one round."""
    import xgboost

    kind = xgboost.XGBClassifier if "classes" in case.task else xgboost.XGBRegressor
    return kind(
        n_estimators=case.n_trees,
        max_depth=case.depth,
        enable_categorical=True,
        n_jobs=1,
        random_state=case.seed,
        **more,
    ).fit(case.table, case.target)


def catboost_model(case, policy="SymmetricTree", **more):
    """Train CatBoost, with categories compared one by one."""
    import catboost

    kind = catboost.CatBoostRegressor
    if "classes" in case.task:
        kind = catboost.CatBoostClassifier
    table = case.table.copy()
    for name in ("colour", "code"):
        table[name] = table[name].astype(object).where(table[name].notna(), "none")
        table[name] = table[name].astype(str)
    settings = {"one_hot_max_size": 50, "cat_features": ["colour", "code"]} | more
    return kind(
        iterations=case.n_trees,
        depth=case.depth,
        grow_policy=policy,
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
        random_seed=case.seed,
        **settings,
    ).fit(table, case.target)


def catboost_table(case):
    """Return the table as CatBoost wants it: categories without gaps."""
    table = case.table.copy()
    for name in ("colour", "code"):
        words = (
            table[name].astype(object).where(table[name].notna(), "none").astype(str)
        )
        table[name] = pd.Categorical(words)
    return table
