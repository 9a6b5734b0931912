"""Print the oldest versions that pyproject.toml promises, for pip.

What the package and its extra "test" ask for, through extras that name other extras:
every ``name>=x`` becomes ``name==x``. Tools that only look at the source stay as they
are written, and so do the packages that nobody here asks for by name.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

TOOLS = {"import-linter", "mypy", "ruff"}
PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def oldest(project: dict, extra: str) -> Iterator[str]:
    """Yield the requirements of a project with one extra, at their minimum."""
    extras = project["optional-dependencies"]
    for requirement in extras[extra]:
        if found := re.fullmatch(rf"{project['name']}\[(.+)\]", requirement):
            for inner in found[1].split(","):
                yield from oldest(project, inner)
        else:
            yield _at_minimum(requirement)


def _at_minimum(requirement: str) -> str:
    found = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
    if found is None:
        message = (
            f"pyproject.toml asks for {requirement!r}. Write name>=version: the oldest "
            "version is a promise that is tested."
        )
        raise SystemExit(message)
    name, version = found.groups()
    return requirement if name in TOOLS else f"{name}=={version}"


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    lines = [_at_minimum(requirement) for requirement in project["dependencies"]]
    lines += oldest(project, "test")
    sys.stdout.write("\n".join(dict.fromkeys(lines)) + "\n")
