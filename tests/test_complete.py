"""Files appear when complete, stay as private as they were, and lose no other file."""

import os
import stat
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from latentforest._base import _complete
from latentforest._base._complete import completed, is_stream

unix = pytest.mark.skipif(os.name == "nt", reason="modes and streams of Unix")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@unix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o400, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    path.chmod(mode)
    with completed(path) as unfinished:
        assert mode_of(unfinished) == 0o600  # from its first byte
        unfinished.write_text("after")
    assert path.read_text() == "after"
    assert mode_of(path) == mode
    with completed(path) as outer, completed(outer) as inner:
        inner.write_text("twice")
    assert (path.read_text(), mode_of(path)) == ("twice", mode)


@unix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_the_umask_leaves(mask, tmp_path):
    before = os.umask(mask)
    try:
        for name, new in (("one", False), ("two", True)):
            with completed(tmp_path / name, must_be_new=new) as unfinished:
                unfinished.write_text("text")
            assert mode_of(tmp_path / name) == 0o666 & ~mask
    finally:
        os.umask(before)


@unix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid(), reason="needs root")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    os.chown(path, 1234, 4321)
    path.chmod(0o640)
    with completed(path) as unfinished:
        unfinished.write_text("after")
    found = path.stat()
    assert (found.st_uid, found.st_gid, mode_of(path)) == (1234, 4321, 0o640)


@unix
def test_where_the_group_cannot_be_kept_nobody_sees_more(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("before")
    path.chmod(0o664)
    group = path.stat().st_gid

    def of_others(self):
        found = list(self.stat())
        found[5] = group + 1
        return os.stat_result(found)

    monkeypatch.setattr(_complete.os, "chown", refuse)
    monkeypatch.setattr(_complete, "_status", of_others)
    with completed(path) as unfinished:
        unfinished.write_text("after")
    assert mode_of(path) == 0o644


def refuse(*_):
    raise PermissionError


@contextmanager
def late_writer(path):
    with completed(path, must_be_new=True) as late:
        late.write_text("late")
        yield


@pytest.mark.parametrize("links", [True, False])
def test_of_two_writers_of_a_new_file_the_later_one_fails(links, tmp_path, monkeypatch):
    if not links:  # a disk on which a file has one name
        monkeypatch.setattr(_complete.os, "link", refuse)
    path, message = tmp_path / "file", "file exists already"
    with (
        pytest.raises(FileExistsError, match=message),
        late_writer(path),
        completed(path, must_be_new=True) as early,
    ):
        early.write_text("early")
    assert path.read_text() == "early"
    with (
        pytest.raises(FileExistsError, match=message),
        completed(path, must_be_new=True),
    ):
        pytest.fail("it is told before any work")
    assert list(tmp_path.iterdir()) == [path]


@unix
def test_a_fifo_gets_the_bytes_and_stays_a_fifo(tmp_path):
    path, read = tmp_path / "fifo", []
    os.mkfifo(path)
    assert is_stream(path)
    reader = Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    with completed(path, must_be_new=True) as unfinished:
        unfinished.write_bytes(b"x" * 300_000)
    reader.join(60)
    assert read == [b"x" * 300_000]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


@unix
def test_an_error_sends_nothing_to_a_stream(tmp_path):
    held = os.open(tmp_path / "log", os.O_CREAT | os.O_RDWR)
    try:
        os.write(held, b"before\n")
        path = f"/dev/fd/{held}"
        assert is_stream(path)
        with pytest.raises(ZeroDivisionError), completed(path) as unfinished:
            unfinished.write_text(f"half {1 // 0}")
        with completed(path) as unfinished:
            unfinished.write_text("after\n")
        # It goes on where the open file stands, and the file is the same one.
        assert os.pread(held, 99, 0) == b"before\nafter\n"
        assert [p.name for p in tmp_path.iterdir()] == ["log"]
    finally:
        os.close(held)


@unix
def test_devices_are_written_to(tmp_path):
    with completed(os.devnull) as unfinished:
        unfinished.write_text("gone")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert not is_stream(tmp_path / "none")
    assert not is_stream(tmp_path)
