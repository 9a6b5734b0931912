"""inspect: what is in a model file."""

import json
import sys
from typing import Any

from latentforest._base._in_words import in_bytes
from latentforest._description import GOES_WITH
from latentforest._fitted import PACKED
from latentforest.cli._models import load, summary_of
from latentforest.files import ModelSummary

_SHOWN = 8  # eigenvalues in the text; JSON has all of them
_NAMED = 3  # columns of each coordinate in JSON
_BAR = 30  # characters of an eigenvalue of 1


def inspect(path: str, *, as_json: bool) -> None:
    """Tell on standard output what a model file holds."""
    summary = summary_of(path)
    model = load(path) if summary.has_training else None
    if as_json:
        columns = None if model is None else model.coordinate_columns(_NAMED)
        data = as_data(summary) | {"coordinate_columns": columns}
        sys.stdout.write(f"{json.dumps(data, indent=2)}\n")
        return
    told = "" if model is None else f"\n{GOES_WITH}\n{model.coordinate_report()}\n"
    sys.stdout.write(f"{as_text(summary)}\n{told}")


def as_text(summary: ModelSummary) -> str:
    """Return the summary for people."""
    versions = ", ".join(f"{n} {v}" for n, v in summary.written_by.items())
    rows = (
        f"{summary.n_rows:,} training rows inside: it encodes and decodes"
        if summary.has_training
        else "no training rows inside: it encodes only"
    )
    lines = [
        ("file", f"{summary.path}, {in_bytes(summary.file_bytes)}"),
        ("unpacked", in_bytes(summary.memory_bytes)),
        ("format", f"version {summary.format_version}, written by {versions}"),
        ("rows", rows),
        ("coordinates", f"{summary.n_components}"),
        ("forest", summary.forest),
        (
            "trees",
            f"{summary.n_trees:,} with {summary.n_leaves:,} leaves, "
            f"{summary.n_leaves / summary.n_trees:.0f} per tree",
        ),
        ("kernel", summary.kernel),
        ("refined", summary.refinement or "no"),
        ("decoder", summary.decoder or "none"),
    ]
    if summary.compact:
        lines.append(("compact", "coordinates and thresholds in single precision"))
    width = max(len(name) for name, _ in lines)
    told = [f"{name:<{width}}  {value}" for name, value in lines]
    if summary.is_packed:
        told += ["", PACKED]
    return "\n".join([*told, "", *_spectrum(summary), summary.schema.report()])


def _spectrum(summary: ModelSummary) -> list[str]:
    if summary.eigenvalues is None:
        return []
    values = [float(value) for value in summary.eigenvalues]
    told = "which say how much each coordinate tells"
    if summary.refinement:
        told = "of the diffusion map, before refinement"
    lines = [f"eigenvalues, {told} (1 at most):"]
    for number, value in enumerate(values[:_SHOWN], start=1):
        bar = "█" * round(_BAR * min(max(value, 0.0), 1.0))
        lines.append(f"  z{number:<3} {value:.4f} {bar}".rstrip())
    if len(values) > _SHOWN:
        lines.append(f"  … and {len(values) - _SHOWN} more: see --json")
    return [*lines, ""]


def as_data(summary: ModelSummary) -> dict[str, Any]:
    """Return the summary for programs."""
    return {
        "file": str(summary.path),
        "file_bytes": summary.file_bytes,
        "memory_bytes": summary.memory_bytes,
        "format_version": summary.format_version,
        "written_by": summary.written_by,
        "has_training": summary.has_training,
        "compact": summary.compact,
        "n_rows": summary.n_rows,
        "n_components": summary.n_components,
        "eigenvalues": None
        if summary.eigenvalues is None
        else summary.eigenvalues.tolist(),
        "forest": summary.forest,
        "n_trees": summary.n_trees,
        "n_nodes": summary.n_nodes,
        "n_leaves": summary.n_leaves,
        "kernel": summary.kernel,
        "refinement": summary.refinement,
        "packed": summary.is_packed,
        "decoder": summary.decoder,
        "parameters": {key: _plain(v) for key, v in summary.parameters.items()},
        "schema": summary.schema.to_dict(),
        "members": [
            {
                "name": member.name,
                "dtype": member.dtype,
                "shape": list(member.shape),
                "stored_bytes": member.stored_bytes,
                "memory_bytes": member.memory_bytes,
            }
            for member in summary.members
        ],
    }


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(cell) for key, cell in value.items()}
    if isinstance(value, tuple):  # levels in order
        return [_plain(cell) for cell in value]
    return str(value)
