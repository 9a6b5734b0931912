"""Tables from files and frames, read as the command line reads them."""

import io
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

from latentforest._base._optional import require
from latentforest._base._warn import warn


def read_table(
    source: Any,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    last_year: int | None = None,
    na: str | Sequence[str] = (),
    only_na: bool = False,
    strip: bool = True,
    encoding: str | None = None,
    quotes: bool = True,
    header: bool | None = None,
    sheet: str | None = None,
    skip_rows: int | None = None,
) -> Any:
    r"""Read a table of any kind as a clean pandas frame.

    Numbers come as numbers, dates as dates, gaps as missing cells, and text without
    blanks around it. What is not said is found out from all cells of a column, as the
    command line does; where they leave it open, an error names the option.

    Parameters
    ----------
    source : path, open file, pandas, polars or pyarrow table
        A file with the suffix .csv, .tsv, .txt, .jsonl (also with .gz or .zst),
        .parquet, .feather, .arrow, .xlsx, .xls, .ods, .sqlite, .db or .duckdb; an open
        CSV file; or a frame, whose columns of text are read as those of a file.
    separator : str or None, default=None
        The character between cells of text, such as ``";"``.
    decimal, thousands : str or None, default=None
        The decimal sign, and what parts thousands.
    dates : {"day-first", "month-first", "year-first"} or None, default=None
        The order of the numbers in dates such as 01/05/2021. ``"year-first"`` also
        reads 20210105.
    last_year : int or None, default=None
        The latest year that two digits mean; None is 2068. With 2025, 52 is 1952.
    na : str or sequence of str, default=()
        Further words that mean missing.
    only_na : bool, default=False
        Only the empty cell and the words of ``na`` mean missing, so that ``None`` and
        ``NA`` are words.
    strip : bool, default=True
        Take away blanks around text, and around names of columns.
    encoding : str or None, default=None
        Encoding of text, such as ``"cp1252"``; None is UTF-8, or UTF-16 with its mark.
        A file that is opened as text is read in the encoding it was opened with.
    quotes : bool, default=True
        Whether a quote at the beginning of a cell opens text that may hold separators
        and lines; if not, it is a sign like others.
    header : bool or None, default=None
        Whether the first line holds the names of columns.
    sheet : str or None, default=None
        Which sheet of a workbook, or which table of a database.
    skip_rows : int or None, default=None
        Lines before the names of the columns, in text and workbooks. None leaves out
        lines with fewer cells than all that follow, such as a title, with a warning.

    Returns
    -------
    pandas.DataFrame
        Every column with its own dtype.

    Warns
    -----
    UserWarning
        If something may be read otherwise than it is meant, with the option that says
        so: cells that count as missing because they are not like the others, a sign
        or a year with two meanings, names that may be a row, a quote left open.

    Examples
    --------
    >>> import io
    >>> import latentforest
    >>> text = "price;share;city\n1.234,50 €;5 %; Bonn\n3,00 €;7 %;Ulm \n"
    >>> latentforest.read_table(io.StringIO(text))
        price  share  city
    0  1234.5   0.05  Bonn
    1     3.0   0.07   Ulm
    """
    require("pyarrow", extra="pyarrow")
    from latentforest import reading  # noqa: PLC0415 (loads pyarrow)

    if hasattr(source, "read") and isinstance(source.read(0), str):
        # Whoever opened it has decoded it already.
        source, encoding = io.BytesIO(source.read().encode()), None
    dialect = reading.Dialect(
        separator,
        (na,) if isinstance(na, str) else tuple(na),
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        last_year=last_year,
        only_na=only_na,
        quotes=quotes,
        strip=strip,
        encoding=encoding,
        header=header,
        sheet=sheet,
        skip_rows=skip_rows,
        in_python=True,
    )
    if isinstance(source, str | PathLike):
        frame, notes = reading.read_file(fspath(source), dialect)
    elif hasattr(source, "read"):
        frame, notes = reading.read_stream(source, dialect)
    elif hasattr(source, "to_pandas"):
        frame, notes = reading.clean_frame(source.to_pandas(), dialect)
    elif hasattr(source, "iloc") and hasattr(source, "columns"):
        frame, notes = reading.clean_frame(source, dialect)
    else:
        message = (
            f"source is a {type(source).__name__}. Give a path, an open file, or a "
            "pandas, polars or pyarrow table."
        )
        raise TypeError(message)
    for note in notes:
        warn(note)
    return frame
