"""Pictures of fitted models show the model's own numbers."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError

from latentforest import RFAE, EForest, Refinement, plot
from latentforest.metrics import code_distortions, distortion
from mixed_tables import mixed_frame


def points(ax):
    """Return all points of the axes as a sorted array."""
    found = np.concatenate([np.asarray(dots.get_offsets()) for dots in ax.collections])
    return found[np.lexsort(found.T)]


def ordered(coords):
    return coords[np.lexsort(coords.T)]


def legend_texts(legend):
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("by", [None, "name", "area", "flag", "grade", "rank"])
def test_latent_shows_the_training_rows(model, by):
    ax = plot.latent(model, color_by=by)
    np.testing.assert_allclose(points(ax), ordered(model.embedding_))
    assert ax.get_xlabel().startswith("z1")
    assert ax.get_ylabel().startswith("z2")


def test_packed_coordinates_are_named_so(table):
    for start, is_packed in (("packed", True), ("linear", False)):
        refine = Refinement(1, start=start)
        model = RFAE(3, refine=refine, random_state=0).fit(table)
        assert model.is_packed_ == is_packed
        labels = [
            plot.latent(model).get_xlabel(),
            *(ax.get_xlabel() for ax in plot.pairs(model)[-1]),
        ]
        assert ["(packed)" in label for label in labels] == [is_packed] * 3


def test_latent_shows_the_axes_that_were_asked_for(wide_model):
    ax = plot.latent(wide_model, axes=(3, 1))
    np.testing.assert_allclose(points(ax), ordered(wide_model.embedding_[:, [3, 1]]))
    assert ax.get_xlabel().startswith("z4")
    ax = plot.latent(wide_model, axes=(0, 1, 2), color_by="name")
    assert ax.name == "3d"
    assert ax.get_zlabel().startswith("z3")
    space = np.concatenate([np.column_stack(d._offsets3d) for d in ax.collections])
    np.testing.assert_allclose(ordered(space), ordered(wide_model.embedding_[:, :3]))


def test_stored_columns_colour_as_given_ones_do(holed_model, holed_table):
    for by in ("length", "few", "flag", "name", "grade", "group", "rank"):
        stored, given = (
            plot.latent(holed_model, rows, by) for rows in (None, holed_table)
        )
        assert len(stored.collections) == len(given.collections)
        for one, other in zip(stored.collections, given.collections, strict=True):
            assert len(one.get_offsets()) == len(other.get_offsets())
            assert one.get_label() == other.get_label() or by in ("length", "area")
        pyplot.close("all")


def test_ordered_levels_come_in_order(model):
    ax = plot.latent(model, color_by="grade")
    assert legend_texts(ax.get_legend()) == ["low", "mid", "high"]
    assert ax.get_legend().get_title().get_text() == "grade"


CONVERT = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.table}


@pytest.mark.parametrize("library", CONVERT)
def test_tables_of_any_library(library):
    columns = ("length", "count", "flag", "name")
    table = CONVERT[library](mixed_frame(columns=columns).reset_index(drop=True))
    model = RFAE(2, forest="completely_random", random_state=0).fit(table)
    ax = plot.latent(model, table, color_by="name")
    assert legend_texts(ax.get_legend()) == ["ada", "bob", "eve"]
    back = model.reconstruct(table)
    plot.reconstruction(table, back)
    plot.column_distortion(table, back)


def test_arrays_have_columns_by_number_and_name():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    model = RFAE(2, forest="completely_random", random_state=0).fit(X)
    for by in (1, "x1"):
        dots = plot.latent(model, color_by=by).collections[0]
        np.testing.assert_array_equal(dots.get_array(), X[:, 1])
        dots = plot.latent(model, X[:20], color_by=by).collections[0]
        np.testing.assert_array_equal(dots.get_array(), X[:20, 1])


def test_pairs_shows_every_pair_once_with_one_legend(wide_model):
    grid = plot.pairs(wide_model, color_by="name")
    assert grid.shape == (3, 3)
    for i in range(3):
        for j in range(3):
            if j > i:
                assert grid[i, j] is None
                continue
            wanted = wide_model.embedding_[:, [j, i + 1]]
            np.testing.assert_allclose(points(grid[i, j]), ordered(wanted))
    legends = [ax.get_legend() for ax in grid.ravel() if ax and ax.get_legend()]
    assert len(legends) == 1
    assert legend_texts(legends[0]) == ["ada", "bob", "eve"]
    (bar,) = set(plot.pairs(wide_model, color_by="area")[0, 0].figure.axes) - set(
        pyplot.gcf().axes[:6]
    )
    assert bar.get_ylabel() == "area"


def test_pairs_of_a_small_model_and_in_a_given_figure(model):
    figure = pyplot.figure(layout="constrained")
    before = pyplot.get_fignums()
    grid = plot.pairs(model, color_by="name", figure=figure)
    assert grid.shape == (1, 1)
    assert grid[0, 0].figure is figure
    assert legend_texts(figure.legends[0]) == ["ada", "bob", "eve"]
    assert pyplot.get_fignums() == before


def test_spectrum_shows_fitted_and_further_eigenvalues(wide_model, table):
    ax = plot.spectrum(wide_model)
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert len(heights) == 10
    np.testing.assert_array_equal(heights[:4], wide_model.eigenvalues_)
    larger = RFAE(10, forest=wide_model.kernel_.grower_, random_state=0).fit(table)
    np.testing.assert_allclose(heights, larger.eigenvalues_, atol=1e-9)
    (gaps,) = [line for line in ax.get_lines() if line.get_label().startswith("gap")]
    np.testing.assert_allclose(gaps.get_ydata(), heights[:-1] - heights[1:])
    assert legend_texts(ax.get_legend()) == ["kept", "not kept", "gap to the next"]
    assert len(plot.spectrum(wide_model, n_eigenvalues=4).patches) == 4
    assert len(plot.spectrum(wide_model, n_eigenvalues=1_000).patches) == 59
    with pytest.raises(ValueError, match="n_eigenvalues=0"):
        plot.spectrum(wide_model, n_eigenvalues=0)


def test_one_measure_in_every_picture_and_function(wide_model):
    """Of a few rows that are alike, by whose own variance all would be lost."""
    new = mixed_frame(200, seed=5).sort_values("length", ignore_index=True)[40:60]
    back = wide_model.reconstruct(new)
    report = wide_model.distortion(new)
    wanted = {str(c.name): c.distortion for c in report.columns}
    assert wide_model.score(new) == 1 - report.mean
    by_training = distortion(new, back, training=wide_model.yardstick_)
    assert by_training.columns == report.columns
    measure = wide_model.yardstick_
    codes = (wide_model.codec_.encode(rows).values for rows in (new, back))
    lost = code_distortions(measure, *codes)
    np.testing.assert_allclose(lost, list(wanted.values()), rtol=1e-9)

    bars = plot.column_distortion(new, back, training=measure)
    panels = plot.reconstruction(new, back, training=measure)
    names = [text.get_text() for text in bars.get_yticklabels()]
    drawn = dict(zip(names, (bar.get_width() for bar in bars.patches), strict=True))
    assert drawn == wanted
    assert {ax.get_title(loc="left"): ax.get_title(loc="right") for ax in panels} == {
        name: f"{value:.2f}" for name, value in wanted.items()
    }
    (whole,) = plot.compression_curve(wide_model, new, [4]).get_lines()
    assert whole.get_ydata() == pytest.approx([report.mean])


def test_the_papers_measure_says_that_it_is(wide_model):
    new = mixed_frame(200, seed=5).sort_values("length", ignore_index=True)[40:60]
    back = wide_model.reconstruct(new)
    told, own = "by the variance of these rows", distortion(new, back)
    training = wide_model.yardstick_
    assert (
        own.columns[0].distortion > 2 * wide_model.distortion(new).columns[0].distortion
    )
    assert told in str(own)
    assert told not in str(wide_model.distortion(new))
    for settings, says in (({}, True), ({"training": training}, False)):
        bars = plot.column_distortion(new, back, **settings)
        figure = plot.reconstruction(new, back, **settings)[0].figure
        assert (told in bars.get_xlabel()) == says
        assert (told in figure.get_supxlabel()) == says


def test_compression_curve_is_the_distortion_of_truncated_models(wide_model, table):
    new = mixed_frame(40, seed=5)
    ax = plot.compression_curve(wide_model, new, by_kind=True)
    total, numbers, categories = ax.get_lines()
    sizes = [1, 2, 3, 4]
    reports = [
        distortion(
            new,
            wide_model.truncate(size).reconstruct(new),
            training=wide_model.yardstick_,
        )
        for size in sizes
    ]
    assert total.get_xdata().tolist() == sizes
    np.testing.assert_allclose(total.get_ydata(), [r.mean for r in reports])
    for line, is_number in ((numbers, True), (categories, False)):
        wanted = [
            np.mean([c.distortion for c in r.columns if c.kind.is_number is is_number])
            for r in reports
        ]
        np.testing.assert_allclose(line.get_ydata(), wanted)
    assert ax.get_ylim()[0] == 0
    ax.plot([1, 4], [3.0, 2.0])  # another method's curve
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 3


def test_several_curves_share_axes(wide_model, model, table, given_axes):
    ax = given_axes[0, 0]
    plot.compression_curve({"large": wide_model, "small": model}, table, [1, 2], ax=ax)
    assert plot.compression_curve({"again": model}, table, [2], ax=ax) is ax
    assert legend_texts(ax.get_legend()) == ["large", "small", "again"]
    assert len({line.get_color() for line in ax.get_lines()}) == 3


def test_trials_needs_an_automatic_choice(model):
    with pytest.raises(ValueError, match="refine='auto'"):
        plot.trials(model)


DRAW = {
    "latent": lambda model, table: plot.latent(model),
    "pairs": lambda model, table: plot.pairs(model),
    "spectrum": lambda model, table: plot.spectrum(model),
    "compression_curve": plot.compression_curve,
    "film": lambda model, table: plot.film(model),
    "trials": lambda model, table: plot.trials(model),
}


@pytest.mark.parametrize("name", DRAW)
def test_models_must_be_fitted_and_have_coordinates(name, table):
    with pytest.raises(NotFittedError):
        DRAW[name](RFAE(), table)
    with pytest.raises(TypeError, match="EForest, which has no latent coordinates"):
        DRAW[name](EForest(), table)
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"color_by": "colour"}, "color_by='colour' is not a column.*'length', 'area'"),
        ({"color_by": 3}, "color_by=3 is not a column"),
        ({"color_by": ["a", "b"]}, "color_by has 2 values, but there are 60 rows"),
        ({"axes": (0, 2)}, "the model has 2 coordinates"),
        ({"axes": (0,)}, r"axes=\(0,\) cannot be drawn"),
        ({"axes": (0, 1.5)}, "cannot be drawn"),
        ({"axes": (-1, 0)}, "cannot be drawn"),
    ],
)
def test_wrong_columns_and_axes_are_refused_before_drawing(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        plot.latent(model, **arguments)
    assert pyplot.get_fignums() == []


def test_flat_axes_are_refused_for_three_coordinates(wide_model, given_axes):
    with pytest.raises(ValueError, match="projection='3d'"):
        plot.latent(wide_model, axes=(0, 1, 2), ax=given_axes[0, 0])


def test_one_coordinate_makes_no_pair():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = RFAE(1, forest="completely_random", random_state=0).fit(X)
    for draw in (plot.latent, plot.pairs):
        with pytest.raises(ValueError, match="fit with more components"):
            draw(model)


@pytest.mark.parametrize("sizes", [[0], [5], []])
def test_sizes_must_be_fitted(wide_model, table, sizes):
    with pytest.raises(ValueError, match="sizes"):
        plot.compression_curve(wide_model, table, sizes)
    assert pyplot.get_fignums() == []


def test_given_axes_are_used(model, table, given_axes):
    before = pyplot.get_fignums()
    ax = given_axes[2, 0]
    assert plot.latent(model, color_by="name", ax=ax) is ax
    assert plot.latent(model, color_by="area", ax=ax) is ax
    assert plot.spectrum(model, ax=given_axes[2, 1]) is given_axes[2, 1]
    assert pyplot.get_fignums() == before


def test_models_without_training_rows_draw_what_they_can(wide_model, table):
    model = copy(wide_model)
    model.encoder_ = replace(wide_model.encoder_, training=None)
    assert len(plot.spectrum(model).patches) == 4
    assert len(points(plot.latent(model, table, color_by="name"))) == 60
    pyplot.close("all")
    for draw in (
        plot.latent,
        plot.pairs,
        plot.film,
        lambda model: plot.film(model, table),
        lambda model: plot.compression_curve(model, table),
    ):
        with pytest.raises(ValueError, match="picture needs the training rows"):
            draw(model)
    assert pyplot.get_fignums() == []


def test_transform_may_give_frames(table):
    model = RFAE(2, forest="completely_random", random_state=0)
    model.set_output(transform="pandas").fit(table)
    assert isinstance(model.transform(table), pd.DataFrame)
    np.testing.assert_allclose(
        points(plot.latent(model, table)), ordered(np.asarray(model.transform(table)))
    )
