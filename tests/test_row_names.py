"""What rows are called: by their number in the user's table, and by its labels."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, CompletelyRandomForest
from latentforest._base._errors import DroppedTrainingError, ModelFileError
from latentforest._base._section import NewSection, Section
from latentforest.table import Kept, TableCodec
from latentforest.table._labels import LONGEST, labels_of
from mixed_tables import mixed_frame

N_ROWS = 90
INDEXES = {
    "text": pd.Index([f"P{k:03d}" for k in range(N_ROWS)]),
    "holes": pd.RangeIndex(5, 5 + 3 * N_ROWS, 3),
    "shuffled": pd.Index(np.random.default_rng(0).permutation(N_ROWS)),
    "nullable": pd.Index(np.arange(N_ROWS)[::-1], dtype="Int64"),
    "dates": pd.date_range("2021-01-01", periods=N_ROWS),
    "two levels": pd.MultiIndex.from_product([["a", "b"], range(N_ROWS // 2)]),
    "copies": pd.Index(["x", "y", "ü\n,"] * (N_ROWS // 3)),
    "large": pd.Index(np.arange(N_ROWS, dtype=np.uint64) + np.uint64(2**63)),
}
WORDS = {
    "dates": str,
    "two levels": lambda label: f"{label[0]}, {label[1]}",
    "large": str,
}


def model_of(table, **settings):
    forest = CompletelyRandomForest(10)
    model = RFAE(forest=forest, decoder="knn", random_state=0, **settings)
    return model.fit(table)


def plain_frame():
    return mixed_frame(N_ROWS).reset_index(drop=True)


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("most", [None, 40])
def test_results_call_rows_as_the_table_does(name, most, tmp_path):
    table = plain_frame().set_axis(INDEXES[name])
    model = model_of(table, max_samples=most)
    word = WORDS.get(name, lambda label: label)
    expected = [word(label) for label in table.index[model.rows_]]
    assert model.row_labels_.tolist() == expected
    path = model.save(tmp_path / "m.lf")
    for one in (model, RFAE.load(path)):
        assert one.row_labels_.tolist() == expected
        found = [one.prototypes(3), one.similar(table[:4], 3)]
        found[1] = found[1][found[1]["_rank"] > 0]
        for frame in found:
            numbers = frame["training_row"].to_numpy(int)
            labels = [word(label) for label in table.index[numbers]]
            assert frame["training_label"].tolist() == labels
            pd.testing.assert_frame_equal(
                frame[list(table)].reset_index(drop=True),
                table.iloc[numbers].reset_index(drop=True),
                check_dtype=False,
            )


@pytest.mark.parametrize(
    "index", [None, pd.RangeIndex(N_ROWS), pd.Index(range(N_ROWS))]
)
def test_an_index_that_only_counts_is_no_label(index, tmp_path):
    table = plain_frame()
    table = table if index is None else table.set_axis(index)
    model = model_of(table.to_numpy() if index is None else table)
    assert model.row_labels_ is None
    assert "training_label" not in model.prototypes(2)
    assert "training_label" not in model.similar(
        table[:1].to_numpy() if index is None else table[:1], 2
    )
    new = NewSection()
    model._kept.put(new, drop_training=False)
    assert not new.arrays


def test_the_given_row_has_no_label_of_a_training_row():
    for name in ("text", "holes"):
        table = plain_frame().set_axis(INDEXES[name])
        found = model_of(table).similar(table[:2], 2)
        given = found["training_row"] == -1
        assert found["training_label"].isna().tolist() == given.tolist()
        assert found.index[given].tolist() == table.index[:2].tolist()


def test_of_a_long_table_numbers_are_those_of_the_table():
    table = plain_frame()
    model = model_of(table, max_samples=30)
    assert not np.array_equal(model.rows_, np.arange(30))
    for found in (model.prototypes(4), model.similar(table[:5], 2)):
        numbers = found["training_row"].to_numpy()
        assert set(numbers) - {-1} <= set(model.rows_)
        cells = found[list(table)].to_numpy()[numbers >= 0]
        expected = table.iloc[numbers[numbers >= 0]].to_numpy()
        assert pd.DataFrame(cells).equals(pd.DataFrame(expected))


def test_explained_training_rows_have_their_names():
    table = plain_frame()
    for most, index in ((None, None), (40, None), (40, INDEXES["text"])):
        named = table if index is None else table.set_axis(index)
        model = model_of(named, max_samples=most)
        frame = model.explain(predict=lambda X: np.arange(len(X))).to_frame()
        assert frame.index.tolist() == named.index[model.rows_].tolist()


def test_labels_and_numbers_are_left_out_with_the_training_rows(tmp_path):
    table = plain_frame().set_axis([f"SECRET{k}" for k in range(N_ROWS)])
    model = model_of(table)
    path = model.save(tmp_path / "m.lf", drop_training=True)
    assert path.stat().st_size > 0
    new = NewSection()
    model._kept.put(new, drop_training=True)
    assert not new.arrays
    again = RFAE.load(path)
    for ask in (lambda: again.rows_, lambda: again.row_labels_):
        with pytest.raises(DroppedTrainingError, match="drop_training=True"):
            ask()
    assert again.n_samples_seen_ == N_ROWS


def test_long_labels_are_cut():
    index = pd.Index(["a" * 1_000, "b\0c", "\ud800"], dtype=object)
    assert labels_of(index, slice(None)).tolist() == ["a" * LONGEST, "b c", "?"]


class Held:
    """Arrays as a file gives them."""

    def __init__(self, arrays):
        self.arrays = arrays

    def take(self, name, dtype, shape):
        return self.arrays[name]

    def need(self, demand):
        pass

    def holds(self, name):
        return name in self.arrays


def again(kept, **changed):
    """Write and read which rows are kept."""
    new = NewSection()
    kept.put(new.section("kept"), drop_training=False)
    arrays = Held({**new.arrays, **{f"kept/{k}": v for k, v in changed.items()}})
    return Kept.take(Section(new.data, "the manifest", arrays), kept.count)


def test_numbers_come_back_from_a_file():
    for numbers in ([0], [7], [0, 1, 5], [3, 4, 2**39]):
        kept = Kept(len(numbers), numbers=np.array(numbers))
        assert again(kept).in_table().tolist() == numbers
    assert again(Kept(3)).in_table().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "changed",
    [
        {"skipped": np.array([0, -1, 0])},
        {"skipped": np.array([0, 2**40, 1])},
        {"skipped": np.array([2**62, 2**62, 2**62])},
        {"labels": np.array([1, 2])},
        {"labels": np.frombuffer(b"a\0b\0", np.uint8)},
        {"labels": np.frombuffer(b"a\0b\0c", np.uint8)},
        {"labels": np.frombuffer(b"a\0b\0\0c", np.uint8)},
        {"labels": np.frombuffer(b"a\0b\0" + b"c" * 201 + b"\0", np.uint8)},
    ],
)
def test_names_that_cannot_be_are_refused(changed):
    with pytest.raises(ModelFileError):
        again(Kept(3), **changed)


def test_numbers_need_not_be_those_that_fit_was_given():
    table = TableCodec().fit_encode(plain_frame())
    kept = Kept(N_ROWS, numbers=2 * np.arange(N_ROWS))
    model = model_of(type(table)(table.schema, table.values, kept))
    assert model.rows_.tolist() == list(range(0, 2 * N_ROWS, 2))
    place = model.fit_transform(type(table)(table.schema, table.values, kept))
    assert np.array_equal(place, model.embedding_)
