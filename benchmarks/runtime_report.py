"""The tables and the picture of ``benchmarks/runtime.py``."""

import json
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from r_times import PUBLISHED, R_TIMES
from scale_report import RESULTS, exponent

NAMES = {"paper": "RFAE.paper", "default": "RFAE()"}
COLOURS = {
    "read": "#999999",
    "forest": "#0072B2",
    "spectrum": "#56B4E9",
    "refinement": "#D55E00",
    "decoder": "#E69F00",
    "encode": "#009E73",
    "decode": "#CC79A7",
    "other": "#DDDDDD",
}
FIT = ("read", "forest", "spectrum", "refinement", "decoder", "other")
WORDS = {"encode": "new rows, placed", "decode": "new rows, decoded"}
LINES = {"paper": "#0072B2", "default": "#D55E00"}
Row = dict[str, Any]


def write_report(rows: list[Row]) -> None:
    """Write runtime.md, and draw runtime.png."""
    tables = [row for row in rows if "table" in row]
    loads = sorted(row["load"] for row in rows)
    lines = [
        "# Where the time goes",
        "",
        "By `benchmarks/runtime.py`, on two cores: bootstrap 1 of each table of the "
        "paper, as many coordinates as a fifth of its columns, compilation not "
        "counted. *placed*, *decoded*: the rows that the bootstrap left out. Seconds "
        "are those of the processor, all threads together, which is what one idle core "
        "would take; *wall*: the whole by the clock on the wall, with both cores. "
        f"The load of the machine was {loads[0]:.1f} to {loads[-1]:.1f} (median "
        f"{loads[len(loads) // 2]:.1f}) as lines began; above 2 it had other work, and "
        "the wall clock waited for that too. `--again` measures all anew.",
        "",
        "![Seconds by phase, and growth](runtime.png)",
    ]
    for config, name in NAMES.items():
        own = [row for row in tables if row["config"] == config]
        lines += ["", f"## {name}", "", *_phases(own, config)]
    lines += ["", _faster(tables)]
    lines += ["", "## Beside the authors' R code", "", *_beside(tables)]
    lines += ["", "## Growth", "", *_growth(rows)]
    (RESULTS / "runtime.md").write_text("\n".join(lines) + "\n")
    _draw(rows)


def _by_rows(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["rows"])


def fit_seconds(row: Row, clock: str) -> float:
    """Return the seconds of all phases of the fit."""
    return sum(row[clock].get(stage, 0.0) for stage in FIT)


def _phases(rows: list[Row], config: str) -> list[str]:
    stages = ["read", "forest", "spectrum", "decoder"]
    if config == "default":
        stages[2] = "refinement"
    lines = [
        f"| table | rows | columns | new | {' | '.join(stages)} | fit | placed | "
        "decoded | whole | wall |",
        "|---" * (len(stages) + 9) + "|",
    ]
    for row in _by_rows(rows):
        cpu = row["cpu"]
        found = [cpu.get(stage, 0.0) for stage in stages]
        found += [fit_seconds(row, "cpu"), cpu["encode"], cpu["decode"]]
        found += [sum(cpu.values()), sum(row["wall"].values())]
        lines.append(
            f"| {row['table']} | {row['rows']:,} | {row['columns']} | {row['new']:,} | "
            + " | ".join(f"{took:.2f}" for took in found)
            + " |"
        )
    most = stages[2] if config == "default" else "forest"
    shares = [row["cpu"][most] / sum(row["cpu"].values()) for row in rows]
    text = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
    return [*lines, "", f"Of the whole, {most} takes {text}."]


def _faster(tables: list[Row]) -> str:
    """Say where the default takes longer than the paper's configuration."""
    took = {(row["table"], row["config"]): sum(row["cpu"].values()) for row in tables}
    names = sorted({row["table"] for row in tables})
    slower = [n for n in names if took[n, "default"] >= took[n, "paper"]]
    but = f", not on {', '.join(slower)}" if slower else ""
    return (
        f"It takes the processor less than `RFAE.paper` on {len(names) - len(slower)} "
        f"of {len(names)} tables{but}."
    )


def _beside(tables: list[Row]) -> list[str]:
    """Ratios of phases to those of R, where R was measured on an idle machine."""
    found = {(row["table"], row["config"]): row for row in tables}
    lines = [
        "Processor seconds of the R code over those of `RFAE.paper`; R was measured "
        "idle on two cores, on these tables. *forest*: for each forest grown, since "
        "the number of adversarial rounds hangs on the seed (grown: theirs, ours); "
        "*decoding*: regions of the leaves, and new rows. *whole*: of the processor, "
        "and by the clock on the wall, theirs idle, ours at the load above. The last "
        "columns: `RFAE()` instead.",
        "",
        "| table | grown | R, s | ours, s | forest | map | new rows | decoding | whole "
        "| whole, wall | `RFAE()`, s | whole | whole, wall |",
        "|---" * 13 + "|",
    ]
    for name, theirs in R_TIMES.items():
        row, other = found[name, "paper"], found[name, "default"]
        cpu, own, default = row["cpu"], sum(row["cpu"].values()), other["cpu"]
        whole, default_whole = sum(theirs.cpu), sum(default.values())
        ratios = [
            theirs.cpu.forest / theirs.forests / (cpu["forest"] / row["forests"]),
            theirs.cpu.encode / cpu["spectrum"],
            theirs.cpu.predict / cpu["encode"],
            theirs.cpu.decode / (cpu["decoder"] + cpu["decode"]),
            whole / own,
            theirs.total / sum(row["wall"].values()),
        ]
        lines.append(
            f"| {name} | {theirs.forests}, {row['forests']} | {whole:.1f} | {own:.2f}"
            " | "
            + " | ".join(_times(ratio) for ratio in ratios)
            + f" | {default_whole:.2f} | {_times(whole / default_whole)} | "
            f"{_times(theirs.total / sum(other['wall'].values()))} |"
        )
    lines += [
        "",
        "What the authors publish, by the wall clock of a machine with 32 workers, "
        "beside processor seconds of ours. *training*: forest and map; *inference*: "
        "new rows placed and decoded, the regions of the leaves included.",
        "",
        "| table | training, theirs | ours | `RFAE()` | inference, theirs | ours | "
        "`RFAE()` |",
        "|---" * 7 + "|",
    ]
    for name, (training, inference) in PUBLISHED.items():
        cells = []
        for config in NAMES:
            cpu = found[name, config]["cpu"]
            later = cpu["decoder"] + cpu["encode"] + cpu["decode"]
            cells.append((sum(cpu.values()) - later, later))
        (first, first_later), (second, second_later) = cells
        lines.append(
            f"| {name} | {training:.1f} | {first:.2f} | {second:.2f} | "
            f"{inference:.1f} | {first_later:.2f} | {second_later:.2f} |"
        )
    return lines


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def sweep_rows(rows: list[Row], sweep: str, config: str) -> list[Row]:
    """Return the rows of one sweep, in order."""
    found = [r for r in rows if r.get("sweep") == sweep and r["config"] == config]
    return sorted(found, key=lambda row: row["at"])


def scale_rows(config: str) -> list[Row]:
    """Fits of ``scale.py`` that keep all rows, with the names used here."""
    lines = (RESULTS / "scale.jsonl").read_text().splitlines()
    name = {"paper": "adversarial", "default": "default"}[config]
    found = [
        {"at": row["n_rows"], "wall": row["seconds"]}
        for row in map(json.loads, lines)
        if row.get("config") == name and "table" not in row and row["n_rows"] <= 100_000
    ]
    return sorted(found, key=lambda row: row["at"])


def _growth(rows: list[Row]) -> list[str]:
    lines = [
        "Exponent *a* of time ~ sizeᵃ by least squares; 1 is in proportion. Columns: "
        "5 to 200, at 4,000 drawn rows and 100 trees; trees: 50 to 1,000, at 4,000 "
        "rows and 20 columns; processor seconds, four coordinates, one adversarial "
        "round. Rows: 10,000 to 100,000 of [scale.md](scale.md), wall clock, 100 "
        "adversarial trees and `RFAE()`. A phase below 20 ms has no exponent.",
        "",
        "| | with | fit | forest | spectrum | refinement | decoder | fit at the ends, "
        "s |",
        "|---" * 8 + "|",
    ]
    for config, name in NAMES.items():
        kinds = [
            ("rows", [r for r in scale_rows(config) if r["at"] >= 10_000], "wall"),
            ("columns", sweep_rows(rows, "columns", config), "cpu"),
            ("trees", sweep_rows(rows, "trees", config), "cpu"),
        ]
        for what, found, clock in kinds:
            at = [row["at"] for row in found]
            fit = [fit_seconds(row, clock) for row in found]
            cells = [f"{exponent(at, fit):.2f}"]
            for stage in FIT[1:5]:
                took = [row[clock].get(stage, 0.0) for row in found]
                cells.append(f"{exponent(at, took):.2f}" if max(took) > 0.02 else "")
            ends = f"{fit[0]:.2f} … {fit[-1]:.2f}"
            lines.append(f"| `{name}` | {what} | {' | '.join(cells)} | {ends} |")
    return lines


def _draw(rows: list[Row]) -> None:
    figure = Figure(figsize=(11, 9), layout="constrained")
    places = figure.subplot_mosaic(
        [
            ["paper"] * 3 + ["default"] * 3,
            ["rows"] * 2 + ["columns"] * 2 + ["trees"] * 2,
        ],
        height_ratios=[1.9, 1],
    )
    tables = [row for row in rows if "table" in row]
    for config, name in NAMES.items():
        own = [row for row in tables if row["config"] == config]
        _draw_phases(places[config], _by_rows(own), name)
    places["default"].set_yticklabels([])
    handles, labels = places["paper"].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=8, frameon=False)
    for what in ("rows", "columns", "trees"):
        _draw_growth(places[what], rows, what)
    places["rows"].set_ylabel("seconds to fit, wall clock")
    places["columns"].set_ylabel("processor seconds to fit")
    figure.savefig(RESULTS / "runtime.png", dpi=110)


def _draw_phases(ax: Axes, rows: list[Row], name: str) -> None:
    """Shares of the whole, and the whole in seconds."""
    for place, row in enumerate(rows):
        cpu, at = row["cpu"], 0.0
        whole = sum(cpu.values())
        for stage, colour in COLOURS.items():
            share = cpu.get(stage, 0.0) / whole
            label = WORDS.get(stage, stage) if place == 0 else None
            ax.barh(place, share, left=at, color=colour, height=0.75, label=label)
            at += share
        ax.annotate(
            f"{whole:.2f} s" if whole < 10 else f"{whole:.0f} s",
            (1.02, place),
            va="center",
            size=9,
        )
    ax.set(xlim=(0, 1.14), title=name, xlabel="share of the processor time")
    ax.set_yticks(range(len(rows)), [f"{r['table']}  {r['rows']:,}" for r in rows])
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)


def _draw_growth(ax: Axes, rows: list[Row], what: str) -> None:
    for config, name in NAMES.items():
        found, clock = sweep_rows(rows, what, config), "cpu"
        if what == "rows":
            found, clock = scale_rows(config), "wall"
        at = [row["at"] for row in found]
        fit = [fit_seconds(row, clock) for row in found]
        ax.loglog(at, fit, marker="o", ms=4, color=LINES[config], label=name)
    ax.set(xlabel=what)
    for axis in (ax.xaxis, ax.yaxis):
        if what != "rows" or axis is ax.yaxis:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:,g}")
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
