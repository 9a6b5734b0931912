"""Partitions of Dask's data frames and arrays: worked on where they are."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar
from uuid import uuid4

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.system import CPU_COUNT

from latentforest._base._parallel import blocks_of
from latentforest._base._progress import progress as progress_bar
from latentforest._base._types import Codes
from latentforest.table import Batches, TableCodec, index_of

T = TypeVar("T")


class DaskBatches(Batches):
    """A data frame or array of Dask; its partitions are the pieces.

    Parameters
    ----------
    table : dask.dataframe.DataFrame or dask.array.Array
        An array is cut between rows only; the number of rows need not be known.
    progress : bool, default=False
        Show on standard error how far each pass is.

    Notes
    -----
    Work is a task of the graph, and what it needs, a model say, another: it is sent
    once, and can be sent again where a worker is lost.
    """

    label = "the table of Dask"

    def __init__(self, table: Any, *, progress: bool = False) -> None:
        if getattr(table, "ndim", None) != 2:
            message = (
                f"X is a Dask {type(table).__name__}. Give a data frame, or an array "
                "of two dimensions."
            )
            raise TypeError(message)
        self._progress = progress
        self._divisions = getattr(table, "divisions", None)
        if hasattr(table, "rechunk"):
            table = table.rechunk({1: -1})
            if not np.isnan(table.shape[0]):
                self._lengths = list(table.chunks[0])
        self._pieces: list[Delayed] = np.ravel(table.to_delayed()).tolist()

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on all partitions at once; what they share is computed once."""
        return self._results(work, arguments, what, len(self._pieces))

    def stream(self, work: Callable[..., T], *, what: str = "") -> Iterator[T]:
        """Work on some partitions at a time, so that few results wait."""
        client = _client()
        threads = CPU_COUNT if client is None else sum(client.nthreads().values())
        return self._results(work, (), what, 2 * max(threads, 1))

    def gather(
        self, work: Callable[..., Codes], *arguments: Sequence[Any], width: int
    ) -> Any:
        """Return a lazy array of Dask; its lengths are known where the table's are."""
        return self._array(work, arguments, np.empty((0, width)), "placing")

    def gather_tables(self, work: Callable[..., Codes], codec: TableCodec) -> Any:
        """Return a lazy data frame of Dask, or an array if one was fitted."""
        schema = codec.schema_
        if schema.container not in {"pandas", "numpy"}:
            message = (
                f"The model was fitted on a table of {schema.container}, but data "
                "frames of Dask are of pandas. Write the rows to files with to=, or "
                "compute the coordinates first."
            )
            raise TypeError(message)
        decode, begins = partial(_decoded, work, codec), self._begins()
        meta = codec.decode(np.empty((0, schema.n_columns)))
        if schema.container == "numpy":
            return self._array(decode, [begins], meta, "decoding")
        from dask.dataframe import from_delayed  # noqa: PLC0415 (loads pandas' half)

        tasks = self._tasks(_shared(decode), [begins], "decoding")
        return from_delayed(
            tasks, meta=meta, divisions=self._divisions, verify_meta=False
        )

    def _begins(self) -> list[int | None]:
        """Numbers of the first rows of the partitions, where they are known."""
        if self._lengths is None:
            return [None] * len(self._pieces)
        return list(accumulate(self._lengths[:-1], initial=0))

    def _layer(
        self, work: Delayed, arguments: Sequence[Sequence[Any]], what: str
    ) -> tuple[str, HighLevelGraph]:
        """One task per partition, under a name that Dask's dashboard shows."""
        name = f"latentforest-{what}-{uuid4().hex}"
        tasks = {
            (name, number, 0): (
                _call,
                work.key,
                piece.key,
                *(values[number] for values in arguments),
            )
            for number, piece in enumerate(self._pieces)
        }
        graph = HighLevelGraph.from_collections(
            name, tasks, dependencies=[work, *self._pieces]
        )
        return name, graph

    def _tasks(
        self, work: Delayed, arguments: Sequence[Sequence[Any]], what: str
    ) -> list[Delayed]:
        name, graph = self._layer(work, arguments, what)
        numbers = range(len(self._pieces))
        return [Delayed((name, number, 0), graph, layer=name) for number in numbers]

    def _array(
        self,
        work: Callable[..., Any],
        arguments: Sequence[Sequence[Any]],
        meta: Any,
        what: str,
    ) -> Any:
        from dask.array import Array  # noqa: PLC0415 (a frame does without)

        name, graph = self._layer(_shared(work), arguments, what)
        unknown = [np.nan] * len(self._pieces)
        rows = tuple(unknown if self._lengths is None else self._lengths)
        return Array(graph, name, (rows, (meta.shape[1],)), meta=meta)

    def _results(
        self,
        work: Callable[..., T],
        arguments: Sequence[Sequence[Any]],
        what: str,
        at_once: int,
    ) -> Iterator[T]:
        sent = _sent(_shared(work))
        tasks = self._tasks(sent, arguments, what.partition(" ")[0] or "working")
        shown = what if self._progress else None
        with progress_bar(shown, len(tasks), " partitions") as bar:
            for result in _computed(tasks, at_once):
                bar.step()
                yield result


def _shared(work: Callable[..., Any]) -> Delayed:
    """Work as a task of its own, so that no other task holds it."""
    key = f"latentforest-model-{uuid4().hex}"
    return Delayed(key, HighLevelGraph.from_collections(key, {key: work}))


def _sent(work: Delayed) -> Delayed:
    """Send work to a cluster, if there is one, before the first of several graphs."""
    client = _client()
    if client is None:
        return work
    # It is large, and that is no mistake of the user's.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.persist(work)


def _call(work: Callable[..., T], piece: Any, *arguments: Any) -> T:
    return work(piece, *arguments)


def _decoded(
    work: Callable[[Any], Codes], codec: TableCodec, piece: Any, begin: int | None
) -> Any:
    """Rows of a partition, under its index, or numbered on where that is known."""
    codes, index = work(piece), index_of(piece)
    if index is None and begin is not None and codec.schema_.container == "pandas":
        import pandas as pd  # noqa: PLC0415 (where it is needed)

        index = pd.RangeIndex(begin, begin + len(codes))
    return codec.decode(codes, index=index)


def _client() -> Any:
    """Return the client of a cluster, if there is one; else Dask works here."""
    return getattr(get_scheduler(), "__self__", None)


def _computed(tasks: list[Delayed], at_once: int) -> Iterator[Any]:
    """Yield results in order; at most twice as many wait as are begun at once."""
    client = _client()
    waiting: deque[Any] = deque()
    for begin, end in blocks_of(len(tasks), at_once):
        if client is None:
            yield from dask.compute(*tasks[begin:end])
            continue
        waiting.extend(client.compute(tasks[begin:end]))
        while len(waiting) > at_once:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
