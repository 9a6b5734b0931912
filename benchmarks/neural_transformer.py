"""TTVAE, a variational autoencoder of transformers, from its published description.

Wang and Nguyen, Artificial Intelligence, 2025. Columns are written as in TVAE (the mode
a number belongs to and its place in it, one indicator per level) and become a token
each; attention goes between the columns of a row, before and after the coordinates.
Sizes are ours: no code of theirs was read.
"""

from typing import Self

import numpy as np
import pandas as pd
import torch
from ctgan.data_transformer import DataTransformer
from torch import nn

from neural_models import divergence, text_columns

WIDTH, HEADS, LAYERS = 32, 4, 2
STEPS, BATCH, RATE = 600, 64, 1e-3  # at least so many steps
FACTOR = 2  # of the cells' loss against the divergence, as in TVAE


class PerColumn(nn.Module):
    """A linear layer of its own for each column, between cells and tokens."""

    def __init__(self, widths: list[int], *, to_tokens: bool) -> None:
        super().__init__()
        owner = torch.repeat_interleave(torch.tensor(widths))
        within = torch.repeat_interleave(torch.arange(len(widths)), WIDTH)
        mask = (within[:, None] == owner).float()
        self.register_buffer("mask", mask if to_tokens else mask.T.contiguous())
        self.layer = nn.Linear(self.mask.shape[1], self.mask.shape[0])
        with torch.no_grad():
            fans = self.mask.sum(dim=1, keepdim=True)
            self.layer.weight.copy_(torch.randn_like(self.mask) / fans.sqrt())
            self.layer.bias.normal_(std=0.1 if to_tokens else 0.0)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Weights between different columns are 0."""
        weight = self.layer.weight * self.mask
        return nn.functional.linear(values, weight, self.layer.bias)


def attention() -> nn.TransformerEncoder:
    """Blocks of attention between tokens."""
    block = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
    )
    return nn.TransformerEncoder(block, LAYERS, enable_nested_tensor=False)


class TokenNet(nn.Module):
    """Cells to tokens to coordinates, and back."""

    def __init__(self, widths: list[int], size: int) -> None:
        super().__init__()
        self.n_tokens = len(widths)
        self.tokens = PerColumn(widths, to_tokens=True)
        self.down, self.up = attention(), attention()
        self.codes = nn.Linear(self.n_tokens * WIDTH, 2 * size)
        self.spread = nn.Linear(size, self.n_tokens * WIDTH)
        self.cells = PerColumn(widths, to_tokens=False)
        self.log_sigmas = nn.Parameter(torch.full((sum(widths),), np.log(0.1)))

    def encode(self, cells: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Means and log variances."""
        tokens = self.tokens(cells).view(-1, self.n_tokens, WIDTH)
        mean, log_variance = self.codes(self.down(tokens).flatten(1)).chunk(2, dim=1)
        return mean, log_variance

    def decode(self, coords: torch.Tensor) -> torch.Tensor:
        """Numbers before tanh, indicators before softmax."""
        tokens = self.spread(coords).view(-1, self.n_tokens, WIDTH)
        return self.cells(self.up(tokens).flatten(1))


class TransformerVAE:
    """TTVAE with the calls of the other models."""

    epochs = 60

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed

    def fit(self, table: pd.DataFrame) -> Self:
        """Train on all rows."""
        torch.manual_seed(self.seed)
        np.random.seed(self.seed)  # noqa: NPY002, the package's mixtures draw from it
        self.cells = DataTransformer()
        self.cells.fit(table, text_columns(table))
        spans = self.cells.output_info_list
        self.net = TokenNet([sum(s.dim for s in column) for column in spans], self.size)
        rows = self.encode_cells(table)
        optimiser = torch.optim.Adam(self.net.parameters(), lr=RATE, fused=True)
        of_epoch = -(-len(rows) // BATCH)
        epochs = max(self.epochs, -(-STEPS // of_epoch))
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, max_lr=RATE, total_steps=epochs * of_epoch
        )
        for _ in range(epochs):
            for batch in torch.randperm(len(rows)).split(BATCH):
                optimiser.zero_grad()
                self.loss(rows[batch]).backward()
                optimiser.step()
                schedule.step()
        return self

    def encode_cells(self, table: pd.DataFrame) -> torch.Tensor:
        """Rows as modes, places in modes and indicators."""
        return torch.tensor(self.cells.transform(table).astype(np.float32))

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        """Log likelihood of cells and divergence of coordinates, mean over rows."""
        mean, log_variance = self.net.encode(rows)
        drawn = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        out, at = self.net.decode(drawn), 0
        lost = divergence(mean, log_variance)
        for span in (s for column in self.cells.output_info_list for s in column):
            there, here = rows[:, at : at + span.dim], out[:, at : at + span.dim]
            if span.activation_fn == "softmax":
                own = nn.functional.cross_entropy(here, there, reduction="none")
            else:
                log_sigma = self.net.log_sigmas[at].clamp(np.log(0.01), 0.0)
                gap = (there - here.tanh()).squeeze(1) / log_sigma.exp()
                own = gap.square() / 2 + log_sigma
            lost, at = lost + FACTOR * own, at + span.dim
        return lost.mean()

    @torch.no_grad()
    def transform(self, table: pd.DataFrame) -> torch.Tensor:
        """Coordinates of rows: the means."""
        return self.net.encode(self.encode_cells(table))[0]

    @torch.no_grad()
    def inverse_transform(self, coords: torch.Tensor) -> pd.DataFrame:
        """Rows at coordinates, without noise."""
        return self.cells.inverse_transform(self.net.decode(coords).tanh().numpy())


class LongTransformerVAE(TransformerVAE):
    """TTVAE, trained for longer."""

    epochs = 150
