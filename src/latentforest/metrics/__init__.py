"""Scores for tables that went through a latent space and came back."""

from latentforest.metrics._association import Associations as Associations
from latentforest.metrics._association import associations as associations
from latentforest.metrics._codes import code_distortions as code_distortions
from latentforest.metrics._distortion import RunningDistortion, distortion
from latentforest.metrics._losses import mean_distortion as mean_distortion
from latentforest.metrics._report import ColumnDistortion, Distortion
from latentforest.metrics._yardstick import Yardstick as Yardstick

__all__ = ["ColumnDistortion", "Distortion", "RunningDistortion", "distortion"]
