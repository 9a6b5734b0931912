"""Ways to spoil a model file, from single bits to arrays that look all right.

Each function takes a generator and the bytes of a sound file, and returns other bytes.
`DAMAGE` are accidents and lies about sizes: such a file must be refused, or load to
the same model. `EDITS` change contents and set every checksum right again: such a file
must be refused, or load to some model that works.
"""

import hashlib
import io
import itertools
import json
import struct
import warnings
import zipfile
import zlib
from unittest.mock import patch

import numpy as np

MANIFEST = "manifest.json"
DTYPES = ["<f8", "<i8", "<i4", "<u4", "|b1", "<f4", ">f8", "|O", "<U4", "<M8[s]"]
ODD_NUMBERS = [0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, -np.inf]
ODD_NUMBERS += [1e308, -1e308, 1e-308, 0.5, -0.0, 1e150, 1e99, 255, 65_536]
ODD_JSON = [None, True, False, 0, 1, -1, 3, 0.5, 1e308, 2**70, -(2**63), "", "x", "é"]
ODD_JSON += ["x" * 5_000, [], {}, [[]], [1, "a"], {"class": "os.system"}, "float64"]
ODD_JSON += [{"float": "nan"}, {"float": "inf"}, {"tuple": [1]}, "<script>", "\ud800"]
ODD_JSON += ["KNNDecoder", "AutoDecoder", "__class__", "auto", "nan", "object:nan", "O"]


class Parts:
    """A file taken apart: the manifest, and the bytes of every array."""

    def __init__(self, data):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            read = {name: archive.read(name) for name in archive.namelist()}
        self.manifest = json.loads(read.pop(MANIFEST))
        self.members = read

    def array(self, name):
        """Return a copy of an array."""
        return np.load(io.BytesIO(self.members[name])).copy()

    def put(self, name, array, **header):
        """Write an array, its shape and its checksum; ``header`` may lie."""
        entry = self.manifest["members"].setdefault(name, {})
        order = "F" if array.flags.f_contiguous and array.ndim > 1 else "C"
        fields = {"dtype": array.dtype.str, "shape": array.shape, "order": order}
        fields |= header
        body = np.asarray(array).tobytes(order=order)
        self.members[name] = npy(fields) + body
        entry |= fields | {"shape": list(fields["shape"])}
        self.sign(name)

    def drop(self, name):
        """Leave an array out, if it is there."""
        for things in (self.members, self.manifest["members"]):
            things.pop(name, None)

    def nodes(self):
        """Return the trees as format 1 has them: every array has all nodes."""
        names = "start", "left", "right", "feature", "threshold", "missing_left"
        forest, packed = self.manifest["forest"], {}
        for name in (*names, "inner", "words"):
            if f"forest/{name}.npy" in self.members:
                packed[name] = self.array(f"forest/{name}.npy")
        if "layout" not in forest:
            return packed
        n_nodes = int(packed["start"][-1])
        if "inner" in packed:
            inner = np.unpackbits(packed.pop("inner"), count=n_nodes).astype(bool)
            paired = forest["layout"] == "paired"
            packed |= children_of(packed["start"], inner, paired=paired)
        inner = packed["left"] >= 0
        short, cuts = packed["feature"], self.cuts(packed["feature"])
        missing = np.unpackbits(packed["missing_left"], count=len(short))
        whole = {"feature": np.full(n_nodes, -1, np.int32)}
        whole["threshold"] = np.full(n_nodes, np.nan)
        whole["missing_left"] = np.zeros(n_nodes, bool)
        whole["feature"][inner] = short
        whole["missing_left"][inner] = missing
        whole["threshold"][np.flatnonzero(inner)[cuts]] = packed["threshold"]
        return packed | whole

    def put_nodes(self, nodes):
        """Write trees, given as format 1 has them, as this file has them."""
        if "layout" in self.manifest["forest"]:
            nodes, inner = dict(nodes), nodes["left"] >= 0
            if "forest/inner.npy" in self.members:
                nodes["inner"] = np.packbits(inner)
                del nodes["left"], nodes["right"]
            wide = len(self.manifest["schema"]["columns"]) > 256
            short = nodes["feature"][inner].astype(np.uint16 if wide else np.uint8)
            nodes["feature"] = short
            nodes["missing_left"] = np.packbits(nodes["missing_left"][inner])
            nodes["threshold"] = nodes["threshold"][inner][self.cuts(short)]
        for name, array in nodes.items():
            self.put(f"forest/{name}.npy", array)

    def cuts(self, feature):
        """Tell which inner nodes have a threshold, in the order of files."""
        kinds = [column["kind"] for column in self.manifest["schema"]["columns"]]
        by_set = np.isin(kinds, ["category", "boolean"])
        if self.manifest["forest"]["numbers_only"]:
            by_set[:] = False
        cuts = np.flatnonzero(~by_set[feature])
        return cuts[np.argsort(feature[cuts], kind="stable")]

    def sign(self, name):
        """Set the checksum right."""
        digest = hashlib.sha256(self.members[name]).hexdigest()
        self.manifest["members"].setdefault(name, {})["sha256"] = digest

    def text(self):
        """Return the manifest as a file holds it."""
        return json.dumps(self.manifest, separators=(",", ":"), sort_keys=True).encode()

    def build_small(self):
        """Put the file together, every array packed as far as readers believe it."""
        methods = dict.fromkeys(self.members, zipfile.ZIP_DEFLATED)

        def packer(method, *_):
            return Believable() if method == zipfile.ZIP_DEFLATED else None

        with patch.object(zipfile, "_get_compressor", packer):
            return self.build(methods=methods)

    def build(self, *, text=None, methods=None, extra=()):
        """Put the file together again."""
        stream = io.BytesIO()
        text = self.text() if text is None else text
        members = [(MANIFEST, text), *sorted(self.members.items()), *extra]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two members of one name
            with zipfile.ZipFile(stream, "w") as archive:
                for name, body in members:
                    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
                    info.compress_type = (methods or {}).get(name, zipfile.ZIP_STORED)
                    archive.writestr(info, body)
        return stream.getvalue()


class Believable:
    """Deflate, but never a hundredfold: so many bytes at a time."""

    def __init__(self, piece=900):
        self.packer, self.piece = zlib.compressobj(9, zlib.DEFLATED, -15), piece

    def compress(self, data):
        """Pack some bytes."""
        packed = []
        for begin in range(0, len(data), self.piece):
            packed.append(self.packer.compress(data[begin : begin + self.piece]))
            packed.append(self.packer.flush(zlib.Z_SYNC_FLUSH))
        return b"".join(packed)

    def flush(self):
        """Pack the rest."""
        return self.packer.flush()


def npy(fields):
    """Return the header of an array as the package writes it."""
    fortran, shape = fields["order"] == "F", tuple(fields["shape"])
    text = f"{{'descr': {fields['dtype']!r}, 'fortran_order': {fortran}, "
    text += f"'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def children_of(start, inner, *, paired):
    """Find the children of nodes that are numbered as a walk goes, or by twos."""
    left, right = np.full((2, len(inner)), -1, np.int32)
    for first, end in itertools.pairwise(start.tolist()):
        numbers = iter(range(1, end - first))

        def walk(node, first=first, numbers=numbers):
            if not inner[first + node]:
                return
            left[first + node] = next(numbers)
            if paired:
                right[first + node] = next(numbers)
            walk(left[first + node])
            if not paired:
                right[first + node] = next(numbers)
            walk(right[first + node])

        walk(0)
    return {"left": left, "right": right}


def pick(rng, things):
    """Choose one of some things."""
    return things[int(rng.integers(len(things)))]


# Accidents to the bytes of the file.


def flip_bits(rng, data):
    """Flip bits anywhere."""
    spoilt = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 1, 2, 8, 64]))):
        spoilt[rng.integers(len(spoilt))] ^= 1 << int(rng.integers(8))
    return bytes(spoilt)


def flip_in_directory(rng, data):
    """Overwrite bytes of the directory at the end of the zip."""
    spoilt = bytearray(data)
    begin = data.rfind(b"PK\x05\x06")
    begin = struct.unpack("<I", data[begin + 16 : begin + 20])[0]
    for _ in range(int(rng.integers(1, 4))):
        spoilt[rng.integers(begin, len(spoilt))] = int(rng.integers(256))
    return bytes(spoilt)


def cut_short(rng, data):
    """Lose the end."""
    return data[: rng.integers(len(data))]


def lose_a_piece(rng, data):
    """Lose a piece in the middle."""
    begin = int(rng.integers(len(data)))
    return data[:begin] + data[begin + int(rng.integers(1, 200)) :]


def add_a_piece(rng, data):
    """Insert noise."""
    begin = int(rng.integers(len(data) + 1))
    return data[:begin] + rng.bytes(int(rng.integers(1, 200))) + data[begin:]


def zero_a_piece(rng, data):
    """Overwrite a piece with zeros."""
    begin, size = int(rng.integers(len(data))), int(rng.integers(1, 600))
    return data[:begin] + bytes(len(data[begin : begin + size])) + data[begin + size :]


def swap_pieces(rng, data):
    """Exchange two neighbouring pieces."""
    a, b, c = sorted(int(at) for at in rng.integers(len(data), size=3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


# Lies of the zip.


def directory_field(data, rng, offset, size, value):
    """Overwrite a field of one entry of the central directory."""
    entries = []
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        entries.append(at)
        at = data.find(b"PK\x01\x02", at + 1)
    at = pick(rng, entries) + offset
    return data[:at] + value.to_bytes(size, "little") + data[at + size :]


def wrong_crc(rng, data):
    """Give a member another CRC."""
    return directory_field(data, rng, 16, 4, int(rng.integers(2**32)))


def huge_sizes(rng, data):
    """Claim that a member is huge."""
    size = int(rng.choice([2**31, 2**32 - 2, 10**9, 5_000_000]))
    return directory_field(data, rng, int(rng.choice([20, 24])), 4, size)


def odd_flags(rng, data):
    """Set a flag, such as that of encryption."""
    return directory_field(data, rng, 8, 2, 1 << int(rng.integers(16)))


def odd_method(rng, data):
    """Claim another way of compression."""
    return directory_field(data, rng, 10, 2, int(rng.choice([1, 8, 9, 12, 14, 99])))


def other_offset(rng, data):
    """Let an entry point elsewhere."""
    return directory_field(data, rng, 42, 4, int(rng.integers(len(data) + 9)))


def two_of_a_name(rng, data):
    """Store a member twice."""
    parts = Parts(data)
    name = pick(rng, [MANIFEST, *sorted(parts.members)])
    body = parts.text() if name == MANIFEST else parts.members[name]
    return parts.build(extra=[(name, body)])


def one_more(rng, data):
    """Add a member that nobody knows."""
    name = pick(
        rng, ["x.npy", "../x.npy", "/etc/x", "forest/", "a.pkl", "é.npy", "x" * 999]
    )
    return Parts(data).build(extra=[(name, rng.bytes(int(rng.integers(300))))])


def one_less(rng, data):
    """Lose a member."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    del parts.members[name]
    if rng.random() < 0.5:
        del parts.manifest["members"][name]
    return parts.build()


def packed_otherwise(rng, data):
    """Compress a member in another way."""
    parts = Parts(data)
    name = pick(rng, [MANIFEST, *sorted(parts.members)])
    method = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    return parts.build(methods={name: pick(rng, method)})


def bomb(rng, data):
    """Replace a member by zeros that shrink a thousandfold."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    size = int(rng.choice([10**6, 10**7]))
    width = np.dtype(parts.manifest["members"][name]["dtype"]).itemsize
    kind = np.dtype(parts.manifest["members"][name]["dtype"])
    parts.put(name, np.zeros(size // width, kind))
    return parts.build(methods={name: zipfile.ZIP_DEFLATED})


def swap_members(rng, data):
    """Exchange two members."""
    parts = Parts(data)
    one, two = rng.permutation(sorted(parts.members))[:2].tolist()
    members = parts.members
    members[one], members[two] = members[two], members[one]
    return parts.build()


def lie_about_shape(rng, data):
    """Say something else in the manifest about a member."""
    parts = Parts(data)
    name = pick(rng, sorted(parts.members))
    entry = parts.manifest["members"][name]
    what = pick(rng, ["shape", "dtype", "order", "sha256"])
    sizes = [0, -1, 1, 2**31, 2**47, 10**30, 1.5, "3", None, True]
    lies = {
        "shape": [[pick(rng, sizes) for _ in range(int(rng.integers(4)))]],
        "dtype": DTYPES,
        "order": ["C", "F", "K", 1, None],
        "sha256": ["", "0" * 64, None, 5],
    }
    entry[what] = pick(rng, lies[what])
    return parts.build()


DAMAGE = [flip_bits] * 6 + [flip_in_directory] * 2
DAMAGE += [cut_short, lose_a_piece, add_a_piece, zero_a_piece, swap_pieces, wrong_crc]
DAMAGE += [huge_sizes, odd_flags, odd_method, other_offset, two_of_a_name, one_more]
DAMAGE += [one_less, packed_otherwise, bomb, swap_members, lie_about_shape]
