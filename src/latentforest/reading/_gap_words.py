"""Words that people write into columns of numbers and dates where nothing is known."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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


def are_gaps(words: Any) -> Any:
    """Tell for each word whether it says that nothing is known."""
    return pc.is_in(pc.utf8_lower(words), pa.array(GAP_WORDS))
