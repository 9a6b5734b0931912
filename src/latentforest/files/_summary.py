"""What is in a model file, without building the model."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from latentforest._base._section import Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged, decode_value
from latentforest.files._model import naming
from latentforest.files._read import ModelArchive
from latentforest.refine import AutoRefinement, Refinement
from latentforest.table import TableCodec, TableSchema


@dataclass(frozen=True, slots=True)
class MemberSummary:
    """One array of a model file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    stored_bytes: int  # in the file
    memory_bytes: int  # unpacked


@dataclass(frozen=True, slots=True, eq=False)
class ModelSummary:
    """What a model file holds; see `describe`."""

    path: Path
    file_bytes: int
    format_version: int
    written_by: dict[str, str]  # packages that wrote it, and their versions
    has_training: bool  # whether training rows, and with them the decoder, are inside
    n_rows: int  # training rows inside; refined ones even where others are dropped
    parameters: dict[str, Any]  # what the model was created with; objects as text
    schema: TableSchema  # the columns; ``schema.report()`` prints them
    forest: str  # the forest that the trees belong to
    n_trees: int
    n_nodes: int  # of all trees, leaves among them
    n_leaves: int  # of all trees
    kernel: str
    n_components: int
    eigenvalues: Floats | None  # (n_components,) None where they are not in the file
    decoder: str | None  # None without training rows
    refinement: str | None
    is_packed: bool  # whether coordinates are packed, and no map to look at
    compact: bool  # whether it has fewer digits than the model that was saved
    members: tuple[MemberSummary, ...]

    @property
    def memory_bytes(self) -> int:
        """Size of all arrays, unpacked."""
        return sum(member.memory_bytes for member in self.members)


def describe(path: str | PathLike[str]) -> ModelSummary:
    """Tell what is in a model file; no tree or row is looked at.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    ModelSummary
    """
    with naming(path), ModelArchive(path) as archive:
        manifest = archive.manifest
        part = manifest.section("forest")
        dropped, refined = manifest.flag("drop_training"), manifest.has("refined")
        rows = "refined/coords" if dropped and refined else "training/codes"
        n_trees = _shape(archive, "forest/start", 1)[0] - 1
        start = archive.take("forest/start", np.int64, (n_trees + 1,))
        n_nodes = max(0, int(start[-1])) if n_trees >= 0 else 0
        eigenvalues = None
        if archive.holds("map/eigenvalues"):
            size = _shape(archive, "map/eigenvalues", 1)
            eigenvalues = archive.take("map/eigenvalues", np.float64, size)
            n_components = len(eigenvalues)
        else:
            n_components = _shape(archive, "refined/coords", 2)[1]
        decoder = refinement = None
        is_packed = False
        if not dropped:
            decoder = _object_text(manifest.section("decoder").data)
            chosen = manifest.section("decoder")
            if chosen.has("tried") and chosen.sections("tried"):
                decoder += f", chose {_chosen_text(chosen)}"
        if refined:
            moved = manifest.section("refined")
            refinement = _object_text(moved.section("settings").data)
            is_packed = moved.has("start") and moved.text("start") == "packed"
        parameters = manifest.section("parameters").data
        return ModelSummary(
            path=Path(path),
            file_bytes=archive.n_bytes,
            format_version=manifest.integer("format_version", lowest=1),
            written_by=archive.written_by,
            has_training=not dropped,
            n_rows=0 if dropped and not refined else _shape(archive, rows, 2)[0],
            parameters={key: _parameter(key, parameters[key]) for key in parameters},
            schema=TableCodec.take(manifest.section("schema")).schema_,
            forest=_object_text(part.section("grower").data),
            n_trees=n_trees,
            n_nodes=n_nodes,
            n_leaves=(n_nodes + n_trees) // 2,  # one more than splits in each tree
            kernel=manifest.section("kernel").text("kind"),
            n_components=n_components,
            eigenvalues=eigenvalues,
            decoder=decoder,
            refinement=refinement,
            is_packed=is_packed,
            compact=manifest.has("compact") and manifest.flag("compact"),
            members=tuple(
                MemberSummary(
                    member.name,
                    member.dtype,
                    member.shape,
                    member.stored_bytes,
                    member.memory_bytes,
                )
                for member in archive.members.values()
            ),
        )


def _shape(archive: ModelArchive, name: str, n_dimensions: int) -> tuple[int, ...]:
    member = archive.members.get(f"{name}.npy")
    if member is None or len(member.shape) != n_dimensions:
        raise damaged(f"{name}.npy is missing")
    return member.shape


def _object_text(data: Any) -> str:
    """Print an object of ours as Python would."""
    section = Section(data, "an object")
    if section.has("frozen"):
        return f"FrozenEstimator({_parameter('forest', section.data['frozen'])})"
    if section.has("fitted"):
        return "a fitted forest"
    if section.text("class") == "StoredForest":
        return section.text("source")
    # They load scikit-learn, which takes a second; to read a file needs none of it.
    from latentforest.decode import DECODERS  # noqa: PLC0415
    from latentforest.forest import FORESTS  # noqa: PLC0415

    classes = (*FORESTS.values(), *DECODERS.values(), Refinement, AutoRefinement)
    return " ".join(repr(section.object(classes)).split())


def _chosen_text(section: Section) -> str:
    best = section.sections("tried")[0]
    sorts = section.sections("sorts")
    sort = sorts[best.integer("sort", lowest=0, highest=len(sorts) - 1)]
    chosen = dict(sort.section("parameters").data)
    chosen["n_neighbors"] = best.integer("n_neighbors", lowest=1)
    if best.has("ridge"):
        chosen["ridge"] = best.value("ridge")
    return _object_text({"class": sort.text("class"), "parameters": chosen})


def _parameter(key: str, value: Any) -> Any:
    if key == "kinds" and isinstance(value, list):
        names = [Section({"pair": pair}, "kinds").values("pair") for pair in value]
        return {pair[0]: pair[1] for pair in names if len(pair) == 2}
    if isinstance(value, dict) and not value.keys() & {"float", "tuple"}:
        return _object_text(value)
    return decode_value(value, what=key)
