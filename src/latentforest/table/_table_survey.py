"""Surveys of all columns of a table: read piece by piece, and merged."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from latentforest._base._checks import check_option, listed
from latentforest._base._errors import SchemaError
from latentforest.table._frames import RawTable, open_table, plain_levels
from latentforest.table._infer import infer_column
from latentforest.table._kinds import ColumnKind, Level, Said
from latentforest.table._names import one_nan
from latentforest.table._schema import Container, TableSchema
from latentforest.table._survey import ColumnSurvey


@dataclass(frozen=True, slots=True)
class TableSurvey:
    """What has to be known of a table, or of a piece of one, to read it as codes."""

    container: Container
    n_rows: int
    columns: tuple[ColumnSurvey, ...]

    @classmethod
    def of(
        cls, X: Any, kinds: Mapping[Any, str | Sequence[Any]] | None = None
    ) -> "TableSurvey":
        """Look at a table."""
        table = open_table(X)
        said = kinds_by_position(kinds, table)
        columns = tuple(
            ColumnSurvey.of(table.column(j), said.get(j))
            for j in range(table.n_columns)
        )
        return cls(table.container, table.n_rows, columns)

    def merge(self, other: "TableSurvey") -> "TableSurvey":
        """Return what is known of the rows of both, the own ones first."""
        theirs = {column.name: column for column in other.columns}
        lacking = [c.name for c in self.columns if c.name not in theirs]
        more = theirs.keys() - {c.name for c in self.columns}
        if lacking or more or self.container != other.container:
            message = (
                "A part of the table has other columns than the parts before it: it "
                f"lacks {listed(lacking) or 'none'}, and has besides "
                f"{listed(sorted(more, key=str)) or 'none'}. Give parts of one table."
            )
            raise SchemaError(message)
        columns = tuple(c.merge(theirs[c.name]) for c in self.columns)
        return TableSurvey(self.container, self.n_rows + other.n_rows, columns)

    def schema(self) -> TableSchema:
        """Decide what the columns mean."""
        refuse_infinite(c.name for c in self.columns if c.is_infinite)
        specs = tuple(infer_column(column) for column in self.columns)
        return TableSchema(specs, self.container)


def kinds_by_position(
    kinds: Mapping[Any, str | Sequence[Any]] | None, table: RawTable
) -> dict[int, Said]:
    """Return what the user says of columns, by their position."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        message = (
            f"kinds={kinds!r} is a {type(kinds).__name__}. "
            f"Give a dict of column name to kind."
        )
        raise TypeError(message)
    kinds = {one_nan(name): kind for name, kind in kinds.items()}
    positions: dict[Any, int] = {name: j for j, name in enumerate(table.names)}
    if table.container == "numpy":
        positions |= {j: j for j in range(table.n_columns)}
    unknown = [name for name in kinds if name not in positions]
    if unknown:
        message = (
            f"Kinds are given for columns that the table does not have: "
            f"{listed(unknown)}. It has: {listed(table.names)}."
        )
        raise SchemaError(message)
    return {positions[name]: _said(name, kind) for name, kind in kinds.items()}


def _said(name: Hashable, kind: Any) -> Said:
    """Read a kind, or a list of levels in order."""
    if isinstance(kind, list | tuple):
        return Said(ColumnKind.ordered, _order(name, kind))
    known = [str(k) for k in ColumnKind]
    more = ", or a list of levels in order"
    return Said(ColumnKind(check_option(f"kinds[{name!r}]", kind, known, more)))


def _order(name: Hashable, levels: Sequence[Any]) -> tuple[Level, ...]:
    order = plain_levels(name, levels)
    # NaN is missing, and equal to nothing.
    wrong = [v for at, v in enumerate(order) if v in order[:at] or v != v]  # noqa: PLR0124
    if not order or wrong:
        told = f"names {listed(wrong)} twice, or as a level" if wrong else "is empty"
        message = (
            f"The order of column {name!r} {told}. List each of its levels once, the "
            "lowest first."
        )
        raise SchemaError(message)
    return order


def refuse_infinite(names: Iterable[Hashable]) -> None:
    """Refuse columns with infinite cells, and name them."""
    found = list(names)
    if found:
        message = (
            f"Columns hold infinite values: {listed(found)}. "
            f"Replace them by finite numbers, or by NaN for missing."
        )
        raise SchemaError(message)
