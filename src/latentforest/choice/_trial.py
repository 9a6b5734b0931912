"""The record of one setting that was tried."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting that was tried, and its mean distortion on held-back rows."""

    distortion: float  # mean over the columns
    seconds: float | None = None  # None where trials share their work
    decoder: Any = None  # what was tried; None for what played no part
    forest: Any = None
    refinement: Any = None

    def __str__(self) -> str:
        parts = (self.decoder, self.refinement, self.forest)
        tried = " on ".join(repr(part) for part in parts if part is not None)
        return f"{self.distortion:<10.4f}  {tried}"
