"""Where a number stops to count, for rooms that must agree on it."""

NEGLIGIBLE_EIGENVALUE = 1e-10  # its coordinate carries nothing and is set to 0
