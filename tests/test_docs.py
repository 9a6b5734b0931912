"""What the docstrings promise is what the code does."""

import ast
import importlib
import inspect
import math
import re
from types import UnionType

import pytest

from latentforest.table._kinds import Storage

PACKAGES = [
    *("", ".table", ".forest", ".kernel", ".spectral", ".decode", ".refine"),
    *(".distill", ".metrics", ".insight", ".plot", ".explore", ".files", ".serving"),
    ".datasets",
]
# Names that the top repeats are the same objects.
PUBLIC = {
    name: getattr(module, name)
    for package in PACKAGES
    for module in [importlib.import_module(f"latentforest{package}")]
    for name in module.__all__
    if name != "__version__"
}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}


def own_methods(cls):
    """Public methods, properties and class methods that our code defines."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        member = getattr(member, "__func__", getattr(member, "fget", member))
        ours = getattr(member, "__module__", "") or ""
        if not name.startswith("_") and ours.startswith("latentforest"):
            yield name, member


CALLABLES = {
    name: thing
    for name, thing in PUBLIC.items()
    if inspect.isfunction(thing) or "__init__" in getattr(thing, "__dict__", {})
} | {
    f"{name}.{method}": member
    for name, cls in CLASSES.items()
    for method, member in own_methods(cls)
    if inspect.isfunction(member)
}

PARAMETER = re.compile(r"^((?:\*{0,2}\w+, )*\*{0,2}\w+) :(.*)$")
DEFAULT = re.compile(r"\bdefault=(.+)$")


def documented_parameters(thing):
    """Name and description of every entry of the Parameters section."""
    doc = inspect.getdoc(thing) or ""
    _, found, rest = doc.partition("Parameters\n----------\n")
    section = re.split(r"\n\w+\n-{3,}\n", rest)[0] if found else ""
    for line in section.splitlines():
        if entry := PARAMETER.match(line):
            for name in entry[1].split(", "):
                yield name.lstrip("*"), entry[2]


def documented_defaults(thing):
    for name, text in documented_parameters(thing):
        if default := DEFAULT.search(text):
            yield name, read_default(default[1])


def read_default(text):
    if text == "nan":
        return math.nan
    if text.startswith("Storage."):
        return Storage(text.removeprefix("Storage."))
    return ast.literal_eval(text)


def test_the_lists_are_not_empty():
    assert len(CLASSES) > 20
    assert len(CALLABLES) > 60
    assert sum(len(list(documented_defaults(x))) for x in CALLABLES.values()) > 60


@pytest.mark.parametrize("name", CALLABLES)
def test_documented_defaults_are_real(name):
    thing = CALLABLES[name]
    real = inspect.signature(thing).parameters
    for parameter, value in documented_defaults(thing):
        # As text: 1 == 1.0 == True, but a reader is told which one it is.
        assert repr(value) == repr(real[parameter].default), parameter


@pytest.mark.parametrize("name", CALLABLES)
def test_documented_parameters_are_the_real_ones(name):
    thing = CALLABLES[name]
    documented = [name for name, _ in documented_parameters(thing)]
    if documented:
        real = inspect.signature(thing).parameters
        assert documented == [name for name in real if name not in ("self", "cls")]


@pytest.mark.parametrize("name", CALLABLES)
def test_every_default_is_documented(name):
    thing = CALLABLES[name]
    documented = dict(documented_parameters(thing))
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.name in documented and parameter.default is not parameter.empty:
            text = documented[parameter.name]
            said = DEFAULT.search(text) or "optional" in text or text == " None"
            assert said, f"{parameter} has a default, the docstring says:{text}"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name):
    thing = PUBLIC[name]
    if isinstance(thing, UnionType):
        pytest.skip("a name for several types cannot have a docstring")
    doc = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert doc
    assert doc.strip().splitlines()[0].endswith((".", "?"))


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_are_documented(name):
    bare = [
        method for method, member in own_methods(CLASSES[name]) if not member.__doc__
    ]
    assert not bare


def test_all_lists_what_exists_once():
    for package in PACKAGES:
        module = importlib.import_module(f"latentforest{package}")
        assert len(set(module.__all__)) == len(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
