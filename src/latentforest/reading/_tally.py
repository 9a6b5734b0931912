"""How often each word of a column occurs."""

from typing import Any

import numpy as np
import pyarrow as pa

from latentforest._base._types import Bools, Floats

_SHOWN, _LONGEST = 5, 60  # words named in a note, characters of each


class Tally:
    """The distinct words of a column, and how often each occurs.

    Parameters
    ----------
    words : pyarrow array of strings
        Words, each once.
    counts : ndarray
        How often each occurs.
    """

    def __init__(self, words: Any, counts: Floats) -> None:
        self.words, self.counts = words, counts

    @classmethod
    def of_cells(cls, cells: Any, counts: Floats | None = None) -> "Tally":
        """Count the words of cells; null is missing and does not count.

        Parameters
        ----------
        cells : pyarrow array of strings
            The words.
        counts : ndarray of float or None, default=None
            How many cells each stands for; None: one.
        """
        if counts is None:
            found = cells.drop_null().value_counts()
            number = found.field("counts").to_numpy().astype(float)
            return cls(found.field("values"), number)
        coded = cells.dictionary_encode()  # blanks around words may make some alike
        index = coded.indices.fill_null(len(coded.dictionary)).to_numpy()
        summed = np.bincount(index, counts, len(coded.dictionary) + 1).astype(float)
        return cls(coded.dictionary, summed[:-1])

    def plus(self, other: "Tally") -> "Tally":
        """Return the tally of both, which have no word in common."""
        words = pa.concat_arrays([self.words, other.words])
        return Tally(words, np.concatenate([self.counts, other.counts]))

    def only(self, chosen: Bools) -> "Tally":
        """Return the tally of the chosen words."""
        return Tally(self.words.filter(pa.array(chosen)), self.counts[chosen])

    def listed(self, chosen: Bools) -> list[str]:
        """Return the chosen words, the most frequent first."""
        order = np.argsort(-self.counts[chosen], kind="stable")
        words = self.words.filter(pa.array(chosen)).to_pylist()
        return [words[number] for number in order]

    def shown(self, chosen: Bools, most: int = _SHOWN) -> str:
        """Return the chosen words with their counts, the first of them if many."""
        words = self.listed(chosen)
        counts = -np.sort(-self.counts[chosen])
        told = [
            f"{_cut(word)!r} ({count:,.0f})"
            for word, count in zip(words[:most], counts, strict=False)
        ]
        if len(words) > most:
            told.append(f"and {len(words) - most} more words")
        return ", ".join(told)

    def first_with(self, sign: str) -> str:
        """Return the first word that holds a sign."""
        return str(next(word for word in self.words.to_pylist() if sign in word))


def _cut(word: str) -> str:
    return word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
