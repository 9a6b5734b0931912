"""Numbers near the largest that a double can hold are numbers like any other."""

import numpy as np
import pandas as pd
import pytest

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    EForest,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    Refinement,
    RelabelDecoder,
)
from latentforest._base._moments import mean_of, std_of

SMALL = CompletelyRandomForest(20)
MODELS = {
    "adversarial": RFAE(2, forest=AdversarialForest(20)),
    "neighbours": RFAE(2, forest=SMALL, decoder=KNNDecoder()),
    "plane": RFAE(2, forest=SMALL, decoder=LocalLinearDecoder()),
    "extrapolated": RFAE(2, forest=SMALL, decoder=LocalLinearDecoder(extrapolate=True)),
    "relabelled": RFAE(2, forest=SMALL, decoder=RelabelDecoder()),
    "leaves": RFAE(2, forest=SMALL, decoder=LassoDecoder(point="draw")),
    "refined": RFAE(2, forest=SMALL, refine=2),
    "linear": RFAE(2, forest=SMALL, refine=Refinement(1, start="linear")),
    "packed": RFAE(2, forest=SMALL, refine=Refinement(start="packed")),
    "packed apart": RFAE(4, forest=SMALL, refine=Refinement(start="packed")),
    "regions": EForest(SMALL),
}


def frame(size):
    """Numbers of a wide range, a tenth of them missing, beside ordinary ones."""
    rng = np.random.default_rng(0)
    hidden = rng.random(80)
    wide = size * (1.5 * hidden - 0.75)
    return pd.DataFrame(
        {
            "wide": np.where(rng.random(80) < 0.1, np.nan, wide),
            "high": size * (0.7 + 0.1 * hidden),
            "small": hidden + 0.05 * rng.normal(size=80),
            "level": np.array(list("xyz"))[(3 * hidden).astype(int)],
        }
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_power_of_two_changes_last_digits_at_most(name):
    """Up to the largest numbers of all, whose squares and differences overflow."""
    model = MODELS[name].set_params(random_state=0)
    found = []
    for size in (2.0**503, 2.0**1000, 2.0**1023):
        table = frame(size * (2 - 2.0**-40))
        back = model.fit(table).reconstruct(table)
        numbers = back[["wide", "high"]] / size
        found.append((model.score(table), numbers, back[["small", "level"]]))
    for score, numbers, others in found:
        assert score == pytest.approx(found[0][0], abs=1e-9)
        assert np.allclose(numbers, found[0][1], rtol=0, atol=1e-9, equal_nan=True)
        assert np.allclose(others["small"], found[0][2]["small"], rtol=1e-9)
        assert others["level"].equals(found[0][2]["level"])


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e200, 1.7e308])
def test_means_and_spreads_of_every_size(size):
    numbers = np.array([-1.0, 0.5, 1.0, 1.0])
    assert mean_of(numbers * size) == pytest.approx(numbers.mean() * size, rel=1e-12)
    assert std_of(numbers * size) == pytest.approx(numbers.std() * size, rel=1e-12)


def test_ordinary_numbers_have_the_moments_of_numpy():
    numbers = np.random.default_rng(0).normal(size=1000) * 1e100
    assert mean_of(numbers) == numbers.mean()
    assert std_of(numbers) == numbers.std()
