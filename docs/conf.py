"""Settings of the site: ``python -m sphinx -W --keep-going -b html docs docs/_build``.

Nothing is fetched, neither while building nor while reading. Pages of the project that
lie outside this folder (benchmark results, architecture, changes) are copied in, and
links to them are turned to the copies, so that the same text reads well in the
repository and on the site.
"""

import os
import re
from pathlib import Path
from typing import Any

from sphinx.domains.python import PyObject

import latentforest

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen

HERE = Path(__file__).parent
ROOT = HERE.parent

# -- Pages from outside: docs/project is written here and not committed ---------------

OUTSIDE = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/results/README.md": "results.md",
    "benchmarks/results/bits.png": "bits.png",
    "benchmarks/results/clustering.md": "clustering.md",
    "benchmarks/results/clustering.png": "clustering.png",
    "benchmarks/results/dask.md": "dask.md",
    "benchmarks/results/decoders.md": "decoders.md",
    "benchmarks/results/decoders.png": "decoders.png",
    "benchmarks/results/denoising-blood.png": "denoising-blood.png",
    "benchmarks/results/denoising-brain.png": "denoising-brain.png",
    "benchmarks/results/denoising.md": "denoising.md",
    "benchmarks/results/distill.md": "distill.md",
    "benchmarks/results/encoding.md": "encoding.md",
    "benchmarks/results/forecast.md": "forecast.md",
    "benchmarks/results/foreign.md": "foreign.md",
    "benchmarks/results/gaps.md": "gaps.md",
    "benchmarks/results/golub.md": "golub.md",
    "benchmarks/results/golub.png": "golub.png",
    "benchmarks/results/growers.md": "growers.md",
    "benchmarks/results/ingredients.md": "ingredients.md",
    "benchmarks/results/ingredients.png": "ingredients.png",
    "benchmarks/results/intervals.md": "intervals.md",
    "benchmarks/results/maps.md": "maps.md",
    "benchmarks/results/mnist.md": "mnist.md",
    "benchmarks/results/mnist.png": "mnist.png",
    "benchmarks/results/mnist_film.png": "mnist_film.png",
    "benchmarks/results/mnist_methods.png": "mnist_methods.png",
    "benchmarks/results/mnist_sweeps.png": "mnist_sweeps.png",
    "benchmarks/results/neighbours.md": "neighbours.md",
    "benchmarks/results/neural.md": "neural.md",
    "benchmarks/results/odd.md": "odd.md",
    "benchmarks/results/panels.png": "panels.png",
    "benchmarks/results/pvalues.md": "pvalues.md",
    "benchmarks/results/ranges.md": "ranges.md",
    "benchmarks/results/ranks.png": "ranks.png",
    "benchmarks/results/refinement.md": "refinement.md",
    "benchmarks/results/runtime.md": "runtime.md",
    "benchmarks/results/runtime.png": "runtime.png",
    "benchmarks/results/scale.md": "scale.md",
    "benchmarks/results/serving.md": "serving.md",
    "benchmarks/results/speed.md": "speed.md",
    "benchmarks/results/table1.md": "table1.md",
    "benchmarks/results/wild.md": "wild.md",
}
LINK = re.compile(r"\]\((?P<path>[^)#:\s]+)(?P<place>#[^)\s]*)?\)")


def link_from(folder: Path, home: Path) -> Any:
    """Return how to turn a link in ``folder`` to what a page in ``home`` can reach."""

    def turn(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / link["path"]))
        name = OUTSIDE.get(os.path.relpath(target, ROOT))
        if name is not None:
            target = HERE / "project" / name
        path = Path(os.path.relpath(target, home)).as_posix()
        return f"]({path}{link['place'] or ''})"

    return turn


def copy_outside() -> None:
    """Copy the pages in; files that are as before are not touched."""
    home = HERE / "project"
    home.mkdir(exist_ok=True)
    for source, name in OUTSIDE.items():
        content = (ROOT / source).read_bytes()
        if name.endswith(".md"):
            turn = link_from((ROOT / source).parent, home)
            content = LINK.sub(turn, content.decode()).encode()
        copy = home / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.write_bytes(content)


def turn_links(app: Any, page: str, source: list[str]) -> None:
    """Turn the links of a page about to be read to the copies."""
    folder = (HERE / page).parent
    if folder == HERE:
        source[0] = LINK.sub(link_from(folder, folder), source[0])


TYPE = re.compile(r"^(:(?:type|vartype) [^:]+:) (.+)$")
# Names whose objects cannot have a docstring of their own.
WORDS = {
    "latentforest.plot.PALETTE": "Colours of Okabe and Ito, for every eye.",
    "latentforest.table.RawColumn": "A column as read: numbers, or labels.",
}


def tidy_docstring(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Keep Sphinx from linking the words of "array of shape (n_rows, n_columns)"."""
    if name in WORDS:
        lines[:] = [WORDS[name]]
    lines[:] = [TYPE.sub(r"\1 *\2*", line) for line in lines]


def skip_others(
    app: Any, what: str, name: str, member: Any, skip: Any, options: Any
) -> bool | None:
    """Leave out what comes from scikit-learn or Python itself."""
    member = getattr(member, "__func__", getattr(member, "fget", member))
    home = getattr(member, "__module__", None) or ""
    ours = home.startswith("latentforest")
    return True if callable(member) and not ours else None


def setup(app: Any) -> None:
    """Join the build."""
    copy_outside()
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # Sphinx says "Variables"
    app.connect("source-read", turn_links)
    app.connect("autodoc-skip-member", skip_others)
    after_napoleon = 900
    app.connect("autodoc-process-docstring", tidy_docstring, after_napoleon)


# -- Sphinx ---------------------------------------------------------------------------

project = "latentforest"
author = "the latentforest developers"
copyright = author
release = version = latentforest.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"
strip_signature_backslash = True  # keeps the last letter of names like embedding_

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# -- The programming interface, from docstrings ---------------------------------------

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings say what things are, in words
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# -- The gallery ----------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
    "plot_gallery": "True",
}

# -- Looks ----------------------------------------------------------------------------

html_theme = "furo"
html_title = "latentforest"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
