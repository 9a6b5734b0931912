"""Data sets: fetched from a server with the paths of their homes, checked, kept."""

import gzip
import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentforest import datasets
from latentforest.datasets import _catalogue, _fetch, _load
from latentforest.datasets._records import Dataset, Part

CSV = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i % 7) for i in range(40_000))
HOME = "https://example.org/some/folder/tiny.csv"
PLACE = "/example.org/some/folder/tiny.csv"


class Server(ThreadingHTTPServer):
    """Serves bytes by path; may break off, refuse ranges, or say other numbers."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.stop_after = None  # bytes of a body, then the connection is closed
        self.ranges = True
        self.asked = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append((self.path, wanted))
        if self.path not in server.files:
            self.send_error(404)
            return
        body = server.files[self.path]
        if wanted and server.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self.send_error(416)
                return
            body = body[start:]
            self.send_response(206)
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.stop_after])

    def log_message(self, *args):
        """Stay silent."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        host, port = running.server_address
        monkeypatch.setenv("LATENTFOREST_MIRROR", f"http://{host}:{port}/")
        monkeypatch.setenv("LATENTFOREST_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.delenv("LATENTFOREST_DATA", raising=False)
        running.files[PLACE] = CSV
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def tiny(monkeypatch):
    """Put a small table in the catalogue."""
    part = Part("tiny.csv", HOME, hashlib.sha256(CSV).hexdigest())
    own = "tabular/tiny.csv.gz"
    dataset = Dataset("tiny", 40_000, 2, "made up", "CC0", own, (part,))
    monkeypatch.setitem(_catalogue.CATALOGUE, "tiny", dataset)
    return dataset


def kept():
    """Files in the cache."""
    return sorted(p.name for p in _fetch.cache_folder().rglob("*") if p.is_file())


def test_a_table_is_fetched_once(server, tiny):
    first, second = datasets.load("tiny"), datasets.load("tiny")
    assert first.shape == (tiny.n_rows, tiny.n_columns)
    pd.testing.assert_frame_equal(first, second)
    assert server.asked == [(PLACE, None)]
    assert kept() == ["tiny.csv"]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on_where_it_stopped(server, tiny, ranges):
    server.stop_after, server.ranges = 100_000, ranges
    with pytest.raises(datasets.DownloadError, match=r"after 100,000 of .* Try again"):
        datasets.load("tiny")
    assert kept() == ["tiny.csv.part"]
    server.stop_after = None
    assert len(datasets.load("tiny")) == tiny.n_rows
    assert server.asked[1] == (PLACE, "bytes=100000-")
    assert kept() == ["tiny.csv"]


def test_an_interrupted_download_goes_on_too(server, tiny, monkeypatch):
    copy = _fetch._copy

    def interrupted(response, out, bar):
        out.write(response.read(50_000))
        raise KeyboardInterrupt

    monkeypatch.setattr(_fetch, "_copy", interrupted)
    with pytest.raises(KeyboardInterrupt):
        datasets.load("tiny")
    assert kept() == ["tiny.csv.part"]
    monkeypatch.setattr(_fetch, "_copy", copy)
    assert len(datasets.load("tiny")) == tiny.n_rows
    assert server.asked[1] == (PLACE, "bytes=50000-")


def test_a_part_longer_than_the_file_is_begun_again(server, tiny):
    part = _fetch.cache_folder() / "tiny" / "tiny.csv.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CSV + b"more")
    assert len(datasets.load("tiny")) == tiny.n_rows
    assert [wanted for _, wanted in server.asked] == [f"bytes={len(CSV) + 4}-", None]


def test_a_wrong_file_is_thrown_away(server, tiny):
    server.files[PLACE] = CSV.replace(b"x3", b"x4")
    with pytest.raises(datasets.DownloadError, match=r"sha256 is .* thrown away"):
        datasets.load("tiny")
    assert kept() == []
    server.files[PLACE] = CSV
    assert len(datasets.load("tiny")) == tiny.n_rows


def test_a_file_spoiled_in_the_cache_is_not_read(server, tiny):
    datasets.load("tiny")
    file = _fetch.cache_folder() / "tiny" / "tiny.csv"
    file.write_bytes(CSV[:-10])
    with pytest.raises(datasets.DownloadError, match=r"Delete .*tiny\.csv, and"):
        datasets.load("tiny")


def test_a_missing_file_says_how_to_get_it(server, tiny):
    del server.files[PLACE]
    with pytest.raises(datasets.DownloadError) as told:
        datasets.load("tiny")
    target = _fetch.cache_folder() / "tiny" / "tiny.csv"
    for words in ("answers 404", HOME, str(target), tiny.own_file):
        assert words in str(told.value)
    target.write_bytes(CSV)  # as the message says
    assert len(datasets.load("tiny")) == tiny.n_rows


def test_without_a_network_the_error_says_what_to_do(server, tiny, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("LATENTFOREST_MIRROR", f"http://127.0.0.1:{port}")
    told = rf"no connection to 127\.0\.0\.1:{port}.* Go online, or fetch {HOME}"
    with pytest.raises(datasets.DownloadError, match=told):
        datasets.load("tiny")
    assert not list(_fetch.cache_folder().rglob("tiny.csv"))


def test_a_mirror_is_an_address(server, tiny, monkeypatch):
    monkeypatch.setenv("LATENTFOREST_MIRROR", "/some/folder")
    with pytest.raises(ValueError, match="must begin with http"):
        datasets.load("tiny")


def test_a_folder_of_ones_own_is_read_and_nothing_fetched(
    server, tiny, monkeypatch, tmp_path
):
    monkeypatch.setenv("LATENTFOREST_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no tabular/tiny\.csv\.gz.*unset"):
        datasets.load("tiny")
    file = tmp_path / tiny.own_file
    file.parent.mkdir()
    file.write_bytes(gzip.compress(CSV))
    assert len(datasets.load("tiny")) == tiny.n_rows
    assert server.asked == []


def test_the_cache_lies_where_the_system_keeps_such_things(monkeypatch):
    monkeypatch.delenv("LATENTFOREST_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    assert _fetch.cache_folder() == Path("/some/where/latentforest")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert _fetch.cache_folder() == Path.home() / ".cache" / "latentforest"


def idx(array):
    """Write an array in the format IDX."""
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return gzip.compress(head + array.tobytes())


def served(server, name, contents, monkeypatch, digest=None):
    """Serve made files under the addresses of a data set, with their checksums."""
    dataset, parts = datasets.describe(name), []
    for part, content in zip(dataset.parts, contents, strict=True):
        server.files["/" + part.url.removeprefix("https://")] = content
        sha256 = digest(content) if digest else hashlib.sha256(content).hexdigest()
        parts.append(part._replace(sha256=sha256))
    values = {**vars(dataset), "parts": tuple(parts)}
    monkeypatch.setitem(_catalogue.CATALOGUE, name, Dataset(**values))


def test_digits_are_the_same_from_both_places(server, monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "x_train": rng.integers(0, 256, (5, 28, 28), np.uint8),
        "y_train": rng.integers(0, 10, 5, np.uint8),
        "x_test": rng.integers(0, 256, (3, 28, 28), np.uint8),
        "y_test": rng.integers(0, 10, 3, np.uint8),
    }
    served(server, "mnist", map(idx, arrays.values()), monkeypatch)
    fetched = datasets.load("mnist")
    assert fetched.loc[5, "pixel 29"] == arrays["x_test"][0, 1, 1]
    assert fetched["digit"].tolist() == [*arrays["y_train"], *arrays["y_test"]]
    (tmp_path / "mnist").mkdir()
    np.savez(tmp_path / "mnist" / "mnist.npz", **arrays)
    monkeypatch.setenv("LATENTFOREST_DATA", str(tmp_path))
    pd.testing.assert_frame_equal(datasets.load("mnist"), fetched)


def expression(patients, values):
    """Write intensities as the published files do; patients are not in order."""
    lines = ["Gene Description,Gene Accession Number," + ",call,".join(patients)]
    lines[0] += ",call"
    for gene, row in zip(("A_at", "B_at"), values.T, strict=True):
        lines.append(f'"gene, of {gene}",{gene},' + ",A,".join(map(str, row)) + ",A")
    return "\n".join(lines).encode()


def test_leukaemia_is_the_same_from_both_places(server, monkeypatch, tmp_path):
    values = np.random.default_rng(0).integers(-900, 900, (72, 2), np.int32)
    known, new = np.r_[0:27, 33:38, 27:33], np.arange(71, 37, -1)
    contents = [
        expression([str(i + 1) for i in rows], values[rows]) for rows in (known, new)
    ]
    hashes = iter([values[:38], values[38:]])
    served(
        server,
        "golub",
        contents,
        monkeypatch,
        lambda _: hashlib.sha256(next(hashes).tobytes()).hexdigest(),
    )
    fetched = datasets.load("golub")
    assert fetched["class"].value_counts().to_dict() == {"ALL": 47, "AML": 25}
    np.testing.assert_array_equal(fetched[["A_at", "B_at"]], values)
    (tmp_path / "golub").mkdir()
    file = tmp_path / "golub" / "golub_7129.npz"
    np.savez(file, x=values, genes=np.array(["A_at", "B_at"]))
    monkeypatch.setenv("LATENTFOREST_DATA", str(tmp_path))
    own = datasets.load("golub")
    pd.testing.assert_frame_equal(own, fetched, check_index_type=False)


def test_an_error_page_is_no_leukaemia(server, monkeypatch):
    page = b"<html>Sorry</html>"
    served(server, "golub", [page, page], monkeypatch, lambda _: "0" * 64)
    with pytest.raises(datasets.DownloadError, match="sha256 is unreadable"):
        datasets.load("golub")


def test_the_catalogue_is_complete():
    assert len(datasets.names()) == 22
    for name in datasets.names():
        found = datasets.describe(name)
        assert found.origin
        assert found.licence
        assert all(len(part.sha256) == 64 for part in found.parts)
        assert all(url.startswith("https://") for url in found.urls)
    with pytest.raises(ValueError, match=r"no data set 'adults'\. There are: abalone,"):
        datasets.load("adults")


def test_patients_with_myeloid_leukaemia():
    assert len(_load.MYELOID) == len(set(_load.MYELOID)) == 25
