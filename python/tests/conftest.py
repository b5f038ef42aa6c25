"""What the tests share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

GAMES = ["chess", "neighbours", "tucchess", "amazons"]

STARTS = {
    "chess": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "neighbours": "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1",
    "tucchess": "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1",
    "amazons": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
}


def command(*arguments: str, text: str = "") -> str:
    """What the command line of the package prints."""
    done = subprocess.run(
        [sys.executable, "-m", "labrys", *arguments], input=text, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each game."""
    return str(request.param)
