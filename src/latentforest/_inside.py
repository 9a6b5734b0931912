"""Looking inside a fitted model: what it sees in rows, in columns, and on its map."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer
from latentforest._base._types import Floats
from latentforest._description import DescribedModel
from latentforest._long import target_of
from latentforest._odd_rows import TRAINING_ROW
from latentforest.insight import (
    Drivers,
    Explanation,
    Predictor,
    as_numbers,
    check_target,
    density_peaks,
    drivers_of,
    errors_of,
    explain_rows,
    peaks_of_groups,
    predictor_of,
    spread_of_leaves,
)
from latentforest.table import index_of

STANDS_FOR, GROUP = "stands_for", "group"


class InspectedModel(DescribedModel):
    """A fitted model that shows what its forest sees."""

    def explain(
        self, X: Any = None, y: Any = None, *, predict: Any = None, y_train: Any = None
    ) -> Explanation:
        """Tell where rows lie on the map, what is predicted there, and how surely.

        For models whose forest predicts: ``RFAE(forest=fitted)`` with a classifier or
        regressor, or ``forest="supervised"``. Other maps can show the predictions of
        any model (``predict``).

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns), default=None
            Rows with the columns of the fitted table. None takes the training rows, of
            which a forest is surer than of others.
        y : array of shape (n_rows,), default=None
            Their targets, for the error of each row.
        predict : estimator, function or None, default=None
            What predicts, in place of the forest: a fitted estimator, or a function of
            a table that returns one number per row, or one probability per class (a
            data frame names the classes, else they are counted from 0).
        y_train : array, default=None
            Targets of the table that the model was fitted on. Of predicted numbers the
            spread is then that of targets, which tells more where leaves are large.

        Returns
        -------
        Explanation
            ``to_frame()`` gives one line per row, with the index of ``X``; that of
            training rows has their labels (``row_labels_``), or else their numbers
            (``rows_``).

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from latentforest import RFAE
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
        >>> model = RFAE(forest=forest, random_state=0).fit(X[::2])
        >>> found = model.explain(X[1::2], y[1::2])
        >>> list(found.to_frame())
        ['z1', 'z2', 'prediction', 'confidence', 'error']
        >>> bool(found.confidence[found.error].mean() < found.confidence.mean())
        True
        """
        check_is_fitted(self, "encoder_")
        predictor = predictor_of(self.grower_, predict)
        own, index = X is None, self._kept.names() if X is None else index_of(X)
        if own:
            codes = self.encoder_.trained_on("explain").table.values
            X, y = self.codec_.decode(codes), target_of(y, self._kept)
        else:
            codes = self._as_codes(X)
        target = None if y is None else check_target("y", y, len(codes))
        found, spread = predictor(X, len(codes)), None
        if found.probabilities is None:
            values = self._known_values(predictor, y_train)
            ids = self.encoder_.forest.leaves(codes, n_jobs=self.encoder_.n_jobs)
            kernel = self.encoder_.trained_on("the spread of numbers").kernel
            spread = spread_of_leaves(kernel, ids, values)
        elif y_train is not None:
            message = (
                "y_train is given, but classes are predicted, whose probabilities tell "
                "how sure they are. Leave y_train out."
            )
            raise ValueError(message)
        error = None if target is None else errors_of(found, target)
        coords = self.embedding_.copy() if own else self.encoder_.locate(codes)
        return explain_rows(coords, found, spread=spread, error=error, index=index)

    def _known_values(self, predictor: Predictor, y_train: Any) -> Floats:
        """Return targets or predictions of the rows that define the kernel."""
        training = self.encoder_.trained_on("the spread of numbers")
        table, rows = training.table, training.landmarks
        if y_train is None:
            known = self.codec_.decode(table.values[rows])
            return predictor(known, len(rows)).values
        target = target_of(y_train, self._kept)
        target = check_target("y_train", target, table.n_rows)
        return as_numbers("y_train", target)[rows]

    def drivers(self) -> Drivers:
        """Tell which columns the forest tells rows apart by along each coordinate.

        Every split sends the training rows of its node to two groups. What it sets
        apart along a coordinate is the sum of squares between them,
        n₁ n₂ / (n₁ + n₂) · (mean₁ − mean₂)². These are added up by column over all
        splits of all trees, and divided by their sum. Where columns say the same, they
        share what one of them would have alone. What columns a coordinate goes with,
        whatever the forest splits on, is told by ``coordinate_columns``.

        Returns
        -------
        Drivers
            Printing shows the first columns of each coordinate; ``to_frame()`` gives
            all.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from latentforest import RFAE
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> found = RFAE(forest=forest, random_state=0).fit(X).drivers()
        >>> [sorted(names) for names in found.strongest(2)]
        [['petal length (cm)', 'petal width (cm)'], ...]
        """
        check_is_fitted(self, "encoder_")
        ids = self.encoder_.trained_on("drivers").leaf_ids
        refined = self.encoder_.refined
        if refined is not None:  # other rows would first have to be placed
            ids = np.asfortranarray(ids[refined.rows])
        return drivers_of(
            self.encoder_.forest,
            ids,
            self.encoder_.known_coords(),
            self.schema_.names,
            tree_weights=self.encoder_.tree_weights,
            n_jobs=self.encoder_.n_jobs,
        )

    def prototypes(self, n: int = 6, *, by: Any = None) -> Any:
        """Return training rows that stand for others: one at each peak of the map.

        Peaks are rows that are far from any denser row, seen from how near their own
        neighbours are. Every row leads to its nearest denser one, and so on to the
        prototype that stands for it. Rows for which none stands well are told by
        ``score_samples`` and ``predict``.

        Parameters
        ----------
        n : int, default=6
            How many; of each group where ``by`` is given.
        by : array of shape (n_rows,), default=None
            Groups of the training rows, such as ``explain().prediction`` or the
            targets: each has prototypes of its own.

        Returns
        -------
        pandas data frame
            One line per prototype, the most outstanding first: ``group`` if there are
            groups, ``training_row`` (its number, as in ``rows_``: its position in the
            fitted table, from 0), ``stands_for`` (a number of rows, itself counted),
            ``training_label`` (its index label, only if the fitted table had an index;
            see ``row_labels_``), and the cells. Fewer than ``n`` where fewer places are
            different. Where the table has a column of that name, ours is called
            ``_group`` and so on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = RFAE(forest="supervised", random_state=0).fit(X, y)
        >>> found = model.prototypes(1, by=y)
        >>> found["group"].tolist(), y[found["training_row"]].tolist()
        ([0, 1, 2], [0, 1, 2])
        """
        check_is_fitted(self, "encoder_")
        check_integer("n", n, minimum=1)
        encoder = self.encoder_
        table = encoder.trained_on("prototypes").table
        coords, n_jobs = encoder.known_coords(), encoder.n_jobs
        place = np.arange(table.n_rows)
        if encoder.refined is not None:
            place = encoder.refined.rows
        columns = {}
        if by is None:
            peaks = density_peaks(coords, n, n_jobs=n_jobs)
        else:
            given = check_target("by", target_of(by, self._kept), table.n_rows)[place]
            names, group = np.unique(given, return_inverse=True)
            peaks = peaks_of_groups(coords, group, n, n_jobs=n_jobs)
            columns[GROUP] = names[group[peaks.rows]]
        rows = place[peaks.rows]
        number = self._kept.in_table()[rows]
        columns |= {TRAINING_ROW: number, STANDS_FOR: peaks.stand_for}
        columns |= self._labels_at(rows)
        return self._beside_cells(columns, table.values[rows])
