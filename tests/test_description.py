"""What a model says of itself."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from latentforest import RFAE, CompletelyRandomForest
from latentforest.metrics import associations, distortion
from latentforest.table import TableCodec
from mixed_tables import mixed_frame


@pytest.fixture(scope="module")
def model():
    return RFAE(2, random_state=0).fit(mixed_frame(120, missing=0.1, seed=2))


def by_hand(ranks, levels):
    groups = [ranks[levels == level] for level in np.unique(levels)]
    total = ((ranks - ranks.mean()) ** 2).sum()
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    eta = 1 - within / total
    return eta - (1 - eta) * (len(groups) - 1) / (len(ranks) - len(groups))


def test_associations_are_rank_correlations_and_shares_of_variance():
    rng = np.random.default_rng(0)
    z = rng.normal(size=200)
    table = pd.DataFrame(
        {
            "rises": np.exp(z + 0.5 * rng.normal(size=200)),
            "falls": -z,
            "level": np.array(list("abc"))[np.digitize(z, [-0.5, 0.5])],
            "noise": rng.normal(size=200),
            "id": [f"row {i}" for i in range(200)],
            "same": 1.0,
        }
    )
    table.loc[:9, "rises"] = np.nan
    found = associations(z[:, None], TableCodec().fit_encode(table))
    rho = spearmanr(z[10:], table["rises"][10:])[0]
    assert found.strength[0, 0] == pytest.approx(rho**2)
    assert found.strength[0, 1] == pytest.approx(1.0)
    ranks = pd.Series(z).rank().to_numpy()
    wanted = by_hand(ranks, table["level"].to_numpy())
    assert found.strength[0, 2] == pytest.approx(wanted)
    assert found.direction[0, :3].tolist() == [1, -1, 0]
    assert found.strength[0, 3] < 0.05  # noise
    assert found.strength[0, 4] == 0  # each row its own level: chance
    assert found.strength[0, 5] == 0  # constant
    assert found.strongest(0, 2) == [1, 2]


def test_the_description_tells_what_the_model_says(model):
    told = model.describe()
    text = str(told)
    assert text.startswith("RFAE(random_state=0): 120 rows, ")
    for part in (model.schema_.report(), model.coordinate_report(), "held-back rows"):
        assert part in text
    page = told._repr_html_()
    assert page.count("<details") == len(told.sections)
    assert "&#x27;" in page or "'" not in text  # escaped
    first = model.coordinate_report().splitlines()[0]
    assert first.startswith("z1")
    assert model.coordinate_columns(1)[0][0] in first


def test_held_back_rows_lose_more_than_training_rows(model):
    lost, n_held = model._held_back()
    table = mixed_frame(120, missing=0.1, seed=2)
    assert n_held == len(table.drop_duplicates())
    assert lost.mean > model.distortion(table).mean
    new = mixed_frame(400, missing=0.1, seed=7)
    assert lost.mean == pytest.approx(
        distortion(new, model.reconstruct(new), training=model.yardstick_).mean, rel=0.4
    )


def test_coordinates_have_one_name(model):
    table = mixed_frame(20, seed=3)
    assert list(model.get_feature_names_out()) == ["z1", "z2"]
    frame = pd.DataFrame(model.transform(table), columns=["z1", "z2"])
    pd.testing.assert_frame_equal(
        model.inverse_transform(frame[["z2", "z1"]]), model.inverse_transform(frame)
    )


def test_the_order_of_named_columns_does_not_matter(model):
    table = mixed_frame(20, seed=3)
    turned = table[table.columns[::-1]]
    np.testing.assert_array_equal(model.transform(turned), model.transform(table))
    assert model.score(turned) == model.score(table)


@pytest.mark.parametrize("build", [RFAE.auto, RFAE.paper])
def test_other_parameters_can_be_given(build):
    forest = CompletelyRandomForest(5)
    model = build(1, random_state=3, kinds={"x": "category"}, n_jobs=1, forest=forest)
    assert (model.n_components, model.random_state, model.n_jobs) == (1, 3, 1)
    assert model.kinds == {"x": "category"}
    assert model.forest is forest


def test_the_trials_are_shown(capsys):
    table = mixed_frame(60, seed=1)[["length", "area", "name"]]
    model = RFAE.auto(1, random_state=0, verbose=True).fit(table)
    shown = capsys.readouterr().err
    for trial in model.tried_:
        assert str(trial) in shown


def test_rows_that_are_all_alike_are_described():
    told = RFAE(1, random_state=0).fit(pd.DataFrame({"a": [7] * 9, "b": ["x"] * 9}))
    assert "held-back" not in str(told.describe())
