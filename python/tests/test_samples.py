"""Files of samples."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from common import command

import labrys


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    settings = folder / "zero.toml"
    settings.write_text(
        'variant = "tucchess"\ngenerations = 1\nnet = { channels = 4, blocks = 1, dense = 4 }\n'
        "selfplay = { games = 4, opening_plies = 2, longest = 30, options = { Simulations = 8 } }\n"
    )
    out = folder / "samples.safetensors"
    command("zero", "selfplay", str(settings), "--generation", "1", "--out", str(out))
    return out


def test_samples_are_arrays(file: Path) -> None:
    samples = labrys.read_samples(file)
    game = labrys.Game(samples.header["game"])
    positions, moves = len(samples.value), len(samples.policy)
    assert positions > 20 and samples.planes.shape == (positions, *game.planes_shape)
    assert samples.move_offsets.shape == (positions + 1,) and samples.move_offsets[-1] == moves
    assert samples.policy_indices.shape == (moves, 1)
    assert samples.policy_indices.max() < np.prod(game.policy_shape)
    assert np.allclose(np.add.reduceat(samples.policy, samples.move_offsets[:-1]), 1, atol=1e-3)
    assert set(samples.value) <= {1.0, 0.0, -1.0} and abs(samples.root_value).max() <= 1


def test_wrong_files(file: Path, tmp_path: Path) -> None:
    content, other = file.read_bytes(), tmp_path / "other"
    for damaged in [content[:-1], content[:4], b"", content[:-1] + bytes([content[-1] ^ 1]), b"x" * 100]:
        other.write_bytes(damaged)
        with pytest.raises(ValueError, match="samples file .*other: "):
            labrys.read_samples(other)
    other.write_bytes(content.replace(b"labrys-samples", b"labrys-simples", 1))
    with pytest.raises(ValueError, match="no samples of Labrys"):
        labrys.read_samples(other)
    other.write_bytes(content + b"x")
    with pytest.raises(ValueError, match="more than the .* bytes that its header names"):
        labrys.read_samples(other)
    other.write_bytes(b"\xff" * 8 + content)
    with pytest.raises(ValueError, match="a header of 18446744073709551615 bytes, expected at most"):
        labrys.read_samples(other)
    other.write_bytes(content.replace(b'generation\\":1', b'generation\\":3', 1))
    with pytest.raises(ValueError, match="the checksum of the header is wrong"):
        labrys.read_samples(other)
    with pytest.raises(FileNotFoundError):
        labrys.read_samples(tmp_path / "none")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such file")
def test_a_file_without_an_end() -> None:
    with pytest.raises(ValueError, match="samples file /dev/zero: "):
        labrys.read_samples("/dev/zero")
