"""What the base class of all decoders promises its subclasses and callers."""

import numpy as np
import pytest
from sklearn.base import clone

from latentforest import CompletelyRandomForest, Decoder, KNNDecoder
from latentforest.decode import DecoderContext, resolve_decoder
from latentforest.table import TableCodec
from mixed_tables import mixed_frame


class FirstRow(Decoder):
    """The least a decoder can do: always the first training row."""

    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def check(self):
        pass

    def learn(self, context, rng):
        self.first_ = context.table.values[:1]
        self.drawn_ = rng.random()

    def decode(self, coords):
        return np.repeat(self.first_, len(coords), axis=0)


class NeedsForest(FirstRow):
    def needs(self):
        return frozenset({"forest"})


@pytest.fixture(scope="module")
def context():
    table = TableCodec().fit_encode(mixed_frame(10))
    return DecoderContext(table, np.zeros((10, 3)), None)


def test_four_methods_make_a_decoder(context):
    decoder = FirstRow().fit_context(context, np.random.default_rng(0))
    decoded = decoder.predict(np.ones((4, 3)))
    first = mixed_frame(10).iloc[:1]
    assert (decoded.dtypes == first.dtypes).all()
    assert decoded.to_numpy().tolist() == first.to_numpy().tolist() * 4


def test_randomness_comes_from_the_seed():
    def drawn(seed):
        return FirstRow().fit(np.zeros((10, 1)), mixed_frame(10), random_state=seed)

    assert drawn(0).drawn_ == drawn(0).drawn_
    assert drawn(0).drawn_ != drawn(1).drawn_
    generator = np.random.default_rng(0)
    assert drawn(generator).drawn_ != drawn(generator).drawn_


def test_needs_are_checked_before_learning(context):
    decoder = NeedsForest()
    with pytest.raises(ValueError, match=r"NeedsForest\(\) needs the forest"):
        decoder.fit_context(context, np.random.default_rng(0))
    assert not hasattr(decoder, "first_")


def test_needs_are_met_by_a_fitted_forest():
    table = mixed_frame(30)
    forest = CompletelyRandomForest(3, random_state=0).fit(table)
    decoder = NeedsForest().fit(np.zeros((30, 1)), table, forest=forest)
    assert decoder.predict([[0.0]]).shape == (1, table.shape[1])


def test_context_needs_coordinates_of_every_row(context):
    with pytest.raises(ValueError, match=r"9 rows of coordinates.*10 rows"):
        DecoderContext(context.table, np.zeros((9, 3)), None)


@pytest.mark.parametrize("Z", [[[np.nan]], [[np.inf]], [["a"]], [0.0]])
def test_coordinates_must_be_finite_numbers_in_two_dimensions(Z):
    decoder = FirstRow().fit(np.zeros((10, 1)), mixed_frame(10))
    with pytest.raises(ValueError, match=r"NaN|infinity|convert|2D"):
        decoder.predict(Z)
    with pytest.raises(ValueError, match=r"NaN|infinity|convert|2D"):
        FirstRow().fit(Z, mixed_frame(1))


def test_names_are_shortcuts_for_default_settings():
    decoder = resolve_decoder("knn", n_jobs=2)
    assert isinstance(decoder, KNNDecoder)
    assert decoder.get_params() == KNNDecoder(n_jobs=2).get_params()


def test_objects_are_copied_and_keep_their_settings():
    given = KNNDecoder(3, prototypes="rows", n_jobs=1)
    decoder = resolve_decoder(given, n_jobs=2)
    assert decoder is not given
    assert decoder.get_params() == given.get_params()
    unset = KNNDecoder(3)
    assert resolve_decoder(unset, n_jobs=2).n_jobs == 2
    assert unset.n_jobs is None


@pytest.mark.parametrize(
    ("decoder", "error", "message"),
    [
        ("forest", ValueError, "'forest' is not known. Choose one of 'auto', 'knn'"),
        (
            KNNDecoder,
            TypeError,
            "is not a decoder. Give 'auto', .* or a Decoder",
        ),
        (None, TypeError, "decoder=None is not a decoder"),
        (KNNDecoder(0), ValueError, "n_neighbors=0 is too small"),
    ],
)
def test_what_is_no_decoder_is_refused(decoder, error, message):
    with pytest.raises(error, match=message):
        resolve_decoder(decoder, n_jobs=None)


def test_decoders_can_be_cloned(context):
    decoder = KNNDecoder(7, prototypes="rows")
    decoder.fit_context(context, np.random.default_rng(0))
    copy = clone(decoder)
    assert copy.get_params() == decoder.get_params()
    assert not hasattr(copy, "codec_")
