"""Help and version answer at once: nothing heavy is loaded for them."""

import subprocess
import sys

import pytest

from latentforest.cli import _words
from latentforest.cli._app import app
from latentforest.cli._look import PLOTS
from latentforest.decode import DECODERS
from latentforest.demo import FOLDER
from latentforest.forest import FORESTS

HEAVY = {"numpy", "pandas", "sklearn", "numba", "pyarrow", "scipy", "narwhals"}
HEAVY |= {"matplotlib", "polars"}
COMMANDS = [command.name for command in app.registered_commands]
LOADED = """
import sys
from latentforest.cli import main
for words in sys.argv[1:]:
    assert main(words.split()) == 0
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def run(*lines):
    """Run command lines in one new interpreter: what is said, and what is loaded."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *lines],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said, _, loaded = done.stdout.rpartition("LOADED")
    return said, set(loaded.split())


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_nothing_heavy_is_loaded_for(word):
    said, loaded = run(word)
    assert "latentforest" in said
    assert not loaded & HEAVY


def test_nothing_heavy_is_loaded_for_the_help_of_any_command():
    said, loaded = run(*(f"{word} --help" for word in COMMANDS))
    assert all(f"latentforest {word} " in said for word in COMMANDS)
    assert not loaded & HEAVY


def test_words_of_the_help_are_those_of_the_package():
    assert list(FORESTS) == list(_words.FORESTS)
    assert list(DECODERS) == list(_words.DECODERS)
    assert list(PLOTS) == list(_words.PLOTS)
    assert FOLDER == _words.FOLDER
