"""Distilled models beside large ones: size, speed, and what new rows lose.

    python benchmarks/distill.py
    python benchmarks/distill.py --tables churn --again

Appends one JSON line per table, number of coordinates, seed, way and size to
``benchmarks/results/distill.jsonl`` and skips what is there already; then writes
``benchmarks/results/distill.md`` and ``docs/pictures/distill.png``.

The large model is the plain map of 500 trees on 70 % of up to 7,000 rows; the rest are
new.
Ways to make it smaller: ``distill``, and simply the first trees with the leaf table
they have. Sizes are shares of the bytes of trees and leaf table; files are those of a
`Scorer` (``save(drop_training=True)``). Speed is that of placing the new rows: one
thread, processor time, large and small in turn, best of several runs.
"""

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.manifold import trustworthiness

from latentforest import RFAE, SupervisedForest, datasets
from latentforest.encoder import LeafTable
from latentforest.metrics import distortion
from mappers import Features

ROWS = Path(__file__).parent / "results" / "distill.jsonl"
RESULTS = ROWS.with_suffix(".md")
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "distill.png"
TABLES = ("churn", "telco", "dry_bean", "churn, supervised")
COORDINATES = (2, 6)
SEEDS = (0, 1)
SIZES = (1 / 2, 1 / 4, 1 / 8, 1 / 16)
WAYS = ("distill", "first trees")
MOST_ROWS, NEW_SHARE, NEIGHBOURS, REPEATS = 7_000, 0.3, 20, 7
KEY = ("table", "coordinates", "seed", "way", "size")
ABOUT = 0.01  # relative loss that still counts as kept


class Setting(NamedTuple):
    """A large model, and the rows it is judged by."""

    model: RFAE
    new: pd.DataFrame
    features: np.ndarray
    large: dict[str, float]


def fit(name: str, n_components: int, seed: int) -> Setting:
    """Fit the large model on most rows of a table."""
    table = datasets.load(name.partition(",")[0])
    n_rows = min(MOST_ROWS, len(table))
    table = table.sample(n_rows, random_state=seed, ignore_index=True)
    n_new = round(NEW_SHARE * len(table))
    new, train = table[:n_new], table[n_new:].reset_index(drop=True)
    settings: dict[str, Any] = {"refine": None, "random_state": seed, "n_jobs": 1}
    target = None
    if name.endswith("supervised"):
        settings["forest"] = SupervisedForest(500, min_samples_leaf=5)
        target = train[train.columns[-1]]
        train, new = train[train.columns[:-1]], new[new.columns[:-1]]
    model = RFAE(n_components, **settings).fit(train, target)
    setting = Setting(model, new, Features().fit(train).transform(new), {})
    setting.large.update(judge(setting, model))
    return setting


def first_trees(model: RFAE, size: float) -> RFAE:
    """Return the model of the first trees, with what their leaves say already."""
    encoder = model.encoder_
    n_trees = int(size * encoder.forest.n_trees)
    fewer = encoder.forest.first_trees(n_trees)
    table, n_leaves = encoder.leaf_table, fewer.n_leaves
    own = LeafTable.of_leaves(
        table.values[:n_leaves] * (encoder.forest.n_trees / n_trees),
        table.mass[:n_leaves],
        kind=encoder.kind,
        n_trees=n_trees,
    )
    small = model.truncate(encoder.n_components)
    small._settle(encoder.with_forest(fewer, own), model.decoder_)
    return small


def judge(setting: Setting, model: RFAE) -> dict[str, float]:
    """Place and decode the new rows; how large is the file."""
    coords = model.transform(setting.new)
    back = model.inverse_transform(coords)
    with tempfile.TemporaryDirectory() as folder:
        path = model.save(Path(folder) / "model.lf", drop_training=True)
        n_bytes = path.stat().st_size
    wide = setting.features
    return {
        "bytes": n_bytes,
        "trust": trustworthiness(wide, coords, n_neighbors=NEIGHBOURS),
        "distortion": distortion(setting.new, back, kinds=model.schema_).mean,
    }


def speed_ratio(setting: Setting, small: RFAE) -> float:
    """How many times as fast the small model places the new rows."""
    codes = setting.model.codec_.encode(setting.new).values
    best = [np.inf, np.inf]
    for _ in range(REPEATS):
        for which, model in enumerate((setting.model, small)):
            begin = process_time()
            model.encoder_.place(codes)
            best[which] = min(best[which], process_time() - begin)
    return best[0] / best[1]


def same_predictions(setting: Setting, small: RFAE) -> float | None:
    """Share of the new rows whose class a supervised forest still predicts."""
    old, new = setting.model.grower_, small.grower_
    if not isinstance(new, SupervisedForest) or new is old:
        return None
    return float((old.predict(setting.new) == new.predict(setting.new)).mean())


def measure(setting: Setting, way: str, size: float) -> dict[str, Any]:
    """Make a model smaller, and judge both."""
    begin = process_time()
    if way == "distill":
        small = setting.model.distill(size, random_state=0)
    else:
        small = first_trees(setting.model, size)
    seconds = process_time() - begin
    goal = setting.model.transform(setting.new)
    lost = ((small.transform(setting.new) - goal) ** 2).sum()
    row: dict[str, Any] = {
        "rows": setting.model.encoder_.training.table.n_rows,
        "new": len(setting.new),
        "trees": small.encoder_.forest.n_trees,
        "agreement": 1 - lost / ((goal - goal.mean(axis=0)) ** 2).sum(),
        "speed": speed_ratio(setting, small),
        "seconds": seconds,
        "predictions": same_predictions(setting, small),
    }
    large = {f"large {key}": value for key, value in setting.large.items()}
    return row | large | judge(setting, small)


def stored() -> list[dict[str, Any]]:
    """Rows that were measured."""
    return list(map(json.loads, ROWS.read_text().splitlines())) if ROWS.exists() else []


def store(row: dict[str, Any]) -> None:
    """Append a row; one with the same key gives way to it."""
    row = {k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()}
    kept = [old for old in stored() if any(old[k] != row[k] for k in KEY)]
    ROWS.write_text("".join(json.dumps(line) + "\n" for line in [*kept, row]))
    print(json.dumps(row), flush=True)


def means() -> pd.DataFrame:
    """Means over seeds, with losses relative to the large model."""
    rows = pd.DataFrame(stored())
    rows["file"] = rows["bytes"] / rows["large bytes"]
    rows["trust lost"] = 1 - rows["trust"] / rows["large trust"]
    rows["distortion gained"] = rows["distortion"] / rows["large distortion"] - 1
    by = ["table", "coordinates", "way", "size"]
    found = rows.groupby(by, sort=False).mean(numeric_only=True).reset_index()
    worst = rows.groupby(by, sort=False)[["trust lost", "distortion gained"]].max()
    found["worst"] = worst.max(axis=1).to_numpy()
    return found


def write_table(found: pd.DataFrame) -> None:
    """Write the report."""
    text = ["# Distillation", "", "Made by `benchmarks/distill.py`: the plain map of"]
    text += ["500 trees on 70 % of up to 7,000 rows, judged by the rest; means of two"]
    text += ["seeds. Trustworthiness (at 20 neighbours, beside the standardised table)"]
    text += ["and distortion as changes relative to the large model; `worst` is the"]
    text += ["larger loss of the two in the worse seed, bold if above 1 %. Files are"]
    text += ["those of `save(drop_training=True)`. Speed of placing rows, one thread."]
    for (table, coordinates), part in found.groupby(
        ["table", "coordinates"], sort=False
    ):
        first = part.iloc[0]
        text += ["", f"## {table}, {coordinates} coordinates", ""]
        text += [f"{first.rows:,.0f} rows, {first.new:,.0f} new ones. Large model:"]
        text += [f"file {first['large bytes'] / 1e6:.1f} MB, trustworthiness"]
        text += [f"{first['large trust']:.4f}, distortion"]
        text += [f"{first['large distortion']:.4f}.", ""]
        text += ["| way | size | file | trees | speed | R² of coordinates | trust | "]
        text[-1] += "distortion | worst | same predictions | seconds |"
        text += ["|---|---|---|---|---|---|---|---|---|---|---|"]
        for row in part.to_dict("records"):
            worst = f"{row['worst']:.2%}"
            same = row["predictions"]
            cells = row["way"], f"1/{1 / row['size']:.0f}", f"{row['file']:.3f}"
            cells += f"{row['trees']:.0f}", f"{row['speed']:.1f}×"
            cells += f"{row['agreement']:.4f}", f"{-row['trust lost']:+.2%}"
            cells += (f"{row['distortion gained']:+.2%}",)
            cells += (f"**{worst}**" if row["worst"] > ABOUT else worst,)
            cells += "" if np.isnan(same) else f"{same:.1%}", f"{row['seconds']:.0f}"
            text += [f"| {' | '.join(cells)} |"]
    RESULTS.write_text("\n".join(text) + "\n", encoding="utf-8")


def draw(found: pd.DataFrame) -> None:
    """Draw what is lost along the size of the file."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, key, title in (
        (left, "distortion gained", "more distortion"),
        (right, "trust lost", "less trustworthiness"),
    ):
        for way, colour in zip(WAYS, ("#1b6ca8", "#c0504d"), strict=True):
            chosen = found[found["way"] == way]
            for number, (_, part) in enumerate(
                chosen.groupby(["table", "coordinates"], sort=False)
            ):
                name = {"distill": "distill()", "first trees": "first trees"}[way]
                axes.plot(
                    part["file"],
                    100 * part[key],
                    marker="o",
                    markersize=4,
                    color=colour,
                    alpha=0.75,
                    label=None if number else name,
                )
        axes.axhline(1, color="0.5", linewidth=1, linestyle=":")
        axes.set_xscale("log", base=2)
        axes.set_xticks(SIZES, [f"1/{1 / size:.0f}" for size in SIZES])
        axes.invert_xaxis()
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks([-1, 0, 1, 10, 50], ["−1", "0", "+1", "+10", "+50"])
        axes.set_ylim(-3, 80)
        axes.set_xlabel("size of the file, as a share")
        axes.set_ylabel("% of the large model's")
        axes.set_title(f"{title} of new rows")
    right.legend(loc="upper left", frameon=False)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


def main() -> None:
    """Measure what is not there yet, then report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--again", action="store_true", help="also what is there")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    done = set() if args.again else {tuple(r[k] for k in KEY) for r in stored()}
    for name in args.tables:
        for n_components in COORDINATES:
            for seed in SEEDS:
                wanted = [
                    key
                    for way in WAYS
                    for size in SIZES
                    if (key := (name, n_components, seed, way, size)) not in done
                ]
                setting = fit(name, n_components, seed) if wanted else None
                for key in wanted:
                    found = measure(setting, *key[3:])
                    store(dict(zip(KEY, key, strict=True)) | found)
    found = means()
    write_table(found)
    draw(found)


if __name__ == "__main__":
    main()
