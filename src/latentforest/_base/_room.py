"""Whether this machine has room for a model."""

import os

from latentforest._base._errors import ModelFileError


def check_memory(n_bytes: int) -> None:
    """Refuse a model that this machine has no room for."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if n_bytes > room:
        message = (
            f"the model needs more than {n_bytes / 2**30:.0f} GiB of memory, but this "
            f"machine has {room / 2**30:.0f} GiB. Load it on a larger one."
        )
        raise ModelFileError(message)
