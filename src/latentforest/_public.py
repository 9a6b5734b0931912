"""All that users import from the package itself."""

from latentforest._autoencoder import RFAE
from latentforest._base._errors import (
    MissingExtraError,
    ModelFileError,
    RecallWarning,
    RoomError,
    SchemaError,
    SpectrumWarning,
    UnseenLevelsWarning,
    WildCellsWarning,
)
from latentforest._eforest import EForest
from latentforest._forecast import Forecast
from latentforest._read_table import read_table
from latentforest._scorer import Scorer
from latentforest.decode import (
    AutoDecoder,
    Decoder,
    ILPDecoder,
    ILPWarning,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    PackedDecoder,
    RegionDecoder,
    RelabelDecoder,
    Uncertainty,
)
from latentforest.encoder import ForestKernel
from latentforest.forest import (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.oddness import OddCells, OddRows
from latentforest.refine import AutoRefinement, Refinement
from latentforest.spectral import DiffusionMap
from latentforest.table import ColumnKind, TableCodec, TableSchema

__all__ = [
    "RFAE",
    "AdversarialForest",
    "AutoDecoder",
    "AutoRefinement",
    "ColumnKind",
    "CompletelyRandomForest",
    "Decoder",
    "DiffusionMap",
    "EForest",
    "Forecast",
    "ForestKernel",
    "ILPDecoder",
    "ILPWarning",
    "KNNDecoder",
    "LassoDecoder",
    "LocalLinearDecoder",
    "MissingExtraError",
    "ModelFileError",
    "OddCells",
    "OddRows",
    "PackedDecoder",
    "RecallWarning",
    "Refinement",
    "RegionDecoder",
    "RelabelDecoder",
    "RoomError",
    "SchemaError",
    "Scorer",
    "ShiHorvathForest",
    "SpectrumWarning",
    "SupervisedForest",
    "TableCodec",
    "TableSchema",
    "Uncertainty",
    "UnseenLevelsWarning",
    "WildCellsWarning",
    "read_table",
]
