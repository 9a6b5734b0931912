"""The site keeps up with the package: names, links and examples."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import latentforest

ROOT = Path(latentforest.__file__).parents[2]
DOCS = ROOT / "docs"
if not DOCS.exists():
    pytest.skip("the docs are not installed", allow_module_level=True)

PAGES = sorted(DOCS.glob("*.md"))
WITH_LINKS = [ROOT / "README.md", *PAGES]
# Made by the build, from scripts that have tests of their own.
BUILT = ("gallery/", "generated/", "project/")


def public_packages():
    """Import the packages that users may import from, those with ``__all__``."""
    names = [
        found.name
        for found in pkgutil.iter_modules(latentforest.__path__, "latentforest.")
        if not found.name.rpartition(".")[2].startswith("_")
    ]
    modules = [latentforest, *map(importlib.import_module, names)]
    return [module for module in modules if hasattr(module, "__all__")]


def listed():
    """Full names on the API page, as its tables build them."""
    module = None
    for line in (DOCS / "api.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r" {3}\w+", line):
            yield f"{module}.{line.strip()}"


def identity(name):
    module, _, last = name.rpartition(".")
    return id(getattr(importlib.import_module(module), last))


@pytest.mark.parametrize("module", public_packages(), ids=lambda m: m.__name__)
def test_every_public_name_is_on_the_api_page(module):
    there = {identity(name) for name in listed()}
    there |= {id(latentforest.__version__)}  # in words
    missing = [n for n in module.__all__ if id(getattr(module, n)) not in there]
    assert not missing, f"add to docs/api.md: {missing}"


def test_the_api_page_lists_public_names_once():
    names = list(listed())
    assert len(names) > 70
    assert len({identity(name) for name in names}) == len(names)
    for name in names:
        module, _, last = name.rpartition(".")
        assert last in importlib.import_module(module).__all__


LINK = re.compile(r"\]\((?P<path>[^)\s]+)\)|^:link: (?P<page>\S+)$", re.MULTILINE)
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def local_links(page):
    """Paths of the links that lead to files, without code."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.finditer(text):
        path, _, place = (link["path"] or f"{link['page']}.md").partition("#")
        if "://" not in path and not path.startswith(("mailto:", *BUILT)):
            yield path, place


def anchors(page):
    """Names of the headings, as links spell them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", t).strip().lower().replace(" ", "-") for t in titles
    }


@pytest.mark.parametrize("page", WITH_LINKS, ids=lambda p: p.name)
def test_links_to_files_lead_somewhere(page):
    for path, place in local_links(page):
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name} links to {path}"
        if place and target.suffix == ".md":
            assert place in anchors(target), f"{page.name} links to {path}#{place}"


def test_links_are_found():
    assert len(list(local_links(DOCS / "guide.md"))) > 5
    assert len(list(local_links(DOCS / "index.md"))) > 8


def test_every_page_is_in_the_table_of_contents():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, re.MULTILINE | re.DOTALL)
    entries = {
        re.sub(r".*<(.*)>", r"\1", line) for tree in trees for line in tree.splitlines()
    }
    assert {page.stem for page in PAGES} - {"index"} <= entries


def examples(page):
    """Join the examples of a page: later ones use what earlier ones made."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(match[3] for match in FENCE.finditer(text) if match[2] == "pycon")


WITH_EXAMPLES = [page for page in PAGES if examples(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda p: p.name)
def test_examples_do_what_they_show(page):
    code = examples(page)
    if "import anndata" in code:
        pytest.importorskip("anndata")  # it wants pandas below 3; see .ci/run
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=told.append)
    assert result.failed == 0, "".join(told)
    assert result.attempted > 0
