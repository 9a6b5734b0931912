"""A fitted model in words: what it is, what its coordinates mean, what it loses."""

from copy import deepcopy
from dataclasses import dataclass
from html import escape

from sklearn.utils.validation import check_is_fitted

from latentforest._base._in_words import counted, shown
from latentforest._odd_rows import JudgingModel
from latentforest.decode import SpreadingDecoder, decode_held_back, spreading
from latentforest.metrics import Associations, Distortion, associations, distortion
from latentforest.table import TableSchema

NAMED = 3  # columns that are told of each coordinate
MOST_COORDINATES = 12  # that are told
LONGEST_NAME = 32
WEAK = 0.05  # share of the order below which a column is not told
GOES_WITH = "What each coordinate goes with, as a share of the order along it"
ARROWS = {1.0: " ↑", -1.0: " ↓", 0.0: ""}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and text that is to be shown as it is."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Description:
    """What a model is; printing shows it, and notebooks show it as HTML."""

    title: str
    sections: tuple[Section, ...]

    def __repr__(self) -> str:
        parts = [f"{part.title}\n{part.text}" for part in self.sections]
        return "\n\n".join([self.title, *parts])

    def _repr_html_(self) -> str:
        parts = "".join(
            f"<details open><summary><b>{escape(part.title)}</b></summary>"
            f"<pre>{escape(part.text)}</pre></details>"
            for part in self.sections
        )
        return f"<div><p><b>{escape(self.title)}</b></p>{parts}</div>"


class DescribedModel(JudgingModel):
    """A fitted model that can say what it is."""

    def associations(self) -> Associations:
        """Measure how far columns of the training rows go with each coordinate."""
        check_is_fitted(self, "encoder_")
        table = self.encoder_.trained_on("what coordinates mean").table
        refined = self.encoder_.refined
        if refined is None:
            return associations(self.embedding_, table)
        # Other rows would first have to be placed.
        return associations(refined.map.coords_, table.take(refined.rows))

    def coordinate_columns(self, n: int = 2) -> list[list[str]]:
        """Return the columns that each coordinate goes with, the strongest first.

        Parameters
        ----------
        n : int, default=2
            How many columns at most; those that explain less than a twentieth of the
            order along the coordinate are left out.

        Returns
        -------
        list of list of str
            One list for each coordinate.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> table, _ = load_iris(return_X_y=True, as_frame=True)
        >>> model = RFAE(2, refine=None, random_state=0).fit(table)
        >>> model.coordinate_columns(1)
        [['petal width (cm)'], ['sepal width (cm)']]
        """
        found = self.associations()
        return [
            [str(self.schema_.names[column]) for column in columns]
            for columns in (_told(found, j, n) for j in range(len(found.strength)))
        ]

    def coordinate_report(self) -> str:
        """Tell, one line per coordinate, which columns it goes with and how far.

        The share of the order along the coordinate that a column explains; an arrow
        tells whether a number rises or falls along it.
        """
        names = [str(name) for name in self.get_feature_names_out()]
        return _coordinates(self.associations(), self.schema_, names)

    def describe(self) -> Description:
        """Describe the fitted model: settings, coordinates, losses and columns.

        Returns
        -------
        Description
            Text when printed, HTML in notebooks. What is lost is that of training rows
            that are held back in turn, where the decoder can do without some rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> table = load_iris(as_frame=True).frame
        >>> print(RFAE(2, random_state=0).fit(table).describe())
        RFAE(random_state=0): 150 rows, 5 columns, 2 coordinates
        ...
        What each coordinate goes with, as a share of the order along it
        z1  ...
        """
        check_is_fitted(self, "encoder_")
        encoder = self.encoder_
        n_rows = encoder.trained_on("describe").table.n_rows
        rows = counted(n_rows, "row")
        sections = [
            Section("Model", _settings(self)),
            Section(GOES_WITH, self.coordinate_report()),
        ]
        decoder = self.decoder_
        if isinstance(decoder, SpreadingDecoder):
            lost, n_held = self._held_back()
            title = f"What {n_held:,} held-back rows lose"
            sections += [Section(title, repr(lost))] if lost else []
        sections.append(Section("Columns", self.schema_.report()))
        columns = counted(self.schema_.n_columns, "column")
        n_components = encoder.n_components
        coordinates = counted(n_components, "coordinate")
        title = f"{self!r}: {rows}, {columns}, {coordinates}"
        return Description(" ".join(title.split()), tuple(sections))

    def _held_back(self) -> tuple[Distortion | None, int]:
        """Return what training rows lose that are held back in turn; None if none."""
        rng, context = deepcopy(self.decoder_.rng_), self.encoder_.context()
        truth, decoded = decode_held_back(spreading(self.decoder_), context, rng)
        if not len(truth):  # all rows are copies of one
            return None, 0
        before, after = (self.codec_.decode(codes) for codes in (truth, decoded))
        return distortion(before, after, training=self.yardstick_), len(truth)


def _told(found: Associations, coordinate: int, n: int) -> list[int]:
    strong = found.strongest(coordinate, n)
    return [j for j in strong if found.strength[coordinate, j] >= WEAK]


def _coordinates(found: Associations, schema: TableSchema, names: list[str]) -> str:
    lines = []
    for j, name in enumerate(names[:MOST_COORDINATES]):
        told = [
            f"{shown(str(schema.names[k]), LONGEST_NAME)} {found.strength[j, k]:.2f}"
            f"{ARROWS[float(found.direction[j, k])]}"
            for k in _told(found, j, NAMED)
        ]
        lines.append(f"{name:<4}{', '.join(told) or 'no column alone'}")
    if len(names) > MOST_COORDINATES:
        lines.append(f"… and {len(names) - MOST_COORDINATES} more")
    return "\n".join(lines)


def _settings(model: DescribedModel) -> str:
    encoder = model.encoder_
    forest, refined = encoder.forest, encoder.refined
    moved = "the diffusion map of the forest's kernel"
    if refined is not None:
        moved = (
            f"{' '.join(repr(refined.map.settings).split())}, from {refined.start.name}"
        )
    training = encoder.trained_on("describe")
    n_bytes = training.table.values.nbytes + training.leaf_ids.nbytes
    lines = [
        ("forest", f"{' '.join(repr(model.grower_).split())}"),
        ("", f"{forest.n_trees:,} trees, {forest.n_leaves:,} leaves"),
        ("map", moved),
        ("decoder", " ".join(repr(model.decoder_).split())),
        (
            "kept",
            f"{training.table.n_rows:,} training rows, {n_bytes / 1e6:.1f} MB with "
            "their leaves",
        ),
    ]
    return "\n".join(f"{name:<9}{text}" for name, text in lines)
