"""Which file format a name stands for."""

from dataclasses import dataclass
from pathlib import PurePath

from latentforest._base._complete import is_stream
from latentforest._base._errors import DataError, UsageError

STREAM = "-"
_STREAMED = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "arrow",
}
_WRITTEN = {**_STREAMED, ".xlsx": "workbook"}
_READ = {
    **_STREAMED,
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), "workbook"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), "sqlite"),
    ".duckdb": "duckdb",
}
TABLE_SUFFIXES = frozenset(_READ)
_TEXT = {"csv", "tsv", "jsonl"}
_TYPED = {"parquet", "feather", "arrow"}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
KNOWN = (
    ".csv, .tsv, .jsonl (also .csv.gz, .csv.zst, …), .parquet, .feather, .arrow, "
    ".xlsx, .xls, .ods, .sqlite or .duckdb"
)
_WRITABLE = (
    ".csv, .tsv (also .csv.gz, .csv.zst, …), .parquet, .feather, .arrow or .xlsx"
)


@dataclass(frozen=True, slots=True)
class Format:
    """How a table is written down."""

    kind: str  # csv, tsv, jsonl, parquet, feather, arrow, workbook, sqlite, duckdb
    compression: str | None = None  # gzip or zstd, only for text

    @property
    def is_text(self) -> bool:
        """Whether the file is lines of cells with a separator."""
        return self.kind in {"csv", "tsv"}

    @property
    def holds_words(self) -> bool:
        """Whether cells are words, whose meaning has to be worked out."""
        return self.kind not in _TYPED

    @property
    def has_sheets(self) -> bool:
        """Whether one file may hold several tables."""
        return self.kind in {"workbook", "sqlite", "duckdb"}

    @property
    def separator(self) -> str:
        """What stands between cells unless the file tells otherwise."""
        return "\t" if self.kind == "tsv" else ","


def format_of(
    path: str, stream_format: str | None = None, *, written: bool = False
) -> Format:
    """Read the format off the suffixes.

    ``-``, and a stream without a suffix, has the format the user names, or CSV.
    """
    kinds, known = (_WRITTEN, _WRITABLE) if written else (_READ, KNOWN)
    if path == STREAM or (not PurePath(path).suffix and is_stream(path)):
        return _stream_format(stream_format)
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    compression = None
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        compression = _COMPRESSIONS[suffixes.pop()]
    last = suffixes[-1] if suffixes else ""
    kind = kinds.get(last)
    if kind is None:
        found = f"the suffix {last!r} is not known, so the format is unknown"
        if not last:
            found = "there is no suffix, so the format is unknown"
        elif last in _READ:
            found = f"{last} files are read, but not written"
        message = f"{path}: {found}. Use {known}."
        raise DataError(message)
    if compression is not None and kind not in _TEXT:
        message = (
            f"{path}: {kind} files are compressed inside already. Unpack it to "
            f"{path.removesuffix(PurePath(path).suffix)} first."
        )
        raise DataError(message)
    return Format(kind, compression)


def _stream_format(name: str | None) -> Format:
    if name is None:
        return Format("csv")
    known = [*_STREAMED.values(), "jsonl"]
    if name not in known:
        message = f"--format {name} is not known. Choose one of {', '.join(known)}."
        raise UsageError(message)
    return Format(name)
