"""Pictures of latent spaces and reconstructions (extra ``plot``).

Every function draws into the axes it is given, or into a new figure, and returns the
axes.
"""

from latentforest.plot._colours import PALETTE
from latentforest.plot._distortion import column_distortion, compression_curve
from latentforest.plot._drivers import drivers
from latentforest.plot._explanation import explanation
from latentforest.plot._film import film
from latentforest.plot._images import images
from latentforest.plot._latent import latent, pairs
from latentforest.plot._reconstruction import reconstruction
from latentforest.plot._scatter import scatter
from latentforest.plot._spectrum import spectrum
from latentforest.plot._trials import trials

__all__ = [
    "PALETTE",
    "column_distortion",
    "compression_curve",
    "drivers",
    "explanation",
    "film",
    "images",
    "latent",
    "pairs",
    "reconstruction",
    "scatter",
    "spectrum",
    "trials",
]
