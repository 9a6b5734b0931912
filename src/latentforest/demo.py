"""The main job on a real table: encode and decode the Palmer penguins."""

import sys
from typing import Any

import numpy as np

from latentforest import RFAE, plot
from latentforest._base._optional import require
from latentforest.metrics import distortion


def load_penguins() -> Any:
    """Palmer penguins (Horst, Hill and Gorman, CC0): 344 rows, 8 mixed columns."""
    return require("palmerpenguins", extra="demo").load_penguins()


def main(argv: list[str] | None = None) -> int:
    """Fit on three quarters of the penguins, reconstruct the rest, draw both."""
    arguments = sys.argv[1:] if argv is None else argv
    path = arguments[0] if arguments else "penguins_latent.png"

    table = load_penguins()
    held_out = np.random.default_rng(0).random(len(table)) < 0.25
    train, test = table[~held_out], table[held_out]
    print(f"Penguins: {len(table)} rows, {table.shape[1]} columns, some cells missing.")
    print("The first fit compiles the loops, which takes about half a minute.\n")

    model = RFAE(n_components=2, random_state=0).fit(train)
    print(model.schema_.report(), "\n")

    reconstructed = model.reconstruct(test)
    print(
        f"{len(test)} penguins the model has not seen, squeezed into 2 numbers each "
        f"and back:\n\n{distortion(test, reconstructed, kinds=model.schema_)}\n"
    )
    draw(model, test, reconstructed).savefig(path, dpi=150)
    print(f"Picture of the latent space, originals and reconstructions: {path}")
    return 0


def draw(model: RFAE, test: Any, reconstructed: Any) -> Any:
    """Draw the latent space, and the new rows before and after."""
    plt = require("matplotlib.pyplot", extra="plot")
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
    latent = model.transform(test)
    plot.scatter(latent[:, 0], latent[:, 1], test["species"], ax=axes[0])
    axes[0].scatter(*model.embedding_.T, s=6, color="0.8", zorder=0, label="training")
    axes[0].set(title="Latent space", xlabel="KPC 1", ylabel="KPC 2")
    axes[0].legend(frameon=False)
    for ax, rows, title in (
        (axes[1], test, "New penguins: originals"),
        (axes[2], reconstructed, "… reconstructed from two numbers"),
    ):
        plot.scatter(
            rows["flipper_length_mm"], rows["bill_length_mm"], rows["species"], ax=ax
        )
        ax.set(title=title, xlabel="flipper length (mm)", ylabel="bill length (mm)")
    for name in ("xlim", "ylim"):
        axes[2].set(**{name: getattr(axes[1], f"get_{name}")()})
    return figure


if __name__ == "__main__":
    sys.exit(main())
