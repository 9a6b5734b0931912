"""
One table, five ensembles
=========================

Every ensemble of trees has a map of its own: rows lie together where its trees send
them to the same leaves. Here the penguins, with their categories and gaps, as five
fitted models see them. ``RFAE(forest=…)`` takes each as it is.
"""

# %%
# Four of them learn the species, the fifth only looks for what is easily set apart.
import catboost
import lightgbm
import matplotlib.pyplot as plt
import xgboost
from palmerpenguins import load_penguins
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder

from latentforest import RFAE, plot

penguins = load_penguins().dropna(subset=["bill_length_mm"]).reset_index(drop=True)
species = penguins.pop("species")
number = LabelEncoder().fit_transform(species)
table = penguins.astype({"island": "category", "sex": "category"})
measured = table[
    ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
]

encode = make_column_transformer(
    (OneHotEncoder(), ["island", "sex"]), remainder=SimpleImputer()
)
models = {
    "random forest, in a pipeline": (
        make_pipeline(encode, RandomForestClassifier(200, random_state=0)),
        table,
    ),
    "LightGBM": (lightgbm.LGBMClassifier(n_estimators=60, verbose=-1), table),
    "XGBoost": (xgboost.XGBClassifier(n_estimators=60, enable_categorical=True), table),
    "CatBoost, on what was measured": (
        catboost.CatBoostClassifier(
            iterations=60, depth=4, verbose=0, allow_writing_files=False
        ),
        measured,
    ),
    "isolation forest, without species": (
        IsolationForest(n_estimators=200, random_state=0),
        measured,
    ),
}

# %%
# Each is fitted by its own library, then mapped. The paper's kernel weighs all trees
# alike, whatever a library does with them.
figure, axes = plt.subplots(2, 3, figsize=(13, 7.5), layout="constrained")
for ax, (name, (forest, rows)) in zip(axes.flat, models.items(), strict=False):
    forest.fit(rows, number)
    model = RFAE(2, forest=forest, random_state=0).fit(rows)
    plot.latent(model, rows, color_by=species, ax=ax)
    ax.set_title(name)
    ax.get_legend().remove()
    trees = model.kernel_.forest_.n_trees
    print(f"{name}: {trees} trees, {1 - model.score(rows):.2f} of 1 lost")

# %%
# Beside them, the map as it comes: no species, a forest of its own, refined.
own = RFAE(2, random_state=0).fit(table)
plot.latent(own, table, color_by=species, ax=axes.flat[-1])
axes.flat[-1].set_title("RFAE(), without species")
figure.suptitle("Penguins by the leaves they share")

# %%
# Classifiers draw each species together, and leave the birds they are in doubt about on
# the way between: the more so, the more trees agree. Later trees of boosting only look
# at what is still wrong, which is why its groups are looser. The isolation forest knows
# no species; what it shows first are the birds that are far from all others. The map as
# it comes keeps all columns apart: islands and sexes are groups of their own.
plt.show()
