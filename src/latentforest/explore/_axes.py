"""What the coordinates mean: the columns that go with each."""

from typing import Any

from latentforest.explore._request import Request

MOST_NAMES = 2


def axis_columns(model: Any, request: Request) -> list[list[str]] | None:
    """Return for each coordinate the columns that go with it most, best first.

    Columns that are left out of the page are left out here, too. None for
    pictures, whose pixels have no names to speak of.
    """
    if request.image_shape is not None:
        return None
    shown = set(map(str, request.columns))
    ranked = model.coordinate_columns(n=len(model.schema_.names))
    return [[name for name in names if name in shown][:MOST_NAMES] for names in ranked]
