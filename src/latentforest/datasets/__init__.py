"""Tables to try things on: fetched from their public homes, checked, kept."""

from latentforest.datasets._catalogue import describe, names
from latentforest.datasets._fetch import DownloadError
from latentforest.datasets._load import load
from latentforest.datasets._records import Dataset

__all__ = ["Dataset", "DownloadError", "describe", "load", "names"]
