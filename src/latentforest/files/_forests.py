"""Trees and the forest they belong to."""

from typing import Any

import numpy as np

from latentforest.files._read import ModelArchive
from latentforest.files._section import Section
from latentforest.files._settings import FORESTS, decode_object, encode_object
from latentforest.files._values import damaged, encode_value
from latentforest.forest import (
    AdversarialForest,
    BaseForest,
    GrownForest,
    SupervisedForest,
)
from latentforest.table import (
    EncodedTable,
    TableCodec,
    TableSchema,
    remember_columns,
)
from latentforest.trees import ForestArrays, PackedTrees, pack_trees, unpack_trees

CLASS_DTYPES = {"bool", "float32", "float64", "object", "str"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
LONGEST_SOURCE = 200


class StoredForest(BaseForest):
    """The trees of a forest whose own class a model file cannot hold.

    What ``RFAE.load`` gives in place of a scikit-learn forest: it routes rows and can
    be given to ``RFAE(forest=…)`` again, but it can be neither grown nor asked for
    predictions.

    Parameters
    ----------
    source : str, default=""
        What the forest was when the model was saved.

    Attributes
    ----------
    forest_ : ForestArrays
        The trees.
    """

    random_state = None
    n_jobs = None
    verbose = False

    def __init__(self, source: str = "") -> None:
        self.source = source

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Refuse: there is nothing here that grows."""
        message = (
            f"these are the trees of {self.source or 'a forest'} from a model file, "
            "which cannot be grown again. Give RFAE a forest to grow."
        )
        raise ValueError(message)

    @property
    def n_estimators(self) -> int:  # type: ignore[override]
        """Number of trees."""
        return self.forest_.n_trees

    def __sklearn_clone__(self) -> "StoredForest":
        # Like a frozen estimator: a copy without trees would be of no use.
        return self


def put_forest(
    forest: ForestArrays,
    grower: Any,
    arrays: dict[str, Any],
    *,
    drop_training: bool,
) -> dict[str, Any]:
    """Add the arrays of the trees; return what the manifest says of them."""
    packed = pack_trees(forest)
    for name in PackedTrees.__slots__:
        arrays[f"forest/{name}"] = getattr(packed, name)
    return {
        "numbers_only": not forest.split_levels.any(),
        "grower": _put_grower(grower, arrays, drop_training=drop_training),
    }


def _put_grower(
    grower: Any, arrays: dict[str, Any], *, drop_training: bool
) -> dict[str, Any]:
    if isinstance(grower, StoredForest):
        return {"class": "StoredForest", "source": grower.source}
    if type(grower) not in FORESTS or drop_training or not _has_plain_classes(grower):
        source = " ".join(repr(grower).split())[:LONGEST_SOURCE]
        return {"class": "StoredForest", "source": source}
    data = encode_object(grower, "the forest")
    if isinstance(grower, AdversarialForest):
        data["accuracies"] = [float(share) for share in grower.accuracies_]
    if isinstance(grower, SupervisedForest):
        classes = grower.classes_
        data["classes"] = None if classes is None else _encode_classes(classes)
        arrays["forest/leaf_values"] = grower.leaf_values_
    return data


def _has_plain_classes(grower: Any) -> bool:
    """Whether the classes, if any, are text, numbers or booleans."""
    classes = getattr(grower, "classes_", None)
    if classes is None:
        return True
    plain = all(isinstance(value, str | int | float) for value in classes.tolist())
    return plain and _class_dtype(classes) in CLASS_DTYPES


def take_trees(
    section: Section, archive: ModelArchive, schema: TableSchema
) -> ForestArrays:
    """Read the trees and check all that compiled walks rely on."""
    left = archive.take("forest/left", np.int32, (None,))
    n_nodes = left.shape
    packed = PackedTrees(
        archive.take("forest/start", np.int64, (None,)),
        left,
        archive.take("forest/right", np.int32, n_nodes),
        archive.take("forest/feature", np.int32, n_nodes),
        archive.take("forest/threshold", np.float64, n_nodes),
        archive.take("forest/missing_left", np.bool_, n_nodes),
        archive.take("forest/words", np.uint32, (None,)),
    )
    split_levels = schema.split_levels
    if section.flag("numbers_only"):
        split_levels = np.zeros_like(split_levels)
    forest = unpack_trees(packed, split_levels)
    for number, column in enumerate(schema.columns):
        empty = column.is_number and not column.storage.is_numeric
        if empty and (forest.feature == number).any():
            raise damaged(
                f"a tree splits on column {column.name!r}, which has no cells"
            )
    return forest


def take_grower(
    section: Section, archive: ModelArchive, forest: ForestArrays, schema: TableSchema
) -> BaseForest:
    """Rebuild the fitted forest that the trees belong to."""
    grower: BaseForest
    if section.text("class") == "StoredForest":
        grower = StoredForest(section.text("source")[:LONGEST_SOURCE])
    else:
        grower = decode_object(section, FORESTS)
    grower.codec_ = TableCodec.from_schema(schema)
    remember_columns(grower, schema)
    grower.forest_ = forest
    if isinstance(grower, AdversarialForest):
        grower.accuracies_ = section.values("accuracies")
    if isinstance(grower, SupervisedForest):
        _take_predictions(section, archive, grower)
    return grower


def _take_predictions(
    section: Section, archive: ModelArchive, grower: SupervisedForest
) -> None:
    n_leaves = grower.forest_.n_leaves
    n_outputs, grower.classes_ = 1, None
    if section.has("classes"):
        grower.classes_ = _decode_classes(section.section("classes"))
        n_outputs = len(grower.classes_)
    values = archive.take("forest/leaf_values", np.float64, (n_leaves, n_outputs))
    if not np.isfinite(values).all():
        raise damaged("forest/leaf_values holds NaN or infinity")
    grower.leaf_values_ = values


def _encode_classes(classes: np.ndarray) -> dict[str, Any]:
    values = [encode_value(value, what="a class of y") for value in classes.tolist()]
    return {"dtype": _class_dtype(classes), "values": values}


def _class_dtype(classes: np.ndarray) -> str:
    return "str" if classes.dtype.kind == "U" else classes.dtype.name


def _decode_classes(section: Section) -> np.ndarray:
    dtype = section.text("dtype")
    if dtype not in CLASS_DTYPES:
        raise damaged(f"the classes have the dtype {dtype[:40]!r}")
    values = section.values("values")
    classes = np.empty(len(values), object)
    classes[:] = values
    return classes.astype(dtype)
