"""Which files a user means: one, a folder of them, or a pattern."""

from collections.abc import Sequence
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path

from latentforest._base._errors import DataError
from latentforest.reading._formats import STREAM, TABLE_SUFFIXES

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


def files_of(paths: Paths) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list stands for."""
    if not isinstance(paths, str | PathLike):
        return [file for path in paths for file in files_of(path)]
    path = fspath(paths)
    if path == STREAM:
        return [path]
    if Path(path).is_dir():
        found = [str(file) for file in Path(path).rglob("*") if _is_table(file, path)]
    elif has_magic(path) and not Path(path).exists():
        named = glob(path, recursive=True)  # noqa: PTH207 (patterns may be absolute)
        found = [file for file in named if Path(file).is_file()]
    else:
        return [path]
    if not found:
        message = (
            f"{path}: no tables are found there. Give a file, a folder of files such "
            "as .parquet or .csv, or a pattern."
        )
        raise DataError(message)
    return sorted(found)


def _is_table(file: Path, folder: str) -> bool:
    hidden = any(part[0] in "._" for part in file.relative_to(folder).parts)
    suffixes = {suffix.lower() for suffix in file.suffixes[-2:]}
    return file.is_file() and not hidden and bool(suffixes & TABLE_SUFFIXES)
