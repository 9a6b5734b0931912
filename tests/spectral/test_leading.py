import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import ArpackNoConvergence

import latentforest.spectral._solvers as solvers
from kernel_oracles import (
    disconnected_index,
    leaf_indices,
    random_index,
    random_weights,
)
from latentforest._base._errors import SpectrumWarning
from latentforest.kernel import LeafKernel, connected_components
from latentforest.spectral import leading_spectrum

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet"])
laws = settings(max_examples=25, deadline=None)


def spectrum_of(kernel, n_components, seed=0):
    labels, _ = connected_components(kernel.index)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        return leading_spectrum(
            kernel.as_linear_operator(),
            n_components,
            constant=np.sqrt(kernel.row_mass),
            labels=labels,
            rng=np.random.default_rng(seed),
        )


def check_pairs(kernel, spectrum, *, atol):
    values, vectors = spectrum.eigenvalues, spectrum.vectors
    np.testing.assert_allclose(
        kernel.symmetric_dot(vectors), vectors * values, atol=atol
    )
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(values.size), atol=atol)
    np.testing.assert_allclose(vectors.T @ np.sqrt(kernel.row_mass), 0.0, atol=1e-7)
    assert (np.diff(values) <= 0).all()
    assert values.min() >= 0
    assert values.max() <= 1


@laws
@given(leaf_indices(), kinds, seeds)
def test_all_pairs_of_small_graphs(index, kind, seed):
    weights = random_weights(index.n_rows, seed)
    kernel = LeafKernel(index, kind, weights=weights)
    spectrum = spectrum_of(kernel, index.n_rows - 1)
    check_pairs(kernel, spectrum, atol=1e-10)
    everything = np.linalg.eigvalsh(kernel.symmetric_dot(np.eye(index.n_rows)))
    np.testing.assert_allclose(spectrum.eigenvalues, everything[::-1][1:], atol=1e-10)
    n_pieces = connected_components(index)[1]
    assert spectrum.n_graph_components == n_pieces
    assert np.count_nonzero(everything > 1 - 1e-9) == n_pieces
    assert np.count_nonzero(spectrum.eigenvalues == 1.0) >= n_pieces - 1


@pytest.mark.parametrize("kind", ["rf", "scornet"])
@pytest.mark.parametrize("weighted", [False, True])
def test_lanczos_equals_dense(kind, weighted):
    index = random_index(450, [12] * 30, seed=4)
    weights = random_weights(450, 5) if weighted else None
    kernel = LeafKernel(index, kind, weights=weights)
    spectrum = spectrum_of(kernel, 6)
    assert spectrum.solver == "lanczos"
    check_pairs(kernel, spectrum, atol=1e-8)
    everything = np.linalg.eigvalsh(kernel.symmetric_dot(np.eye(450)))[::-1]
    np.testing.assert_allclose(spectrum.eigenvalues, everything[1:7], atol=1e-10)
    again = spectrum_of(kernel, 6)
    np.testing.assert_array_equal(again.vectors, spectrum.vectors)
    other = spectrum_of(kernel, 6, seed=1)
    np.testing.assert_allclose(other.vectors, spectrum.vectors, atol=1e-5)


@pytest.mark.parametrize(("n_rows", "solver"), [(60, "dense"), (420, "lanczos")])
def test_fewer_components_are_the_first_of_more(n_rows, solver):
    kernel = LeafKernel(random_index(n_rows, [5, 7, 9, 11, 13, 4, 3], seed=6))
    few, more = spectrum_of(kernel, 3), spectrum_of(kernel, 8)
    assert few.solver == more.solver == solver
    np.testing.assert_allclose(few.eigenvalues, more.eigenvalues[:3], atol=1e-9)
    np.testing.assert_allclose(few.vectors, more.vectors[:, :3], atol=1e-5)


@pytest.mark.parametrize("sizes", [(30, 20, 10), (300, 200, 50)])
def test_pieces_come_first_and_are_told(sizes):
    index = disconnected_index(sizes, n_trees=8, leaves_each=4, seed=3)
    kernel = LeafKernel(index, weights=random_weights(index.n_rows, 2))
    labels, n_pieces = connected_components(index)
    with pytest.warns(SpectrumWarning, match="3 components .* first 2 of 5"):
        spectrum = leading_spectrum(
            kernel.as_linear_operator(),
            5,
            constant=np.sqrt(kernel.row_mass),
            labels=labels,
            rng=np.random.default_rng(0),
        )
    assert spectrum.n_graph_components == n_pieces == 3
    check_pairs(kernel, spectrum, atol=1e-8)
    np.testing.assert_array_equal(spectrum.eigenvalues[:2], 1.0)
    assert spectrum.eigenvalues[2] < 0.999
    # Seen per unit of the constant, a contrast is one number on each piece.
    levels = spectrum.vectors[:, :2] / np.sqrt(kernel.row_mass)[:, None]
    for piece in range(3):
        inside = levels[labels == piece]
        np.testing.assert_allclose(inside, np.tile(inside[0], (len(inside), 1)))
    assert len(np.unique(levels.round(8), axis=0)) == 3


def test_more_pieces_than_components_need_no_solver():
    index = disconnected_index([3] * 6, n_trees=2, leaves_each=2, seed=0)
    spectrum = spectrum_of(LeafKernel(index), 4)
    assert spectrum.solver == "components"
    np.testing.assert_array_equal(spectrum.eigenvalues, 1.0)
    check_pairs(LeafKernel(index), spectrum, atol=1e-12)


def test_rank_deficient_graph_gives_zero_eigenvalues_not_the_constant():
    index = random_index(5, [2, 3], seed=0)
    wide = index.take(np.repeat(np.arange(5), 100))
    kernel = LeafKernel(wide)
    spectrum = spectrum_of(kernel, 12)
    assert spectrum.solver == "lanczos"
    check_pairs(kernel, spectrum, atol=1e-7)
    np.testing.assert_allclose(spectrum.eigenvalues[4:], 0.0, atol=1e-8)


def test_one_leaf_for_all_has_no_spectrum():
    kernel = LeafKernel(random_index(500, [1, 1], seed=0))
    spectrum = spectrum_of(kernel, 3)
    np.testing.assert_allclose(spectrum.eigenvalues, 0.0, atol=1e-8)
    check_pairs(kernel, spectrum, atol=1e-7)


@pytest.mark.parametrize("n_rows", range(2, 30))
def test_dense_survives_coinciding_eigenvalues(n_rows):
    """LAPACK's subset driver fails here with an internal error for some sizes."""
    weights = np.random.default_rng(863023).integers(1, 4, size=n_rows)
    kernel = LeafKernel(random_index(n_rows, [1], seed=0), weights=weights)
    spectrum = spectrum_of(kernel, n_rows - 1)
    check_pairs(kernel, spectrum, atol=1e-12)
    np.testing.assert_allclose(spectrum.eigenvalues, 0.0, atol=1e-12)


def test_solver_choice():
    assert solvers.choose_solver(400, 2) == "dense"
    assert solvers.choose_solver(401, 2) == "lanczos"
    assert solvers.choose_solver(2_000, 1_999) == "dense"
    assert solvers.choose_solver(50_000, 20_000) == "lanczos"


def test_failed_convergence_is_retried_then_told(monkeypatch):
    kernel = LeafKernel(random_index(420, [9] * 6, seed=0))
    real, tried = solvers.eigsh, []

    def fails(times):
        def eigsh(*args, **kwargs):
            tried.append(kwargs["ncv"])
            if len(tried) <= times:
                raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))
            return real(*args, **{k: v for k, v in kwargs.items() if k != "rng"})

        return eigsh

    monkeypatch.setattr(solvers, "eigsh", fails(1))
    check_pairs(kernel, spectrum_of(kernel, 3), atol=1e-8)
    assert tried[1] > tried[0]
    tried.clear()
    monkeypatch.setattr(solvers, "eigsh", fails(9))
    with pytest.raises(RuntimeError, match="Ask for fewer components"):
        spectrum_of(kernel, 3)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"n_components": 6}, ValueError, "6 rows give at most 5"),
        ({"n_components": 0}, ValueError, "n_components=0"),
        ({"n_components": 2.0}, TypeError, "float"),
        ({"constant": np.zeros(6)}, ValueError, "positive"),
        ({"constant": np.ones(5)}, ValueError, "6 rows"),
        ({"labels": np.zeros(5, int)}, ValueError, "6 rows"),
        ({"labels": np.full(6, 1)}, ValueError, "gaps"),
    ],
)
def test_wrong_arguments_are_refused(change, error, match):
    kernel = LeafKernel(random_index(6, [3, 3], seed=0))
    arguments = {"n_components": 2, "constant": np.ones(6), "labels": None} | change
    with pytest.raises(error, match=match):
        leading_spectrum(
            kernel.as_linear_operator(), rng=np.random.default_rng(0), **arguments
        )
