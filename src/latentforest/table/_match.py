"""Check that a table has the columns that were fitted."""

from collections.abc import Hashable, Iterable

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest.table._frames import RawTable
from latentforest.table._schema import TableSchema


def match_columns(table: RawTable, schema: TableSchema, *, caller: str) -> list[int]:
    """Find the fitted columns in a table: by name where both have names.

    Without names their number must be right. The wording follows scikit-learn, whose
    users know it; unlike there, the order of named columns does not matter.
    """
    named = table.container != "numpy" and schema.container != "numpy"
    if named:
        if set(table.names) != set(schema.names):
            raise SchemaError(_names_message(table.names, schema.names))
        place = {name: j for j, name in enumerate(table.names)}
        return [place[name] for name in schema.names]
    if table.n_columns != schema.n_columns:
        message = (
            f"X has {table.n_columns} features, but {caller} is expecting "
            f"{schema.n_columns} features as input."
        )
        raise SchemaError(message)
    return list(range(table.n_columns))


def check_names(
    names: tuple[Hashable, ...], fitted_names: tuple[Hashable, ...]
) -> None:
    """Refuse other names, or another order, than those that were fitted."""
    if names != fitted_names:
        raise SchemaError(_names_message(names, fitted_names))


def _names_message(
    names: tuple[Hashable, ...], fitted_names: tuple[Hashable, ...]
) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = set(names) - set(fitted_names)
    missing = set(fitted_names) - set(names)
    if unexpected:
        message += f"Feature names unseen at fit time:\n{_lines(unexpected)}"
    if missing:
        message += (
            f"Feature names seen at fit time, yet now missing:\n{_lines(missing)}"
        )
    if not unexpected and not missing:
        message += (
            "Feature names must be in the same order as they were in fit.\n"
            "Reorder the columns, for a data frame with X[list of the fitted names].\n"
        )
    return message


def _lines(names: Iterable[Hashable]) -> str:
    return listed(sorted(names, key=str), 5, in_lines=True)
