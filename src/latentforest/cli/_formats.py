"""Which file format a name stands for."""

from dataclasses import dataclass
from pathlib import PurePath

from latentforest._base._complete import is_stream
from latentforest.cli._exit import DataError, UsageError

STREAM = "-"
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "arrow",
}
TABLE_SUFFIXES = frozenset(_KINDS)
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_KNOWN = ".csv, .tsv (also .csv.gz, .csv.zst, …), .parquet, .feather or .arrow"
_HINTS = {
    ".txt": "Rename it to .csv or .tsv, whichever it is.",
    ".xlsx": "Save the sheet as CSV first.",
    ".xls": "Save the sheet as CSV first.",
}


@dataclass(frozen=True, slots=True)
class Format:
    """How a table is written down."""

    kind: str  # csv, tsv, parquet, feather or arrow
    compression: str | None = None  # gzip or zstd, only for text

    @property
    def is_text(self) -> bool:
        """Whether cells are words, whose meaning has to be worked out."""
        return self.kind in {"csv", "tsv"}

    @property
    def separator(self) -> str:
        """What stands between cells unless the user says otherwise."""
        return "\t" if self.kind == "tsv" else ","


def format_of(path: str, stream_format: str | None = None) -> Format:
    """Read the format off the suffixes.

    ``-``, and a stream without a suffix, has the format the user names, or CSV.
    """
    if path == STREAM or (not PurePath(path).suffix and is_stream(path)):
        return _stream_format(stream_format)
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    compression = None
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        compression = _COMPRESSIONS[suffixes.pop()]
    last = suffixes[-1] if suffixes else ""
    kind = _KINDS.get(last)
    if kind is None:
        found = f"the suffix {last!r} is not known" if last else "there is no suffix"
        hint = _HINTS.get(last, f"Use {_KNOWN}.")
        message = f"{path}: {found}, so the format is unknown. {hint}"
        raise DataError(message)
    if compression is not None and kind not in {"csv", "tsv"}:
        message = (
            f"{path}: {kind} files are compressed inside already. Unpack it to "
            f"{path.removesuffix(PurePath(path).suffix)} first."
        )
        raise DataError(message)
    return Format(kind, compression)


def _stream_format(name: str | None) -> Format:
    if name is None:
        return Format("csv")
    if f".{name}" not in _KINDS:
        known = ", ".join(_KINDS.values())
        message = f"--format {name} is not known. Choose one of {known}."
        raise UsageError(message)
    return Format(_KINDS[f".{name}"])


def separator_of(text: str | None, found: Format) -> str:
    """Return the character between cells: the user's, or that of the format."""
    if text is None:
        return found.separator
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
    separator = named.get(text, text)
    if len(separator) != 1 or separator in '"\r\n' or not separator.isascii():
        message = (
            f"--separator {text!r} is not a single character. Give one, such as ';', "
            "or the word tab."
        )
        raise UsageError(message)
    return separator
