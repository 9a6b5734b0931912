"""Files from their public homes: resumed, checked, named when they are right."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

from latentforest._base._progress import Bar, progress
from latentforest.datasets._records import Dataset, Part

CACHE = "LATENTFOREST_CACHE"
MIRROR = "LATENTFOREST_MIRROR"
PATIENCE = 30.0  # seconds without a byte
CHUNK = 1 << 16
PARTIAL, NOT_THERE = 206, 416


class DownloadError(OSError):
    """A file could not be fetched, or is not what it should be: what to do."""


def cache_folder() -> Path:
    """Return where files are kept: LATENTFOREST_CACHE, or the system's place."""
    if given := os.environ.get(CACHE):
        return Path(given).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "latentforest"


def address_of(url: str) -> str:
    """Return where a file is asked for: its home, or the same path on a mirror."""
    mirror = os.environ.get(MIRROR)
    if not mirror:
        return url
    if not mirror.startswith(("http://", "https://")):
        message = f"{MIRROR} is {mirror!r}, and must begin with http:// or https://."
        raise ValueError(message)
    return f"{mirror.rstrip('/')}/{url.partition('://')[2]}"


def fetch(dataset: Dataset, part: Part, *, verbose: bool) -> Path:
    """Return a file of the cache that has the right checksum; fetch it if need be."""
    target = cache_folder() / dataset.name / part.name
    if target.exists():
        _check(part, target, f"Delete {target}, and it is fetched again.")
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _unfinished(target) as file:
        try:
            _download(part, file, verbose=verbose)
        except (OSError, HTTPException) as exc:
            raise DownloadError(_in_words(dataset, part, target, exc)) from exc
        try:
            _check(part, file, "It was thrown away. Try again, or later.")
        except DownloadError:
            file.unlink()
            raise
        file.replace(target)
    return target


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Lend the part that is there, under a name that no other process has.

    What is left of it gets its usual name again, to go on from there next time.
    """
    usual = target.with_name(f"{target.name}.part")
    own = target.with_name(f"{target.name}.{uuid4().hex}.part")
    try:
        usual.replace(own)
    except FileNotFoundError:
        own.touch()
    try:
        yield own
    finally:
        if own.exists():
            own.replace(usual)


def _download(part: Part, file: Path, *, verbose: bool) -> None:
    """Append what is missing."""
    there = file.stat().st_size
    try:
        response = _ask(part, there)
    except HTTPError as exc:
        if exc.code != NOT_THERE:
            raise
        exc.close()
        there = 0  # what is there is as long as the file, or longer: begin again
        response = _ask(part, there)
    with response:
        if response.status != PARTIAL:
            there = 0  # the server sends all of it
        length = response.headers.get("Content-Length")
        total = there + int(length) if length is not None else None
        what = f"Fetching {part.name}" if verbose else None
        with progress(what, total, "B") as bar, file.open("r+b") as out:
            out.truncate(there)
            out.seek(there)
            bar.step(there)
            _copy(response, out, bar)
    size = file.stat().st_size
    if total is not None and size < total:
        message = f"the connection broke off after {size:,} of {total:,} bytes"
        raise ConnectionError(message)


def _ask(part: Part, there: int) -> Any:
    request = Request(address_of(part.url), headers={"User-Agent": "latentforest"})
    if there:
        request.add_header("Range", f"bytes={there}-")
    return urlopen(request, timeout=PATIENCE)


def _copy(response: Any, out: Any, bar: Bar) -> None:
    while chunk := response.read(CHUNK):
        out.write(chunk)
        bar.step(len(chunk))


def _check(part: Part, file: Path, remedy: str) -> None:
    """Compare a file with its checksum."""
    found = part.digest(file)
    if found != part.sha256:
        message = (
            f"{part.name} from {address_of(part.url)} is not the file it should be: "
            f"its sha256 is {found}, not {part.sha256}. {remedy}"
        )
        raise DownloadError(message)


def _in_words(dataset: Dataset, part: Part, target: Path, exc: Exception) -> str:
    """Say why a file did not come, and how to get it."""
    url = address_of(part.url)
    by_hand = (
        f"fetch {part.url} by other means and save it as {target}, or set "
        f"LATENTFOREST_DATA to a folder that has {dataset.own_file}."
    )
    if isinstance(exc, HTTPError):
        exc.close()  # it holds the connection
        why = f"{url} answers {exc.code} ({exc.reason})"
        return f"Cannot fetch {dataset.name}: {why}. Try later, or {by_hand}"
    if isinstance(exc, URLError):
        why = f"no connection to {urlsplit(url).netloc} ({exc.reason})"
        return f"Cannot fetch {dataset.name}: {why}. Go online, or {by_hand}"
    again = "Try again, and it goes on from there"
    return f"Cannot fetch {dataset.name} from {url}: {exc}. {again}; or {by_hand}"
