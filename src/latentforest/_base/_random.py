"""One seed in, named independent generators out."""

import numpy as np
from sklearn.utils import check_random_state

RandomState = int | np.random.Generator | np.random.RandomState | None


def as_entropy(random_state: RandomState) -> int | None:
    """Turn any accepted ``random_state`` into entropy for a seed sequence.

    Generators are drawn from, so that two calls with the same generator object
    differ, as scikit-learn users expect.
    """
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31))


def stage_rngs(
    random_state: RandomState, *stages: str
) -> dict[str, np.random.Generator]:
    """Independent generators, one per stage; adding a stage at the end moves none."""
    children = np.random.SeedSequence(as_entropy(random_state)).spawn(len(stages))
    return {
        stage: np.random.default_rng(child)
        for stage, child in zip(stages, children, strict=True)
    }


def draw_seeds(rng: np.random.Generator, size: int) -> np.ndarray:
    """Seeds for compiled loops: one per tree, so that threads change nothing."""
    return rng.integers(1, 2**63, size=size, dtype=np.uint64)
