"""The page's neighbours and plane are those of Python, on random cases."""

from pathlib import Path

import numpy as np

import latentforest.explore
from latentforest.neighbours import NeighbourSearch, plane_weights

SCRIPT = Path(latentforest.explore.__file__).parent / "page" / "neighbours.js"
N_CASES = 400
PLANES = """
return arguments[0].map(({points, found, position, ridge, follow}) => {
  const plane = planeWeights(points, found, position, ridge, follow);
  const own = nearestRows(points, position, found.rows.length);
  return {
    average: Array.from(plane.average),
    linear: Array.from(plane.linear),
    distances: Array.from(own.distances),
    rows: Array.from(own.rows),
  };
});
"""


def draw_case(rng):
    """Points with ties, copies or nothing special, and a query near them or far."""
    n_components, n_points = int(rng.integers(1, 7)), int(rng.integers(1, 60))
    points = rng.normal(size=(n_points, n_components)) * 10.0 ** rng.integers(-3, 4)
    odd = rng.integers(5)
    if odd == 0:
        points = points.round(0)  # ties
    elif odd == 1:
        points = points[rng.integers(max(1, n_points // 8), size=n_points)]  # copies
    elif odd == 2:
        points[:, 0] = 0.5  # no spread
    where = rng.integers(4)
    query = points[rng.integers(n_points)]
    if where:
        width = points.std(axis=0) + 1e-3
        width *= [0.3, 5.0, 1e4][where - 1]
        query = query + rng.normal(size=n_components) * width
    return {
        "points": points,
        "query": query[None],
        "n_neighbors": int(rng.integers(1, n_points + 1)),
        "ridge": float(rng.choice([0.0, 0.0003, 0.003, 0.03, 0.3, 5.0])),
        "follow": bool(rng.integers(2)),
    }


def test_planes_equal_those_of_python(driver):
    rng = np.random.default_rng(0)
    cases, asked, expected = [draw_case(rng) for _ in range(N_CASES)], [], []
    for case in cases:
        search = NeighbourSearch(case["points"])
        found = search.nearest(case["query"], case["n_neighbors"])
        (weights,) = plane_weights(
            search.points,
            case["query"],
            found,
            (case["ridge"],),
            follow=case["follow"],
        )
        expected.append((found, weights))
        # Which of several rows at one distance come last is left open.
        rows, distances = (part[0].tolist() for part in found)
        asked.append(
            {
                "points": case["points"].T.tolist(),
                "found": {"rows": rows, "distances": distances},
                "position": case["query"][0].tolist(),
                "ridge": case["ridge"],
                "follow": case["follow"],
            }
        )
    driver.get("about:blank")
    said = driver.execute_script(SCRIPT.read_text(encoding="utf-8") + PLANES, asked)
    n_bent = 0
    for case, (found, weights), page in zip(cases, expected, said, strict=True):
        np.testing.assert_allclose(page["distances"], found.distances[0], rtol=1e-12)
        if len(np.unique(found.distances)) == case["n_neighbors"]:
            np.testing.assert_array_equal(page["rows"], found.rows[0])
        np.testing.assert_allclose(page["average"], weights.average[0], rtol=1e-12)
        np.testing.assert_allclose(page["linear"], weights.linear[0], atol=1e-7)
        n_bent += np.abs(weights.linear - weights.average).max() > 0.01
    assert n_bent > N_CASES / 2  # most planes are not level
