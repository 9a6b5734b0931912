"""A model that went through a file is the same model, bit for bit."""

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

import latentforest.decode
from files.model_cases import (
    HOLED,
    MODELS,
    NUMBERS,
    assert_same_model,
    assert_same_uncertainty,
    fitted,
    model_of,
    rows_of,
    same_bits,
)
from latentforest import (
    RFAE,
    CompletelyRandomForest,
    DiffusionMap,
    KNNDecoder,
    Refinement,
    SpectrumWarning,
)
from latentforest._base._errors import ModelFileError
from latentforest.decode import AutoDecoder, Decoder
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._saved_map import shortened
from latentforest.files import describe, load_model, save_model
from latentforest.forest import StoredForest
from mixed_tables import LAW, frames


def reload(model, folder, **options):
    return load_model(save_model(model, folder / "model.lf", **options), type(model))


@pytest.fixture(params=MODELS)
def case(request):
    return request.param


def test_all_answers_are_the_same(case, tmp_path):
    assert_same_model(model_of(case), reload(model_of(case), tmp_path))


@pytest.mark.filterwarnings("ignore:the trees of this model .* cannot be grown again")
def test_uncertainty_is_the_same(case, tmp_path):
    model = model_of(case)
    if isinstance(model.decoder_, AutoDecoder | NeighbourDecoder):
        assert_same_uncertainty(model, reload(model, tmp_path))


def test_truncated_models_are_the_same(case, tmp_path):
    model, again = model_of(case), reload(model_of(case), tmp_path)
    small, small_again = model.truncate(1), again.truncate(1)
    rows = rows_of(model)
    coords = small.transform(rows)
    assert same_bits(small_again.transform(rows), coords)
    assert small_again.inverse_transform(coords).equals(small.inverse_transform(coords))
    stored = reload(small, tmp_path)
    assert same_bits(stored.transform(rows), coords)
    assert stored.inverse_transform(coords).equals(small.inverse_transform(coords))


def test_saving_again_gives_the_same_bytes(case, tmp_path):
    model = model_of(case)
    one = save_model(model, tmp_path / "one.lf").read_bytes()
    assert save_model(model, tmp_path / "two.lf").read_bytes() == one
    again = load_model(tmp_path / "one.lf", RFAE)
    assert save_model(again, tmp_path / "three.lf").read_bytes() == one


def test_settings_are_kept(case, tmp_path):
    model, again = model_of(case), reload(model_of(case), tmp_path)
    one, two = model.get_params(), again.get_params()
    if isinstance(again.forest, StoredForest):
        one = {key: value for key, value in one.items() if "forest" not in key}
        two = {key: value for key, value in two.items() if "forest" not in key}
    assert {key: repr(value) for key, value in two.items()} == {
        key: repr(value) for key, value in one.items()
    }
    assert repr(again.kernel_.grower_) == repr(model.kernel_.grower_) or isinstance(
        again.kernel_.grower_, StoredForest
    )


@pytest.mark.parametrize("drop_training", [False, True])
@pytest.mark.parametrize("case", ["adversarial", "landmarks", "scornet", "refined"])
def test_compact_files_lose_digits_of_coordinates(case, drop_training, tmp_path):
    model = model_of(case)
    options = {"drop_training": drop_training}
    whole = save_model(model, tmp_path / "whole.lf", **options)
    path = model.save(tmp_path / "compact.lf", compact=True, **options)
    assert (describe(path).compact, describe(whole).compact) == (True, False)
    again, rows = RFAE.load(path), rows_of(model)
    wanted, found = model.transform(rows), again.transform(rows)
    assert path.stat().st_size < whole.stat().st_size
    if case == "refined":
        assert same_bits(found, wanted)
    else:
        assert not same_bits(found, wanted)
        assert np.abs(found - wanted).max() < 3e-7 * np.abs(wanted).max()


def test_numbers_too_large_for_single_precision_stay_as_they_are():
    huge = np.array([[1e39, 0.1]])
    assert same_bits(shortened(huge, compact=True), huge)
    assert shortened(huge / 100, compact=True).dtype == np.float32


def test_the_map_of_a_refined_model_is_not_worked_out_to_be_stored(
    tmp_path, monkeypatch
):
    model = fitted(n_components=3, refine=Refinement(1, n_neighbors=8, start="linear"))
    with monkeypatch.context() as patched:
        patched.setattr(DiffusionMap, "fit", pytest.fail)
        patched.setattr(PlainMap, "worked_out", pytest.fail)
        small = model.truncate(2)
        again = reload(small, tmp_path)
        again.truncate(1).transform(HOLED)
    names = [member.name for member in describe(tmp_path / "model.lf").members]
    assert not [name for name in names if name.startswith("map/")]
    # Asked for, it is the same; of the three coordinates that were fitted.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        assert same_bits(again.eigenvalues_, model.eigenvalues_[:2])
        assert same_bits(again.map_.embedding_, model.map_.embedding_[:, :2])


def test_leaf_tables_are_worked_out_again_unless_they_were_fitted(case, tmp_path):
    model, again = model_of(case), reload(model_of(case), tmp_path)
    if model.encoder_.asks_map:
        names = [member.name for member in describe(tmp_path / "model.lf").members]
        was_fitted = model.distillation_ is not None
        assert ("map/leaf_values.npy" in names) == was_fitted
        table, other = model.encoder_.plain.leaf_table, again.encoder_.plain.leaf_table
        assert same_bits(other.values, table.values)
        assert same_bits(other.degree, table.degree)


CODE = """
import sys
from pathlib import Path
import numpy as np
import pandas as pd
from latentforest import RFAE
from latentforest.files import load_model
for path in map(Path, sys.argv[1:]):
    model = load_model(path, RFAE)
    rows = pd.read_pickle(path.with_suffix(".rows"))
    coords = model.transform(rows)
    np.save(path.with_suffix(".npy"), coords)
    model.inverse_transform(coords).to_pickle(path.with_suffix(".decoded"))
assert "sklearn.ensemble" not in sys.modules
"""


def test_another_process_gives_the_same_bits(tmp_path):
    cases = "completely random", "refined", "sklearn classes", "lasso"
    paths = [save_model(model_of(case), tmp_path / f"{case}.lf") for case in cases]
    for case, path in zip(cases, paths, strict=True):
        rows_of(model_of(case)).to_pickle(path.with_suffix(".rows"))
    subprocess.run([sys.executable, "-c", CODE, *map(str, paths)], check=True)
    for case, path in zip(cases, paths, strict=True):
        model = model_of(case)
        coords = model.transform(rows_of(model))
        assert same_bits(np.load(path.with_suffix(".npy")), coords)
        decoded = pd.read_pickle(path.with_suffix(".decoded"))
        assert decoded.equals(model.inverse_transform(coords))


@settings(LAW, max_examples=15)
@given(frames(), st.booleans())
def test_any_table_comes_back(frame, refine):
    model = fitted(
        table=frame,
        n_components=1,
        forest=CompletelyRandomForest(3, min_samples_leaf=2),
        decoder="local_linear",
        refine=Refinement(1, n_neighbors=3) if refine else None,
    )
    with TemporaryDirectory() as folder:
        again = reload(model, Path(folder))
    coords = model.transform(frame)
    assert same_bits(again.transform(frame), coords)
    assert again.inverse_transform(coords).equals(model.inverse_transform(coords))


def test_the_doors_of_the_model(tmp_path):
    model = model_of("knn draw")
    path = model.save(tmp_path / "model.lf")
    assert_same_model(model, RFAE.load(path))
    assert isinstance(RFAE.load(str(model.save(path, drop_training=True))), RFAE)


def polars_table():
    table = pl.from_pandas(HOLED[["length", "count", "flag", "name"]])
    grade = pl.from_pandas(HOLED["grade"].astype("string"))
    extra = [
        grade.cast(pl.Enum(["low", "mid", "high", "top"])),
        table["name"].cast(pl.Categorical).alias("kind"),
        pl.Series("short", HOLED["few"].to_list(), dtype=pl.UInt8),
        pl.Series("nothing", [None] * len(HOLED)),
    ]
    return table.with_columns(extra)


def arrow_table():
    table = pa.Table.from_pandas(HOLED, preserve_index=False)
    return table.append_column("nothing", pa.nulls(len(HOLED)))


def odd_frame():
    return pd.DataFrame(
        {
            ("multi", 1): HOLED["area"].to_numpy(),
            3: HOLED["few"].to_numpy(),
            2.5: HOLED["flag"].astype(object).to_numpy(),
            True: pd.array(HOLED["length"], dtype="Float32"),
            None: pd.array(HOLED["name"], dtype="string[python]"),
            "<b>ü\ud800": HOLED["name"].astype(object).to_numpy(),
            "order": pd.Categorical(HOLED["few"], [3, 2, 1, 0], ordered=True),
            "arrow": pd.array(HOLED["count"], dtype="int16[pyarrow]"),
            "words": HOLED["name"].astype(pd.ArrowDtype(pa.string())).array,
            "gone": [None] * len(HOLED),
        }
    )


TABLES = {
    "polars": polars_table(),
    "pyarrow": arrow_table(),
    "odd pandas": odd_frame(),
    "floats": NUMBERS[["a", "d"]].to_numpy(np.float32),
    "integers": NUMBERS[["b", "d"]].to_numpy(np.int16),
    "booleans": HOLED[["flag"]].to_numpy(),
    "text": HOLED[["flag", "few"]].astype(str).to_numpy(str),
    "objects": HOLED[["length", "name", "flag"]].astype(object).to_numpy(),
    "swapped": NUMBERS[["a", "d"]].to_numpy(np.dtype(">f8")),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_comes_back(name, tmp_path):
    table = TABLES[name]
    model = fitted(table=table, n_components=1, decoder="knn")
    again = reload(model, tmp_path)
    coords = model.transform(table)
    assert same_bits(again.transform(table), coords)
    one, two = model.inverse_transform(coords), again.inverse_transform(coords)
    assert type(two) is type(one)
    if isinstance(one, np.ndarray):
        assert two.dtype == one.dtype
        assert pd.DataFrame(two).equals(pd.DataFrame(one))
    else:
        assert two.equals(one)
        assert again.schema_ == model.schema_


def test_a_column_named_nan_can_be_used_again(tmp_path):
    def table():
        names = ["a", float("nan"), ("b", float("nan"))]
        columns = pd.Index(names, tupleize_cols=False)
        return NUMBERS[["a", "b", "d"]].set_axis(columns, axis=1)

    model = fitted(table=table(), decoder="knn", kinds={float("nan"): "integer"})
    again = reload(model, tmp_path)
    assert again.schema_ == model.schema_
    coords = again.transform(table())
    assert same_bits(coords, model.transform(table()))
    assert again.inverse_transform(coords).equals(model.inverse_transform(coords))
    assert same_bits(clone(again).fit(table()).embedding_, model.embedding_)


def test_pickles_and_copies_keep_working(tmp_path):
    model = model_of("completely random")
    again = reload(model, tmp_path)
    for source in (model, again):
        assert_same_model(model, pickle.loads(pickle.dumps(source)))
        assert_same_model(model, copy.deepcopy(source))
    dropped = reload(model, tmp_path, drop_training=True)
    for other in (pickle.loads(pickle.dumps(dropped)), copy.deepcopy(dropped)):
        assert same_bits(other.transform(HOLED), model.transform(HOLED))


def test_a_foreign_forest_can_be_fitted_again(tmp_path):
    model = model_of("sklearn classes")
    again = reload(model, tmp_path)
    assert isinstance(again.forest, StoredForest)
    assert "RandomForestClassifier" in again.forest.source
    leaves = model.forest.apply(NUMBERS)
    np.testing.assert_array_equal(again.forest.apply(NUMBERS), leaves)
    refitted = clone(again).fit(NUMBERS)
    assert same_bits(refitted.embedding_, model.embedding_)
    with pytest.raises(ValueError, match=r"RandomForestClassifier.*cannot be grown"):
        again.forest.fit(NUMBERS)


def test_fitted_forests_of_ours_are_kept_whole(tmp_path):
    again = reload(model_of("own fitted"), tmp_path)
    assert isinstance(again.forest, CompletelyRandomForest)
    assert again.forest is again.kernel_.grower_
    frozen = fitted(forest=FrozenEstimator(again.forest), decoder="knn")
    assert isinstance(reload(frozen, tmp_path).forest, FrozenEstimator)


@pytest.mark.parametrize("case", ["classes", "named classes", "regression"])
def test_supervised_forests_predict_as_before(case, tmp_path):
    model, again = model_of(case), reload(model_of(case), tmp_path)
    one = model.kernel_.grower_.predict(HOLED)
    assert same_bits(again.kernel_.grower_.predict(HOLED), one)


def test_output_as_a_frame_is_kept(tmp_path):
    model = fitted(decoder="knn").set_output(transform="pandas")
    again = reload(model, tmp_path)
    assert again.transform(HOLED).equals(model.transform(HOLED))


def test_generators_are_not_kept_but_the_fit_is(tmp_path):
    rng = np.random.default_rng(0)
    model = RFAE(2, forest=CompletelyRandomForest(5, random_state=rng), decoder="knn")
    model = model.set_params(random_state=rng).fit(HOLED)
    again = reload(model, tmp_path)
    assert again.random_state is None
    assert again.forest.random_state is None
    assert_same_model(model, again)


class Mine(KNNDecoder):
    """A decoder that no file can name."""


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "model.lf"
    with pytest.raises(NotFittedError):
        save_model(RFAE(), path)
    model = fitted(decoder=Mine())
    with pytest.raises(ModelFileError, match="Mine, which is not part of latentforest"):
        save_model(model, path)
    model = fitted(decoder="knn").set_params(
        forest=CompletelyRandomForest(5).fit(HOLED)
    )
    with pytest.raises(ModelFileError, match=r"not the forest .* fitted with"):
        save_model(model, path)
    days = HOLED[["length", "few"]].set_axis(pd.date_range("2020", periods=2), axis=1)
    with pytest.raises(ModelFileError, match=r"column name .* is a Timestamp"):
        save_model(fitted(table=days, decoder="knn"), path)
    assert not path.exists()
    assert not list(tmp_path.iterdir())


def test_every_decoder_and_setting_is_covered():
    decoders = {type(model_of(case).decoder_) for case in MODELS}
    known = set()
    waiting = [Decoder]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        known.add(kind)
    named = {
        kind for kind in known if kind.__module__.startswith("latentforest.decode")
    }
    abstract = {"Decoder", "NeighbourDecoder", "LeafDecoder", "KernelLeafDecoder"}
    abstract.add("SpreadingDecoder")
    abstract.add("RegionDecoder")  # it decodes leaves, which RFAE has none of
    assert decoders == {kind for kind in named if kind.__name__ not in abstract}
    assert any(isinstance(model_of(case).refine, Refinement) for case in MODELS)


class YoungerModel(RFAE):
    """A copy of the class with a parameter that older files do not have."""

    def __init__(
        self,
        n_components=2,
        *,
        forest="adversarial",
        decoder="auto",
        refine=None,
        diffusion_time=1.0,
        kernel="rf",
        tree_weights=None,
        landmarks=None,
        max_samples=100_000,
        kinds=None,
        unseen="error",
        random_state=None,
        n_jobs=None,
        verbose=False,
        row_weights="equal",
    ):
        super().__init__(
            n_components,
            forest=forest,
            decoder=decoder,
            refine=refine,
            diffusion_time=diffusion_time,
            kernel=kernel,
            tree_weights=tree_weights,
            landmarks=landmarks,
            max_samples=max_samples,
            kinds=kinds,
            unseen=unseen,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.row_weights = row_weights


YoungerModel.__name__ = "RFAE"


@pytest.mark.parametrize("case", ["auto", "refined", "knn draw", "landmarks"])
def test_a_parameter_that_is_younger_than_the_file_gets_its_default(case, tmp_path):
    model = model_of(case)
    path = save_model(model, tmp_path / "old.lf")
    again = load_model(path, YoungerModel)
    assert again.row_weights == "equal"
    assert_same_model(model, again)
    # And from then on it is kept.
    again.set_params(row_weights="other")
    once_more = load_model(save_model(again, path), YoungerModel)
    assert once_more.row_weights == "other"
    with pytest.raises(ModelFileError, match="RFAE has no parameter 'row_weights'"):
        load_model(path, RFAE)


def test_younger_parameters_of_parts_get_their_defaults(tmp_path, monkeypatch):
    class KNNDecoder(latentforest.decode.KNNDecoder):
        def __init__(
            self,
            n_neighbors=20,
            *,
            prototypes="draw",
            metric="plain",
            search="exact",
            n_jobs=None,
        ):
            super().__init__(
                n_neighbors, prototypes=prototypes, search=search, n_jobs=n_jobs
            )
            self.metric = metric

    path = save_model(model_of("knn draw"), tmp_path / "old.lf")
    monkeypatch.setitem(latentforest.decode.DECODERS, "knn", KNNDecoder)
    again = load_model(path, RFAE)
    assert again.decoder_.metric == again.decoder.metric == "plain"
    assert_same_model(model_of("knn draw"), again)
