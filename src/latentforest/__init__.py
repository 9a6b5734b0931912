"""Autoencoding random forests: tables to latent coordinates and back."""

__version__ = "0.1.0.dev0"
