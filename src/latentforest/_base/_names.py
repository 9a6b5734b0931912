"""Names that frames, files and pictures share."""

MODEL = "RFAE"  # what model files call what they hold


def coordinate_names(n_components: int) -> list[str]:
    """Return the names of coordinates.

    Examples
    --------
    >>> coordinate_names(3)
    ['z1', 'z2', 'z3']
    """
    return [f"z{number}" for number in range(1, n_components + 1)]
