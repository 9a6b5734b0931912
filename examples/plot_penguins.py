"""
Look at a mixed table
=====================

344 penguins, eight columns: species, island, sex, year, and four measurements, with
cells missing here and there. Each penguin becomes two numbers; we look at them, decode
them again, and see what was lost.
"""

# %%
# Fit on three quarters of the rows. The report says how each column was read.
import matplotlib.pyplot as plt
import numpy as np
from palmerpenguins import load_penguins

from latentforest import RFAE, plot

table = load_penguins()
held_out = np.random.default_rng(0).random(len(table)) < 0.25
train, test = table[~held_out], table[held_out]

model = RFAE(n_components=2, random_state=0).fit(train)
print(model.schema_.report())

# %%
# The map of the training rows, coloured by a category and by a number. Nobody told the
# model which column is special: species come apart because they differ in all other
# columns.
figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
plot.latent(model, color_by="species", ax=axes[0])
plot.latent(model, color_by="body_mass_g", ax=axes[1])

# %%
# Within a species the sexes lie apart, and within these the years form small groups.
figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
plot.latent(model, color_by="sex", ax=axes[0])
plot.latent(model, color_by="year", ax=axes[1])

# %%
# Penguins that the model has not seen, squeezed into two numbers and back. The
# distortion is 0 for a perfect column and 1 for one that might as well be guessed.
back = model.reconstruct(test)
report = model.distortion(test)
print(report)
plot.column_distortion(report)

# %%
# The same, cell by cell: numbers on the diagonal came back as they were, and so did
# levels. Small grey numbers are distortions.
plot.reconstruction(test, back, training=model.yardstick_)

# %%
# Any point of the latent space decodes to a row, also between two penguins.
z = model.transform(test)
begin, end = z[(test["species"] == "Adelie").argmax()], z[-1]
walk = begin + np.linspace(0, 1, 6)[:, None] * (end - begin)
print(model.inverse_transform(walk).to_string(index=False))

# %%
# Without refinement the coordinates are those of the forest's own diffusion map, and
# come in order of importance. All pairs of three of them:
plain = RFAE(n_components=3, refine=None, random_state=0).fit(train)
plot.pairs(plain, color_by="sex")

# %%
# Are three coordinates enough? The bars are the eigenvalues of the forest's kernel. A
# large gap says that the next coordinate adds much less than the one before.
plot.spectrum(plain)

plt.show()
