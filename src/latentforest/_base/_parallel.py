"""Run compiled loops over blocks on all cores.

The loops release the GIL, so plain threads share one copy of every array. Results
may never depend on the number of threads: blocks are cut by size, not by worker.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from latentforest._base import _progress
from latentforest._base._checks import check_integer

MOST_THREADS = 256  # unless there are more cores; others only wait for each other

Block = TypeVar("Block")
Result = TypeVar("Result")


def n_workers(n_jobs: int | None) -> int:
    """Threads to use: ``None`` and ``-1`` mean every core we may run on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    cores = cores or os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if check_integer("n_jobs", n_jobs, minimum=-sys.maxsize) == 0:
        message = "n_jobs=0 has no meaning. Give a positive number, or -1 for all."
        raise ValueError(message)
    if n_jobs > 0:
        return min(int(n_jobs), max(cores, MOST_THREADS))
    return max(1, cores + 1 + n_jobs)


class _OneBlasThread:
    """Keep linear algebra to one thread while anyone is inside.

    The number of threads belongs to the whole process, so those inside are counted:
    the first one notes it, the last one puts it back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = _pools().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._before.restore_original_limits()


@cache
def _pools() -> Any:
    """Look the libraries up once: that takes milliseconds."""
    import scipy.linalg  # noqa: F401, PLC0415 (its threads must be there to be found)

    return ThreadpoolController()


# What fits uses it around eigenproblems and large products: their last bits depend on
# the number of threads. What serves uses loops of ours, and leaves the process alone.
one_blas_thread = _OneBlasThread()


def blocks_of(size: int, block: int) -> Iterator[tuple[int, int]]:
    """Cut ``range(size)`` into ``(start, stop)`` pairs of at most ``block``."""
    for start in range(0, size, block):
        yield start, min(start + block, size)


def run_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    *,
    n_jobs: int | None = None,
    progress: str | None = None,
) -> list[Result]:
    """Call ``work`` on every block, in threads, and return results in order.

    ``progress`` names the job on a bar on standard error; None shows nothing.
    An error or Ctrl-C drops the blocks that have not started.
    """
    workers = n_workers(n_jobs)
    with _progress.progress(progress, len(blocks)) as bar:
        if len(blocks) <= 1:
            return [work(block) for block in blocks]
        # One worker gets a thread too: Ctrl-C must not reach compiled code.
        pool = ThreadPoolExecutor(min(workers, len(blocks)))
        try:
            futures = [pool.submit(work, block) for block in blocks]
            for future in as_completed(futures):
                future.result()
                bar.step()
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
