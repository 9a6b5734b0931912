"""The picture of a supervised model shows what ``explain`` and ``drivers`` say."""

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from latentforest import RFAE, ModelFileError, plot


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(30, max_depth=3, random_state=0)
    forest.fit(X[::2], y[::2])
    model = RFAE(forest=forest, random_state=0).fit(X[::2])
    return model, X[1::2], y[1::2]


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(30, min_samples_leaf=4, random_state=0)
    forest.fit(X[::2], y[::2])
    return RFAE(3, forest=forest, random_state=0).fit(X[::2]), X[1::2], y[1::2]


def numbers(ax):
    """Return the numbers that points are coloured by."""
    return ax.collections[0].get_array()


def offsets(dots):
    return np.asarray(dots.get_offsets())


def tiles(ax):
    """Numbers in the tiles, by name of column and coordinate."""
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    places = [tick.get_text() for tick in ax.get_xticklabels()]
    return {
        (names[round(y)], places[round(x)]): int(text.get_text())
        for text in ax.texts
        for x, y in [text.get_position()]
    }


def test_classes_are_drawn(flowers):
    model, new, target = flowers
    found = model.explain(new, target)
    drawn = plot.explanation(model, new, target, n_prototypes=3)
    assert drawn.shape == (4,)
    for level, dots in enumerate(drawn[0].collections[:3]):
        rows = found.prediction == level
        np.testing.assert_allclose(offsets(dots), found.coords[rows])
    np.testing.assert_allclose(numbers(drawn[1]), found.confidence)
    right, wrong = drawn[2].collections
    np.testing.assert_allclose(offsets(right), found.coords[~found.error])
    np.testing.assert_allclose(offsets(wrong), found.coords[found.error])
    names = [text.get_text() for text in drawn[2].get_legend().get_texts()]
    n_wrong = found.error.sum()
    assert names == [f"right ({75 - n_wrong})", f"wrong ({n_wrong})"]


def test_prototypes_are_marked_with_their_numbers(flowers):
    model, new, _ = flowers
    ax = plot.explanation(model, new, n_prototypes=3)[0]
    found = model.prototypes(3)
    rows, labels = found["training_row"], found["training_label"]
    np.testing.assert_allclose(offsets(ax.collections[-1]), model.embedding_[rows])
    assert [text.get_text() for text in ax.texts] == [*map(str, labels)]
    assert ax.get_legend().get_texts()[-1].get_text() == "prototype (row)"
    ax = plot.explanation(model, new, n_prototypes=0)[0]
    assert not ax.texts
    assert len(ax.get_legend().get_texts()) == 3


def test_prototypes_of_a_long_table_lie_where_they_are():
    X, y = load_iris(return_X_y=True)
    settings = {"forest": "supervised", "max_samples": 60, "random_state": 0}
    model = RFAE(**settings).fit(X, y)
    ax = plot.explanation(model, n_prototypes=4)[0]
    rows = model.prototypes(4)["training_row"]
    assert set(rows) <= set(model.rows_)
    marked = offsets(ax.collections[-1])
    np.testing.assert_allclose(marked, model.fit_transform(X, y)[rows])
    assert [text.get_text() for text in ax.texts] == [*map(str, rows)]


def test_numbers_are_drawn_with_an_error_around_nought(patients):
    model, new, target = patients
    found = model.explain(new, target)
    drawn = plot.explanation(model, new, target, axes=(2, 0))
    np.testing.assert_allclose(numbers(drawn[0]), found.prediction)
    np.testing.assert_allclose(numbers(drawn[1]), found.spread)
    np.testing.assert_allclose(numbers(drawn[2]), found.error)
    scale = drawn[2].collections[0]
    assert scale.norm.vmin == -scale.norm.vmax
    np.testing.assert_allclose(offsets(scale), found.coords[:, [2, 0]])
    assert drawn[2].get_xlabel().startswith("z3")
    assert "prototypes" in drawn[0].get_title(loc="right")
    titles = [ax.get_title(loc="left") for ax in drawn]
    assert titles[:3] == ["prediction", "spread", "error"]


def test_targets_of_training_rows_give_their_spread(patients):
    model, new, _ = patients
    _, y = load_diabetes(return_X_y=True)
    ax = plot.explanation(model, new, y_train=y[::2])[1]
    np.testing.assert_allclose(numbers(ax), model.explain(new, y_train=y[::2]).spread)


def test_without_targets_there_are_three_panels(flowers):
    model, _, _ = flowers
    drawn = plot.explanation(model)  # of the training rows
    assert [ax.get_title(loc="left") for ax in drawn] == [
        "prediction",
        "confidence",
        "columns behind the coordinates",
    ]
    np.testing.assert_allclose(offsets(drawn[1].collections[0]), model.embedding_)


def test_panels_may_be_given(flowers, given_axes):
    before = pyplot.get_fignums()
    drawn = plot.explanation(*flowers, panels=given_axes)
    assert drawn.tolist() == given_axes.ravel()[:4].tolist()
    assert pyplot.get_fignums() == before


def test_many_classes_are_levels():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    model = RFAE(forest=forest, random_state=0).fit(X)
    ax = plot.explanation(model, X)[0]
    assert "other (3 levels)" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_right_everywhere_is_drawn_too(flowers):
    model, new, _ = flowers
    own = model.explain(new).prediction
    drawn = plot.explanation(model, new, own)
    names = [text.get_text() for text in drawn[2].get_legend().get_texts()]
    assert names == ["right (75)", "wrong (0)"]
    drawn[0].figure.canvas.draw()


def test_tiles_are_the_shares(patients):
    model, _, _ = patients
    frame = 100 * model.drivers().to_frame()
    shown = tiles(plot.drivers(model, n_columns=3))
    columns = {name for name, _ in shown}
    assert len(columns) == 4
    for name in columns - {"all others"}:
        for z in frame.index:
            assert shown.get((name, z), 0) == pytest.approx(frame.loc[z, name], abs=0.5)
    others = frame.drop(columns=[*columns - {"all others"}]).sum(axis=1)
    assert shown["all others", "z1"] == pytest.approx(others["z1"], abs=0.5)
    assert frame.drop(columns=[*columns - {"all others"}]).max(axis=None) <= min(
        frame[name].max() for name in columns - {"all others"}
    )


def test_wishes_that_cannot_be_granted(flowers, model, table, tmp_path):
    view, new, _ = flowers
    with pytest.raises(ValueError, match="cannot be drawn: the model has 2"):
        plot.explanation(view, new, axes=(0, 2))
    with pytest.raises(ValueError, match="n_prototypes=-1 is too small"):
        plot.explanation(view, new, n_prototypes=-1)
    with pytest.raises(TypeError, match="has learned no target"):
        plot.explanation(model, table)
    with pytest.raises(TypeError, match="Give a fitted RFAE"):
        plot.drivers("model")
    view.save(tmp_path / "m.lf", drop_training=True)
    small = RFAE.load(tmp_path / "m.lf")
    with pytest.raises(ModelFileError, match="drop_training"):
        plot.explanation(small, new, predict=view.grower_)
    assert not pyplot.get_fignums()


def test_three_coordinates_are_refused(patients):
    model, new, _ = patients
    with pytest.raises(ValueError, match="are 3 coordinates"):
        plot.explanation(model, new, axes=(0, 1, 2))
