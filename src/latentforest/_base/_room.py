"""What a model file may ask of a machine: so much for its size, and what is free.

A small file can declare a large model: many rows, each in many trees. What loading it
takes is worked out from the declared sizes and compared before anything is allocated.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from latentforest._base._errors import ModelFileError

# What any file may ask for, and how much more for each of its bytes. A row of an array
# that is stored as it is has at least 8 bytes, so that, unpacked, models of some 4,000
# trees that share nothing but one column fit; the writer unpacks where it has to.
BYTES, BYTES_PER_BYTE = 2**27, 2_000
STEPS, STEPS_PER_BYTE = 2**27, 2_500

CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


@dataclass(frozen=True, slots=True)
class Demand:
    """What it takes to rebuild a part of a model, at most."""

    n_bytes: int = 0  # of memory, beyond the arrays of the file
    steps: int = 0  # of compiled loops, a few nanoseconds each

    def __add__(self, other: "Demand") -> "Demand":
        return Demand(self.n_bytes + other.n_bytes, self.steps + other.steps)

    def fits(self, file_bytes: int) -> bool:
        """Whether a file of some size may ask for so much."""
        return (
            self.n_bytes <= BYTES + BYTES_PER_BYTE * file_bytes
            and self.steps <= STEPS + STEPS_PER_BYTE * file_bytes
        )

    def check(self, file_bytes: int, advice: str) -> None:
        """Refuse a file that asks for more than its size allows."""
        if not self.fits(file_bytes):
            message = (
                f"the file has {file_bytes:,} bytes, but loading it would take "
                f"{_rounded(self.n_bytes)} bytes of memory and {_rounded(self.steps)} "
                f"steps, more than a file of this size may ask for. {advice}"
            )
            raise ModelFileError(message)


def _rounded(count: int) -> str:
    return f"{float(f'{count:.1e}'):,.0f}" if count < 10**15 else f"{count:.0e}"


def check_memory(n_bytes: int) -> None:
    """Refuse a model that this machine has no room for just now."""
    room = free_memory()
    if room is not None and n_bytes > room:
        message = (
            f"the model needs {n_bytes / 2**30:.1f} GiB of memory, but only "
            f"{room / 2**30:.1f} GiB are free. Close other programs, or load it on a "
            "larger machine."
        )
        raise ModelFileError(message)


def free_memory() -> int | None:
    """Bytes that this process could get without swapping; None if nobody can tell."""
    known = [room for room in (_of_machine(), *_of_containers()) if room is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    for line in (_text("/proc/meminfo") or "").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    names = getattr(os, "sysconf_names", {})
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        if pages in names:
            return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
    return None


def _of_containers() -> list[int]:
    """Room below the limits that a container has set; files it has read may go."""
    rooms = []
    for limit_path, used_path in CGROUPS:
        limit, used = _text(limit_path), _text(used_path)
        if limit is None or used is None or not limit.isdecimal():
            continue
        cached = 0
        for line in (_text(f"{Path(limit_path).parent}/memory.stat") or "").split("\n"):
            name, _, count = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                cached = int(count)
        rooms.append(max(0, int(limit) - int(used) + cached))
    return rooms


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return None
