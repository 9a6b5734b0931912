"""Model files: plain arrays and a manifest in one zip, safe to load, made to last."""

from latentforest.files._model import load_model, save_model
from latentforest.files._summary import MemberSummary, ModelSummary, describe

__all__ = [
    "MemberSummary",
    "ModelSummary",
    "describe",
    "load_model",
    "save_model",
]
