"""What the scripts of MNIST share: images, the authors' digits, measured rows.

Read by ``benchmarks/mnist.py``, which is the command.
"""

import base64
import json
import os
import resource
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROWS = Path(__file__).parent / "results" / "mnist.jsonl"
NEW_ROWS = 1_000  # first test images, beside the ten
PIXELS, SIDE, LEVELS = 784, 28, 255

Found = Iterator[tuple[int, dict[str, Any]]]


class Digits(NamedTuple):
    """Images as rows of 784 pixels from 0 to 1, and what the authors stored."""

    train: np.ndarray
    labels: np.ndarray
    ten: np.ndarray
    new: np.ndarray
    stored: dict[str, np.ndarray]


@cache
def load() -> Digits:
    """Read the images; without them the script ends."""
    folder = Path(os.environ.get("LATENTFOREST_DATA", ""))
    images = folder / "mnist" / "mnist.npz"
    reference = folder / "mnist_reference" / "reconstructions.npz"
    if not (images.exists() and reference.exists()):
        sys.exit(
            "Set LATENTFOREST_DATA to the folder with the benchmark data: it holds "
            "mnist/mnist.npz (x_train, y_train, x_test as bytes; LeCun's images, in "
            "many public places) and mnist_reference/reconstructions.npz (10 × 28 × 28 "
            "per setting, from paper/visual_experiments of github.com/bips-hb/RFAE)."
        )
    with np.load(images) as found:
        train, test = (
            found[name].reshape(-1, PIXELS) for name in ("x_train", "x_test")
        )
        labels = found["y_train"]
    with np.load(reference) as found:
        stored = {name: np.asarray(found[name]) for name in found.files}
    ten = test[stored["test_index"].astype(int)]
    return Digits(
        train / LEVELS, labels, ten / LEVELS, test[:NEW_ROWS] / LEVELS, stored
    )


def judge(
    reconstruct: Callable[[np.ndarray], Any], begin: float, *, kept: bool = False
) -> dict[str, Any]:
    """Reconstruct the ten digits, and some more; pixels are kept from 0 to 1.

    ``kept`` keeps the ten for the picture.
    """
    digits = load()
    ten, new = (
        np.clip(np.asarray(reconstruct(rows)), 0, 1)
        for rows in (digits.ten, digits.new)
    )
    row = {
        "mse": round(float(((ten - digits.ten) ** 2).mean()), 6),
        "mae": round(float(np.abs(ten - digits.ten).mean()), 6),
        "mse new": round(float(((new - digits.new) ** 2).mean()), 6),
        "seconds": round(time.perf_counter() - begin, 1),
        "peak GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }
    if kept:
        written = np.rint(LEVELS * ten).astype(np.uint8).tobytes()
        row["digits"] = base64.b64encode(zlib.compress(written, 9)).decode()
    return row


def images_of(row: dict[str, Any]) -> np.ndarray:
    """Give the ten reconstructed digits of a row."""
    written = zlib.decompress(base64.b64decode(row["digits"]))
    return np.frombuffer(written, np.uint8).reshape(-1, SIDE, SIDE) / LEVELS


def authors(name: str) -> np.ndarray:
    """Give what the authors made of the ten digits, "d_Z/CRFAE/32" say."""
    return load().stored[name].astype(float)


def mse(images: np.ndarray) -> float:
    """Mean squared error of ten reconstructed digits."""
    return float(((images.reshape(-1, PIXELS) - load().ten) ** 2).mean())


def measured() -> list[dict[str, Any]]:
    """Rows that were measured."""
    return list(map(json.loads, ROWS.read_text().splitlines())) if ROWS.exists() else []


def keep(study: str, value: int, row: dict[str, Any]) -> None:
    """Write down a row, and show it."""
    line = {"study": study, "value": value} | row
    with ROWS.open("a") as file:
        file.write(json.dumps(line) + "\n")
    shown = {key: line[key] for key in line if key != "digits"}
    print(json.dumps(shown), flush=True)
