"""Run compiled loops over blocks on all cores.

The loops release the GIL, so plain threads share one copy of every array. Results
may never depend on the number of threads: blocks are cut by size, not by worker.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from queue import SimpleQueue
from threading import Lock, Thread, current_thread, main_thread
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


class _Hand(Thread):
    """A thread that works for one `Workers` after another.

    To start one takes as long as many a block. Between times it waits among the idle.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.calls: SimpleQueue[tuple[Callable[[], None], SimpleQueue[None]]]
        self.calls = SimpleQueue()

    def run(self) -> None:
        """Serve, again and again."""
        while True:
            serve, left = self.calls.get()
            serve()
            del serve  # and the arrays that it knows
            _idle.append(self)
            left.put(None)


_idle: list[_Hand] = []
if hasattr(os, "register_at_fork"):
    # A copy of the process has none of its threads.
    os.register_at_fork(after_in_child=_idle.clear)


class Workers:
    """Threads that work on blocks, kept for as many rounds as there are.

    To be used as a context. One worker gets a thread too: Ctrl-C must not reach
    compiled code. It never reaches a thread, so that one worker for a thread is that
    thread itself. A single block needs none. Blocks and results pass through simple
    queues, which Ctrl-C cannot leave locked, as it can a thread pool.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self._size = n_workers(n_jobs)
        self._n_hands = 0
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._left: SimpleQueue[None] = SimpleQueue()
        self._stopped = False

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        for _hand in range(self._n_hands):
            self._tasks.put(None)
        for _hand in range(self._n_hands):
            self._left.get()

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            if not self._stopped:
                task()

    def _hire(self, wanted: int) -> None:
        """Take idle threads, or start some, until there are as many as can be had."""
        while self._n_hands < wanted:
            try:
                hand = _idle.pop()
            except IndexError:
                hand = _Hand()
                try:
                    hand.start()
                except RuntimeError:
                    if not self._n_hands:
                        raise
                    return
            # In this order an interrupt loses a thread, and leaves nobody waiting.
            hand.calls.put((self._serve, self._left))
            self._n_hands += 1

    def run(
        self,
        work: Callable[[Block], Result],
        blocks: Sequence[Block],
        done: Callable[[], None] = lambda: None,
    ) -> list[Result]:
        """Call ``work`` on every block and return results in order."""
        alone = self._size == 1 and current_thread() is not main_thread()
        if len(blocks) <= 1 or alone:
            found = []
            for block in blocks:
                found.append(work(block))
                done()
            return found
        self._hire(min(self._size, len(blocks)))
        ended: SimpleQueue[tuple[int, Result | None, BaseException | None]]
        ended = SimpleQueue()

        def attempt(number: int, block: Block) -> None:
            try:
                ended.put((number, work(block), None))
            except BaseException as exc:
                ended.put((number, None, exc))

        for number, block in enumerate(blocks):
            self._tasks.put(partial(attempt, number, block))
        results: dict[int, Any] = {}
        for _ in blocks:
            number, result, error = ended.get()
            if error is not None:
                raise error
            results[number] = result
            done()
        return [results[number] for number in range(len(blocks))]


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
    if len(blocks) <= 1 and progress is None:
        n_workers(n_jobs)  # which refuses what is no number of threads
        return [work(block) for block in blocks]
    with (
        _progress.progress(progress, len(blocks)) as bar,
        Workers(n_jobs) as workers,
    ):
        return workers.run(work, blocks, bar.step)
