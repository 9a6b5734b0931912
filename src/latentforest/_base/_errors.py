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


class DataError(ValueError):
    """A table, a model or a file is wrong: one line that says what to do."""


class UsageError(ValueError):
    """Options that contradict each other, or a value that an option cannot have."""
