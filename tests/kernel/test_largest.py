"""The largest kernel values of each row are found without the others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel_oracles import leaf_indices, random_index
from latentforest.kernel import LeafKernel, LeafRows, largest_entries

law = settings(max_examples=40, deadline=None)


def by_hand(gram, n_entries, *, own):
    """Sort each row of the kernel; rows that share no leaf are not there."""
    gram = gram.round(12)
    if own:
        np.fill_diagonal(gram, 0.0)
    rows = np.argsort(-gram, axis=1, kind="stable")[:, :n_entries]
    values = np.take_along_axis(gram, rows, axis=1)
    rows[values == 0] = -1
    missing = n_entries - rows.shape[1]
    pad = [(0, 0), (0, max(missing, 0))]
    return np.pad(rows, pad, constant_values=-1), np.pad(values, pad)


@law
@given(leaf_indices(max_rows=20), st.integers(1, 25), st.booleans())
def test_entries_are_those_of_the_kernel(index, n_entries, own):
    kernel = LeafKernel(index)
    leaf_rows = LeafRows.of_ids(index.ids, index.n_leaves)
    rows, values = largest_entries(leaf_rows, index.ids, n_entries, own=own)
    gram = kernel.gram(index.ids, index.ids)
    _, wanted = by_hand(gram, n_entries, own=own)
    np.testing.assert_allclose(values, wanted, atol=1e-12)
    found = rows >= 0
    np.testing.assert_array_equal(found, wanted > 0)
    queries = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
    np.testing.assert_allclose(gram[queries[found], rows[found]], values[found])
    assert all(len(set(r[r >= 0])) == (r >= 0).sum() for r in rows)
    assert not own or (rows != queries).all()


def test_ties_go_to_the_first_rows():
    ids = np.zeros((6, 2), np.int32)
    ids[:, 1] = 1
    rows, _ = largest_entries(LeafRows.of_ids(ids, 2), ids, 3, own=True)
    np.testing.assert_array_equal(rows[:2], [[1, 2, 3], [0, 2, 3]])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blocks_and_threads_change_no_bit(n_jobs):
    index = random_index(1500, [40] * 12, seed=0)
    leaf_rows = LeafRows.of_ids(index.ids, index.n_leaves)
    rows, values = largest_entries(leaf_rows, index.ids, 9, own=True, n_jobs=n_jobs)
    for query in (0, 511, 512, 1499):
        alone = largest_entries(leaf_rows, index.ids[[query]], 10)
        others = alone[0][0] != query
        np.testing.assert_array_equal(alone[0][0][others][:9], rows[query])
        np.testing.assert_array_equal(alone[1][0][others][:9], values[query])


def test_all_rows_of_large_leaves_count_unless_told_otherwise():
    index = random_index(2000, [3] * 4, seed=0)
    leaf_rows = LeafRows.of_ids(index.ids, index.n_leaves)
    queries = index.ids[:20]
    rows, values = largest_entries(leaf_rows, queries, 2000)
    gram = LeafKernel(index).gram(queries, index.ids)
    filled = np.zeros((20, 2001))  # the last is for rows that are not there
    np.put_along_axis(filled, rows, values, axis=1)
    np.testing.assert_allclose(filled[:, :-1], gram, atol=1e-15)


def test_rows_of_large_leaves_are_sampled():
    ids = np.repeat([[0, 2], [1, 3]], 2000, axis=0).astype(np.int32)
    rows, values = largest_entries(
        LeafRows.of_ids(ids, 4), ids, 400, own=True, most_members=256
    )
    found = rows >= 0
    assert (found.sum(axis=1) >= 249).all()
    assert (found.sum(axis=1) <= 256).all()
    # They come from the row's own leaf, from all of it.
    assert (rows[found] // 2000 == np.nonzero(found)[0] // 2000).all()
    assert rows[0].max() > 1900
    np.testing.assert_allclose(values[found], 1 / 2000)
