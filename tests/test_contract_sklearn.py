"""scikit-learn's own checks, on every estimator that has a scikit-learn face."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    KNNDecoder,
    ShiHorvathForest,
    SupervisedForest,
)

# Small tables fall into several components, and that is said.
pytestmark = pytest.mark.filterwarnings(
    "ignore::latentforest._base._errors.SpectrumWarning"
)

ESTIMATORS = [
    RFAE(1, forest=AdversarialForest(8), random_state=0),
    RFAE(
        1,
        forest=CompletelyRandomForest(8),
        decoder=KNNDecoder(prototypes="rows"),
        random_state=0,
    ),
    AdversarialForest(4, random_state=0),
    CompletelyRandomForest(4, random_state=0),
    ShiHorvathForest(4, random_state=0),
    SupervisedForest(4, random_state=0),
]

EXCUSED: dict[str, dict[str, str]] = {}


def excused(estimator):
    """Checks that cannot pass, each with its reason."""
    return EXCUSED.get(type(estimator).__name__, {})


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
