"""The explorer page: a latent space to look at, in one HTML file."""

from latentforest.explore._page import write_page

__all__ = ["write_page"]
