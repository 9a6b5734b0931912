"""A column of a file, as it was read."""

from dataclasses import dataclass, replace
from typing import Any

from latentforest.table import ColumnSpec


@dataclass(frozen=True)
class Column:
    """A column as it was read.

    Parameters
    ----------
    values : pyarrow array
        int64, double, bool or string.
    notation : str, default=""
        How it was written, as a model keeps it.
    told : str, default=""
        What a report on the column says of that.
    note : str, default=""
        What the user should know.
    """

    values: Any
    notation: str = ""
    told: str = ""
    note: str = ""

    @property
    def is_disguised(self) -> bool:
        """Whether only people can tell that the words are values."""
        return self.notation[:1] not in {"", "\n"}

    def noted(self, spec: ColumnSpec) -> ColumnSpec:
        """Return the column of a schema with what is known of how it was written."""
        reason = spec.reason
        if self.told:
            # What looks like numbers is no id to be dropped.
            first = reason.partition(";")[0] if "look like" in self.told else reason
            reason = f"{first}, {self.told}"
        return replace(spec, notation=self.notation, reason=reason)
