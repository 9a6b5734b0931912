"""What decoders learn from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Coords, Floats, LeafIds
from latentforest.forest import GrownForest
from latentforest.table import EncodedTable

Rows: TypeAlias = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class KernelEigenpairs:
    """The eigenpairs behind diffusion coordinates, and the rows they belong to.

    Decoders that estimate kernel rows, K̂₀ = Z₀ Λ Z†, need them.
    """

    coords: Coords  # (n_kernel_rows, n_components) Z of the rows that define K
    eigenvalues: Floats  # (n_components,) Λ
    leaf_ids: LeafIds  # (n_kernel_rows, n_trees) their leaves


@dataclass(frozen=True)
class DecoderContext:
    """Rows, their coordinates, and as much of the encoder as there is.

    Parameters
    ----------
    table : EncodedTable
        The rows; wild cells come to lie at the edge of their column.
    coords : ndarray of shape (n_rows, n_components)
        Their coordinates.
    grown : GrownForest or None, default=None
        The forest and the leaves of the rows.
    spectrum : KernelEigenpairs or None, default=None
        The eigenpairs of the forest's kernel that the coordinates come from.
    encode : callable or None, default=None
        Codes of any rows to their coordinates.
    leave_out : callable or None, default=None
        Gives the coordinates of the rows, each as if it were new; see `new_coords`.
    hold_out : callable or None, default=None
        Given some rows and others to hold back, makes a map without the latter: the
        context of the former, and the coordinates of those held back.
    again : callable or None, default=None
        Given some rows, places each again as if it were new, where `new_coords` are
        coordinates that rows were moved to together.
    columns : tuple of arrays of int or None, default=None
        The columns that each coordinate carries; None if all matter to all.
    copies : callable or None, default=None
        Gives the share of new rows that are copies of the rows, and lie where these do;
        None if none lie there.
    given : EncodedTable or None, default=None
        The rows with their wild cells, as they were given.
    """

    table: EncodedTable
    coords: Coords
    grown: GrownForest | None = None
    spectrum: KernelEigenpairs | None = None
    encode: Callable[[Codes], Coords] | None = None
    leave_out: Callable[[], Coords] | None = None
    hold_out: Callable[[Rows, Rows], tuple["DecoderContext", Coords]] | None = None
    again: Callable[[Rows], Coords] | None = None
    columns: tuple[Rows, ...] | None = None
    copies: Callable[[], float] | None = None
    given: EncodedTable | None = None

    def __post_init__(self) -> None:
        if self.given is None:
            object.__setattr__(self, "given", self.table)
            object.__setattr__(self, "table", self.table.at_edges())
        if len(self.coords) != self.table.n_rows:
            message = (
                f"there are {len(self.coords)} rows of coordinates, but the table has "
                f"{self.table.n_rows} rows. Give one row of coordinates per row."
            )
            raise ValueError(message)

    @cached_property
    def new_coords(self) -> Coords:
        """Where each row would lie if it were new; ``coords`` if nobody can tell.

        Computed when first asked for.
        """
        return self.coords if self.leave_out is None else self.leave_out()

    def place_anew(self, rows: Rows) -> Coords:
        """Place some of the rows, each as if it were new."""
        if self.again is not None:
            return self.again(rows)
        return np.ascontiguousarray(self.new_coords[rows])

    def has(self, need: str) -> bool:
        """Whether there is a ``"forest"``, a ``"spectrum"`` and so on."""
        return getattr(self, {"forest": "grown"}.get(need, need)) is not None

    def first(self, n_components: int) -> "DecoderContext":
        """Return the same context with the first coordinates only."""
        spectrum, encode = self.spectrum, self.encode
        cut: dict[str, Any] = {"coords": self.coords[:, :n_components]}
        if spectrum is not None:
            cut["spectrum"] = replace(
                spectrum,
                coords=spectrum.coords[:, :n_components],
                eigenvalues=spectrum.eigenvalues[:n_components],
            )
        if encode is not None:
            cut["encode"] = lambda codes: encode(codes)[:, :n_components]
        if self.leave_out is not None:
            cut["leave_out"] = lambda: self.new_coords[:, :n_components]
        # A map of fewer coordinates is made in another way.
        cut["hold_out"] = cut["again"] = cut["columns"] = None
        return replace(self, **cut)
