"""Supervised against unsupervised: the leukaemia patients of Golub et al. (1999).

    LATENTFOREST_DATA=… python benchmarks/golub.py            # all seeds, then the page
    LATENTFOREST_DATA=… python benchmarks/golub.py --seeds 1

Appends one JSON line per table, forest and seed to ``results/golub.jsonl`` and skips
what is there already; then writes ``results/golub.md`` and ``results/golub.png``.

72 patients: all 7,129 probes, and the 3,571 that pass the usual filter, as in the
paper. Raw intensities, plain diffusion maps of 500 trees. A classifier is judged by its
out-of-bag votes and by the 34 patients of the original test set, whom a second model,
fitted on the other 38, places without their labels.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from latentforest import RFAE, ForestKernel, SupervisedForest
from omics_data import load_arrays

RESULTS = Path(__file__).parent / "results"
ROWS_FILE = RESULTS / "golub.jsonl"
TABLES = {"all probes": "golub_7129.npz", "filtered": "golub_3571.npz"}
FORESTS = ("supervised", "adversarial", "default")
N_TRAINING = 38  # patients of the original training set come first

HEAD = """\
# Supervised against unsupervised

Made by `benchmarks/golub.py`: 72 leukaemia patients of Golub et al. (1999), 47 with ALL
and 25 with AML; raw intensities of all 7,129 probes, and of the 3,571 that pass the
usual filter (the paper's table). Two coordinates. `supervised` and `adversarial` are
plain diffusion maps of 500 trees, as in the paper; `default` is `RFAE()`, which sees no
labels. Means of {n_seeds} seeds."""

TAIL = """\
The paper's classifier has an out-of-bag accuracy of 98 %. AUC of z1: how well the first
coordinate alone tells AML from ALL. A supervised map is drawn with the labels of its
patients, so that an AUC of 1 says little there. New patients are the 34 of the original
test set, placed by a model that was fitted on the other 38. The first coordinate tells
these apart nearly as well, where the majority of votes, learned from 11 patients with
AML, does not: it calls too many of them ALL. Seconds are those of one fit, decoder
included, on two busy cores; nothing is compiled in them.

![Maps of the patients with and without labels](golub.png)

All probes, seed 0. Left: what the classifier sees; the second coordinate sets one
patient with AML apart, as in the paper. Right: the same patients without labels
(adversarial forest), where the classes overlap. Neither unsupervised map has the
classes along its first coordinate."""


def load(table: str) -> tuple[np.ndarray, np.ndarray]:
    """Intensities, and who has AML."""
    found = load_arrays("golub", TABLES[table])
    return found["x"], found["label"] == "AML"


def model_of(forest: str, seed: int) -> RFAE:
    """Return the model that is looked at."""
    if forest == "default":
        return RFAE(random_state=seed)
    return RFAE(forest=forest, random_state=seed)


def auc_of(is_aml: np.ndarray, coords: np.ndarray) -> float:
    """AUC of the first coordinate, whichever way it points."""
    auc = float(roc_auc_score(is_aml, coords[:, 0]))
    return max(auc, 1 - auc)


def out_of_bag_accuracy(x: np.ndarray, is_aml: np.ndarray, seed: int) -> float:
    """Share of patients whom the trees grown without them get right."""
    forest = SupervisedForest(random_state=seed)
    kernel = ForestKernel(forest, kind="gap").fit(x, is_aml)
    votes = kernel.out_of_bag(is_aml.astype(float))
    return float(np.mean((votes > 0.5) == is_aml))


def measure(table: str, forest: str, seed: int) -> dict[str, Any]:
    """Fit one model on all patients, and one on the original training set."""
    x, is_aml = load(table)
    wall, work = time.perf_counter(), time.process_time()
    model = model_of(forest, seed).fit(x, is_aml)
    row: dict[str, Any] = {
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - work,
        "auc": auc_of(is_aml, model.embedding_),
    }
    known = model_of(forest, seed).fit(x[:N_TRAINING], is_aml[:N_TRAINING])
    row["auc_new"] = auc_of(is_aml[N_TRAINING:], known.transform(x[N_TRAINING:]))
    if forest == "supervised":
        row["oob_accuracy"] = out_of_bag_accuracy(x, is_aml, seed)
        said = known.grower_.predict(x[N_TRAINING:])
        row["new_accuracy"] = float(np.mean(said == is_aml[N_TRAINING:]))
    if seed == 0:
        row["coords"] = np.round(model.embedding_, 4).tolist()
    return row


def done() -> list[dict[str, Any]]:
    """Return the rows that were run."""
    if not ROWS_FILE.exists():
        return []
    return [json.loads(line) for line in ROWS_FILE.read_text().splitlines()]


def run(seeds: int) -> None:
    """Run what is not there yet."""
    before = {(row["table"], row["forest"], row["seed"]) for row in done()}
    if not before:  # what is compiled on first use would count as time
        x, is_aml = load("filtered")
        for forest in FORESTS:
            model_of(forest, 0).fit(x[:, :50], is_aml)
    for seed in range(seeds):
        for table in TABLES:
            for forest in FORESTS:
                if (table, forest, seed) in before:
                    continue
                key = {"table": table, "forest": forest, "seed": seed}
                row = key | measure(table, forest, seed)
                with ROWS_FILE.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                shown = {k: v for k, v in row.items() if k != "coords"}
                print(*(f"{k} {v}" for k, v in shown.items()), flush=True)


def spread(values: list[float], digits: int = 3, factor: float = 1.0) -> str:
    """Mean, and the lowest if it is another."""
    mean, lowest = factor * np.mean(values), factor * min(values)
    text = f"{mean:.{digits}f}"
    least = f"{lowest:.{digits}f}"
    return text if least == text else f"{text} (lowest {least})"


def write_page(rows: list[dict[str, Any]]) -> None:
    """Turn rows into ``golub.md`` and ``golub.png``."""
    n_seeds = len({row["seed"] for row in rows})
    lines = [
        *HEAD.format(n_seeds=n_seeds).splitlines(),
        "",
        "| table | forest | out-of-bag accuracy | AUC of z1 | accuracy, new patients "
        "| AUC of z1, new patients | seconds | processor seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for table in TABLES:
        for forest in FORESTS:
            found = [r for r in rows if (r["table"], r["forest"]) == (table, forest)]
            if not found:
                continue
            cells = [table, forest]
            for name, factor, digits, unit in (
                ("oob_accuracy", 100, 1, " %"),
                ("auc", 1, 3, ""),
                ("new_accuracy", 100, 1, " %"),
                ("auc_new", 1, 3, ""),
            ):
                values = [row[name] for row in found if name in row]
                text = spread(values, digits, factor) + unit if values else ""
                cells.append(text)
            for name in ("seconds", "processor_seconds"):
                cells.append(f"{np.mean([row[name] for row in found]):.1f}")
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *TAIL.splitlines(), ""]
    (RESULTS / "golub.md").write_text("\n".join(lines))
    draw(rows)


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw the two panels."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from latentforest.plot import PALETTE

    is_aml = load("all probes")[1]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    titles = {"supervised": "Supervised forest", "adversarial": "Without labels"}
    for ax, (forest, title) in zip(axes, titles.items(), strict=True):
        row = next(
            row
            for row in rows
            if row["seed"] == 0
            and (row["table"], row["forest"]) == ("all probes", forest)
        )
        coords = np.array(row["coords"])
        for name, mark, chosen, colour in (
            ("ALL", "o", ~is_aml, PALETTE[0]),
            ("AML", "^", is_aml, PALETTE[1]),
        ):
            ax.scatter(*coords[chosen].T, marker=mark, s=26, color=colour, label=name)
        ax.set(title=title, xlabel="z1", ylabel="z2")
        ax.spines[["top", "right"]].set_visible(False)
    axes[1].legend(frameon=False)
    figure.savefig(RESULTS / "golub.png", dpi=110, metadata={"Software": None})


def main() -> None:
    """Run, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    run(parser.parse_args().seeds)
    write_page(done())


if __name__ == "__main__":
    main()
