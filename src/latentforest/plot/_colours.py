"""Colours that everybody can tell apart, and names short enough to print."""

from collections.abc import Iterable

# Okabe and Ito's palette, safe for colour-blind readers, strongest contrasts first.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#000000",
    "#F0E442",
)
MISSING = "#C4C4C4"
OTHER = "#8A8A8A"
QUIET = "#5F5F5F"  # lines and words that help to read the rest
SCALE = "viridis"  # numbers: light is much, dark is little, for every kind of eye
TILES = "Blues"  # shares: white is none

LONGEST_NAME = 24
SHORT_WORD = 8


def short(value: object, longest: int = LONGEST_NAME) -> str:
    """Return a name as one line of plain text, its middle left out if it is long."""
    text = " ".join(str(value).split())
    if len(text) > longest:
        tail = (longest - 1) * 2 // 5
        text = f"{text[: longest - 1 - tail]}…{text[-tail:]}"
    return text.replace("$", r"\$")  # a pair of dollars would be read as a formula


def short_names(names: Iterable[object], longest: int = LONGEST_NAME) -> list[str]:
    """Shorten names so that they can still be told apart.

    Names whose middle is what differs keep the part that differs, after as much of
    their beginning as there is room for.
    """
    texts = [" ".join(str(name).split()) for name in names]
    shown = [short(text, longest) for text in texts]
    for same in {label for label in shown if shown.count(label) > 1}:
        alike = [
            text for text, label in zip(texts, shown, strict=True) if label == same
        ]
        if len(set(alike)) == 1:
            continue
        head = _n_shared(alike)
        tail = _n_shared(
            [text[: head - 1 : -1] if head else text[::-1] for text in alike]
        )
        head -= _n_of_word(alike[0][:head][::-1])
        tail -= _n_of_word(alike[0][len(alike[0]) - tail :])
        shown = [
            _by_core(text, head, tail, longest) if label == same else label
            for text, label in zip(texts, shown, strict=True)
        ]
    return shown


def _by_core(text: str, head: int, tail: int, longest: int) -> str:
    core = text[head : len(text) - tail] + ("…" if tail else "")
    room = max(longest - len(core) - 1, 0)
    return short(f"{text[: min(room, head)].rstrip()}…{core}", longest)


def _n_shared(texts: list[str]) -> int:
    """Count the letters with which all texts begin: those of the first and last."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (a, b) in pairs if a != b), len(first))


def _n_of_word(letters: str) -> int:
    """Count the letters up to the end of a short word: 1 and 10 share no part."""
    count = next((i for i, a in enumerate(letters) if not a.isalnum()), len(letters))
    return count if count <= SHORT_WORD else 0
