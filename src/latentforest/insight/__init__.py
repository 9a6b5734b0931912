"""Looking inside: what a model predicts where, what drives a map, who stands for it."""

from latentforest.insight._drivers import Drivers
from latentforest.insight._drivers import drivers_of as drivers_of
from latentforest.insight._explanation import Explanation
from latentforest.insight._explanation import as_numbers as as_numbers
from latentforest.insight._explanation import check_target as check_target
from latentforest.insight._explanation import errors_of as errors_of
from latentforest.insight._explanation import explain_rows as explain_rows
from latentforest.insight._explanation import spread_of_leaves as spread_of_leaves
from latentforest.insight._peaks import Peaks as Peaks
from latentforest.insight._peaks import density_peaks as density_peaks
from latentforest.insight._peaks import peaks_of_groups as peaks_of_groups
from latentforest.insight._predictor import Predictor as Predictor
from latentforest.insight._predictor import predictor_of as predictor_of

__all__ = ["Drivers", "Explanation"]
