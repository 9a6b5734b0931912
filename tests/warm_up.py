"""Compile the loops that nearly all tests need, once, in two processes at a time.

Each worker would compile all of them for itself, which takes longer than the tests.
Kernel rows and neighbours have few loops in common, so that is where the work is cut.
"""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor

from latentforest import (
    RFAE,
    EForest,
    ILPDecoder,
    KNNDecoder,
    LassoDecoder,
    Refinement,
    RelabelDecoder,
)
from latentforest._base._compiled import kept_on_disk
from latentforest.forest import FORESTS
from latentforest.trees import goes_left


def grow_and_climb():
    """Grow forests of every sort, and decode by kernel rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["c"] = rng.choice(list("uvw"), 60)
    for forest in FORESTS.values():
        forest(3, random_state=0).fit(frame, frame["c"]).apply(frame)
    FORESTS["supervised"](3, random_state=0).fit(frame, frame["a"])
    for decoder in (LassoDecoder(9), ILPDecoder(n_trees=2)):
        there_and_back(frame, FORESTS["completely_random"](3), decoder=decoder)
    EForest(random_state=0).fit(frame).reconstruct(frame)


def look_around():
    """Decode by neighbours and by new splits, with a forest that is not grown here."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    forest = ExtraTreesRegressor(5, min_samples_leaf=3, random_state=0)
    forest.fit(frame, frame["a"])
    model = there_and_back(frame, forest)
    model.inverse_transform(model.embedding_, return_uncertainty=True)
    local = RelabelDecoder(mode="local", split="logistic")
    for decoder in (KNNDecoder(3), RelabelDecoder(), local):
        there_and_back(frame, forest, decoder=decoder)
    for start in ("forest", "linear", "neighbours", "packed"):
        refine = Refinement(1, n_neighbors=12, start=start)
        there_and_back(frame, forest, refine=refine)
    # More than two coordinates are searched in another way.
    there_and_back(frame, forest, 3, refine=Refinement(1, start="linear"))
    model.kernel_.gram(frame)
    model.kernel_.smooth(frame, frame["a"])


def there_and_back(frame, forest, n_components=2, **settings):
    """Fit a model and use it."""
    model = RFAE(n_components, forest=forest, random_state=0, **settings).fit(frame)
    model.reconstruct(frame)
    return model


def compile_in_two_processes():
    """Compile, unless that was done before."""
    if kept_on_disk(goes_left):
        return
    running = [subprocess.Popen([sys.executable, __file__, name]) for name in JOBS]
    for process in running:
        process.wait()


JOBS = {job.__name__: job for job in (grow_and_climb, look_around)}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    JOBS[sys.argv[1]]()
