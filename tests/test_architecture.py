"""Promises about the shape of the package: sizes, imports, no work at import."""

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import latentforest

SOURCE = Path(latentforest.__file__).parent
ROOT = SOURCE.parents[1]
MODULES = sorted(
    path for kind in ("py", "js", "css", "html") for path in SOURCE.rglob(f"*.{kind}")
)
MOST_CODE, LONGEST = 300, 600
OPTIONAL = (
    *("matplotlib", "polars", "pyarrow", "palmerpenguins", "typer", "rich", "onnx"),
    *("onnxruntime", "python_calamine", "duckdb", "anndata"),
)


def run(code):
    """Run code in a new interpreter; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def lines_of_code(suffix, text):
    """Count lines that are neither empty nor, in Python, docstring or comment."""
    if suffix != ".py":
        return sum(1 for line in text.splitlines() if line.strip())
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING}
    silent |= {tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    code, begins = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in silent:
            begins |= token.type == tokenize.NEWLINE
        elif not (begins and token.type == tokenize.STRING):
            code |= set(range(token.start[0], token.end[0] + 1))
            begins = False
    return len(code)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert lines_of_code(path.suffix, text) <= MOST_CODE


def test_only_modules_of_loops_are_compiled():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        loops = path.stem.endswith("_loops")
        assert ("@compiled" in text) == loops, path
        # Types and lint make exceptions for these alone.
        assert loops or "disable-error-code" not in text, path


ROOMS = [path.name for path in SOURCE.iterdir() if path.name[0].islower()]


@pytest.mark.parametrize("room", [name for name in ROOMS if "." not in name])
def test_rooms_are_entered_by_their_door(room):
    inside = re.compile(rf"latentforest\.{room}(\.| import )_")
    for path in SOURCE.rglob("*.py"):
        if not path.is_relative_to(SOURCE / room):
            assert not inside.search(path.read_text(encoding="utf-8")), path


LIST_LOADED = """
import sys
# scikit-learn loads pandas, and pandas loads pyarrow, where they are installed.
import sklearn.base
before = set(sys.modules)
from latentforest import RFAE
print(*sorted(set(sys.modules) - before))
"""


def test_import_loads_no_optional_package():
    loaded = run(LIST_LOADED)
    assert "latentforest._autoencoder" in loaded
    assert not set(OPTIONAL) & {name.partition(".")[0] for name in loaded}


LIST_LOADED_BY_CLI = """
import sys
before = set(sys.modules)
from latentforest.cli import main
print(*sorted(set(sys.modules) - before))
"""


def test_the_command_line_begins_before_anything_is_loaded():
    """Else Ctrl-C in the first seconds would show a traceback."""
    loaded = {name.partition(".")[0] for name in run(LIST_LOADED_BY_CLI)}
    assert loaded <= {"latentforest", *sys.stdlib_module_names}


def test_rooms_that_are_named_in_the_docs_are_there_without_an_import():
    words = "import latentforest; latentforest.plot.latent, latentforest.datasets.names"
    subprocess.run([sys.executable, "-c", words], check=True)


def test_names_of_the_package_are_loaded_when_asked_for():
    import latentforest
    from latentforest import _public

    assert set(latentforest.__all__) == {*_public.__all__, "__version__"}
    assert latentforest.RFAE is _public.RFAE
    assert set(_public.__all__) <= set(dir(latentforest))
    assert latentforest.forest.AdversarialForest is latentforest.AdversarialForest
    with pytest.raises(AttributeError, match="has no attribute 'RAFE'"):
        latentforest.RAFE


COUNT_COMPILED = """
import pkgutil, importlib
import latentforest
from numba.core.dispatcher import Dispatcher
for found in pkgutil.walk_packages(latentforest.__path__, "latentforest."):
    importlib.import_module(found.name)
import sys
loops = {
    thing
    for name, module in sys.modules.items() if name.startswith("latentforest")
    for thing in vars(module).values() if isinstance(thing, Dispatcher)
}
print(len(loops), sum(len(loop.signatures) for loop in loops))
"""


def test_nothing_is_compiled_at_import():
    n_loops, n_compiled = map(int, run(COUNT_COMPILED))
    assert n_loops > 10
    assert n_compiled == 0


def test_oldest_versions_are_read_from_the_project():
    if not (ROOT / ".ci").exists():
        pytest.skip("the scripts of CI are not installed")
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "oldest.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    oldest = dict(line.split("==") for line in done.stdout.split() if "==" in line)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    promised = dict(re.findall(r'"([\w-]+)>=([\d.]+)"', text))
    assert oldest.items() <= promised.items()
    # Asked for by the package, by an extra, and by an extra of an extra.
    assert {"numpy", "pytest", "polars", "pyarrow", "matplotlib"} <= oldest.keys()
    # Everything that the code may import is held to its promise.
    packages = {name.replace("_", "-") for name in OPTIONAL}
    assert packages - {"rich", "anndata"} <= oldest.keys()


def test_imports_follow_the_layers():
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("the contracts are in pyproject.toml, which is not installed")
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
    assert "1 kept" in done.stdout
