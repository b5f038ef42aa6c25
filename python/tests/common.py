"""Helpers of the tests."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import labrys

ROOT = Path(__file__).resolve().parents[2]
"""The repository, the working directory of programs that tests start: in `python/` they would import the
sources, which have no native module."""

# For the tests of the examples and the manual, which use this path relative to the repository.
sys.path.append(str(ROOT / "python" / "examples"))

GAMES = ["chess", "neighbours", "tucchess", "amazons"]

STARTS = {
    "chess": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "neighbours": "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1",
    "tucchess": "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1",
    "amazons": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
}


def command(*arguments: str, text: str = "") -> str:
    """The output of the command line of the package."""
    words = [sys.executable, "-m", "labrys", *arguments]
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def suite(name: str) -> list[tuple[str, dict[int, int]]]:
    """The positions of a perft suite with their counts by depth."""
    positions = []
    for line in (ROOT / "perft" / f"{name}.epd").read_text().splitlines():
        if line and not line.startswith("#"):
            fen, *counts = line.split(";D")
            positions.append((fen.strip(), {int(d): int(n) for d, n in (count.split() for count in counts)}))
    return positions


def random_game(start: labrys.Position, seed: int, plies: int = 400) -> labrys.Position:
    """A game of random moves, with chance outcomes."""
    generator = random.Random(seed)
    position = start
    while not position.is_over and position.ply < plies:
        move = generator.choice(position.legal_moves)
        position = position.play(position.sample(move, generator.random()))
    return position
