"""What became of a model that was distilled."""

from dataclasses import dataclass, fields

from latentforest._base._in_words import in_bytes
from latentforest._base._section import NewSection, Section
from latentforest._base._values import damaged

NEIGHBOURS = 20  # whose places trustworthiness looks at
HEADINGS = ("", "size", "bytes", "trees", "agreement", "trust", "distortion")


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A model of some size, and where it places rows that were held back."""

    size: float  # share of the bytes of trees and leaf table
    n_bytes: int  # of trees and leaf table, in a file before compression
    n_trees: int
    n_leaves: int
    agreement: float  # R² of the coordinates, given those of the large model
    trustworthiness: float  # at 20 neighbours, of coordinates beside the table
    distortion: float  # lost between the rows and what they are decoded to
    predictions: float | None  # share of rows that keep their class, or R²; None: none

    def kept(self, large: "Fidelity") -> float:
        """Share of trustworthiness and distortion that is kept, the smaller one."""
        trust = self.trustworthiness / large.trustworthiness
        lost = large.distortion / self.distortion if self.distortion > 0 else 1.0
        return min(trust, lost)

    def put(self, new: NewSection) -> None:
        """Write the figures to a model file."""
        for field in fields(self):
            new.put(field.name, getattr(self, field.name))

    @classmethod
    def take(cls, section: Section) -> "Fidelity":
        """Read the figures from a model file."""
        predictions = None
        if section.has("predictions"):
            predictions = section.number("predictions")
        return cls(
            section.number("size"),
            section.integer("n_bytes", lowest=1),
            section.integer("n_trees", lowest=1),
            section.integer("n_leaves", lowest=1),
            section.number("agreement"),
            section.number("trustworthiness"),
            section.number("distortion"),
            predictions,
        )


@dataclass(frozen=True, slots=True)
class Distillation:
    """Size and fidelity of a distilled model beside the large one.

    Fidelity is that of training rows that neither model was allowed to know: the leaf
    tables of both were made without them for this purpose.

    Attributes
    ----------
    large, small : Fidelity
        The model before and after.
    tried : tuple of Fidelity
        All sizes that were tried, the largest first.
    ridge : float
        How many rows count as much, in each leaf, as what it said before.
    """

    large: Fidelity
    small: Fidelity
    tried: tuple[Fidelity, ...]
    ridge: float

    def report(self) -> str:
        """Return the figures of all sizes that were tried, one line each."""
        predicts = self.large.predictions is not None
        lines = [[*HEADINGS, "predictions" if predicts else ""]]
        for one in (self.large, *self.tried):
            is_small = one.size == self.small.size and one is not self.large
            lines.append(
                [
                    "large" if one is self.large else "small" if is_small else "tried",
                    f"{one.size:.3g}",
                    in_bytes(self.small.n_bytes if is_small else one.n_bytes),
                    f"{one.n_trees:,}",
                    f"{one.agreement:.4f}",
                    f"{one.trustworthiness:.4f}",
                    f"{one.distortion:.4f}",
                    "" if one.predictions is None else f"{one.predictions:.4f}",
                ]
            )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(map(str.rjust, line, widths)).rstrip() for line in lines
        )

    def put(self, new: NewSection) -> None:
        """Write all figures to a model file."""
        new.put("ridge", self.ridge)
        self.large.put(new.section("large"))
        self.small.put(new.section("small"))
        for one, part in zip(
            self.tried, new.sections("tried", len(self.tried)), strict=True
        ):
            one.put(part)

    @classmethod
    def take(cls, section: Section) -> "Distillation":
        """Read all figures from a model file."""
        tried = tuple(Fidelity.take(part) for part in section.sections("tried"))
        if not tried:
            raise damaged("no size of the distilled model was tried")
        return cls(
            Fidelity.take(section.section("large")),
            Fidelity.take(section.section("small")),
            tried,
            section.number("ridge"),
        )
