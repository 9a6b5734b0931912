"""Choosing settings on training rows that are held back."""

from latentforest.choice._held_out import HoldOut, Part, held_out_parts
from latentforest.choice._trial import Trial

__all__ = ["HoldOut", "Part", "Trial", "held_out_parts"]
