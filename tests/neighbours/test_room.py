"""What may lie in the room of neighbours, and who may look into it."""

import ast
import re
from pathlib import Path

import pytest

import latentforest

SOURCE = Path(latentforest.__file__).parent
LOOPS = sorted(
    path
    for room in ("neighbours", "refine")
    for path in (SOURCE / room).glob("*_loops.py")
)


def test_others_use_the_public_names_only():
    inside = re.compile(r"latentforest\.neighbours\._")
    for path in SOURCE.rglob("*.py"):
        if path.parent.name != "neighbours":
            assert not inside.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("path", LOOPS, ids=lambda path: path.stem)
def test_loops_are_compiled_functions_and_constants(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            (how,) = node.decorator_list
            assert how.id in {"compiled", "compiled_inner"}, node.name
        else:
            # A docstring, imports, constants.
            assert isinstance(node, ast.Expr | ast.Import | ast.ImportFrom | ast.Assign)


def test_only_loops_are_without_types():
    for room in ("neighbours", "decode", "refine"):
        for path in (SOURCE / room).glob("*.py"):
            is_lax = "mypy: disable-error-code" in path.read_text(encoding="utf-8")
            assert is_lax == path.stem.endswith("_loops"), path
