"""Choosing settings on training rows that are held back."""

from latentforest.choice._held_out import HoldOut as HoldOut
from latentforest.choice._held_out import Part as Part
from latentforest.choice._held_out import held_out_parts as held_out_parts
from latentforest.choice._trial import Trial

__all__ = ["Trial"]
