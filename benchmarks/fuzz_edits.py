"""Edits of the contents of a model file, with every checksum set right again."""

import json

import numpy as np

from fuzz_mutations import ODD_JSON, ODD_NUMBERS, Parts, npy, pick


def places(data, path=()):
    """List the paths to all values inside some JSON."""
    found = [path] if path else []
    inside = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inside:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


def random_place(rng, manifest):
    """Choose a path, every part of the manifest as likely as any other."""
    parts = {key: value for key, value in manifest.items() if key != "members"}
    key = pick(rng, sorted(parts))
    inside = parts[key]
    paths = [(key,)]
    if isinstance(inside, dict | list):
        paths += [(key, *path) for path in places(inside)]
    return pick(rng, paths)


def at(manifest, path):
    """Return what holds the value at a path."""
    for key in path[:-1]:
        manifest = manifest[key]
    return manifest


def other_value(rng, data):
    """Put an odd value into the manifest."""
    parts = Parts(data)
    path = random_place(rng, parts.manifest)
    at(parts.manifest, path)[path[-1]] = pick(rng, ODD_JSON)
    return parts.build()


def similar_value(rng, data):
    """Change a value into another one of its type."""
    parts = Parts(data)
    path = random_place(rng, parts.manifest)
    holder, key = at(parts.manifest, path), path[-1]
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int | float):
        changed = [value + 1, value - 1, -value, value * 2, value / 3, 10**6, 1e300]
        holder[key] = pick(rng, changed)
    elif isinstance(value, str):
        strings = [value[:-1], value + "x", value.upper(), value[::-1], ""]
        holder[key] = pick(rng, strings)
    elif isinstance(value, list) and value:
        lists = [value[:-1], value[::-1], value + value[:1], value * 2]
        holder[key] = pick(rng, lists)
    else:
        holder[key] = None
    return parts.build()


def value_from_elsewhere(rng, data):
    """Copy a value of the manifest to another place."""
    parts = Parts(data)
    one, two = (random_place(rng, parts.manifest) for _ in range(2))
    value = json.loads(json.dumps(at(parts.manifest, two)[two[-1]]))
    at(parts.manifest, one)[one[-1]] = value
    return parts.build()


def lost_key(rng, data):
    """Lose a value of the manifest."""
    parts = Parts(data)
    path = random_place(rng, parts.manifest)
    del at(parts.manifest, path)[path[-1]]
    return parts.build()


def odd_text(rng, data):
    """Spoil the manifest as text."""
    parts = Parts(data)
    text = parts.text()
    where = int(rng.integers(len(text)))
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    texts = [
        text[:where],
        text[:where] + b" " + text[where:],
        text.replace(b"null", b"NaN", 1),
        text.replace(b"true", b"Infinity", 1),
        text[:-1] + b',"x":' + b"9" * 6_000 + b"}",
        text[:-1] + b',"x":' + deep + b"}",
        text[:-1] + b',"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        text[:-1] + b',"format":"latentforest model"}',
        b"\xef\xbb\xbf" + text,
        text.decode().encode("utf-16"),
        b"[" + text + b"]",
        b"",
    ]
    return parts.build(text=pick(rng, texts))


def change_cells(rng, data):
    """Put odd numbers into some cells of an array."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    array = parts.array(name)
    flat = array.reshape(-1)
    for _ in range(int(rng.choice([1, 1, 2, 5])) if flat.size else 0):
        odd = pick(rng, ODD_NUMBERS)
        with np.errstate(all="ignore"):
            flat[rng.integers(flat.size)] = np.array(odd, np.float64).astype(
                array.dtype
            )
    parts.put(name, array)
    return parts.build()


def nudge_cells(rng, data):
    """Change some cells of an array a little."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    array = parts.array(name)
    flat = array.reshape(-1)
    for _ in range(int(rng.integers(1, 4)) if flat.size else 0):
        where = rng.integers(flat.size)
        if array.dtype == np.bool_:
            flat[where] = not flat[where]
        else:
            step = int(rng.choice([-2, -1, 1, 2, 5]))
            with np.errstate(all="ignore"):
                flat[where] += np.array(step, np.int64).astype(array.dtype)
    parts.put(name, array)
    return parts.build()


def shuffle_cells(rng, data):
    """Shuffle the rows of an array."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    array = parts.array(name)
    rng.shuffle(array)
    parts.put(name, array)
    return parts.build()


def spoil_trees(rng, data):
    """Aim at the arrays that compiled walks follow."""
    parts = Parts(data)
    own = {f"forest/{name}.npy" for name in ("leaf_values", "missing_left")}
    trees = [name for name in sorted(parts.members) if name.startswith("forest/")]
    name = pick(rng, [name for name in trees if name not in own])
    array = parts.array(name)
    if len(array) == 0:
        return parts.build()
    where = int(rng.integers(len(array)))
    if name.endswith(("left.npy", "right.npy")):
        choices = [0, where, where - 1, where + 1, -1, -2, len(array), 2**30]
        array[where] = pick(rng, choices)
    elif array.dtype.kind == "f":
        array[where] = pick(rng, [np.nan, np.inf, 0.0, -array[where]])
    else:
        choices = [0, 1, 5, 2**31 - 1, int(array[where]) + 1]
        array[where] = pick(rng, [c for c in choices if c <= np.iinfo(array.dtype).max])
    parts.put(name, array)
    return parts.build()


def spoil_codes(rng, data):
    """Aim at rows, prototypes and where they lie."""
    parts = Parts(data)
    ends = "codes.npy", "prototypes.npy", "points.npy", "coords.npy", "embedding.npy"
    names = [name for name in sorted(parts.members) if name.endswith(ends)]
    if not names:
        return change_cells(rng, data)
    name = pick(rng, names)
    array = parts.array(name)
    column = int(rng.integers(array.shape[1]))
    odd = [-1.0, 0.5, 3.0, 1e9, np.nan, np.inf, 1e200, -1e-320]
    array[rng.integers(len(array)), column] = pick(rng, odd)
    parts.put(name, array)
    return parts.build()


def spoil_rows(rng, data):
    """Aim at the numbers of rows and leaves."""
    parts = Parts(data)
    ends = "rows.npy", "landmarks.npy", "leaf_order.npy", "start.npy"
    names = [name for name in sorted(parts.members) if name.endswith(ends)]
    name = pick(rng, names)
    array = parts.array(name)
    where = int(rng.integers(len(array)))
    array[where] = pick(rng, [-1, 0, int(array[0]), len(array), 2**40, -(2**63)])
    parts.put(name, array)
    return parts.build()


def swap_arrays(rng, data):
    """Exchange two arrays, and what the manifest says about them."""
    parts = Parts(data)
    one, two = rng.permutation(sorted(parts.members))[:2].tolist()
    for things in (parts.members, parts.manifest["members"]):
        things[one], things[two] = things[two], things[one]
    return parts.build()


def other_size(rng, data):
    """Give an array more or fewer rows, with everything said about it right."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    array = parts.array(name)
    shapes = [
        lambda: array[:-1],
        lambda: array[:0],
        lambda: np.concatenate([array, array]),
        lambda: array.reshape(-1),
        lambda: array.T,
        lambda: array[..., None],
        lambda: array[..., :1],
    ]
    parts.put(name, np.ascontiguousarray(pick(rng, shapes)()))
    return parts.build()


def other_dtype(rng, data):
    """Give an array another dtype, with everything said about it right."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    array = parts.array(name)
    kind = pick(rng, ["<f8", "<i8", "<i4", "<u4", "|b1", "<f4", ">f8", "<u2"])
    with np.errstate(all="ignore"):
        parts.put(name, array.astype(kind), dtype=kind)
    return parts.build()


def other_header(rng, data):
    """Let the header of an array say something else than the manifest."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    body = parts.members[name][128:]
    entry = dict(parts.manifest["members"][name])
    what = pick(rng, ["shape", "dtype", "order"])
    lies = {"shape": [[1], [10**9], []], "dtype": ["|O", "<f8"], "order": ["C", "F"]}
    entry[what] = pick(rng, lies[what])
    parts.members[name] = npy(entry) + body
    parts.sign(name)
    return parts.build()


def many_rows(rng, data):
    """Blow the table up: far more rows, all alike, in a file that stays small."""
    parts = Parts(data)
    name = "training/codes.npy"
    if name not in parts.members:
        return change_cells(rng, data)
    array = parts.array(name)
    times = int(rng.choice([10, 1_000]))
    parts.put(name, np.repeat(array, times, axis=0))
    return parts.build(methods={name: 8})


def many_trees(rng, data):
    """Blow the forest up: many copies of its trees."""
    parts = Parts(data)
    times = int(rng.choice([2, 50]))
    nodes = parts.nodes()
    steps = np.tile(np.diff(nodes.pop("start")), times)
    nodes = {name: np.tile(array, times) for name, array in nodes.items()}
    nodes["start"] = np.concatenate([[0], np.cumsum(steps)])
    parts.put_nodes(nodes)
    for name in ("map/leaf_values.npy", "map/leaf_mass.npy"):
        if name in parts.members:
            parts.put(name, np.concatenate([parts.array(name)] * times))
    return parts.build()


EDITS = [other_value] * 3 + [similar_value] * 4 + [value_from_elsewhere] * 2
EDITS += [lost_key, odd_text, shuffle_cells, other_size, other_dtype, other_header]
EDITS += [change_cells] * 3 + [nudge_cells] * 3 + [spoil_trees] * 4 + [spoil_codes] * 3
EDITS += [spoil_rows] * 2 + [many_rows, many_trees, swap_arrays]
