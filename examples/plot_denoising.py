"""
Noise and missing cells
=======================

A model that has seen clean rows knows what rows look like. Sent through it, a damaged
row comes back as the nearest thing that looks right. We add noise to pictures and hide
cells of a mixed table, and measure the error before and after.
"""

# %%
# Digits of 8 × 8 pixels, from 0 to 16. The model sees clean ones, then noisy ones that
# are new to it.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from palmerpenguins import load_penguins
from sklearn.datasets import load_digits

from latentforest import RFAE, CompletelyRandomForest, plot

rng = np.random.default_rng(0)
pixels = load_digits().data
is_new = np.arange(len(pixels)) % 3 == 0
clean = pixels[is_new]

forest = CompletelyRandomForest(200, min_samples_leaf=5)
model = RFAE(n_components=16, forest=forest, random_state=0).fit(pixels[~is_new])
noisy = np.clip(clean + rng.normal(scale=6.0, size=clean.shape), 0, 16)
plot.images(noisy, model.reconstruct(noisy), (8, 8), n=12)[0, 0].set_ylabel("noisy")


# %%
# It pays where there is more noise than the model itself loses: below the grey line.
# Clean pictures are better left alone.
def error(rows):
    """Root mean square error per pixel."""
    return float(np.sqrt(np.mean((rows - clean) ** 2)))


levels = [0, 2, 4, 6, 8, 10]
before, after = [], []
for level in levels:
    noisy = np.clip(clean + rng.normal(scale=level, size=clean.shape), 0, 16)
    before.append(error(noisy))
    after.append(error(model.reconstruct(noisy)))
print(pd.DataFrame({"noise": levels, "before": before, "after": after}).round(2))

figure, ax = plt.subplots(layout="constrained")
ax.plot(before, before, color="0.6", linewidth=1, label="nothing done")
ax.plot(before, after, "o-", color=plot.PALETTE[0], label="reconstructed")
ax.set(xlabel="error of the noisy pictures", ylabel="error after", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

# %%
# Penguins with 30 % of their cells hidden. Missing cells need no treatment: trees send
# them to one side of each split, and the other cells decide. The rival fills in the
# mean, or the most frequent level, of the training rows. Penguins are an easy table: on
# several others the rival is better, and a regression of each column on the others
# (scikit-learn's ``IterativeImputer``) on most. To fill gaps, take an imputer.
table = load_penguins().dropna().drop(columns="year")
is_new = rng.random(len(table)) < 0.3
train, test = table[~is_new], table[is_new]
hidden = rng.random(test.shape) < 0.3

forest = CompletelyRandomForest(500)
model = RFAE(n_components=4, forest=forest, random_state=0).fit(train)
filled = model.reconstruct(test.mask(hidden))

rows = []
for j, name in enumerate(table.columns):
    here = hidden[:, j]
    truth, guess = test[name][here], filled[name][here]
    if pd.api.types.is_numeric_dtype(train[name]):
        spread = train[name].std()
        usual = np.sqrt((((truth - train[name].mean()) / spread) ** 2).mean())
        ours = np.sqrt((((truth - guess) / spread) ** 2).mean())
        rows.append((name, "error in standard deviations", usual, ours))
    else:
        usual = (truth != train[name].mode()[0]).mean()
        rows.append((name, "share of wrong cells", usual, (truth != guess).mean()))
report = pd.DataFrame(rows, columns=["column", "measure", "mean or mode", "RFAE"])
print(report.round(2).to_string(index=False))

# %%
# The hidden cells of all columns, before and after. The lighter bar is what filling in
# the mean or the mode costs.
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
places = np.arange(len(report))
ax.barh(places - 0.2, report["mean or mode"], 0.38, color="0.8", label="mean or mode")
ax.barh(places + 0.2, report["RFAE"], 0.38, color=plot.PALETTE[0], label="RFAE")
ax.set_yticks(places, report["column"])
ax.invert_yaxis()
ax.set_xlabel("error in standard deviations, or share of wrong cells")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

plt.show()
