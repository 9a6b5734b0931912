"""
See what a classifier sees
==========================

A fitted random forest has a kernel of its own: two rows are alike where its trees send
them to the same leaves. ``RFAE(forest=classifier)`` draws the map of that kernel, and
with it what the classifier takes for similar, and where it is in doubt.
"""

# %%
# A classifier of tumours from 30 measurements of cell nuclei.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from latentforest import RFAE, plot

data = load_breast_cancer(as_frame=True)
name = data.target.map(dict(enumerate(data.target_names)))
train, test, y_train, y_test = train_test_split(
    data.data, name, test_size=0.4, stratify=name, random_state=0
)
classifier = RandomForestClassifier(300, min_samples_leaf=2, random_state=0)
classifier.fit(train, y_train)
print(f"accuracy on new rows: {classifier.score(test, y_test):.3f}")

# %%
# The same rows in two diffusion maps. On the left that of a forest that knows nothing
# of the diagnosis, on the right the classifier's own. Rows to be drawn are new to both.
plain = RFAE(n_components=2, refine=None, random_state=0).fit(train)
view = RFAE(n_components=2, forest=classifier, random_state=0).fit(train)

figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
plot.latent(plain, test, color_by=y_test, ax=axes[0])
plot.latent(view, test, color_by=y_test, ax=axes[1])
axes[0].set_title("without the diagnosis")
axes[1].set_title("as the classifier sees them")

# %%
# Where is it in doubt? The colour is the probability of a malignant tumour, circles
# are rows that were classified wrong: most lie on the way from one group to the other.
malignant = classifier.predict_proba(test)[:, 1]
wrong = classifier.predict(test) != y_test.to_numpy()
z = view.transform(test)
ax = plot.latent(view, test, color_by=malignant)
circle = {"s": 90, "facecolors": "none", "edgecolors": "black", "linewidths": 1.0}
ax.scatter(*z[wrong].T, label=f"{wrong.sum()} classified wrong", **circle)
ax.legend(frameon=False)
ax.set_title("probability of a malignant tumour")

# %%
# The map is the forest: along its first coordinate, the probability rises from 0 to 1.
rank = np.corrcoef(np.argsort(np.argsort(z[:, 0])), np.argsort(np.argsort(malignant)))
print(f"rank correlation of coordinate 1 and probability: {rank[0, 1]:.3f}")

# %%
# Which columns does the classifier's map keep? Those it splits on; it was never asked
# to keep the rest.
plot.column_distortion(view.distortion(test))

# %%
# Without a forest at hand, ``forest="supervised"`` grows one from ``y``.
own = RFAE(n_components=2, forest="supervised", random_state=0).fit(train, y_train)
ax = plot.latent(own, test, color_by=y_test)
ax.set_title('forest="supervised"')

plt.show()
