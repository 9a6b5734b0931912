"""Small fitted models of every sort, and what must be the same after a reload."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    ILPDecoder,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    Refinement,
    RelabelDecoder,
    ShiHorvathForest,
    SpectrumWarning,
    SupervisedForest,
)
from mixed_tables import mixed_frame, target_of

HOLED = mixed_frame(40, missing=0.1, seed=1)
TREES = CompletelyRandomForest(10, min_samples_leaf=3)
NUMBERS = pd.DataFrame(
    {
        "a": HOLED["count"].astype(float) / 4,
        "b": HOLED["few"],
        "c": HOLED["flag"],
        "d": HOLED["count"],
    }
)


def fitted(*, table=HOLED, y=None, n_components=2, forest=TREES, **settings):
    """Fit a small model."""
    model = RFAE(n_components, forest=forest, random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        return model.fit(table, y)


def of_sklearn(kind, y, *, max_leaf_nodes=None, **settings):
    """Fit a model on a forest of scikit-learn; with few leaves, the best grow first."""
    forest = kind(
        8, min_samples_leaf=3, max_leaf_nodes=max_leaf_nodes, random_state=0
    ).fit(NUMBERS, y)
    return fitted(table=NUMBERS, forest=forest, **settings)


def on_own_fitted_forest():
    forest = CompletelyRandomForest(8, random_state=3).fit(HOLED)
    return fitted(table=HOLED[5:], forest=forest, decoder="knn")


def chosen_by_itself():
    model = RFAE.auto(2, random_state=0)
    return model.fit(HOLED[["length", "few", "name"]])


CLASSES = target_of(HOLED)

# Each makes a fitted model; they are fitted when a test asks for them.
MODELS = {
    "adversarial": lambda: fitted(forest=AdversarialForest(8, max_rounds=2)),
    "completely random": fitted,
    "shi horvath": lambda: fitted(forest=ShiHorvathForest(8)),
    "classes": lambda: fitted(forest=SupervisedForest(8), y=CLASSES),
    "named classes": lambda: fitted(
        forest=SupervisedForest(8, random_state=5),
        y=np.array(["u", "vv", "w"])[CLASSES],
    ),
    "regression": lambda: fitted(forest=SupervisedForest(8), y=HOLED["count"] / 7),
    "own fitted": on_own_fitted_forest,
    "sklearn classes": lambda: of_sklearn(RandomForestClassifier, CLASSES),
    "sklearn numbers": lambda: of_sklearn(
        ExtraTreesRegressor, NUMBERS["d"], decoder=KNNDecoder(5, prototypes="middle")
    ),
    "linked": lambda: of_sklearn(
        RandomForestClassifier, CLASSES, max_leaf_nodes=9, decoder="knn"
    ),
    "knn draw": lambda: fitted(decoder=KNNDecoder(3)),
    "knn middle": lambda: fitted(decoder=KNNDecoder(7, prototypes="middle", n_jobs=1)),
    "knn rows": lambda: fitted(decoder=KNNDecoder(7, prototypes="rows")),
    "local linear": lambda: fitted(decoder=LocalLinearDecoder(15, extrapolate=True)),
    "relabel": lambda: fitted(decoder="relabel"),
    "relabel logistic": lambda: fitted(
        decoder=RelabelDecoder(split="logistic", n_trees=5, point="draw")
    ),
    "relabel local": lambda: fitted(decoder=RelabelDecoder(mode="local", n_samples=20)),
    "lasso": lambda: fitted(n_components=5, decoder=LassoDecoder(30, point="draw")),
    "ilp": lambda: fitted(n_components=5, decoder=ILPDecoder(n_trees=4)),
    "refined": lambda: fitted(refine=Refinement(2, n_neighbors=8)),
    "refined forest": lambda: fitted(
        refine=Refinement(2, n_neighbors=8, start="forest")
    ),
    "refined linear": lambda: fitted(
        refine=Refinement(2, n_neighbors=8, start="linear")
    ),
    "refined neighbours": lambda: fitted(
        refine=Refinement(2, n_neighbors=8, start="neighbours")
    ),
    "refined in one unit": lambda: fitted(
        refine=Refinement(2, n_neighbors=8, units="common")
    ),
    "refined packed": lambda: fitted(refine=Refinement(start="packed")),
    "packed some rows": lambda: fitted(
        n_components=12, refine=Refinement(start="packed", max_rows=25), landmarks=30
    ),
    "refined some rows": lambda: fitted(
        refine=Refinement(2, n_neighbors=8, max_rows=25), landmarks=30
    ),
    "refined knn": lambda: fitted(refine=2, decoder=KNNDecoder(5)),
    "refined relabel": lambda: fitted(refine=2, decoder="relabel"),
    "auto": chosen_by_itself,
    "landmarks": lambda: fitted(landmarks=20),
    "landmarks lasso": lambda: fitted(landmarks=20, decoder="lasso"),
    "scornet": lambda: fitted(kernel="scornet", diffusion_time=2),
    "oob": lambda: fitted(
        forest=SupervisedForest(8), y=CLASSES, kernel="oob", landmarks=30
    ),
    "gap": lambda: of_sklearn(RandomForestClassifier, CLASSES, kernel="gap"),
    "gap, weighed": lambda: fitted(
        forest=SupervisedForest(8),
        y=CLASSES,
        kernel="gap",
        landmarks=35,
        tree_weights=np.arange(8.0) / 7,
    ),
    "weighed": lambda: fitted(tree_weights=np.arange(10.0)),
    "first trees": lambda: fitted(kernel="scornet", tree_weights=4),
    "gain": lambda: of_sklearn(ExtraTreesRegressor, NUMBERS["d"], tree_weights="gain"),
    "many coordinates": lambda: fitted(n_components=12, decoder="local_linear"),
    "kinds": lambda: fitted(
        table=HOLED[["few", "count", "name"]],
        kinds={"few": "integer", "count": "category"},
        unseen="nearest",
    ),
    "one column": lambda: fitted(table=HOLED[["area"]], n_components=1),
    "copies": lambda: fitted(table=HOLED.iloc[[*range(30), *range(9)]]),
    "distilled": lambda: fitted().distill(0.3, random_state=0),
    "distilled landmarks": lambda: fitted(landmarks=30, kernel="scornet").distill(
        0.3, random_state=0
    ),
    "distilled classes": lambda: fitted(forest=SupervisedForest(8), y=CLASSES).distill(
        0.3, random_state=0
    ),
    "distilled own fitted": lambda: on_own_fitted_forest().distill(0.3, random_state=0),
    "distilled sklearn": lambda: of_sklearn(RandomForestClassifier, CLASSES).distill(
        0.3, random_state=0
    ),
}


@cache
def model_of(case):
    """Return the fitted model of a case; tests may not change it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)  # so few rows fall apart
        return MODELS[case]()


def rows_of(model):
    """Rows to place: the training rows and some that were never seen together."""
    names = list(model.schema_.names)
    table = (
        HOLED if "length" in names or "name" in names or "area" in names else NUMBERS
    )
    table = table[names]
    mixed = {name: np.roll(table[name].array, 3 * j) for j, name in enumerate(names)}
    return pd.concat([table, pd.DataFrame(mixed)], ignore_index=True)


def same_bits(one, other):
    """Whether arrays are equal bit for bit, NaN and signs of zeros included."""
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    alike = one.dtype == other.dtype and one.shape == other.shape
    return alike and one.tobytes() == other.tobytes()


def assert_same_model(model, again):
    """Compare all that a user can ask of a model."""
    rows = rows_of(model)
    coords = model.transform(rows)
    assert same_bits(again.transform(rows), coords)
    assert same_bits(again.embedding_, model.embedding_)
    assert same_bits(again.leave_one_out(), model.leave_one_out())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)  # worked out when asked for
        assert same_bits(again.eigenvalues_, model.eigenvalues_)
    pd.testing.assert_frame_equal(
        again.inverse_transform(coords),
        model.inverse_transform(coords),
        check_exact=True,
    )
    assert again.reconstruct(rows).equals(model.reconstruct(rows))
    assert again.score(rows) == model.score(rows)
    assert again.schema_ == model.schema_
    assert again.schema_.report() == model.schema_.report()
    assert repr(again.decoder_) == repr(model.decoder_)
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())
    assert str(again.tried_) == str(model.tried_)
    assert again.distillation_ == model.distillation_


def assert_same_uncertainty(model, again):
    """Compare how sure cells are."""
    coords = model.transform(rows_of(model))
    one = model.inverse_transform(coords, return_uncertainty=True)
    two = again.inverse_transform(coords, return_uncertainty=True)
    assert two[0].equals(one[0])
    assert same_bits(two[1].std.to_numpy(), one[1].std.to_numpy())
    for end, other in zip(one[1].interval(), two[1].interval(), strict=True):
        assert same_bits(other.to_numpy(), end.to_numpy())
    for name, shares in one[1].probabilities.items():
        assert same_bits(two[1].probabilities[name].to_numpy(), shares.to_numpy())
