"""As many points as a page may hold, in a real browser."""

import pytest

from explorer_page import many_rows
from latentforest import KNNDecoder

N_ROWS = 200_000

# How many rows have something painted where they are, or lie at or beyond the edge.
PAINTED = """(() => {
  const canvas = document.getElementById('points');
  const { data, width, height } = canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  const ground = pixels[0];
  let painted = 0;
  for (let row = 0; row < arguments[0]; row++) {
    const [x, y] = latentforest.rowPlace(row).map(Math.floor);
    const outside = x < 8 || y < 8 || x > width - 9 || y > height - 9;
    painted += outside || pixels[x + y * width] !== ground;
  }
  return painted;
})()"""


@pytest.fixture(scope="module")
def small_model(make_model):
    table = many_rows(400)
    return make_model(table, 3, decoder=KNNDecoder(10, prototypes="rows"))


def test_200_000_points_open_are_painted_and_move(open_page, small_model):
    page = open_page(small_model, many_rows(N_ROWS), color_by="b", how="#pixels")
    page.wait(f"{PAINTED} === {N_ROWS}", N_ROWS)
    last = f"return latentforest.rowPlace({N_ROWS - 1})"
    x, y = page.run(last)
    page.drag([[500, 350], [520, 340], [560, 380]])
    assert page.run(last) == pytest.approx([x + 60, y + 30])
    page.wait(f"{PAINTED} === {N_ROWS}", N_ROWS)
    page.click([400, 300])
    assert len(page.run("return latentforest.position()")) == 3
    page.drag([[300, 200], [400, 300], [600, 500]], modifiers=8)
    page.wait("latentforest.summary() !== null")
