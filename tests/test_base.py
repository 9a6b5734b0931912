"""The small helpers: threads, compilation, optional packages."""

import errno
import gc
import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import threading
import weakref
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from latentforest._base import _compiled, _parallel
from latentforest._base._checks import listed
from latentforest._base._complete import check_target, completed
from latentforest._base._errors import MissingExtraError
from latentforest._base._optional import require
from latentforest._base._parallel import blocks_of, n_workers, run_blocks


def test_blocks_cover_everything_once():
    assert list(blocks_of(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(blocks_of(0, 3)) == []


@pytest.mark.parametrize("n_jobs", [1, 2, None, -1])
def test_results_come_in_the_order_of_the_blocks(n_jobs):
    assert run_blocks(lambda n: n * n, range(20), n_jobs=n_jobs) == [
        n * n for n in range(20)
    ]


def test_fewer_threads_than_wanted_do_the_work(monkeypatch):
    start, given = threading.Thread.start, []

    def refuse(thread):
        if len(given) == 2:
            message = "can't start new thread"
            raise RuntimeError(message)
        given.append(thread)
        start(thread)

    monkeypatch.setattr(_parallel, "_idle", idle := [])
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for _ in range(2):  # with new threads, and with idle ones
        found = run_blocks(lambda n: n + 1, range(9), n_jobs=200)
        assert found == list(range(1, 10))
        assert len(given) == len(idle) == 2
    idle.clear()
    with pytest.raises(RuntimeError, match="can't start"):
        run_blocks(lambda n: n, range(9), n_jobs=200)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies the process")
def test_a_copy_of_the_process_starts_threads_of_its_own():
    # It has the list of idle threads, but none of the threads.
    script = """
        import os
        from latentforest._base._parallel import run_blocks
        run_blocks(lambda n: n, range(9), n_jobs=2)
        child = os.fork()
        if child == 0:
            os._exit(sum(run_blocks(lambda n: n, range(9), n_jobs=2)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "36\n"


def test_idle_threads_let_go_of_what_they_worked_on():
    class Block:
        pass

    blocks = [Block() for _ in range(9)]
    seen = [weakref.ref(block) for block in blocks]
    run_blocks(lambda block: None, blocks, n_jobs=2)
    del blocks
    gc.collect()
    assert not any(ref() for ref in seen)


def test_an_error_in_a_block_reaches_the_caller():
    def work(number):
        if number == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_blocks(work, range(10), n_jobs=2)


def test_jobs_are_checked():
    assert n_workers(3) == 3
    assert n_workers(-1) == n_workers(None) >= 1
    assert n_workers(-1000) == 1  # as in joblib
    with pytest.raises(ValueError, match="n_jobs=0 has no meaning"):
        n_workers(0)
    for wrong in ("x", 2.5, True):
        with pytest.raises(TypeError, match="n_jobs="):
            n_workers(wrong)


def test_without_a_place_for_the_cache_functions_still_compile(monkeypatch):
    def refuse(function):
        message = "cannot cache function 'f': no locator available"
        raise RuntimeError(message)

    monkeypatch.setattr(_compiled, "DiskCache", refuse)
    assert _compiled.compiled(lambda x: x + 1)(1) == 2


def write_loops(folder, name, change):
    """Write a module of compiled functions, one of which calls the other."""
    text = f"""
        from latentforest._base._compiled import compiled

        @compiled
        def inner(x):
            return x + {change}

        @compiled
        def outer(x):
            return inner(x) + 100
    """
    path, text = folder / f"{name}.py", textwrap.dedent(text)
    # A file that is written again is a new one to numba.
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def untold(monkeypatch):
    """As in a process in which no cache has failed yet."""
    monkeypatch.setattr(_compiled.DiskCache, "told", False)


def full_disk(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["_save_index", "_save_data", "_load_index"])
def test_a_full_disk_does_not_stop_compiled_functions(
    step, tmp_path, monkeypatch, untold
):
    """Nor does a cache that cannot be read; it is said once."""
    monkeypatch.setattr(IndexDataCacheFile, step, full_disk)
    loops = write_loops(tmp_path, f"full{step}", 1)
    with pytest.warns(UserWarning, match="cannot be kept in .*: No space") as caught:
        assert loops.outer(1) == 102
    assert loops.outer(1.0) == 102.0  # and not again for another type
    assert len(caught) == 1
    assert "NUMBA_CACHE_DIR" in str(caught[0].message)


def test_a_cache_folder_that_vanished_and_cannot_be_made(tmp_path, untold):
    loops = write_loops(tmp_path, "vanished", 1)
    folder = Path(loops.outer.stats.cache_path)
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.warns(UserWarning, match="cannot be kept in "):
        assert loops.outer(1) == 102


def test_a_full_disk_leaves_no_index_of_old_code(tmp_path, monkeypatch, untold):
    """The next version would take the code of the last one for its own."""
    assert write_loops(tmp_path, "old", 1).outer(1) == 102
    with monkeypatch.context() as patched:
        patched.setattr(IndexDataCacheFile, "_save_data", full_disk)
        with pytest.warns(UserWarning, match="cannot be kept in "):
            assert write_loops(tmp_path, "old", 12).outer(1) == 113
    assert write_loops(tmp_path, "old", 12).outer(1) == 113


def test_compiled_functions_are_kept_on_disk(tmp_path):
    loops = write_loops(tmp_path, "kept", 1)
    assert not _compiled.kept_on_disk(loops.outer)
    assert loops.outer(1) == 102
    assert _compiled.kept_on_disk(loops.outer)
    again = write_loops(tmp_path, "kept", 1)
    assert again.outer(1) == 102
    assert sum(again.outer.stats.cache_hits.values()) == 1


def test_missing_packages_name_their_extra():
    with pytest.raises(MissingExtraError, match=r"latentforest\[plot\]"):
        require("no_such_package", extra="plot")


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_interrupting_a_fit_raises_keyboard_interrupt():
    # Numba turned an interrupt on the main thread into a SystemError.
    script = """
        import signal, sys
        import numpy as np
        from latentforest import CompletelyRandomForest
        signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
        X = np.random.default_rng(0).normal(size=(20000, 10))
        CompletelyRandomForest(2, n_jobs=1).fit(X)
        print("go", flush=True)
        try:
            CompletelyRandomForest(100000, n_jobs=1).fit(X)
        except KeyboardInterrupt:
            sys.exit(7)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "go\n"
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 7
        finally:
            process.kill()  # or leaving the context waits for it


def test_interrupts_never_leave_blocks_waiting():
    # A thread pool could be left locked by an interrupt at the wrong moment.
    script = """
        import _thread, random, signal, threading
        from latentforest._base._parallel import run_blocks
        signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
        draw, stopped = random.Random(0), 0
        for _ in range(150):
            delay = draw.random() * 0.01
            timer = threading.Timer(delay, _thread.interrupt_main)
            try:
                timer.start()
                while True:
                    run_blocks(lambda n: n, range(20), n_jobs=2)
            except KeyboardInterrupt:
                stopped += 1
            timer.join()
        print(stopped)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        check=True,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "150\n"


# --- messages and files -----------------------------------------------------------


def test_long_lists_are_cut():
    assert listed(["a", 1, None]) == "'a', 1, None"
    assert listed(range(10), 3) == "0, 1, 2 and 7 more"
    assert listed("ab", 1, in_lines=True) == "- a\n- ...\n"
    assert listed("ab", 2, in_lines=True) == "- a\n- b\n"


def test_places_that_cannot_be_written_are_told_before_and_leave_nothing(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "none" / "file")
    mistakes = {
        tmp_path: (IsADirectoryError, "it is a folder"),
        tmp_path / "none" / "file": (FileNotFoundError, "there is no folder .*none"),
        tmp_path / "link": (FileNotFoundError, "there is no folder .*none"),
    }
    for path, (error, message) in mistakes.items():
        with pytest.raises(error, match=message):
            check_target(path)
        with pytest.raises(error, match=message), completed(path):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["link"]
    assert check_target(str(tmp_path / "file")) == tmp_path / "file"


def test_write_protected_folders_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(PermissionError, match="write-protected"):
        check_target(tmp_path / "file")
