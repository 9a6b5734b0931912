"""Ways to bring the cells of two studies together; each gives points of all cells."""

import sys
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from cells_data import NAMES, Cells
from latentforest import RFAE, CompletelyRandomForest, KNNDecoder

try:
    import harmonypy
except ModuleNotFoundError:
    sys.exit("'harmonypy' is needed here. Install it with: pip install harmonypy")

Found = Iterator[tuple[str, np.ndarray]]
STRONGER = {"theta": [4.0], "sigma": 0.2, "nclust": 15}
SHARE = 100 / 2874  # the paper's neighbours, of the cells of its study
N_PASSES = 4


def components(values: np.ndarray, n_components: int = 20) -> np.ndarray:
    """Principal components of all cells."""
    return PCA(n_components, random_state=0).fit_transform(values)


def as_they_are(cells: Cells, seed: int) -> Found:
    """Nothing is done."""
    yield "as they are", components(cells.values)


def harmony(cells: Cells, seed: int) -> Found:
    """Move principal components with harmonypy: as it comes, and stronger."""
    for n_components in (20, 50):
        before = components(cells.values, n_components)
        name = f"harmony, {n_components} components"
        yield name, components(harmonised(before, cells, seed))
    before = components(cells.values)
    yield "harmony, stronger", harmonised(before, cells, seed, **STRONGER)


def harmonised(
    before: np.ndarray, cells: Cells, seed: int, **more: object
) -> np.ndarray:
    """Principal components as harmonypy corrects them."""
    meta = pd.DataFrame({"study": cells.study})
    found = harmonypy.run_harmony(
        before, meta, ["study"], random_state=seed, verbose=False, **more
    )
    after = found.Z_corr
    return after if after.shape == before.shape else after.T


def fitted(values: np.ndarray, seed: int) -> RFAE:
    """Fit the paper's model of cells."""
    return RFAE(
        64,
        forest=CompletelyRandomForest(1000),
        decoder=KNNDecoder(100),
        random_state=seed,
    ).fit(values)


def grown_on_one(cells: Cells, seed: int) -> Found:
    """Autoencode all cells by a model of one study, the paper's way."""
    for base in cells.studies:
        own = cells.study == base
        model = fitted(cells.values[own], seed)
        coords = model.transform(cells.values)
        coords[own] = model.embedding_
        as_new = coords.copy()
        as_new[own] = model.leave_one_out()
        name = f"RFAE, grown on {NAMES[base]}"
        yield name, components(model.inverse_transform(coords))
        yield f"{name}, all as if new", components(model.inverse_transform(as_new))
        yield f"{name}, coordinates", components(coords)


def decoded_by_each(
    cells: Cells, values: np.ndarray, coords: np.ndarray, queries: np.ndarray
) -> list[np.ndarray]:
    """All cells, decoded by the cells of the first study, and by those of the other."""
    made = []
    for study in cells.studies:
        own = cells.study == study
        decoder = KNNDecoder(round(SHARE * own.sum()), prototypes="rows")
        made.append(decoder.fit(coords[own], values[own]).predict(queries))
    return made


def in_equal_parts(cells: Cells, seed: int) -> Found:
    """Decode each cell half by the cells of one study, half by those of the other."""
    values = components(cells.values)
    for step in range(N_PASSES):
        coords = fitted(values, seed).embedding_
        values = np.mean(decoded_by_each(cells, values, coords, coords), axis=0)
        yield f"RFAE, in equal parts, pass {step + 1}", components(values)


def genes_in_equal_parts(cells: Cells, seed: int) -> Found:
    """Decode in equal parts, with a forest of genes instead of components."""
    coords = fitted(cells.values, seed).embedding_
    made = np.mean(decoded_by_each(cells, cells.values, coords, coords), axis=0)
    yield "RFAE, in equal parts, of genes", components(made)


def moved(cells: Cells, seed: int) -> Found:
    """Move cells by half of what the studies, decoded where the cell is, differ by."""
    values = components(cells.values)
    sign = np.where(cells.study == cells.studies[0], 0.5, -0.5)[:, np.newaxis]
    for step in range(N_PASSES):
        model = fitted(values, seed)
        first, other = decoded_by_each(
            cells, values, model.embedding_, model.leave_one_out()
        )
        values = values + sign * (other - first)
        yield f"RFAE, moved, pass {step + 1}", components(values)


WAYS: tuple[Callable[[Cells, int], Found], ...] = (
    as_they_are,
    harmony,
    grown_on_one,
    in_equal_parts,
    genes_in_equal_parts,
    moved,
)
