"""The ``.npy`` layout of one array, written and expected byte for byte."""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What the members of a model file may hold, and how the manifest calls it.
DTYPES: dict[str, np.dtype[Any]] = {
    "<f8": np.dtype(np.float64),
    "<f4": np.dtype(np.float32),
    "<i8": np.dtype(np.int64),
    "<i4": np.dtype(np.int32),
    "<u4": np.dtype(np.uint32),
    "<u2": np.dtype(np.uint16),
    "|u1": np.dtype(np.uint8),
    "|b1": np.dtype(np.bool_),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ALIGNMENT = 64


def npy_header(dtype: str, shape: tuple[int, ...], order: str) -> bytes:
    """Return what comes before the data: version 1.0 of NumPy's format."""
    fortran = order == "F"
    text = f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    padding = -(len(text) + 11) % ALIGNMENT
    text += " " * padding + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")


def memory_order(array: NDArray[Any]) -> str:
    """Return "F" for arrays that lie column by column, else "C"."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return "F" if fortran else "C"


def flat_bytes(array: NDArray[Any]) -> memoryview:
    """Return the bytes of a contiguous array, as they lie in memory; no copy."""
    return array.reshape(-1, order="A").view(np.uint8).data
