"""Ways out of and into a fitted model: files, serving, the explorer page."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_option
from latentforest._base._names import MODEL
from latentforest._base._section import NewSection, Section
from latentforest._inside import InspectedModel
from latentforest._saved_settings import (
    put_parameters,
    put_trials,
    take_parameters,
    take_trials,
)
from latentforest._settings import resolve_refinement
from latentforest.decode import put_decoder, take_decoder
from latentforest.distill import Distillation
from latentforest.encoder import put_encoder, take_encoder
from latentforest.explore import write_page
from latentforest.files import load_model, save_model
from latentforest.forest import put_forest, take_forest
from latentforest.serving import to_onnx
from latentforest.table import Kept, TableCodec, remember_columns

OUTPUTS = ("default", "pandas", "polars")


class PortableModel(InspectedModel):
    """A fitted model that can be saved, served and looked at."""

    def save(
        self,
        path: str | PathLike[str],
        *,
        drop_training: bool = False,
        compact: bool = False,
    ) -> Path:
        """Write the fitted model to a file.

        The file holds plain arrays and settings, nothing that is executed, and needs
        neither the training table nor scikit-learn's version of today to be loaded.
        It is written under another name and renamed when complete.

        Parameters
        ----------
        path : path
            Where to write, by custom with the suffix ``.lf``.
        drop_training : bool, default=False
            Keep only what ``transform`` needs. Otherwise the training rows are in the
            file, since decoders blend them.
        compact : bool, default=False
            Keep coordinates of the diffusion map, what each leaf adds to them, and
            thresholds of splits in single precision. Coordinates then differ from
            those of the model in their seventh digit. No training row goes another
            way down a tree; a new row with a number within 1e-7 of a threshold,
            relative to it, may. Refined rows stay as they are.

        Returns
        -------
        Path
        """
        return save_model(self, path, drop_training=drop_training, compact=compact)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that ``save`` wrote: coordinates and rows are the same bits.

        Every array is checked before it is used, and nothing in the file is executed,
        so files of strangers are safe to load.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        RFAE
        """
        return load_model(path, cls)

    def put(self, new: NewSection, *, drop_training: bool, compact: bool) -> None:
        """Write the model to a file; see ``docs/file-format.md``."""
        check_is_fitted(self, "encoder_")
        encoder = self.encoder_
        drop_training = drop_training or encoder.training is None
        new.put("model", MODEL)
        new.put("drop_training", drop_training)
        put_parameters(self, new.section("parameters"))
        output = getattr(self, "_sklearn_output_config", {}).get("transform")
        new.put("output", output)
        self.schema_.put(new.section("schema"))
        put_forest(
            encoder.forest,
            self.grower_,
            new.section("forest"),
            trees_only=drop_training,
            short_for=encoder.training.table.values
            if compact and encoder.training is not None
            else None,
        )
        put_encoder(encoder, new, drop_training=drop_training, compact=compact)
        new.data["kernel"]["unseen"] = self.codec_.unseen
        new.generator("refine_generator", self._refine_rng)
        self._kept.put(new.section("kept"), drop_training=drop_training)
        put_trials(self.tried_, self.grower_, new)
        new.data["distillation"] = None
        if self.distillation_ is not None:
            self.distillation_.put(new.section("distillation"))
        new.data["decoder"] = None
        if not drop_training:
            put_decoder(self.decoder_, new.section("decoder"), encoder.context())

    @classmethod
    def take(cls, manifest: Section) -> Self:
        """Rebuild a model from a file."""
        check_option("model", manifest.text("model"), (MODEL,))
        dropped = manifest.flag("drop_training")
        unseen = manifest.section("kernel").text("unseen")
        unseen = check_option("unseen", unseen, ("missing", "error", "nearest"))
        codec = TableCodec.take(manifest.section("schema"), unseen=unseen)
        schema = codec.schema_
        forest, grower = take_forest(manifest.section("forest"), schema)
        model = cls(**take_parameters(cls, manifest.section("parameters"), grower))
        resolve_refinement(model)  # which refuses settings that cannot be
        encoder = take_encoder(manifest, schema, forest, dropped=dropped)
        decoder = None
        if not dropped:
            decoder = take_decoder(manifest.section("decoder"), encoder.context())
        model.codec_, model.schema_, model.grower_ = codec, schema, grower
        remember_columns(model, schema)
        model.tried_ = take_trials(manifest, grower)
        n_known = 0 if dropped else encoder.trained_on("rows_").table.n_rows
        model._kept = Kept.take(manifest, n_known)
        model._refine_rng = manifest.generator("refine_generator")
        model._settle(encoder, decoder)
        if manifest.has("distillation"):
            part = manifest.section("distillation")
            model.distillation_ = Distillation.take(part)
        if manifest.has("output"):
            output = check_option("output", manifest.text("output"), OUTPUTS)
            model.set_output(transform=output)
        return model

    def to_onnx(self, path: str | PathLike[str] | None = None) -> Any:
        """Translate ``transform`` to ONNX (extra ``onnx``); see `latentforest.serving`.

        Parameters
        ----------
        path : path or None, default=None
            Where to write it too; None only returns it.

        Returns
        -------
        onnx.ModelProto
        """
        return to_onnx(self, path)

    def explore(
        self,
        table: Any = None,
        path: str | PathLike[str] = "explore.html",
        *,
        color_by: Any = None,
        columns: Sequence[Any] | None = None,
        sample: int | None = None,
        image_shape: tuple[int, int] | None = None,
        title: str | None = None,
    ) -> Path:
        """Write a page in which the latent space can be walked: one HTML file.

        A click anywhere decodes that position in the browser. The rows are embedded in
        the file: give ``columns`` or ``sample`` to leave some out.

        Parameters
        ----------
        table : data frame or array of shape (n_rows, n_columns), default=None
            The rows to show; None shows the training rows.
        path : path, default="explore.html"
            Where to write.
        color_by : column name or array of shape (n_rows,), default=None
            What colours the points at first; "oddness" is how odd each row is.
        columns : list of column names or None, default=None
            The columns that are put into the file; None takes all.
        sample : int or None, default=None
            At most so many rows, drawn at random.
        image_shape : tuple of int or None, default=None
            Height and width, where rows are pictures.
        title : str or None, default=None
            Heading of the page.

        Returns
        -------
        Path
            Where the file is; as the last line of a notebook's cell it shows the page.
        """
        return write_page(
            self,
            table,
            path,
            color_by=color_by,
            columns=columns,
            sample=sample,
            image_shape=image_shape,
            title=title,
        )
