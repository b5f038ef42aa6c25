"""Proofs of results and their certificates: `labrys solve` and `labrys verify`."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _arguments, _child
from ._labrys import Game, Position
from ._progress import ProgressLike

if TYPE_CHECKING:
    from ._labrys import PositionLike

# What `labrys solve` prints of a position and of a certificate.
VALUE = re.compile(r"^(.+) (\d+) nodes (\d+) positions ([\d.]+) s$", re.MULTILINE)
LINE = re.compile(r"^line (.*?)( …)?$", re.MULTILINE)
CERTIFICATE = re.compile(r": (\d+) positions?, checksum ([0-9a-f]{8})$", re.MULTILINE)

# What `labrys verify` prints of a certificate.
VERIFIED = re.compile(
    r"^(?P<value>.+?) (?P<game>\S+) (?P<fen>[^:]+): (?P<means>verified.*), (?P<positions>\d+) positions?,"
    r" checksum (?P<checksum>[0-9a-f]{8}), [\d.]+ s$"
)


@dataclass(frozen=True)
class Solution:
    """What a solver has found about a position."""

    value: str | None
    """The value for the side to move, such as `"win"`, `"loss"` or `"draw"`; `None` if the limits were too
    low."""
    line: tuple[str, ...]
    """Moves that lead there."""
    nodes: int
    """Positions that were expanded."""
    positions: int
    """Positions that were looked at."""
    seconds: float
    certificate: Path | None
    """The file of the certificate, if it was written."""
    certificate_positions: int | None
    """Positions of the certificate."""
    checksum: str | None
    """Its checksum, 8 hexadecimal digits."""


@dataclass(frozen=True)
class Verified:
    """A certificate that holds by the rules alone."""

    value: str
    """The value for the side to move."""
    game: str
    fen: str
    positions: int
    """Positions of the certificate."""
    checksum: str
    means: str
    """How it was verified, in words."""


def solve(
    position: "PositionLike | str | None" = None,
    *,
    game: str | Game | None = None,
    proof: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> Solution:
    """Proves that a position is won, lost or drawn for the side to move, as `labrys solve` does.

    The position is a `Position`, a `chess.Board`, or a FEN of `game`; without one it is the start position.
    Further keyword arguments are those of the command, such as `nodes`, `time` (seconds), `hash` (MiB),
    `threads` and `checkpoint`, a file with which the same call goes on. With `proof` a certificate is written
    to that file, for `verify`. A proof that is split into jobs is for the command line and `labrys.cluster`.

        labrys.solve("1qq1/q2q/Q2Q/1QQ1 w", game="amazons", proof="loss.proof").value    # "loss"

    Raises `ValueError` with the words of the binary for wrong arguments.
    """
    if arguments.get("split") is not None:
        raise ValueError("split: for the command line, `labrys solve --split`, and for `labrys.cluster`")
    if arguments.get("fen") is not None:
        raise ValueError("fen: the position is the first argument")
    fen: str | None
    if hasattr(position, "move_stack"):
        # A board of python-chess.
        position = Game("chess").position(position)
    if position is None or isinstance(position, str):
        fen = position
    elif isinstance(position, Position):
        fen, game = position.fen, position.game if game is None else game
    elif isinstance(position, Game):
        raise TypeError("position: expected a labrys.Position or a FEN, not a labrys.Game: solve(game=…)")
    else:
        found = type(position).__name__
        raise TypeError(f"position: expected a labrys.Position or a FEN, not {found}")
    given = {**_arguments.with_game(game, arguments), "fen": fen, "proof": proof}
    out = _child.run(["solve", *_arguments.words(given)], progress=progress)
    value, line, written = VALUE.search(out), LINE.search(out), CERTIFICATE.search(out)
    if value is None:
        raise RuntimeError(f"labrys solve: unknown answer {out!r}")
    return Solution(
        value=None if value[1] == "unknown" else value[1],
        line=tuple(line[1].split()) if line else (),
        nodes=int(value[2]),
        positions=int(value[3]),
        seconds=float(value[4]),
        certificate=Path(proof) if written and proof is not None else None,
        certificate_positions=int(written[1]) if written else None,
        checksum=written[2] if written else None,
    )


def verify(*certificates: str | os.PathLike[str], progress: ProgressLike = None) -> list[Verified]:
    """Checks certificates of `solve` by the rules alone, as `labrys verify` does. Each may rest on those
    before it.

    Returns what each of them proves. Raises `ValueError` with the words of the binary if one does not hold.
    """
    out = _child.run(["verify", "--", *(os.fspath(path) for path in certificates)], progress=progress)
    return [_verified(line) for line in out.splitlines()]


def _verified(line: str) -> Verified:
    found = VERIFIED.match(line)
    if found is None:
        raise RuntimeError(f"labrys verify: unknown answer {line!r}")
    return Verified(
        value=found["value"],
        game=found["game"],
        fen=found["fen"],
        positions=int(found["positions"]),
        checksum=found["checksum"],
        means=found["means"],
    )
