"""What each ingredient of a faithful model buys, and what it costs.

    python benchmarks/ingredients.py

Six tables of three kinds, the authors' first bootstrap, two compression factors; one
ingredient after the other. Writes ``benchmarks/results/ingredients.md`` and ``.png``.
"""

import time
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from data import load_split, n_components
from latentforest import RFAE, AutoDecoder, CompletelyRandomForest, Refinement
from latentforest.metrics import distortion
from pca import MixedPCA

RESULTS = Path(__file__).parent / "results"
KINDS = {
    "numbers": ("banknote", "abalone"),
    "mixed": ("credit", "obesity"),
    "categories": ("car", "mushroom"),
}
FACTORS = (0.2, 0.5)


def small_leaves() -> CompletelyRandomForest:
    """Return the forest that all refinements below start from."""
    return CompletelyRandomForest(200)


MODELS = {
    "paper": lambda k: RFAE.paper(k, random_state=1),
    "+ decoder='auto'": lambda k: RFAE(k, forest="adversarial", random_state=1),
    "+ completely random forest": lambda k: RFAE(
        k, forest=small_leaves(), random_state=1
    ),
    "+ search for new rows": lambda k: RFAE(
        k, forest=small_leaves(), refine=Refinement(0, start="forest"), random_state=1
    ),
    "+ 8 rounds of refinement": lambda k: RFAE(
        k, forest=small_leaves(), refine=Refinement(8, start="forest"), random_state=1
    ),
    "the same from a linear start": lambda k: RFAE(
        k, forest=small_leaves(), refine=Refinement(8, start="linear"), random_state=1
    ),
    "the same from a layout": lambda k: RFAE(
        k,
        forest=small_leaves(),
        refine=Refinement(8, start="neighbours"),
        random_state=1,
    ),
    "RFAE.auto": lambda k: RFAE.auto(k, random_state=1),
}


def run_model(name: str, train: pd.DataFrame, test: pd.DataFrame, size: int) -> float:
    """Distortion of new rows."""
    model = MODELS[name](size).set_params(unseen="nearest").fit(train)
    return distortion(test, model.reconstruct(test), kinds=model.schema_).mean


def run_pca(
    train: pd.DataFrame, test: pd.DataFrame, size: int, *, plain: bool
) -> float:
    """Distortion of new rows under principal components."""
    model = MixedPCA().fit(train)
    known, new = model.transform(train)[:, :size], model.transform(test)[:, :size]
    if plain:
        rows = model.inverse_transform(new)
    else:
        rows = AutoDecoder().fit(known, train, random_state=1).predict(new)
    return distortion(test, rows, kinds=model.codec.schema_).mean


def measure() -> pd.DataFrame:
    """One row per table, factor and variant."""
    rows = []
    for kind, names in KINDS.items():
        for name in names:
            train, test = load_split(name, 1)
            for factor in FACTORS:
                size = n_components(train.shape[1], factor)
                jobs = {"PCA": lambda *a: run_pca(*a, plain=True)}
                jobs["PCA, decoder='auto'"] = lambda *a: run_pca(*a, plain=False)
                for variant in MODELS:
                    jobs[variant] = lambda *a, v=variant: run_model(v, *a)
                for variant, job in jobs.items():
                    start = time.perf_counter()
                    lost = job(train, test, size)
                    seconds = time.perf_counter() - start
                    rows.append((kind, name, factor, variant, lost, seconds))
                    print(*rows[-1], flush=True)
    columns = ["kind", "table", "factor", "variant", "distortion", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def draw(means: pd.DataFrame) -> None:
    """Draw one line per kind of table, from the paper's model to ours."""
    figure = Figure(figsize=(12, 4), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for ax, kind in zip(axes, KINDS, strict=True):
        part = means[kind]
        colours = [
            "0.6" if name.startswith("PCA") else "#0072B2" for name in part.index
        ]
        ax.barh(range(len(part))[::-1], part, color=colours, height=0.7)
        ax.set_yticks(range(len(part))[::-1], part.index)
        ax.set(title=f"{kind} ({', '.join(KINDS[kind])})", xlabel="distortion")
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(RESULTS / "ingredients.png", dpi=120)


def main() -> None:
    """Measure, write, draw."""
    warm_up = load_split("banknote", 1)
    run_model("RFAE.auto", *warm_up, 2)  # compile
    run_model("paper", *warm_up, 2)
    rows = measure()
    order = list(dict.fromkeys(rows.variant))
    means = rows.pivot_table(index="variant", columns="kind", values="distortion")
    means = means.loc[order, list(KINDS)]
    seconds = rows.groupby("variant").seconds.sum().loc[order]
    lines = [
        "# What each ingredient buys",
        "",
        "Made by `benchmarks/ingredients.py`: mean distortion of new rows, "
        f"bootstrap 1, factors {' and '.join(map(str, FACTORS))}; tables: "
        + "; ".join(f"{kind}: {', '.join(names)}" for kind, names in KINDS.items())
        + ". Each line adds to the one before it; time is that of fit, encoding and "
        "decoding together, over the paper's.",
        "",
        "| | " + " | ".join(KINDS) + " | time / paper's |",
        "|---|---|---|---|---|",
    ]
    for name in order:
        cells = " | ".join(f"{means.loc[name, kind]:.3f}" for kind in KINDS)
        lines.append(f"| {name} | {cells} | {seconds[name] / seconds['paper']:.2f} |")
    (RESULTS / "ingredients.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    draw(means)


if __name__ == "__main__":
    main()
