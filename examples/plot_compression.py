"""
How small can it get?
=====================

The fewer coordinates, the more is lost. We draw that curve for the plain diffusion map,
for the refined one, and for principal components, on 178 wines: 13 measurements and the
grower.
"""

# %%
# All models are fitted on the same rows and judged on the others.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from latentforest import RFAE, plot
from latentforest.metrics import distortion

table = load_wine(as_frame=True).frame.rename(columns={"target": "grower"})
table["grower"] = table["grower"].map({0: "first", 1: "second", 2: "third"})
is_new = np.random.default_rng(0).random(len(table)) < 0.3
train, test = table[~is_new], table[is_new]
sizes = [1, 2, 3, 4, 6, 8, 10]

# %%
# One fit serves all sizes: coordinates come in order of importance, and
# ``model.truncate(size)`` keeps the first ones. The refined model moves the coordinates
# until its decoder loses least, anew for each size.
plain = RFAE(n_components=10, forest="completely_random", random_state=0).fit(train)
refined = RFAE(
    n_components=10, forest="completely_random", refine=3, random_state=0
).fit(train)


# %%
# Principal components know numbers only: the grower becomes three columns of zeros and
# ones, and comes back as the largest of them.
def through_pca(size):
    """Reconstruct the new rows from their first principal components."""
    known = pd.get_dummies(train, dtype=float)
    new = pd.get_dummies(test, dtype=float)
    pca = make_pipeline(StandardScaler(), PCA(size)).fit(known)
    numbers = pca.inverse_transform(pca.transform(new))
    back = pd.DataFrame(numbers, columns=new.columns, index=new.index)
    levels = back.filter(like="grower_")
    back["grower"] = levels.idxmax(axis=1).str.removeprefix("grower_")
    return back[list(table.columns)]


losses = [float(distortion(test, through_pca(size), training=train)) for size in sizes]

# %%
# The plain map is meant to be looked at: it is ahead of principal components at one and
# two coordinates, and behind them from three on. Refined, the same forest is below both
# at every size.
ax = plot.compression_curve({"RFAE": plain, "RFAE, refined": refined}, test, sizes)
ax.plot(sizes, losses, "o-", color=plot.PALETTE[2], label="PCA")
ax.legend(frameon=False)
ax.set_title(f"{len(test)} new wines, {table.shape[1]} columns")

curves = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
print(pd.DataFrame(curves, index=pd.Index(sizes, name="size")).round(3))

# %%
# Which columns pay for it? Two coordinates of the refined model.
small = refined.truncate(2)
plot.column_distortion(small.distortion(test))

plt.show()
