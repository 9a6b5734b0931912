"""The one way functions are compiled here."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

_NumbaCache: Any = caching.FunctionCache  # it has no types


class DiskCache(_NumbaCache):
    """Numba's cache on disk, whose failures cost time instead of results.

    A full disk, or a folder that is gone or may not be written any more, is told once
    per process; the function is then compiled anew in each process.
    """

    told = False  # in this process, whichever function it was about

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what an earlier run has compiled, or None."""
        try:
            return super().load_overload(sig, target_context)
        except OSError as exc:
            self._give_up(exc)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that can be."""
        try:
            super().save_overload(sig, data)
        except OSError as exc:
            # The index may name a file that an older version has left behind.
            with suppress(OSError):
                Path(self._cache_file._index_path).unlink()
            self._give_up(exc)

    def _give_up(self, exc: OSError) -> None:
        self.disable()
        if DiskCache.told:
            return
        DiskCache.told = True
        message = (
            f"Compiled functions cannot be kept in {self.cache_path}: "
            f"{exc.strerror or exc}. They are compiled anew in each process, which "
            "takes about half a minute. Make room there, or set NUMBA_CACHE_DIR to "
            "another folder."
        )
        warnings.warn(message, stacklevel=2)


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at first use, keep the result on disk, release the GIL while running.

    What is divided by zero is infinite, as in NumPy: if each division were checked,
    loops with one could not take several rows at a time.

    Where no folder can be written (a read-only installation without a home), the
    function is compiled anew in each process.
    """
    return _kept(njit(nogil=True, error_model="numpy")(function), function)


def compiled_inner(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled ones call very often.

    It may not make arrays, nor return any. Numba then does not count who holds those
    it is given, which took a third of the time of growing trees. Python cannot call it:
    without the way in, and a place on disk of its own, it is compiled sooner.
    """
    made: Any = njit
    settings = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return made(nogil=True, error_model="numpy", **settings)(function)


def _kept(made: Any, function: Callable[..., Any]) -> Any:
    """Keep what is compiled on disk, where that can be."""
    try:
        made._cache = DiskCache(function)  # as cache=True does with numba's own
    except RuntimeError as exc:
        if "cannot cache" not in str(exc):
            raise
    return made


def kept_on_disk(function: Any) -> bool:
    """Whether an earlier run has compiled the module of a compiled function."""
    module = function.py_func.__module__.rpartition(".")[2]
    return any(Path(function.stats.cache_path or ".").glob(f"{module}.*.nbi"))
