"""Autoencoding random forests: tables to latent coordinates and back."""

from latentforest._autoencoder import RFAE
from latentforest._base._errors import MissingExtraError, SchemaError, SpectrumWarning
from latentforest._eforest import EForest
from latentforest.decode import (
    AutoDecoder,
    Decoder,
    KNNDecoder,
    LocalLinearDecoder,
    RegionDecoder,
    RelabelDecoder,
    Uncertainty,
)
from latentforest.forest import (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.kernel import ForestKernel
from latentforest.spectral import DiffusionMap
from latentforest.table import ColumnKind, TableCodec, TableSchema

__version__ = "0.1.0.dev0"

__all__ = [
    "RFAE",
    "AdversarialForest",
    "AutoDecoder",
    "ColumnKind",
    "CompletelyRandomForest",
    "Decoder",
    "DiffusionMap",
    "EForest",
    "ForestKernel",
    "KNNDecoder",
    "LocalLinearDecoder",
    "MissingExtraError",
    "RegionDecoder",
    "RelabelDecoder",
    "SchemaError",
    "ShiHorvathForest",
    "SpectrumWarning",
    "SupervisedForest",
    "TableCodec",
    "TableSchema",
    "Uncertainty",
]
