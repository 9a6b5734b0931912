"""Scores for tables that went through a latent space and came back."""

from latentforest.metrics._distortion import (
    ColumnDistortion,
    Distortion,
    distortion,
)

__all__ = ["ColumnDistortion", "Distortion", "distortion"]
