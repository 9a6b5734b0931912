"""
Handwritten digits
==================

1,797 pictures of 8 × 8 pixels. Each pixel is a column of the table; the model knows
nothing of pictures. We squeeze 64 pixels into 10 numbers and back, and then watch a
classifier learn.
"""

# %%
# Fit on two thirds of the pictures, and rebuild some of the others from 10 numbers
# each.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from latentforest import RFAE, CompletelyRandomForest, plot

pixels, digit = load_digits(return_X_y=True)
is_new = np.arange(len(pixels)) % 3 == 0

forest = CompletelyRandomForest(200, min_samples_leaf=5)
model = RFAE(n_components=10, forest=forest, random_state=0).fit(pixels[~is_new])
back = model.reconstruct(pixels[is_new])
error = np.abs(back - pixels[is_new]).mean()
blank = np.abs(pixels[~is_new].mean(axis=0) - pixels[is_new]).mean()
print(f"mean error per pixel, of 0 to 16: {error:.2f} (the mean picture: {blank:.2f})")
print(f"distortion: {float(model.distortion(pixels[is_new])):.3f}")
plot.images(pixels[is_new], back, (8, 8), n=12)

# %%
# A walk in a straight line from a zero to a six, decoded on the way.
z = model.transform(pixels[is_new])
begin, end = (z[(digit[is_new] == d).argmax()] for d in (0, 6))
walk = begin + np.linspace(0, 1, 9)[:, None] * (end - begin)
figure, axes = plt.subplots(1, 9, figsize=(9, 1.3), layout="constrained")
for ax, picture in zip(axes, model.inverse_transform(walk), strict=True):
    ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
    ax.set_axis_off()

# %%
# A film of training, as in the paper: a classifier of the digits 3, 4, 8 and 9, with
# all trees cut at growing depth. At first all rows share a few leaves; as the trees
# grow, the four digits drift apart.
chosen = np.isin(digit, [3, 4, 8, 9])
classifier = RandomForestClassifier(200, random_state=0)
classifier.fit(pixels[chosen], digit[chosen])
view = RFAE(n_components=2, forest=classifier, random_state=0).fit(pixels[chosen])
plot.film(view, color_by=digit[chosen])

plt.show()
