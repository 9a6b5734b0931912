"""The film ends with the model's own map, and does not jump on the way."""

import numpy as np
import pytest
from matplotlib import pyplot

from latentforest import RFAE, CompletelyRandomForest, plot
from latentforest.plot._film import turned
from latentforest.trees import node_depths


def points(ax):
    return np.asarray(ax.collections[0].get_offsets())


def full_depth(model):
    return int(node_depths(model.kernel_.forest_).max())


def test_the_last_frame_is_the_model_itself(model, table):
    frames = plot.film(model)
    np.testing.assert_allclose(points(frames[-1]), model.embedding_, atol=1e-6)
    assert frames[-1].get_title() == f"full depth ({full_depth(model)})"
    new = table[:10]
    frames = plot.film(model, new)
    np.testing.assert_allclose(points(frames[-1]), model.transform(new), atol=1e-6)


def test_default_depths_double(model):
    titles = [ax.get_title() for ax in plot.film(model)]
    assert titles[:3] == ["depth 1", "depth 2", "depth 4"]
    assert 3 < len(titles) <= 5


def test_frames_are_maps_of_trees_grown_to_that_depth(table):
    deep, flat = (
        RFAE(2, forest=CompletelyRandomForest(20, max_depth=depth), random_state=0)
        for depth in (None, 3)
    )
    deep.fit(table), flat.fit(table)
    frame = points(plot.film(flat, depths=[3, 9])[0])
    np.testing.assert_allclose(frame, flat.embedding_, atol=1e-6)
    # Turning keeps all distances.
    frame = points(plot.film(deep, depths=[2, 50])[0])
    alone = points(plot.film(deep, depths=[2])[0])
    distances = [np.linalg.norm(z[:, None] - z, axis=2) for z in (frame, alone)]
    np.testing.assert_allclose(*distances, atol=1e-6)


def test_turning_undoes_turns_and_mirrors():
    rng = np.random.default_rng(0)
    goal = rng.normal(size=(40, 2))
    for turn in (np.diag([1, -1]), np.array([[0.6, -0.8], [0.8, 0.6]])):
        np.testing.assert_allclose(turned(goal @ turn, goal), goal, atol=1e-12)
    centred = goal - goal.mean(axis=0)
    other = rng.normal(size=(40, 2)) + 3.0

    def apart(coords):
        return np.linalg.norm(coords - coords.mean(axis=0) - centred)

    best = apart(turned(other, goal))
    for angle in np.linspace(0, 2 * np.pi, 50):
        sine, cosine = np.sin(angle), np.cos(angle)
        for side in (1, -1):
            turn = np.array([[cosine, -side * sine], [sine, side * cosine]])
            assert best <= apart(other @ turn) + 1e-12


def test_film_of_landmarks_refined_models_and_one_coordinate(table):
    forest = CompletelyRandomForest(20)
    for settings in ({"landmarks": 30}, {"refine": 1}):
        model = RFAE(2, forest=forest, random_state=0, **settings).fit(table)
        assert points(plot.film(model, depths=[2])[0]).shape == (60, 2)
    model = RFAE(1, forest=forest, random_state=0).fit(table)
    frame = points(plot.film(model)[-1])
    np.testing.assert_allclose(frame[:, 0], model.embedding_[:, 0], atol=1e-6)


def test_frames_hold_all_points_and_one_legend(model):
    frames = plot.film(model, color_by="name", depths=[1, 2])
    assert len(frames) == 2
    for ax in frames:
        found = np.concatenate([d.get_offsets() for d in ax.collections])
        assert len(found) == 60
        for values, limits in zip(found.T, (ax.get_xlim(), ax.get_ylim()), strict=True):
            assert limits[0] < values.min() <= values.max() < limits[1]
        assert np.ptp(ax.get_xlim()) == pytest.approx(np.ptp(ax.get_ylim()))
    (legend,) = frames[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ada", "bob", "eve"]


def test_given_axes_are_used(model, given_axes):
    before = pyplot.get_fignums()
    frames = plot.film(model, color_by="name", depths=[1, 3], axes=given_axes)
    assert list(frames) == list(given_axes.ravel()[:2])
    assert pyplot.get_fignums() == before
    assert frames[-1].get_legend() is not None


@pytest.mark.parametrize("depths", [[0], [], [1.5]])
def test_bad_depths_are_refused(model, depths):
    with pytest.raises((ValueError, TypeError), match="depths"):
        plot.film(model, depths=depths)
    assert pyplot.get_fignums() == []
