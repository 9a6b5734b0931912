"""The one way functions are compiled here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at first use, keep the result on disk, release the GIL while running.

    Where no folder can be written (a read-only installation without a home), the
    function is compiled anew in each process.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError as exc:
        if "cannot cache" not in str(exc):
            raise
        return njit(nogil=True)(function)


def kept_on_disk(function: Any) -> bool:
    """Whether an earlier run has compiled the module of a compiled function."""
    module = function.py_func.__module__.rpartition(".")[2]
    return any(Path(function.stats.cache_path or ".").glob(f"{module}.*.nbi"))
