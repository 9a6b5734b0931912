"""A small convolutional autoencoder, to stand beside the forests (needs torch).

The paper says of its own no more than that it has three convolutional layers. Here
three of 16, 32 and 64 channels halve the image to 4 × 4, a dense layer makes the
coordinates, and the way back is the mirror image. Read by ``benchmarks/mnist.py``.
"""

import sys
import time
from typing import Any

import numpy as np

from mnist_data import PIXELS, SIDE, Found, judge, load

CHANNELS, SMALL = (16, 32, 64), 4
EPOCHS, BATCH, RATE = 20, 128, 1e-3


def layers(torch: Any, n_components: int) -> tuple[Any, Any]:
    """Build encoder and decoder."""
    nn, (one, two, three) = torch.nn, CHANNELS
    flat = three * SMALL * SMALL
    encoder = nn.Sequential(
        *(nn.Conv2d(1, one, 3, stride=2, padding=1), nn.ReLU()),
        *(nn.Conv2d(one, two, 3, stride=2, padding=1), nn.ReLU()),
        *(nn.Conv2d(two, three, 3, stride=2, padding=1), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(flat, n_components)),
    )
    decoder = nn.Sequential(
        *(nn.Linear(n_components, flat), nn.ReLU()),
        nn.Unflatten(1, (three, SMALL, SMALL)),
        *(nn.ConvTranspose2d(three, two, 3, stride=2, padding=1), nn.ReLU()),
        nn.ConvTranspose2d(two, one, 3, stride=2, padding=1, output_padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(one, 1, 3, stride=2, padding=1, output_padding=1),
        nn.Sigmoid(),
    )
    return encoder, decoder


def convolutional(wanted: list[int]) -> Found:
    """Train on all images for squared error; one thread, so that bits stay the same."""
    try:
        import torch
    except ImportError:
        sys.exit(
            "The convolutional autoencoder needs torch. Install it with "
            '"pip install torch==2.13.0", or name the other studies by --studies.'
        )
    torch.set_num_threads(1)
    images = torch.from_numpy(load().train.astype(np.float32)).view(-1, 1, SIDE, SIDE)
    for value in wanted:
        begin = time.perf_counter()
        torch.manual_seed(0)
        model = torch.nn.Sequential(*layers(torch, value))
        optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
        for epoch in range(EPOCHS):
            lost = 0.0
            for rows in torch.randperm(len(images)).split(BATCH):
                batch = images[rows]
                loss = torch.nn.functional.mse_loss(model(batch), batch)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                lost += loss.item() * len(rows)
            print(f"epoch {epoch + 1}: {lost / len(images):.5f}", file=sys.stderr)

        def reconstruct(rows: np.ndarray, model: Any = model) -> np.ndarray:
            given = torch.from_numpy(rows.astype(np.float32)).view(-1, 1, SIDE, SIDE)
            with torch.no_grad():
                return np.asarray(model(given).numpy().reshape(-1, PIXELS))

        yield value, judge(reconstruct, begin, kept=True)
