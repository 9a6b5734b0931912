"""What options may be given, for the help, which shall not load the package.

A test holds these words against the rooms that they come from.
"""

FORESTS = "adversarial", "completely_random", "shi_horvath", "supervised"
DECODERS = "auto", "knn", "local_linear", "packed", "relabel", "lasso", "ilp"
PLOTS = (
    *("scatter", "3d", "pairs", "spectrum", "distortion", "curve", "reconstruction"),
    *("film", "trials"),
)
FOLDER = "latentforest-demo"
