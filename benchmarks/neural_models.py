"""Neural autoencoders of tables: AE, VAE and TVAE, as the paper's appendix has them.

Text columns are categories and all other columns are numbers, whatever ``RFAE`` makes
of integers with few values: this is how the authors' results come out (``neural.md``).
"""

from itertools import pairwise
from typing import Self
from unittest.mock import patch

import numpy as np
import pandas as pd
import torch
from ctgan.synthesizers import tvae
from torch import nn

BATCH = 32


def text_columns(table: pd.DataFrame) -> list[str]:
    """Columns without numbers."""
    return [c for c in table if not pd.api.types.is_numeric_dtype(table[c])]


class UnitCells:
    """Numbers between 0 and 1, a 0 or 1 for each level of a text column."""

    def fit(self, table: pd.DataFrame) -> Self:
        """Learn ranges and levels."""
        self.levels = {c: np.unique(table[c]) for c in text_columns(table)}
        self.names = list(table)
        numbers = table.drop(columns=list(self.levels))
        self.low, self.high = numbers.min(), numbers.max()
        return self

    def encode(self, table: pd.DataFrame) -> torch.Tensor:
        """Write rows; a level that was not seen is 0 everywhere."""
        parts = []
        for name in self.names:
            cells = table[name].to_numpy()[:, None]
            if name in self.levels:
                parts.append(cells == self.levels[name])
            else:
                width = max(self.high[name] - self.low[name], 1e-12)
                parts.append((cells - self.low[name]) / width)
        return torch.tensor(np.hstack(parts).astype(np.float32))

    def decode(self, cells: torch.Tensor) -> pd.DataFrame:
        """Read rows: the largest indicator; numbers with all their decimals."""
        values, columns, at = cells.numpy().astype(float), {}, 0
        for name in self.names:
            if name in self.levels:
                known = self.levels[name]
                best = values[:, at : at + len(known)].argmax(axis=1)
                columns[name], at = known[best], at + len(known)
            else:
                width = self.high[name] - self.low[name]
                columns[name], at = values[:, at] * width + self.low[name], at + 1
        return pd.DataFrame(columns)


def dense(*sizes: int) -> nn.Sequential:
    """Layers with a ReLU after each, weights after Glorot and Bengio."""
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
        nn.init.xavier_uniform_(layers[-2].weight)
        nn.init.zeros_(layers[-2].bias)
    return nn.Sequential(*layers)


class DenseAutoencoder:
    """The appendix's AE: five hidden layers whose sizes shrink and grow evenly.

    Adam, 50 epochs in batches of 32, squared error, a sigmoid at the end, one row in
    ten held back. The appendix does not name loss, batch size and first weights: these
    are the usual ones. The held-back rows choose nothing, they are only not trained on.
    """

    epochs = 50

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed

    def fit(self, table: pd.DataFrame) -> Self:
        """Train on nine rows in ten."""
        torch.manual_seed(self.seed)
        self.cells = UnitCells().fit(table)
        rows = self.cells.encode(table)
        rows = rows[torch.randperm(len(rows))[len(rows) // 10 :]]
        self.build(rows.shape[1])
        optimiser = torch.optim.Adam(self.net.parameters(), lr=1e-3, eps=1e-7)
        for _ in range(self.epochs):
            for batch in torch.randperm(len(rows)).split(BATCH):
                optimiser.zero_grad()
                self.loss(rows[batch]).backward()
                optimiser.step()
        return self

    def build(self, width: int) -> None:
        """Make the layers."""
        step = (width - self.size) / 3
        first, second = round(width - step), round(width - 2 * step)
        encoder = dense(width, first, second, self.codes())
        decoder = dense(self.size, second, first, width)
        decoder[-1] = nn.Sigmoid()
        self.net = nn.ModuleList([encoder, decoder])

    def codes(self) -> int:
        """Numbers that the encoder gives."""
        return self.size

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        """Mean squared error."""
        encoder, decoder = self.net
        return nn.functional.mse_loss(decoder(encoder(rows)), rows)

    @torch.no_grad()
    def transform(self, table: pd.DataFrame) -> torch.Tensor:
        """Coordinates of rows."""
        return self.net[0](self.cells.encode(table))[:, : self.size]

    @torch.no_grad()
    def inverse_transform(self, coords: torch.Tensor) -> pd.DataFrame:
        """Rows at coordinates."""
        return self.cells.decode(self.net[1](coords))


class LinearCodeAutoencoder(DenseAutoencoder):
    """The AE without a ReLU at its coordinates."""

    def build(self, width: int) -> None:
        """Make the layers."""
        super().build(width)
        self.net[0][-1] = nn.Identity()


class DenseVAE(LinearCodeAutoencoder):
    """The appendix's VAE: the same layers, 100 epochs, β = 0.1.

    The squared error is summed over a row, as the divergence is.
    """

    epochs, beta = 100, 0.1
    of_row = staticmethod(torch.sum)

    def codes(self) -> int:
        """Means and log variances."""
        return 2 * self.size

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        """Squared error and divergence from the standard normal."""
        encoder, decoder = self.net
        mean, log_variance = encoder(rows).chunk(2, dim=1)
        drawn = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        lost = self.of_row((decoder(drawn) - rows).square(), dim=1)
        return (lost + self.beta * divergence(mean, log_variance)).mean()


class MeanErrorVAE(DenseVAE):
    """The VAE with the mean of the squared errors of a row instead of their sum."""

    of_row = staticmethod(torch.mean)


class DrawingVAE(DenseVAE):
    """The VAE whose coordinates are drawn around the means, as in its training."""

    @torch.no_grad()
    def transform(self, table: pd.DataFrame) -> torch.Tensor:
        """Coordinates of rows."""
        torch.manual_seed(self.seed)
        mean, log_variance = self.net[0](self.cells.encode(table)).chunk(2, dim=1)
        return mean + torch.randn_like(mean) * (log_variance / 2).exp()


def divergence(mean: torch.Tensor, log_variance: torch.Tensor) -> torch.Tensor:
    """Kullback-Leibler divergence from the standard normal, per row."""
    terms = mean.square() + log_variance.exp() - 1 - log_variance
    return terms.sum(dim=1) / 2


class PackagedTVAE:
    """``ctgan.TVAE`` with its own settings; coordinates are the means.

    The package throws its encoder away after training: it is kept here. Rows are read
    by the package's own call, which adds the noise that the decoder learned to numbers.
    """

    noise = True

    def __init__(self, size: int, seed: int) -> None:
        self.seed = seed
        self.model = tvae.TVAE(embedding_dim=size, enable_gpu=False)
        self.model.set_random_state(seed)

    def fit(self, table: pd.DataFrame) -> Self:
        """Train."""
        build = tvae.Encoder.__init__

        def keep(encoder: nn.Module, *sizes: int) -> None:
            build(encoder, *sizes)
            self.encoder = encoder

        with patch.object(tvae.Encoder, "__init__", keep):
            self.model.fit(table, text_columns(table))
        return self

    @torch.no_grad()
    def transform(self, table: pd.DataFrame) -> torch.Tensor:
        """Coordinates of rows."""
        cells = self.model.transformer.transform(table).astype(np.float32)
        return self.encoder(torch.from_numpy(cells))[0]

    @torch.no_grad()
    def inverse_transform(self, coords: torch.Tensor) -> pd.DataFrame:
        """Rows at coordinates."""
        cells, sigmas = self.model.decoder(coords)
        np.random.seed(self.seed)  # noqa: NPY002, the package draws from it
        return self.model.transformer.inverse_transform(
            cells.tanh().numpy(), sigmas.numpy() if self.noise else None
        )


class QuietTVAE(PackagedTVAE):
    """TVAE whose numbers come back without noise."""

    noise = False
