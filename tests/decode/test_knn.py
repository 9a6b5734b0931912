"""The k-NN decoder alone: any coordinates, with and without a forest."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from latentforest import CompletelyRandomForest, KNNDecoder
from mixed_tables import FORESTS, mixed_frame, target_of


@pytest.fixture(scope="module")
def coords(table):
    return np.random.default_rng(0).normal(size=(len(table), 2))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_one_neighbour_returns_the_training_rows(missing, coords):
    table = mixed_frame(missing=missing)
    decoder = KNNDecoder(1, prototypes="rows").fit(coords, table)
    assert_frame_equal(decoder.predict(coords, index=table.index), table)


@pytest.mark.parametrize("how", ["draw", "middle"])
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_prototypes_fall_into_the_leaves_of_their_rows(name, how, missing, coords):
    table = mixed_frame(missing=missing)
    forest = clone(FORESTS[name]).fit(table, target_of(table))
    decoder = KNNDecoder(1, prototypes=how)
    decoder.fit(coords, table, forest=forest, random_state=0)
    values = forest.codec_.encode(table).values
    made = decoder.prototypes_
    np.testing.assert_array_equal(
        forest.forest_.leaves(made), forest.forest_.leaves(values)
    )
    assert (made != values)[~np.isnan(values)].any()
    # Decoded at their own coordinates, rows land in the same leaves as well.
    decoded = forest.codec_.encode(decoder.predict(coords)).values
    numbers = forest.codec_.schema_.is_number
    np.testing.assert_array_equal(decoded[:, ~numbers], made[:, ~numbers])


def test_drawn_prototypes_follow_the_seed(table, coords):
    forest = CompletelyRandomForest(10, random_state=0).fit(table)

    def drawn(seed):
        decoder = KNNDecoder().fit(coords, table, forest=forest, random_state=seed)
        return decoder.prototypes_

    np.testing.assert_array_equal(drawn(0), drawn(0))
    assert (drawn(0) != drawn(1)).any()


def test_coordinates_may_come_from_any_encoder(table):
    numbers = table[["length", "area", "count"]]
    Z = PCA(2).fit_transform(numbers)
    decoder = KNNDecoder(5, prototypes="rows").fit(Z, numbers)
    decoded = decoder.predict(Z + 1e-6)
    for name in numbers:
        assert np.corrcoef(decoded[name], numbers[name])[0, 1] > 0.9


@pytest.mark.parametrize("how", ["draw", "middle"])
def test_regions_need_a_forest(how, table, coords):
    with pytest.raises(ValueError, match=r"needs the forest. Pass forest="):
        KNNDecoder(prototypes=how).fit(coords, table)


def test_forest_must_be_fitted(table, coords):
    with pytest.raises(NotFittedError):
        KNNDecoder().fit(coords, table, forest=CompletelyRandomForest(3))


@pytest.mark.parametrize("forest", ["adversarial", Ridge()])
@pytest.mark.parametrize("how", ["draw", "rows"])
def test_other_objects_are_no_forest(forest, how, table, coords):
    with pytest.raises(TypeError, match="is not a forest of latentforest"):
        KNNDecoder(prototypes=how).fit(coords, table, forest=forest)


@pytest.mark.parametrize("n_coordinates", [1, 3])
def test_wrong_number_of_coordinates(n_coordinates, table, coords):
    decoder = KNNDecoder(prototypes="rows").fit(coords, table)
    with pytest.raises(
        ValueError, match=f"Z has {n_coordinates} coordinates.*fitted with 2"
    ):
        decoder.predict(np.zeros((4, n_coordinates)))


def test_one_row_of_coordinates_per_row(table, coords):
    with pytest.raises(ValueError, match=r"30 rows of coordinates.*has 60 rows"):
        KNNDecoder(prototypes="rows").fit(coords[:30], table)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_neighbors": 0}, ValueError, "n_neighbors=0 is too small"),
        ({"n_neighbors": 2.0}, TypeError, r"n_neighbors=2\.0 is a float"),
        ({"n_neighbors": True}, TypeError, "n_neighbors=True is a bool"),
        ({"prototypes": "nearest"}, ValueError, "prototypes='nearest' is not known"),
        ({"prototypes": None}, ValueError, "prototypes=None is not known"),
        ({"prototypes": "rows", "n_jobs": 0}, ValueError, "n_jobs=0 has no meaning"),
    ],
)
def test_parameters_are_checked(parameters, error, message, table, coords):
    with pytest.raises(error, match=message):
        KNNDecoder(**parameters).fit(coords, table).predict(coords)


def test_predict_needs_fit(coords):
    with pytest.raises(NotFittedError):
        KNNDecoder().predict(coords)


def test_numbers_are_weighted_means():
    table = pd.DataFrame({"x": [0.0, 1.25, 9.5], "y": ["a", "b", "b"]})
    Z = np.array([[0.0], [3.0], [100.0]])
    decoder = KNNDecoder(2, prototypes="rows").fit(Z, table)
    decoded = decoder.predict([[1.0]])
    # Weights 2/3 and 1/3; 1.25 / 3 has the decimals of the column.
    assert decoded["x"].tolist() == [0.42]
    assert decoded["y"].tolist() == ["a"]
