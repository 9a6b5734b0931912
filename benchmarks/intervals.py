"""Coverage of 90 % intervals on new rows, and what the choice of decoder costs.

    python benchmarks/intervals.py

Fits on the first bootstraps of seven tables and looks at the rows left out; writes
``benchmarks/results/intervals.md``.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from data import load_split, n_components
from latentforest import RFAE, AdversarialForest

TABLES = ("abalone", "banknote", "churn", "credit", "diabetes", "obesity", "wq")
RUNS = (1, 2, 3)
FACTOR = 0.3
COVERAGE = 0.9


def fit(train: pd.DataFrame, decoder: str, run: int) -> tuple[RFAE, float]:
    """Fit, and return the seconds it took."""
    size = n_components(train.shape[1], FACTOR)
    forest = AdversarialForest(500)
    model = RFAE(size, forest=forest, decoder=decoder, random_state=run)
    start = time.perf_counter()
    model.set_params(unseen="nearest").fit(train)
    return model, time.perf_counter() - start


def covered(model: RFAE, test: pd.DataFrame) -> float:
    """Share of the numbers of new rows that lie in their interval."""
    coords = model.transform(test)
    _, sure = model.inverse_transform(coords, return_uncertainty=True)
    lower, upper = sure.interval(COVERAGE)
    numbers = test[list(lower.columns)].to_numpy(float)
    return float(np.mean((numbers >= lower) & (numbers <= upper)))


def main() -> None:
    """Write the table."""
    lines = [
        "# Coverage of 90 % intervals on rows left out of the bootstrap",
        "",
        f"Mean over runs {', '.join(map(str, RUNS))} and all numbers, latent size "
        f"{FACTOR} of the columns, adversarial forest of 500 trees; in brackets the "
        "smallest and largest run. Fit: seconds with `decoder='knn'` and with "
        "`decoder='auto'`.",
        "",
        "| table | knn | local linear | auto | fit, knn | fit, auto | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    fit(load_split("banknote", 1).train, "auto", 1)  # compile
    for table in TABLES:
        shares: dict[str, list[float]] = {}
        seconds: dict[str, list[float]] = {}
        for run in RUNS:
            train, test = load_split(table, run)
            for decoder in ("knn", "local_linear", "auto"):
                model, took = fit(train, decoder, run)
                seconds.setdefault(decoder, []).append(took)
                shares.setdefault(decoder, []).append(covered(model, test))
        cells = [
            f"{np.mean(share):.3f} ({min(share):.3f}–{max(share):.3f})"
            for share in shares.values()
        ]
        knn, auto = np.mean(seconds["knn"]), np.mean(seconds["auto"])
        cells += [f"{knn:.1f} s", f"{auto:.1f} s", f"{auto / knn:.2f}"]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    path = Path(__file__).parent / "results" / "intervals.md"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
