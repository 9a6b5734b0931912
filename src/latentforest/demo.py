"""The main job on a real table: encode and decode the Palmer penguins."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from latentforest import RFAE, plot
from latentforest._base._complete import completed
from latentforest._base._optional import require

FOLDER = "latentforest-demo"


def load_penguins() -> Any:
    """Palmer penguins (Horst, Hill and Gorman, CC0): 344 rows, 8 mixed columns."""
    return require("palmerpenguins", extra="demo").load_penguins()


def run_demo(folder: str | PathLike[str] = FOLDER) -> None:
    """Fit on three quarters of the penguins, reconstruct the rest, show both.

    Writes the table, the model, a picture and the explorer page, and says on standard
    output what it finds and what to try next.

    Parameters
    ----------
    folder : path, default="latentforest-demo"
        Where to put the files; it is made if need be.
    """
    table = load_penguins()
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    files = {s: place / f"penguins{s}" for s in (".csv", ".lf", ".png", ".html")}

    held_out = np.random.default_rng(0).random(len(table)) < 0.25
    train, test = table[~held_out], table[held_out]
    print(f"Penguins: {len(table)} rows, {table.shape[1]} columns, some cells missing.")
    print("The first fit compiles the loops, which takes about half a minute.\n")
    with completed(files[".csv"]) as unfinished:
        table.to_csv(unfinished, index=False)

    model = RFAE(n_components=2, random_state=0).fit(train)
    print(model.schema_.report(), "\n")

    reconstructed = model.reconstruct(test)
    print(
        f"{len(test)} penguins the model has not seen, squeezed into 2 numbers each "
        f"and back:\n\n{model.distortion(test)}\n"
    )
    model.save(files[".lf"])
    with completed(files[".png"]) as unfinished:
        picture = draw(model, test, reconstructed)
        picture.savefig(unfinished, dpi=150, format="png")
    model.explore(table, files[".html"], color_by="species", title="Palmer penguins")
    print(
        f"{files['.csv']}   the table\n"
        f"{files['.lf']}    the model\n"
        f"{files['.png']}   latent space, originals and reconstructions\n"
        f"{files['.html']}  the latent space to walk through: open it in a browser\n"
    )
    new = place / "new"
    print(
        "Try next:\n\n"
        f"  latentforest inspect {files['.lf']}\n"
        f"  latentforest encode {files['.lf']} {files['.csv']} -o {new}.csv\n"
        f"  latentforest fit {files['.csv']} -o {new}.lf --components 3 --drop year"
    )


def draw(model: RFAE, test: Any, reconstructed: Any) -> Any:
    """Draw the latent space, and the new rows before and after."""
    plt = require("matplotlib.pyplot", extra="plot")
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
    latent = model.transform(test)
    plot.scatter(latent[:, 0], latent[:, 1], test["species"], ax=axes[0])
    axes[0].scatter(*model.embedding_.T, s=6, color="0.8", zorder=0, label="training")
    axes[0].set(title="Latent space", xlabel="z1", ylabel="z2")
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
