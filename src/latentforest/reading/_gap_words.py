"""Words that people write into columns of numbers and dates where nothing is known."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest.reading._dialect import Dialect
from latentforest.reading._tally import Tally

# In small letters; capitals mean the same.
GAP_WORDS = (
    *("-", "--", "---", "–", "—", "−", "?", "??", ".", "..", "...", "…", "*", "/", "_"),
    *("na", "n.a.", "n.a", "n/a", "n/d", "n.d.", "nd", "nan", "nil", "none", "null"),
    *("unknown", "unk", "unk.", "missing", "not available", "not applicable"),
    *("not known", "not given", "no data", "empty", "blank", "tbd", "tba", "k.a."),
    *("keine angabe", "unbekannt", "inconnu", "desconocido", "#n/a", "#na", "#nv"),
    *("#value!", "#wert!", "#ref!", "#div/0!", "#num!", "#name?", "#null!", "(null)"),
    *("<na>", "(blank)"),
)


_MOSTLY = 0.5  # share of the cells from which a word is worth a note


def note_on_gap_words(name: str, tally: Tally, n_cells: float, dialect: Dialect) -> str:
    """Say which words of a column of text are read as missing and may be levels.

    These are words of most cells, and ``None``, which many tables have for "there is
    none". Words that the user has named are not said.

    Parameters
    ----------
    name : str
        The column.
    tally : Tally
        Its words that mean missing.
    n_cells : float
        How many cells it has.
    dialect : Dialect
        What the user says, and who is told.
    """
    words = [word for word in tally.listed(tally.counts > 0) if word]
    count = dict(zip(tally.words.to_pylist(), tally.counts, strict=True))
    own = [word for word in words if word not in dialect.na]
    told = [w for w in own if w == "None" or count[w] >= _MOSTLY * n_cells]
    if not told:
        return ""
    shown = " and ".join(f"{word!r} in {count[word]:,.0f}" for word in told)
    others = [word for word in words if word not in told]
    more = "".join(f" {dialect.option('na', word)}" for word in others)
    if dialect.in_python and others:
        more = f", {dialect.option('na', others)}"
    return (
        f"{name}: words count as missing, {shown} of {n_cells:,.0f} cells. If they are "
        f"levels, give {dialect.with_only_na}{more}"
    )


def are_gaps(words: Any) -> Any:
    """Tell for each word whether it says that nothing is known."""
    return pc.is_in(pc.utf8_lower(words), pa.array(GAP_WORDS))
