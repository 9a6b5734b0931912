"""Pictures of tables that came back show what the report says."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from latentforest import RFAE, plot
from latentforest._base._errors import SchemaError
from latentforest.metrics import distortion
from latentforest.plot._reconstruction import level_shares
from latentforest.table import open_table
from mixed_tables import mixed_frame, shuffled


@pytest.fixture(scope="module")
def table():
    return mixed_frame().reset_index(drop=True)


@pytest.fixture(scope="module")
def back(table):
    """Every third cell came back as another row's."""
    wrong, back = shuffled(table), table.copy()
    for name in table:
        cells = table[name].array.copy()
        cells[::3] = wrong[name].array[::3]
        back[name] = cells
    return back


def test_bars_are_the_report(table, back):
    report = distortion(table, back)
    ax = plot.column_distortion(table, back)
    names = [text.get_text() for text in ax.get_yticklabels()]
    lengths = [bar.get_width() for bar in ax.patches]
    assert lengths == sorted(lengths, reverse=True)
    assert dict(zip(names, lengths, strict=True)) == {
        column.name: column.distortion for column in report.columns
    }
    colours = {}
    kinds = {column.name: column.kind.is_number for column in report.columns}
    for name, bar in zip(names, ax.patches, strict=True):
        colours.setdefault(kinds[name], set()).add(bar.get_facecolor())
    assert [len(colours[kind]) for kind in (True, False)] == [1, 1]
    assert colours[True] != colours[False]
    mean, guessing = ax.get_lines()
    assert mean.get_xdata()[0] == report.mean
    guesses = {column.name: column.guess for column in report.columns}
    assert list(guessing.get_xdata()) == [guesses[name] for name in names]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["numbers", "categories", f"mean {report.mean:.2f}", "guessing"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the largest on top


def test_a_report_draws_as_its_tables_do(table, back):
    kinds = {"few": "integer"}
    one = plot.column_distortion(table, back, kinds=kinds)
    other = plot.column_distortion(distortion(table, back, kinds=kinds))
    assert [bar.get_width() for bar in one.patches] == [
        bar.get_width() for bar in other.patches
    ]


def test_columns_without_values_and_perfect_ones():
    table = pd.DataFrame({"empty": [np.nan, np.nan], "same": [1.5, 2.5]})
    ax = plot.column_distortion(table, table)
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["0.00", "no values"]


def test_of_many_columns_those_that_lost_most_are_shown():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 60))).rename(columns="c{}".format)
    back = table + np.linspace(0, 1, 60) * rng.normal(size=(30, 60))
    report = distortion(table, back)
    ax = plot.column_distortion(report)
    worst = sorted((c.distortion for c in report.columns), reverse=True)
    assert [bar.get_width() for bar in ax.patches] == worst[:40]
    assert "20 columns that lost less" in ax.get_xlabel()
    assert ax.get_lines()[0].get_xdata()[0] == report.mean


def test_reports_and_tables_are_not_mixed(table):
    with pytest.raises(TypeError, match="reconstructed is missing"):
        plot.column_distortion(table)
    with pytest.raises(TypeError, match="report already"):
        plot.column_distortion(distortion(table, table), table)
    with pytest.raises(TypeError, match="report already"):
        plot.column_distortion(distortion(table, table), training=table)
    with pytest.raises(SchemaError, match="different columns"):
        plot.column_distortion(table, table[["length"]])
    assert pyplot.get_fignums() == []


def test_reconstruction_shows_every_cell(table, back):
    panels = plot.reconstruction(table, back)
    assert [ax.get_title(loc="left") for ax in panels] == list(table.columns)
    report = distortion(table, back)
    for ax, column in zip(panels, report.columns, strict=True):
        assert ax.get_title(loc="right") == f"{column.distortion:.2f}"
        assert len(ax.images) == (not column.kind.is_number)
        if column.kind.is_number:
            (dots,) = ax.collections
            wanted = np.column_stack([table[column.name], back[column.name]])
            np.testing.assert_array_equal(dots.get_offsets(), wanted.astype(float))
            assert ax.get_xlim() == ax.get_ylim()


def test_tiles_are_shares_of_the_original_levels(table, back):
    for name in ("name", "grade", "group", "flag", "few"):
        before, after = (open_table(rows[[name]]).column(0) for rows in (table, back))
        names, shares = level_shares(before, after)
        wanted = pd.crosstab(
            back[name].astype(str), table[name].astype(str), normalize="columns"
        )
        for y, row in enumerate(names):
            for x, level in enumerate(names):
                known = level in wanted.columns and row in wanted.index
                share = wanted.loc[row, level] if known else 0.0
                assert shares[y, x] == pytest.approx(share)
    (ax,) = plot.reconstruction(table, back, ["grade"])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["low", "mid", "high"]
    assert (
        ax.images[0].origin == "lower"
    )  # the diagonal goes up, as it does for numbers


def test_missing_cells_are_a_level_and_rare_levels_one_tile():
    cells = [f"l{k}" for k in range(12) for _ in range(k + 1)] + [None]
    table = pd.DataFrame({"c": cells})
    column = open_table(table).column(0)
    names, shares = level_shares(column, column)
    assert names == [*(f"l{k}" for k in (10, 11, 5, 6, 7, 8, 9)), "other"]
    np.testing.assert_array_equal(shares, np.eye(8))
    few = pd.DataFrame({"c": ["a", None, "b"]})
    names, _ = level_shares(open_table(few).column(0), open_table(few[::-1]).column(0))
    assert names == ["a", "b", "missing"]


def test_of_many_columns_the_worst_twelve_come_in_table_order():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 20))).rename(columns="c{}".format)
    back = table + rng.random(20) * rng.normal(size=(30, 20))
    lost = [column.distortion for column in distortion(table, back).columns]
    worst = sorted(np.argsort(lost)[-12:])
    panels = plot.reconstruction(table, back)
    assert [ax.get_title(loc="left") for ax in panels] == [f"c{j}" for j in worst]


def test_columns_are_drawn_in_the_order_given(table, back, given_axes):
    before = pyplot.get_fignums()
    panels = plot.reconstruction(table, back, ["name", "area"], axes=given_axes)
    assert list(panels) == list(given_axes.ravel()[:2])
    assert [ax.get_title(loc="left") for ax in panels] == ["name", "area"]
    assert pyplot.get_fignums() == before
    assert len(plot.reconstruction(table, back, "name")) == 1


@pytest.mark.parametrize("columns", [["length", "weight"], []])
def test_unknown_columns_are_named(table, back, columns):
    with pytest.raises(SchemaError, match="Choose among 'length', 'area'"):
        plot.reconstruction(table, back, columns)
    assert pyplot.get_fignums() == []


def test_too_few_axes_are_refused(table, back, given_axes):
    with pytest.raises(ValueError, match="holds 4 Axes, but 10 are needed"):
        plot.reconstruction(table, back, axes=given_axes[0])


def test_images_are_the_rows():
    rng = np.random.default_rng(0)
    before, after = rng.random((2, 7, 12))
    grid = plot.images(before, pd.DataFrame(after), (3, 4), n=5)
    assert grid.shape == (2, 5)
    for row, rows in zip(grid, (before, after), strict=True):
        for ax, pixels in zip(row, rows, strict=False):
            (picture,) = ax.images
            np.testing.assert_array_equal(picture.get_array(), pixels.reshape(3, 4))
            assert picture.get_clim() == (before.min(), before.max())
    assert grid[0, 0].get_ylabel() == "original"
    assert plot.images(before, after, (3, 4)).shape == (2, 7)
    assert plot.images(before, after, (2, 2, 3), n=1)[0, 0].images


def test_images_use_given_axes(given_axes):
    pixels = np.random.default_rng(0).random((4, 6))
    before = pyplot.get_fignums()
    grid = plot.images(pixels, pixels, (2, 3), n=4, axes=given_axes[:2])
    assert grid.tolist() == given_axes[:2].tolist()
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize(
    ("rows", "shape", "message"),
    [
        (4, (2, 2), r"shape=\(2, 2\) makes 4 pixels, but original has 6 columns"),
        (4, (6,), "shape="),
        (3, (2, 3), "original has 4 rows and reconstructed has 3"),
    ],
)
def test_pictures_must_fit(rows, shape, message):
    with pytest.raises(ValueError, match=message):
        plot.images(np.zeros((4, 6)), np.zeros((rows, 6)), shape)
    with pytest.raises(SchemaError, match="'name' of original holds text"):
        plot.images(mixed_frame(columns=("name",)), mixed_frame(), (1, 1))
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("draw", [plot.column_distortion, plot.reconstruction])
def test_a_model_in_place_of_the_rows_is_refused(draw, table):
    with pytest.raises(TypeError, match=r"original is a RFAE.*reconstruct\(table\)"):
        draw(RFAE(), table)
