"""scikit-learn's own checks, on every estimator that has a scikit-learn face."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import latentforest
from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    EForest,
    ForestKernel,
    KNNDecoder,
    OddRows,
    ShiHorvathForest,
    SupervisedForest,
    decode,
    encoder,
    forest,
    refine,
    spectral,
    table,
)

# Small tables fall into several components, and that is said.
pytestmark = pytest.mark.filterwarnings(
    "ignore::latentforest._base._errors.SpectrumWarning"
)

DEFAULTS = [
    RFAE(),
    AdversarialForest(),
    CompletelyRandomForest(),
    ShiHorvathForest(),
    SupervisedForest(),
    EForest(),
    ForestKernel(),
    OddRows(),
]
OTHERS = [
    RFAE(1, forest=AdversarialForest(8), random_state=0),
    RFAE(
        1,
        forest=CompletelyRandomForest(8),
        decoder=KNNDecoder(prototypes="rows"),
        random_state=0,
    ),
    EForest(CompletelyRandomForest(4), random_state=0),
    ForestKernel(CompletelyRandomForest(4), random_state=0),
]

TWO_TABLES = "fit takes coordinates and the rows they stand for, not a table and a y"
NOT_CHECKED = {
    "AutoDecoder": TWO_TABLES,
    "BaseForest": "abstract",
    "Decoder": f"abstract; {TWO_TABLES}",
    "DiffusionMap": "fit takes a kernel",
    "ILPDecoder": TWO_TABLES,
    "KNNDecoder": TWO_TABLES,
    "LassoDecoder": TWO_TABLES,
    "LocalLinearDecoder": TWO_TABLES,
    "PackedDecoder": TWO_TABLES,
    "RefinedMap": "no estimator: fit takes coordinates and cells",
    "RegionDecoder": TWO_TABLES,
    "RelabelDecoder": TWO_TABLES,
    "SpreadingDecoder": f"abstract; {TWO_TABLES}",
    "StoredForest": "comes from a model file, and fit says that it cannot grow",
    "TableCodec": "no estimator: no parameters to search, no y, encode and decode",
}

EXCUSED: dict[str, dict[str, str]] = {}


def excused(estimator):
    """Checks that cannot pass, each with its reason."""
    return EXCUSED.get(type(estimator).__name__, {})


@parametrize_with_checks([*DEFAULTS, *OTHERS], expected_failed_checks=excused)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    """With its defaults, or there is a reason why it cannot be."""
    rooms = [latentforest, decode, encoder, forest, refine, spectral, table]
    public = {
        name
        for room in rooms
        for name in room.__all__
        if hasattr(getattr(room, name), "fit")
    }
    checked = {type(estimator).__name__ for estimator in DEFAULTS}
    assert all(repr(estimator).endswith("()") for estimator in DEFAULTS)
    assert not checked & set(NOT_CHECKED)
    assert public == checked | set(NOT_CHECKED)
