"""Trees in model files: a bit for each node, and what inner nodes need."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest._base._values import damaged
from latentforest.table import TableSchema
from latentforest.trees._arrays import ForestArrays
from latentforest.trees._link_loops import link_paired, link_walked
from latentforest.trees._packed import (
    PackedTrees,
    check_starts,
    pack_trees,
    unpack_trees,
)

NODE_BYTES, NODE_STEPS = 100, 50  # that it takes to unpack a node, at most
LAYOUTS = {"walked": link_walked, "paired": link_paired}  # numbered by a rule
LINKED = "linked"  # numbered in any other way
MOST_NODES = 2**31  # so that each has a number


def put_trees(
    forest: ForestArrays, new: NewSection, short_for: Codes | None = None
) -> None:
    """Write trees to a model file.

    Nodes of our own trees, and of most others, are numbered by a rule: which of them
    have children says who the children are. Thresholds are written in single
    precision where that moves none of the rows ``short_for``, if these are given.
    """
    packed = pack_trees(forest)
    inner = packed.left >= 0
    layout = _layout_of(packed, inner)
    new.put("layout", layout)
    new.need(_demand(len(inner)))
    new.array("start", packed.start)
    if layout in LAYOUTS:
        new.array("inner", np.packbits(inner))
    else:
        new.array("left", packed.left)
        new.array("right", packed.right)
    feature = packed.feature[inner].astype(_column_type(forest.n_columns))
    new.array("feature", feature)
    new.array("missing_left", np.packbits(packed.missing_left[inner]))
    cuts = _cuts_by_column(feature, forest.split_levels)
    threshold = packed.threshold[inner][cuts]
    if short_for is None:
        new.array("threshold", threshold)
    else:
        new.array("threshold", _short(threshold, feature[cuts], short_for))
    new.array("words", packed.words)


def _layout_of(packed: PackedTrees, inner: Bools) -> str:
    wanted = packed.left, packed.right
    children = np.empty((2, len(inner)), np.int32)
    for layout, link in LAYOUTS.items():
        fits = link(packed.start, inner, *children) < 0
        if fits and np.array_equal(children, wanted):
            return layout
    return LINKED


def take_trees(section: Section, split_levels: Ints) -> ForestArrays:
    """Read trees from a model file, checked for all that compiled walks rely on."""
    if not section.has("layout"):  # format 1
        return unpack_trees(_take_all_nodes(section), split_levels)
    start = section.array("start", np.int64, (None,))
    layout = section.text("layout")
    if layout in LAYOUTS:
        n_nodes = int(start[-1]) if len(start) else 0
        if not 0 < n_nodes < MOST_NODES:
            raise damaged(f"the trees have {n_nodes} nodes")
        bits = section.array("inner", np.uint8, (-(-n_nodes // 8),))
        section.need(_demand(n_nodes))
        inner = np.unpackbits(bits, count=n_nodes).astype(np.bool_)
        left, right = _children(start, inner, layout)
    elif layout == LINKED:
        left = section.array("left", np.int32, (None,))
        right = section.array("right", np.int32, left.shape)
        section.need(_demand(len(left)))
        inner = left >= 0
    else:
        raise damaged(f"the layout {layout[:40]!r} of trees is not known")
    n_columns, n_inner = len(split_levels), int(inner.sum())
    short = section.array("feature", _column_type(n_columns), (n_inner,))
    if short.max(initial=0) >= n_columns:
        raise damaged(
            f"a tree splits on column {short.max()}, but there are {n_columns} columns"
        )
    cuts = _cuts_by_column(short, split_levels)
    bits = section.array("missing_left", np.uint8, (-(-n_inner // 8),))
    packed = PackedTrees(
        start,
        left,
        right,
        feature=np.full(len(inner), -1, np.int32),
        threshold=np.full(len(inner), np.nan),
        missing_left=np.zeros(len(inner), np.bool_),
        words=section.array("words", np.uint32, (None,)),
    )
    packed.feature[inner] = short
    packed.missing_left[inner] = np.unpackbits(bits, count=n_inner)
    cut_nodes = np.flatnonzero(inner)[cuts]
    numbers = np.float64, np.float32
    packed.threshold[cut_nodes] = section.array("threshold", numbers, cuts.shape)
    return unpack_trees(packed, split_levels)


def take_routes(section: Section, schema: TableSchema) -> ForestArrays:
    """Read the trees that rows of a table go down."""
    split_levels = schema.split_levels
    if section.flag("numbers_only"):
        split_levels = np.zeros_like(split_levels)
    forest = take_trees(section, split_levels)
    used = np.bincount(forest.feature[forest.left >= 0], minlength=schema.n_columns)
    for column, n_splits in zip(schema.columns, used, strict=True):
        empty = column.is_number and not column.storage.is_numeric
        if empty and n_splits:
            raise damaged(
                f"a tree splits on column {column.name!r}, which has no cells"
            )
    return forest


def _take_all_nodes(section: Section) -> PackedTrees:
    left = section.array("left", np.int32, (None,))
    return PackedTrees(
        section.array("start", np.int64, (None,)),
        left,
        section.array("right", np.int32, left.shape),
        section.array("feature", np.int32, left.shape),
        section.array("threshold", np.float64, left.shape),
        section.array("missing_left", np.bool_, left.shape),
        section.array("words", np.uint32, (None,)),
    )


def _children(start: NDArray[np.int64], inner: Bools, layout: str) -> tuple[Ints, Ints]:
    check_starts(start, len(inner))
    left, right = np.empty((2, len(inner)), np.int32)
    wrong = LAYOUTS[layout](start, inner, left, right)
    if wrong >= 0:
        raise damaged(f"the nodes of tree {wrong} are not a tree")
    return left, right


def _cuts_by_column(
    feature: NDArray[np.integer], split_levels: Ints
) -> NDArray[np.int64]:
    """Which inner nodes have a threshold, column by column: like cells lie together."""
    cuts = np.flatnonzero(split_levels[feature] == 0)
    return cuts[np.argsort(feature[cuts], kind="stable")]


def _short(
    threshold: Floats, column: NDArray[np.integer], values: Codes
) -> NDArray[np.floating]:
    """Round thresholds where the same rows stay at most as large.

    All of them can nearly always be rounded. Else they stay in double precision.
    """
    short = threshold.copy()
    for number in np.unique(column):
        own = column == number
        seen = np.sort(values[:, number])  # missing cells come last
        wanted = np.searchsorted(seen, threshold[own], side="right")
        with np.errstate(over="ignore"):
            nearest = threshold[own].astype(np.float32)
        for side in (np.inf, -np.inf, None):  # the nearest comes last, and counts most
            near = nearest if side is None else np.nextafter(nearest, np.float32(side))
            tried = near.astype(np.float64)
            same = np.searchsorted(seen, tried, side="right") == wanted
            short[own] = np.where(same & np.isfinite(tried), tried, short[own])
    single = short.astype(np.float32)
    return single if (single == short).all() else short


def _column_type(n_columns: int) -> type[np.unsignedinteger]:
    """Return the smallest type that holds the number of any column."""
    return next(
        kind
        for kind in (np.uint8, np.uint16, np.uint32)
        if n_columns - 1 <= np.iinfo(kind).max
    )


def _demand(n_nodes: int) -> Demand:
    return Demand(NODE_BYTES * n_nodes, NODE_STEPS * n_nodes)
