"""Edits that declare far more work than their file is large; all checksums are right.

Rows, trees, depth, columns, levels, coordinates and counts of settings are blown up, so
that everything in the file agrees: nothing but the sheer size gives it away. Arrays are
packed as far as readers believe it.
"""

import numpy as np

from fuzz_mutations import Parts, pick


def put_rows(parts, n_rows, *, landmarks=None):
    """Replace the training rows by copies of the first one, wherever rows are."""
    if "training/codes.npy" not in parts.members:
        return
    codes = parts.array("training/codes.npy")
    n_kernel = n_rows if landmarks is None else landmarks
    parts.manifest["kernel"]["landmarks"] = landmarks
    parts.manifest.pop("kept", None)  # older files kept all rows
    parts.drop("kept/labels.npy")
    parts.drop("kept/skipped.npy")
    if landmarks is None:
        parts.drop("training/landmarks.npy")
    else:
        parts.put("training/landmarks.npy", np.arange(landmarks))
    for name in sorted(parts.members):
        array = parts.array(name)
        if name in ("map/vectors.npy", "map/embedding.npy"):
            parts.put(name, np.zeros((n_kernel, array.shape[1])))
        elif name == "decoder/kernel_weights.npy":
            parts.put(name, np.zeros((len(array), n_kernel)))
        elif name == "decoder/centre.npy":
            parts.put(name, codes[0])
        elif name == "training/codes.npy":
            parts.put(name, np.repeat(codes[:1], n_rows, axis=0))
        elif name.endswith(("prototypes.npy", "points.npy")):
            refined = parts.manifest["refined"] is not None
            size = len(array) if refined else n_rows
            parts.put(name, np.repeat(array[:1], size, axis=0))


def put_chains(parts, depth, n_trees, column=None):
    """Replace the forest by trees that are one long way down; all rows go to its end.

    Trees of depth 0 are one leaf.
    """
    column = number(parts) if column is None else column
    size, inner = 2 * depth + 1, np.arange(0, 2 * depth, 2)
    left, right, feature = (np.full(size, -1, np.int32) for _ in range(3))
    threshold, words = np.full(size, np.nan), np.zeros(0, np.uint32)
    left[inner], right[inner], feature[inner] = inner + 1, inner + 2, column
    spec = parts.manifest["schema"]["columns"][column]
    by_set = spec["kind"] in ("category", "boolean")
    if by_set and not parts.manifest["forest"]["numbers_only"]:
        words = np.zeros(depth * ((len(spec["levels"]) + 31) // 32), np.uint32)
    else:
        threshold[inner] = -1e9
    nodes = {"left": left, "right": right, "feature": feature, "words": words}
    nodes |= {"threshold": threshold, "missing_left": np.zeros(size, np.bool_)}
    nodes = {name: np.tile(array, n_trees) for name, array in nodes.items()}
    parts.put_nodes(nodes | {"start": size * np.arange(n_trees + 1)})
    n_kernel = 7
    if "map/embedding.npy" in parts.members:
        n_kernel = len(parts.array("map/embedding.npy"))
    mass = np.append(np.zeros(depth, np.int32), np.int32(n_kernel))
    n_leaves = n_trees * (depth + 1)
    if "map/leaf_values.npy" in parts.members:
        parts.put("map/leaf_mass.npy", np.tile(mass, n_trees))
        size_of_map = n_leaves, len(parts.array(EIGENVALUES))
        parts.put("map/leaf_values.npy", np.zeros(size_of_map))
    sizes = {"forest/leaf_values": n_leaves, "decoder/weights": n_trees * size}
    sizes |= {"decoder/agreement": n_trees * size, "decoder/offset": n_trees * size}
    for name, length in sizes.items():
        if f"{name}.npy" in parts.members:
            shape = (length, *parts.array(f"{name}.npy").shape[1:])
            parts.put(f"{name}.npy", np.zeros(shape))
    if "decoder/leaf_order.npy" in parts.members:
        parts.put("decoder/leaf_order.npy", np.arange(n_leaves))
    settings = (parts.manifest["decoder"] or {}).get("parameters", {})
    if "n_trees" in settings:
        settings["n_trees"] = None


EIGENVALUES = "map/eigenvalues.npy"


def number(parts):
    """Return the position of a column of numbers."""
    kinds = [column["kind"] for column in parts.manifest["schema"]["columns"]]
    return kinds.index("continuous") if "continuous" in kinds else 0


def some(rng, fewest, most):
    """Draw a number, any power of ten as likely as any other."""
    return int(10 ** rng.uniform(np.log10(fewest), np.log10(most)))


def stumps(rng, data):
    """Many rows in many trees of one leaf: each pair has a number of its own."""
    parts = Parts(data)
    n_rows = some(rng, 100, 100_000)
    put_rows(parts, n_rows, landmarks=pick(rng, [None, None, 2, n_rows]))
    put_chains(parts, 0, some(rng, 100, 100_000))
    return parts.build_small()


def chains(rng, data):
    """Trees that are one long way down, and rows that go it to the end."""
    parts = Parts(data)
    put_rows(parts, some(rng, 10, 100_000))
    n_trees = pick(rng, [1, 1, 3, 30])
    put_chains(parts, some(rng, 100, 50_000) // n_trees + 1, n_trees)
    return parts.build_small()


def many_levels(rng, data):
    """Give a category very many levels, and every leaf a set of them."""
    parts = Parts(data)
    columns = parts.manifest["schema"]["columns"]
    named = [isinstance((c["levels"] or [0])[0], str) for c in columns]
    if not any(named):
        return chains(rng, data)
    column, n_levels = named.index(True), some(rng, 100, 60_000)
    columns[column]["levels"] += [f"level {n:x}" for n in range(n_levels)]
    for name in sorted(parts.members):
        array = parts.array(name)
        if name.endswith(("rank.npy", "refined/fill.npy", "refined/centre.npy")):
            parts.put(name, np.append(array, np.zeros(n_levels)))
        elif name == "refined/axes.npy":
            parts.put(name, np.hstack([array, np.zeros((len(array), n_levels))]))
    put_rows(parts, some(rng, 10, 30_000))
    depth = min(some(rng, 1, 5_000), 20_000_000 // n_levels)
    put_chains(parts, depth, 1, column)
    return parts.build_small()


def many_columns(rng, data):
    """Add columns that nothing splits on, to every row and every leaf."""
    parts = Parts(data)
    columns = parts.manifest["schema"]["columns"]
    column, n_more = columns[number(parts)], some(rng, 10, 1_000)
    columns += [column | {"name": f"more {n}"} for n in range(n_more)]
    cells = "refined/mean.npy", "refined/fill.npy", "refined/centre.npy"
    for name in sorted(parts.members):
        array = parts.array(name)
        if name.endswith(("codes.npy", "prototypes.npy")):
            more = np.repeat(array[:, [number(parts)]], n_more, axis=1)
            parts.put(name, np.hstack([array, more]))
        elif name == "refined/axes.npy":
            parts.put(name, np.hstack([array, np.zeros((len(array), n_more))]))
        elif name == "refined/coordinate.npy":
            parts.put(name, np.append(array, np.zeros(n_more, np.int64)))
        elif name in cells or name in ("refined/scale.npy", "decoder/centre.npy"):
            scale = np.ones if name == "refined/scale.npy" else np.zeros
            parts.put(name, np.append(array, scale(n_more)))
    put_rows(parts, some(rng, 10, 20_000_000 // (10 * n_more)))
    put_chains(parts, some(rng, 1, 30_000), 1)
    return parts.build_small()


def many_coordinates(rng, data):
    """Give rows and leaves very many coordinates."""
    parts = Parts(data)
    n_more = some(rng, 10, 10_000)
    ends = "vectors.npy", "embedding.npy", "coords.npy", "points.npy"
    for name in sorted(parts.members):
        array = parts.array(name)
        if name == EIGENVALUES:
            parts.put(name, np.append(array, np.zeros(n_more)))
        elif name in ("decoder/kernel_weights.npy", "refined/axes.npy"):
            parts.put(name, np.vstack([array, np.zeros((n_more, array.shape[1]))]))
        elif name.endswith((*ends, "decoder/weights.npy")):
            parts.put(name, np.hstack([array, np.zeros((len(array), n_more))]))
    if "n_solved" in parts.manifest["map"]:
        parts.manifest["map"]["n_components"] += n_more
        parts.manifest["map"]["n_solved"] += n_more
    landmarks = pick(rng, [None, 2])
    most = 100_000 if landmarks else 3_000_000 // n_more
    put_rows(parts, some(rng, 10, most), landmarks=landmarks)
    put_chains(parts, 0, some(rng, 1, 3_000_000 // n_more))
    return parts.build_small()


def crowded_points(rng, data):
    """Lay points so that each halving of the space parts few of them from the rest."""
    parts = Parts(data)
    put_rows(parts, some(rng, 1_000, 100_000))
    put_chains(parts, 0, 3)
    for name in sorted(parts.members):
        if name.endswith(("points.npy", "embedding.npy")):
            array = parts.array(name)
            powers = 2.0 ** np.arange(330, -1070, -1.0)[: len(array)]
            array[:] = 0
            for column in range(array.shape[1]):
                array[: len(powers), column] = rng.permutation(powers)
            parts.put(name, array)
    return parts.build_small()


def counts(data, path=()):
    """List the paths to all counts inside some JSON."""
    inside = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in inside:
        if isinstance(value, dict | list):
            found += counts(value, (*path, key))
        elif type(value) is int:
            found.append((*path, key))
    return found


def large_counts(rng, data):
    """Set some counts of the settings very high: rounds, steps, neighbours, trees."""
    parts = Parts(data)
    named = {key: parts.manifest[key] for key in ("parameters", "decoder", "refined")}
    named |= {"forest": parts.manifest["forest"], "kernel": parts.manifest["kernel"]}
    paths = counts({key: value for key, value in named.items() if value is not None})
    for _ in range(pick(rng, [1, 2, 5])):
        *keys, last = pick(rng, paths)
        holder = parts.manifest
        for key in keys:
            holder = holder[key]
        holder[last] = pick(rng, [10**4, 10**6, 10**9, 2**31, 2**62])
    if rng.random() < 0.3:
        put_rows(parts, some(rng, 100, 30_000))
        put_chains(parts, 0, some(rng, 1, 1_000))
    return parts.build_small()


def wide_classes(rng, data):
    """Give a supervised forest many classes, one of them with a very long name."""
    parts = Parts(data)
    grower = parts.manifest["forest"]["grower"]
    if not grower.get("classes"):
        return large_counts(rng, data)
    names = [f"{n:x}" for n in range(some(rng, 100, 10_000))]
    names.append("y" * some(rng, 1_000, 100_000))
    grower["classes"] = {"dtype": "str", "values": names}
    n_leaves = len(parts.array("forest/leaf_values.npy"))
    parts.put("forest/leaf_values.npy", np.zeros((n_leaves, len(names))))
    return parts.build_small()


WORK = [stumps] * 3 + [chains] * 3 + [many_levels, many_columns, many_coordinates]
WORK += [crowded_points, wide_classes] + [large_counts] * 3
