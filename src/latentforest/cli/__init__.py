"""The command line ``latentforest``: fit, encode, decode and look, without Python."""

import sys
from importlib.util import find_spec

from latentforest.cli._exit import INTERRUPTED, USAGE
from latentforest.cli._interrupts import Interrupts
from latentforest.cli._standard import standard_streams

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit code.

    Parameters
    ----------
    argv : list of str or None, default=None
        The words after ``latentforest``; None takes those the process was started
        with.

    Returns
    -------
    int
        0 fine, 1 a table, model or file is wrong, 2 the command itself is wrong,
        130 stopped with Ctrl-C.
    """
    with standard_streams():
        return _main(sys.argv[1:] if argv is None else argv)


def _main(words: list[str]) -> int:
    missing = [name for name in ("typer", "pyarrow") if find_spec(name) is None]
    if missing:
        message = (
            f"latentforest: error: {', '.join(missing)} not found. The command line "
            'needs more packages: pip install "latentforest[cli]"\n'
        )
        sys.stderr.write(message)
        return USAGE
    with Interrupts() as interrupts:
        from latentforest.cli._app import app  # noqa: PLC0415 (needs typer)
        from latentforest.cli._run import run  # noqa: PLC0415 (needs typer)
    if interrupts.happened:
        sys.stderr.write("latentforest: stopped\n")
        return INTERRUPTED
    return run(app, words)
