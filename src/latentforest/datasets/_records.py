"""A data set and its files, as records."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from latentforest.datasets._digests import of_bytes


class Part(NamedTuple):
    """A file to fetch.

    Parameters
    ----------
    name : str
        What it is called in the folder of its data set.
    url : str
        Its public home.
    sha256 : str
        What ``digest`` must find.
    digest : callable, default=of_bytes
        What is hashed: bytes, or numbers where only these are known for certain.
    """

    name: str
    url: str
    sha256: str
    digest: Callable[[Path], str] = of_bytes


@dataclass(frozen=True)
class Dataset:
    """A table that `load` can fetch: what it is, and whose.

    Parameters
    ----------
    name : str
        The name for `load`.
    n_rows, n_columns : int
        Size of the table, the class included.
    origin : str
        Where it comes from.
    licence : str
        Under which terms, as far as they are stated.
    own_file : str
        Its path in the folder that LATENTFOREST_DATA names.
    parts : tuple of Part
        The files that are fetched.

    Examples
    --------
    >>> from latentforest import datasets
    >>> print(datasets.describe("plpn"))
    plpn: 333 rows, 8 columns
    origin: Palmer penguins (palmerpenguins, complete rows)
    licence: CC0
    """

    name: str
    n_rows: int
    n_columns: int
    origin: str
    licence: str
    own_file: str
    parts: tuple[Part, ...] = field(repr=False)

    @property
    def urls(self) -> tuple[str, ...]:
        """Addresses of the files."""
        return tuple(part.url for part in self.parts)

    def __str__(self) -> str:
        size = f"{self.n_rows:,} rows, {self.n_columns:,} columns"
        return f"{self.name}: {size}\norigin: {self.origin}\nlicence: {self.licence}"
