"""Errors and warnings of our own, so that callers can tell them apart."""


class SchemaError(ValueError):
    """A table does not fit: wrong columns, kinds, levels or values."""


class UnseenLevelsError(SchemaError):
    """A table has levels that were not seen in fit: what was found, what to do."""

    @property
    def found(self) -> str:
        """What was found, without the advice for users of Python."""
        return str(self.args[0])

    def __str__(self) -> str:
        return " ".join(self.args)


class UnseenLevelsWarning(UserWarning):
    """A table has levels that were not seen in fit, which count as missing."""


class MissingExtraError(ImportError):
    """An optional package is needed; the message names the extra to install."""


class ModelFileError(ValueError):
    """A model file cannot be read, or a model cannot be written to one."""


class DroppedTrainingError(ModelFileError):
    """A model was saved without its training rows, and something needs them."""


class SpectrumWarning(UserWarning):
    """The spectrum is unusual: several components, or empty coordinates."""


class RecallWarning(UserWarning):
    """An approximate search misses many of the true neighbours."""


class WildCellsWarning(UserWarning):
    """A few cells stand apart from all others of their column; they are named."""


class DataError(ValueError):
    """A table, a model or a file is wrong: one line that says what to do."""


class UsageError(ValueError):
    """Options that contradict each other, or a value that an option cannot have."""


class RoomError(MemoryError):
    """A fit would need far more memory than is free: what was found, what would fit."""

    def __init__(self, found: str, remedies: dict[str, int]) -> None:
        super().__init__(found, remedies)
        self.found, self.remedies = found, remedies

    def advise(self, words: dict[str, str]) -> str:
        """Tell what was found and what would fit, in words for the settings."""
        ways = [
            words[name].format(value)
            for name, value in self.remedies.items()
            if name in words
        ]
        if not ways:
            ways = ["fewer rows or columns, or a larger machine"]
        return f"{self.found} Give {', or '.join(ways)}."

    def __str__(self) -> str:
        return self.advise(
            {
                "max_samples": "max_samples={:_}",
                "landmarks": "landmarks={:_}",
                "n_trees": "a forest of at most {} trees",
            }
        )
