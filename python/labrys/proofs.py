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

# The output of `labrys solve` for a position and a certificate.
VALUE = re.compile(r"^(.+) (\d+) nodes (\d+) positions ([\d.]+) s$", re.MULTILINE)
LINE = re.compile(r"^line (.*?)( …)?$", re.MULTILINE)
CERTIFICATE = re.compile(r": (\d+) positions?, checksum ([0-9a-f]{8})$", re.MULTILINE)

# The output of `labrys verify` for a certificate.
VERIFIED = re.compile(
    r"^(?P<value>.+?) (?P<game>\S+) (?P<fen>.+): (?P<means>verified.*), (?P<positions>\d+) positions?,"
    r" checksum (?P<checksum>[0-9a-f]{8}), [\d.]+ s$"
)


@dataclass(frozen=True)
class Solution:
    """The result of solving a position."""

    value: str | None
    """The value for the side to move, such as `"win"`, `"loss"` or `"draw"`; `None` if the limits were too
    low."""
    line: tuple[str, ...]
    """The moves of a principal variation."""
    nodes: int
    """The number of expanded positions."""
    positions: int
    """The number of visited positions."""
    seconds: float
    certificate: Path | None
    """The file of the certificate, if it was written."""
    certificate_positions: int | None
    """The number of positions in the certificate."""
    checksum: str | None
    """The checksum of the certificate, 8 hexadecimal digits."""


@dataclass(frozen=True)
class Verified:
    """A certificate that was verified by the rules alone."""

    value: str
    """The value for the side to move."""
    game: str
    fen: str
    positions: int
    """The number of positions in the certificate."""
    checksum: str
    means: str
    """A description of how it was verified."""


def solve(
    position: "PositionLike | str | None" = None,
    *,
    game: str | Game | None = None,
    proof: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> Solution:
    """Proves that a position is won, lost or drawn for the side to move, like `labrys solve`.

    The position is a `Position`, a `chess.Board`, or a FEN of `game`, by default the start position. Further
    keyword arguments are those of the command, such as `nodes`, `time` (seconds), `hash` (MiB), `threads` and
    `checkpoint`, a file from which the same call continues. With `proof` a certificate is written to that
    file, for `verify`. To split a proof into jobs, use the command line or `labrys.cluster`.

        labrys.solve("1qq1/q2q/Q2Q/1QQ1 w", game="amazons", proof="loss.proof").value    # "loss"

    Raises `ValueError` with the message of the binary for wrong arguments.
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
    """Verifies certificates of `solve` by the rules alone, like `labrys verify`. Each may refer to earlier
    ones.

    Returns what each of them proves. Raises `ValueError` with the message of the binary if one is not valid.
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
