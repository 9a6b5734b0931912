"""Run a command: exit codes, one-line errors, Ctrl-C, closed pipes."""

import os
import re
import signal
import sys
import traceback
from contextlib import suppress
from types import FrameType
from typing import Any

from latentforest._base._errors import RoomError, UnseenLevelsError, UsageError
from latentforest.cli._exit import (
    FINE,
    HUNG_UP,
    INTERRUPTED,
    TERMINATED,
    USAGE,
    WRONG_DATA,
)
from latentforest.cli._notes import one_line

_IN_PANDAS = re.compile(r",? in pandas with \S+( and \S+?)?(?=\.$|\.? )")
# What takes less memory; there is no option for landmarks.
_LESS = {"max_samples": "--max-samples {}", "n_trees": "--trees {}"}
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)


# What asks a process to end, and the exit code that tells so.
_ENDS = {"SIGTERM": TERMINATED, "SIGHUP": HUNG_UP}


class Terminated(BaseException):
    """The process was asked to end; outputs are tidied up on the way out."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def run(app: Any, argv: list[str]) -> int:
    """Run one command line and return the exit code."""
    before = _on_termination()
    try:
        words = argv or ["--help"]
        result = app(args=words, prog_name="latentforest", standalone_mode=False)
        sys.stdout.flush()
        if result == INTERRUPTED:  # the parser of options has caught Ctrl-C itself
            return _say("stopped", INTERRUPTED)
        return result if isinstance(result, int) else FINE
    except KeyboardInterrupt:
        return _say("stopped", INTERRUPTED)
    except Terminated as exc:
        return _say("stopped", exc.code)
    except (BrokenPipeError, SystemExit) as exc:
        # The parser of options turns a closed pipe into an exit of its own.
        if BrokenPipeError not in (type(exc), type(exc.__context__)):
            raise
        # Whoever reads our output has had enough; nothing is wrong.
        _forget_stdout()
        return FINE
    except Exception as exc:
        if "--debug" in argv:
            traceback.print_exc()
        return _explain(exc)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _explain(exc: Exception) -> int:
    if hasattr(exc, "format_message") and hasattr(exc, "exit_code"):
        # An error of the parser of options, whichever library it comes from.
        text = one_line(exc.format_message()).rstrip(".")
        return _say(f"error: {text}. {_help_for(exc)}", USAGE)
    if type(exc).__name__ == "Abort":
        return _say("stopped", INTERRUPTED)
    if isinstance(exc, UsageError):
        return _say(f"error: {one_line(exc)}", USAGE)
    if isinstance(exc, _EXPECTED):
        text = one_line(_in_words_of_users(exc)) or type(exc).__name__
        return _say(f"error: {text}", WRONG_DATA)
    return _say(
        f"error: unexpected {type(exc).__name__}: {one_line(exc)}. This should not "
        "happen: run it again with --debug and report what it shows.",
        WRONG_DATA,
    )


def _help_for(exc: Any) -> str:
    context = getattr(exc, "ctx", None)
    command = context.command_path if context is not None else "latentforest"
    return f"See {command} --help."


def _in_words_of_users(exc: Exception) -> str:
    if isinstance(exc, RoomError):
        return exc.advise(_LESS)
    if isinstance(exc, MemoryError):
        return (
            "there is not enough memory. Try fewer --trees or rows; latentforest "
            "memory forecasts what a table needs."
        )
    if isinstance(exc, OSError) and exc.strerror and exc.filename:
        return f"{exc.filename}: {exc.strerror}"
    if isinstance(exc, UnseenLevelsError):
        return (
            f"{exc.found} Fit on a table that has them, or fit with --unseen missing "
            "to treat them as missing."
        )
    # The way in Python is of no use here.
    return _IN_PANDAS.sub("", str(exc))


def _say(text: str, code: int) -> int:
    with suppress(OSError):  # a terminal that is gone reads nothing
        sys.stderr.write(f"latentforest: {text}\n")
    return code


def _on_termination() -> dict[int, Any]:
    """Let signals that end the process tidy up; return what they did before.

    One that is ignored, as with nohup, stays so.
    """
    numbers = {getattr(signal, name, None): code for name, code in _ENDS.items()}
    codes = {number: code for number, code in numbers.items() if number is not None}

    def end(number: int, frame: FrameType | None) -> None:
        for other in codes:  # a second one must not disturb the tidying up
            signal.signal(other, signal.SIG_IGN)
        raise Terminated(codes[number])

    before: dict[int, Any] = {}
    try:
        for number in codes:
            if signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, end)
    except ValueError:  # not in the main thread
        return {}
    return before


def _forget_stdout() -> None:
    """Stop Python from complaining, on its way out, that nobody reads."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    finally:
        os.close(nothing)
