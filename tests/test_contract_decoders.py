"""One contract for every decoder: what comes back is a legal row of the table."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from latentforest import (
    RFAE,
    AutoDecoder,
    CompletelyRandomForest,
    EForest,
    ILPDecoder,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    PackedDecoder,
    Refinement,
    RelabelDecoder,
)
from mixed_tables import mixed_frame

# Every decoder of the package is listed here, in all settings that matter.
DECODERS = [
    KNNDecoder(n_neighbors, prototypes=prototypes)
    for prototypes in ("draw", "middle", "rows")
    for n_neighbors in (1, 5, 1000)
]
DECODERS += [LocalLinearDecoder(n_neighbors) for n_neighbors in (1, 5, 1000)]
DECODERS += [
    LocalLinearDecoder(20, ridge=0.0, follow=True),
    LocalLinearDecoder(20, ridge=0.0, extrapolate=True),
    AutoDecoder(),
    AutoDecoder(extrapolate=True),
]
DECODERS += [LassoDecoder(20), LassoDecoder(n_trees=5, point="draw")]
DECODERS += [ILPDecoder(n_trees=4), ILPDecoder(n_trees=5, point="draw")]
DECODERS += [
    RelabelDecoder(mode=mode, split=split, point=point)
    for mode in ("global", "local")
    for split, point in (("axis", "middle"), ("logistic", "draw"))
]
DECODERS += [PackedDecoder(), PackedDecoder(extrapolate=True)]
if find_spec("voyager"):
    DECODERS += [
        kind(n_neighbors, search="approximate")
        for kind in (KNNDecoder, LocalLinearDecoder)
        for n_neighbors in (5, 1000)
    ]
N_COMPONENTS = 3
ALONE = "count"  # the number that has a coordinate for itself, if columns are dealt

every_decoder = pytest.mark.parametrize("decoder", DECODERS, ids=repr)


@pytest.fixture(scope="module", params=[0.0, 0.2], ids=["complete", "holed"])
def encoder(request):
    """Fit the encoding half once: decoders share its forest and coordinates."""
    table = mixed_frame(80, missing=request.param, seed=3)
    # A second copy of some rows: duplicates have the same coordinates.
    table = pd.concat([table, table.iloc[:8]], ignore_index=True)
    forest = CompletelyRandomForest(15)
    return RFAE(N_COMPONENTS, forest=forest, random_state=0).fit(table)


def context_of(encoder, n_components=N_COMPONENTS):
    """All that a decoder may need; the columns are dealt to the coordinates."""
    names = encoder.schema_.names
    alone, every = names.index(ALONE), np.arange(len(names))
    hands = (every,)
    if n_components > 1:
        rest = np.array_split(every[every != alone], n_components - 1)
        hands = np.array([alone]), *rest
    return replace(encoder.encoder_.context().first(n_components), columns=hands)


def fitted(decoder, encoder, *, seed=0, context=None):
    context = context_of(encoder) if context is None else context
    return clone(decoder).fit_context(context, np.random.default_rng(seed))


def queries(encoder, n_rows=40, seed=0):
    """Points between the rows, on the rows, and far outside."""
    rng = np.random.default_rng(seed)
    Z = encoder.embedding_
    between = Z[rng.integers(len(Z), size=n_rows)] + 0.3 * rng.normal(
        size=(n_rows, Z.shape[1])
    )
    return np.concatenate([between, Z, 1e6 * rng.normal(size=(5, Z.shape[1]))])


def beyond(decoder, name, lower, upper):
    """How far numbers may leave their range: only where it was asked for."""
    if not getattr(decoder, "extrapolate", False):
        return 0.0
    if isinstance(decoder, PackedDecoder):
        return np.inf if name == ALONE else 0.0
    return 0.5 * (upper - lower)


@every_decoder
def test_levels_are_legal_and_numbers_in_range(decoder, encoder):
    table = encoder.kernel_.codec_.decode(encoder.kernel_.table_.values)
    decoded = fitted(decoder, encoder).predict(queries(encoder))
    for name in table:
        seen, made = table[name].dropna(), decoded[name].dropna()
        assert len(made)
        if pd.api.types.is_numeric_dtype(seen) and not pd.api.types.is_bool_dtype(seen):
            margin = np.ceil(beyond(decoder, name, seen.min(), seen.max()))
            assert made.min() >= seen.min() - margin
            assert made.max() <= seen.max() + margin
        else:
            assert set(made) <= set(seen)
        if not table[name].isna().any():
            assert not decoded[name].isna().any()


@every_decoder
def test_raw_codes_are_in_range_before_any_rounding(decoder, encoder):
    codes = fitted(decoder, encoder).decode(queries(encoder))
    schema = encoder.schema_
    margin = [
        beyond(decoder, spec.name, low, high) if spec.is_number else 0.0
        for spec, low, high in zip(
            schema.columns, schema.lower, schema.upper, strict=True
        )
    ]
    assert (np.nanmin(codes, axis=0) >= schema.lower - margin).all()
    assert (np.nanmax(codes, axis=0) <= schema.upper + margin).all()
    levels = codes[:, ~schema.is_number]
    assert (np.isnan(levels) | (levels == np.rint(levels))).all()


NUMBERS_AND_DATES = {
    "month": [1, 2, 5, 9, 12] * 12,
    "price": np.round(326 + 18_000 * np.linspace(0, 1, 60) ** 3, 2),
    "change": np.linspace(-5, 3, 60),
    "small": np.arange(60, dtype=np.int8) * 2,
    "built": pd.date_range("1960-03-01", "2019-11-30", periods=60).floor("D"),
    "count": np.arange(100, 160),
}


def numbers_and_dates():
    kinds = {"month": "integer", "small": "integer", "count": "integer"}
    table = pd.DataFrame(NUMBERS_AND_DATES).sample(frac=1.0, random_state=0)
    forest = CompletelyRandomForest(15)
    return RFAE(N_COMPONENTS, forest=forest, kinds=kinds, random_state=0).fit(table)


def far_and_near(encoder, seed=0):
    """Points on the rows, and in all directions at all distances."""
    rng = np.random.default_rng(seed)
    Z = encoder.embedding_
    distances = np.logspace(-3, 9, 13)[:, None, None] * np.abs(Z).max()
    ways = distances * rng.normal(size=(13, 20, Z.shape[1]))
    return np.concatenate(
        [Z, *(Z[rng.integers(len(Z), size=20)] + way for way in ways)]
    )


@every_decoder
def test_what_was_never_seen_comes_out_only_where_it_was_asked_for(decoder):
    encoder = numbers_and_dates()
    table = encoder.kernel_.codec_.decode(encoder.kernel_.table_.values)
    decoded = fitted(decoder, encoder).predict(far_and_near(encoder))
    lower, upper = table.min(), table.max()
    left = {
        name
        for name in table
        if decoded[name].min() < lower[name] or decoded[name].max() > upper[name]
    }
    if not getattr(decoder, "extrapolate", False):
        assert left == set()
    elif isinstance(decoder, PackedDecoder):
        assert left == {ALONE}
    elif not isinstance(decoder, AutoDecoder):  # which may have chosen a plain blend
        assert left >= {"change", "built"}


SMALL = CompletelyRandomForest(15)
PACKED = Refinement(start="packed")
MODELS = {
    "default": RFAE(2),
    "auto": RFAE.auto(2),
    "paper": RFAE.paper(2, forest=SMALL),
    "plain": RFAE(2, forest=SMALL),
    "packed": RFAE(6, forest=SMALL, refine=PACKED),
    "leaves": EForest(SMALL),
}
ASKED = {
    "refined, asked": RFAE(2, refine=2, decoder=AutoDecoder(extrapolate=True)),
    "packed, asked": clone(MODELS["packed"]).set_params(
        decoder=AutoDecoder(extrapolate=True)
    ),
}


@pytest.mark.parametrize("name", [*MODELS, *ASKED])
def test_rows_from_outside_come_back_inside_unless_asked(name, tmp_path):
    table = pd.DataFrame(NUMBERS_AND_DATES).sample(frac=1.0, random_state=0)
    kinds = {"month": "integer", "small": "integer", "count": "integer"}
    model = clone((MODELS | ASKED)[name]).set_params(kinds=kinds, random_state=0)
    model.fit(table)
    new = table.assign(
        month=table["month"] * 3 - 8,
        price=table["price"] * 9 - 5_000,
        change=table["change"] * 40,
        built=table["built"] - pd.Timedelta("14600D"),
    )
    back = model.reconstruct(new)
    lower, upper = table.min(), table.max()
    left = {c for c in table if back[c].min() < lower[c] or back[c].max() > upper[c]}
    assert left >= {"price", "change"} if name in ASKED else left == set()
    if isinstance(model, RFAE):
        model.save(tmp_path / "model.lf")
        loaded = RFAE.load(tmp_path / "model.lf")
        assert_frame_equal(loaded.reconstruct(new), back)


@every_decoder
def test_integers_stay_integers_and_decimals_are_kept(decoder, encoder):
    decoded = fitted(decoder, encoder).predict(queries(encoder))
    assert decoded["count"].dtype == np.int32
    assert decoded["few"].dtype == np.int64
    lengths = decoded["length"].dropna()
    assert (lengths == lengths.round(1)).all()


@every_decoder
def test_schema_out_equals_schema_in(decoder, encoder):
    table = encoder.kernel_.codec_.decode(encoder.kernel_.table_.values)
    decoded = fitted(decoder, encoder).predict(queries(encoder))
    assert list(decoded.columns) == list(table.columns)
    # Categorical dtypes are equal if levels, their order and `ordered` are.
    assert decoded.dtypes.to_dict() == table.dtypes.to_dict()
    assert decoded.dtypes.to_dict() == mixed_frame().dtypes.to_dict()


@every_decoder
def test_order_and_batch_of_queries_are_irrelevant(decoder, encoder):
    decoder = fitted(decoder, encoder)
    Z = queries(encoder)
    together = decoder.decode(Z)
    order = np.random.default_rng(0).permutation(len(Z))
    np.testing.assert_array_equal(decoder.decode(Z[order]), together[order])
    alone = np.concatenate([decoder.decode(z[None]) for z in Z])
    np.testing.assert_array_equal(alone, together)
    twice = decoder.decode(np.repeat(Z, 2, axis=0))
    np.testing.assert_array_equal(twice[::2], together)
    np.testing.assert_array_equal(twice[1::2], together)


@every_decoder
def test_number_of_threads_is_irrelevant(decoder, encoder):
    # More than one block of queries; decoders of kernel rows have small blocks.
    Z = queries(encoder, n_rows=100 if "spectrum" in decoder.needs() else 1500)
    one, two = (clone(decoder).set_params(n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(
        fitted(one, encoder).decode(Z), fitted(two, encoder).decode(Z)
    )


@every_decoder
def test_same_seed_same_bits(decoder, encoder):
    Z = queries(encoder)
    np.testing.assert_array_equal(
        fitted(decoder, encoder, seed=5).decode(Z),
        fitted(decoder, encoder, seed=5).decode(Z),
    )


@every_decoder
def test_exact_hits_and_duplicates_are_defined(decoder, encoder):
    # All rows at two places: every query on a place hits half of the rows.
    places = np.repeat([[0.0, 0.0], [1.0, 0.0]], len(encoder.embedding_) // 2, axis=0)
    context = context_of(encoder, 2)
    spectrum = replace(
        context.spectrum, coords=places, eigenvalues=context.spectrum.eigenvalues[:2]
    )
    context = replace(
        context,
        coords=places,
        spectrum=spectrum,
        leave_out=None,
        encode=lambda codes: np.resize(places, (len(codes), 2)),
    )
    decoder = fitted(decoder, encoder, context=context)
    codes = decoder.decode(places)
    columns = ~np.isnan(encoder.kernel_.table_.values).any(axis=0)
    assert np.isfinite(codes[:, columns]).all()
    np.testing.assert_array_equal(codes[: len(codes) // 2], codes[:1].repeat(44, 0))


@every_decoder
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_impossible_coordinates_are_refused(decoder, encoder, value):
    Z = encoder.embedding_[:3].copy()
    Z[1, 1] = value
    if isinstance(decoder, PackedDecoder) and np.isfinite(value):
        # It compares places, and squares nothing: beyond the last row is that row.
        decoder, far = fitted(decoder, encoder), Z.copy()
        far[1, 1] = 1e6
        np.testing.assert_array_equal(decoder.decode(Z), decoder.decode(far))
        return
    with pytest.raises(ValueError, match=r"NaN|infinity|too large"):
        fitted(decoder, encoder).predict(Z)


@every_decoder
@pytest.mark.parametrize("n_components", [1, 2])
def test_other_coordinates_equal_a_fresh_fit(decoder, encoder, n_components):
    old = fitted(decoder, encoder)
    context = context_of(encoder, n_components)
    moved, fresh = old.with_context(context), fitted(decoder, encoder, context=context)
    Z = queries(encoder)
    np.testing.assert_array_equal(
        moved.decode(Z[:, :n_components]), fresh.decode(Z[:, :n_components])
    )
    assert_frame_equal(old.predict(Z), fitted(decoder, encoder).predict(Z))
    with pytest.raises(ValueError, match=f"fitted with {n_components}"):
        moved.predict(Z)


def without_objects(table):
    """Columns that every library can hold."""
    return table[["length", "count", "flag", "name", "group"]]


LIBRARIES = {
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "nullable pandas": lambda table: table.convert_dtypes(),
    "object array": lambda table: table.drop(columns="group").to_numpy(dtype=object),
    "float32 array": lambda table: table[["length", "count"]].to_numpy("float32"),
    "int array": lambda table: table[["count", "count"]].to_numpy("int16"),
    "text array": lambda table: table[["name", "name"]].to_numpy(dtype="U3"),
}


def schema_of(table):
    if isinstance(table, pd.DataFrame):
        return table.dtypes.to_dict()
    if isinstance(table, np.ndarray):
        return table.dtype, table.shape[1:]
    return table.schema


# One of each class: settings do not matter to libraries.
ONE_OF_EACH = {type(decoder): decoder for decoder in DECODERS}.values()


@pytest.mark.parametrize(
    "decoder",
    [d for d in ONE_OF_EACH if not d.needs() & {"spectrum", "columns"}],
    ids=repr,
)
@pytest.mark.parametrize("library", LIBRARIES)
def test_library_out_equals_library_in(decoder, library):
    table = LIBRARIES[library](without_objects(mixed_frame(30)))
    forest = CompletelyRandomForest(5, random_state=0).fit(table)
    Z = np.random.default_rng(0).normal(size=(30, 2))
    decoder = clone(decoder).fit(
        Z,
        table,
        forest=forest,
        encoder=lambda table: np.resize(Z, (len(table), 2)),
        random_state=0,
    )
    decoded = decoder.predict(Z + 1)
    assert type(decoded) is type(table)
    assert schema_of(decoded) == schema_of(table)
    assert len(decoded) == 30


@pytest.mark.parametrize("decoder", ["knn", "relabel", "lasso", "ilp"])
def test_a_forest_that_takes_booleans_for_numbers_is_decoded(decoder):
    """scikit-learn splits booleans by a threshold; our forests by a set of levels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=60), "flag": rng.random(60) < 0.5})
    above = frame["size"] + frame["flag"] > 0.5
    forest = RandomForestClassifier(10, min_samples_leaf=9, random_state=0)
    model = RFAE(2, forest=forest.fit(frame, above), decoder=decoder, random_state=0)
    rows = model.fit(frame).inverse_transform(model.embedding_[:5])
    assert rows["flag"].dtype == np.bool_
    assert rows["size"].between(frame["size"].min(), frame["size"].max()).all()
