"""Files of training samples for policy/value nets, from `labrys zero`."""

from __future__ import annotations

import json
import os
import re
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TENSORS = {
    "planes": "F32",
    "move_offsets": "U32",
    "policy_indices": "U32",
    "policy": "F32",
    "value": "F32",
    "root_value": "F32",
}
"""The tensors of a file and their types."""

TYPES = {"F32": "<f4", "U32": "<u4"}
"""The types in NumPy."""

MAX_HEADER = 100_000_000
"""What a header may take, in bytes: the limit of the format, safetensors."""

CHUNK = 1 << 22
"""What is read at once, in bytes: Ctrl-C is heard between two chunks."""


class Samples(NamedTuple):
    """n positions with a total of m legal moves, each of which has k policy indices (2 in Amazons, otherwise
    1). The arrays are read-only: they share the memory of the file."""

    header: dict[str, Any]
    """The origin of the samples: game, shape of the encoding, generation, results of the games."""
    planes: npt.NDArray[np.float32]
    """The positions: (n, planes, ranks, files)."""
    move_offsets: npt.NDArray[np.uint32]
    """The moves of position i are those from `move_offsets[i]` up to `move_offsets[i + 1]`: (n + 1,)."""
    policy_indices: npt.NDArray[np.uint32]
    """The indices of the moves, see `Position.policy_indices`: (m, k)."""
    policy: npt.NDArray[np.float32]
    """The policy of the search, with a sum of 1 for each position: (m,)."""
    value: npt.NDArray[np.float32]
    """The result for the side to move, 1, 0 or -1: (n,)."""
    root_value: npt.NDArray[np.float32]
    """The value of the search, from -1 to 1: (n,)."""


def _read(file: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, or what is left."""
    read = bytearray()
    while chunk := file.read(min(CHUNK, size - len(read))):
        read += chunk
    return bytes(read)


def read_samples(path: str | os.PathLike[str]) -> Samples:
    """Reads a file of samples, `samples.safetensors` of a run of `labrys zero`, or of `labrys zero selfplay`.

    Raises `ValueError` if it is not such a file, or is damaged.
    """
    import numpy as np

    try:
        with open(path, "rb") as file:
            head = _read(file, 8)
            length = int.from_bytes(head, "little")
            if length > MAX_HEADER:
                raise ValueError(f"a header of {length} bytes, expected at most {MAX_HEADER}")
            entries = json.loads(text := _read(file, length))
            header = json.loads(entries["__metadata__"]["labrys-samples"])
            _check_header(head + text, header)
            size = max(entries[name]["data_offsets"][1] for name in TENSORS)
            data = memoryview(_read(file, size))
            if file.read(1):
                raise ValueError(f"more than the {size} bytes that its header names")
        if header["crc32"] != f"{zlib.crc32(data):08x}":
            raise ValueError("the checksum is wrong: the file is damaged")
        arrays = {}
        for name, kind in TENSORS.items():
            entry = entries[name]
            if entry["dtype"] != kind:
                raise ValueError(f"tensor {name}: numbers of type {entry['dtype']}, expected {kind}")
            start, end = entry["data_offsets"]
            arrays[name] = np.frombuffer(data[start:end], TYPES[kind]).reshape(entry["shape"])
    except KeyError as error:
        raise ValueError(f"samples file {path}: no samples of Labrys: {error} is missing") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"samples file {path}: {error}") from error
    return Samples(header=header, **arrays)


def _check_header(head: bytes, header: dict[str, Any]) -> None:
    """Compares the checksum of the header, which has zeros in its place. Version 1 has none."""
    if header["version"] == 1:
        return
    found = re.fullmatch(rb"(.*header_crc32\W*)([0-9a-f]{8})(.*)", head, re.DOTALL)
    if not found or found[2] != b"%08x" % zlib.crc32(found[1] + b"00000000" + found[3]):
        raise ValueError("the checksum of the header is wrong: the file is damaged")
