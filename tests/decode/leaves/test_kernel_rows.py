"""Kernel rows from coordinates: exact if the encoder has kept everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentforest import DiffusionMap, ForestKernel
from latentforest._base._errors import SpectrumWarning
from latentforest.decode import KernelEigenpairs
from latentforest.decode._leaves._kernel_rows import (
    estimate_kernel_rows,
    kernel_weights,
)
from latentforest.decode._leaves._kernel_rows_loops import largest_entries
from latentforest.encoder import make_leaf_table
from latentforest.forest import CompletelyRandomForest
from mixed_tables import LAW, frames, mixed_frame, shuffled


def spectrum_of(frame, *, n_components=None, time=1.0, min_leaf=2, n_trees=20):
    forest = CompletelyRandomForest(n_trees, min_samples_leaf=min_leaf)
    kernel = ForestKernel(forest, random_state=0).fit(frame)
    if n_components is None:
        n_components = len(frame) - 1
    leaf_kernel = kernel.leaf_kernel_
    diffusion = DiffusionMap(n_components, time=time, random_state=0).fit(leaf_kernel)
    spectrum = KernelEigenpairs(
        diffusion.embedding_, diffusion.spectrum_.eigenvalues, leaf_kernel.index.ids
    )
    return kernel, diffusion, spectrum


def gram(kernel, ids=None):
    own = kernel.leaf_kernel_.index.ids
    return kernel.leaf_kernel_.gram(own if ids is None else ids, own)


@pytest.mark.filterwarnings("ignore::latentforest._base._errors.SpectrumWarning")
@LAW
@given(frames(), st.sampled_from([0.0, 1.0, 20.0]))
def test_all_components_give_the_kernel_back(frame, time):
    kernel, _, spectrum = spectrum_of(frame, time=time)
    rows = estimate_kernel_rows(spectrum.coords, kernel_weights(spectrum))
    np.testing.assert_allclose(rows, gram(kernel), atol=1e-7)


def test_all_components_give_the_kernel_of_new_rows():
    frame = mixed_frame(40, seed=1)
    kernel, diffusion, spectrum = spectrum_of(frame)
    ids = kernel.leaves(shuffled(frame, seed=2))
    table = make_leaf_table(
        kernel.leaf_kernel_, diffusion.embedding_, spectrum.eigenvalues
    )
    rows = estimate_kernel_rows(table.encode(ids), kernel_weights(spectrum))
    np.testing.assert_allclose(rows, gram(kernel, ids), atol=1e-7)


@LAW
@given(st.integers(1, 12), st.integers(0, 99))
def test_fewer_components_give_the_nearest_kernel_of_their_rank(n_components, seed):
    frame = mixed_frame(30, seed=seed)
    kernel, _, spectrum = spectrum_of(frame, n_components=n_components, time=2.0)
    rows = estimate_kernel_rows(spectrum.coords, kernel_weights(spectrum))
    values, vectors = np.linalg.eigh(gram(kernel))
    top = slice(-n_components - 1, None)
    wanted = (vectors[:, top] * values[top]) @ vectors[:, top].T
    np.testing.assert_allclose(rows, wanted, atol=1e-6)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)


def test_components_that_are_zero_add_nothing():
    frame = mixed_frame(12, columns=("flag", "group"), seed=0)
    with pytest.warns(SpectrumWarning):
        kernel, _, spectrum = spectrum_of(frame)
    assert (spectrum.coords == 0).all(axis=0).any()
    weights = kernel_weights(spectrum)
    assert not weights[(spectrum.coords == 0).all(axis=0)].any()
    rows = estimate_kernel_rows(spectrum.coords, weights)
    np.testing.assert_allclose(rows, gram(kernel), atol=1e-7)


def test_rows_do_not_see_each_other():
    _, _, spectrum = spectrum_of(mixed_frame(60), n_components=9)
    weights = kernel_weights(spectrum)
    together = estimate_kernel_rows(spectrum.coords, weights)
    alone = [estimate_kernel_rows(z[None], weights) for z in spectrum.coords]
    np.testing.assert_array_equal(np.concatenate(alone), together)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_impossible_coordinates_are_refused(value):
    with pytest.raises(ValueError, match=r"too large or not a number.*below 1e\+150"):
        estimate_kernel_rows(np.array([[value]]), np.ones((1, 4)))


def test_coordinates_of_another_size_are_refused():
    with pytest.raises(ValueError, match=r"shape \(5, 2\).*has 3 components"):
        estimate_kernel_rows(np.ones((5, 2)), np.ones((3, 4)))


@LAW
@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0]), max_size=30),
    st.integers(1, 40),
)
def test_largest_entries_are_the_largest_above_zero(row, size):
    row = np.array(row)
    chosen = np.empty(size, np.int64)
    n_chosen = largest_entries(row, chosen)
    order = np.argsort(-row, kind="stable")
    wanted = order[row[order] > 0][:size]
    np.testing.assert_array_equal(chosen[:n_chosen], wanted)
