"""Clusters of Dask of any size, also where a worker dies: the bits of memory."""

import os
from dataclasses import fields

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dask_cases import SETTINGS, TABLE, check_same, fit_in_memory
from latentforest import RFAE
from latentforest._long import PiecePlacer


@pytest.fixture(scope="module")
def in_memory():
    return fit_in_memory()


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as running:
        yield running


@pytest.fixture(scope="module", params=[1, 4])
def client(request, cluster):
    cluster.scale(request.param)
    with cluster.get_client() as connected:
        connected.wait_for_workers(request.param, timeout=120)
        yield connected


def test_clusters_of_any_size_give_the_bits_of_memory(client, in_memory):
    for n_partitions in (1, 2, 7, 64):
        frame = dd.from_pandas(TABLE, npartitions=n_partitions, sort=False)
        assert frame.npartitions == n_partitions
        check_same(frame, in_memory)


@pytest.mark.parametrize("client", [4], indirect=True)
def test_a_lost_worker_changes_nothing(client, in_memory, tmp_path):
    deadly = tmp_path / "deadly"

    def part(number):
        if number == 3 and deadly.exists():
            deadly.unlink()
            os._exit(1)
        return TABLE[number * 40 : (number + 1) * 40]

    frame = dd.from_map(part, range(7), meta=TABLE[:0])
    deadly.touch()
    model = RFAE(**SETTINGS).fit(frame)
    assert not deadly.exists()
    own, _, coords = in_memory
    assert model.schema_ == own.schema_
    assert np.array_equal(model.embedding_, own.embedding_)
    deadly.touch()
    assert np.array_equal(model.transform(frame).compute(), coords)
    assert not deadly.exists()
    model.transform(frame, to=tmp_path / "coords")
    written = pd.read_parquet(tmp_path / "coords").to_numpy()
    assert np.array_equal(written, coords)


@pytest.mark.parametrize("client", [4], indirect=True)
def test_the_model_is_sent_once(client, in_memory, tmp_path, monkeypatch):
    pickled = []
    monkeypatch.setattr(
        PiecePlacer, "__getstate__", lambda own: pickled.append(1) or _state(own)
    )
    frame = dd.from_pandas(TABLE, npartitions=40, sort=False)
    in_memory[0].transform(frame, to=tmp_path / "coords")
    assert 1 <= len(pickled) <= 2  # for five graphs; Dask may try twice


def _state(own):
    return [getattr(own, field.name) for field in fields(own)]
