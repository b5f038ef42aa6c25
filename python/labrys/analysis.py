"""The analysis of played games: `labrys analyse`."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _arguments, _child
from ._progress import Progress, ProgressLike, observer

if TYPE_CHECKING:
    import pandas

    from ._labrys import Game


@dataclass(frozen=True)
class PlayerAnalysis:
    """The play of one player in a game."""

    name: str
    moves: int
    accuracy: float
    """The mean accuracy of the moves, in percent."""
    loss: float
    """The total loss of expected points."""
    inaccuracies: int
    mistakes: int
    blunders: int


@dataclass(frozen=True)
class TurningPoint:
    """A move that lost many expected points."""

    move: str
    """The move with its number and mark."""
    before: float
    """The expected points of its player before the move, from 0 to 1."""
    after: float
    """The expected points after the move."""
    best: tuple[str, ...]
    """The better line."""


@dataclass(frozen=True)
class GameAnalysis:
    """The analysis of a game."""

    number: int
    """Its number in the file, from 1."""
    white: PlayerAnalysis
    black: PlayerAnalysis
    turning_points: tuple[TurningPoint, ...]


@dataclass(frozen=True)
class Analysis:
    """The analysis of the games of a file."""

    games: tuple[GameAnalysis, ...]
    """The games analysed by this call."""
    path: Path | None
    """The file with the annotated games, if there is one."""

    def frame(self) -> "pandas.DataFrame":
        """A data frame with a row for each player of each game."""
        import pandas

        sides = [
            (game.number, color, getattr(game, color)) for game in self.games for color in ("white", "black")
        ]
        return pandas.DataFrame(
            [{"game": number, "color": color, **vars(side)} for number, color, side in sides]
        )


def analyse(
    pgn: str | os.PathLike[str],
    *,
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> Analysis:
    """Searches every position of the games of a PGN file and marks the mistakes, like `labrys analyse`.

    Further keyword arguments are those of the command; one of them must be the limit of each search,
    `movetime` (seconds), `nodes` or `depth` (plies):

        labrys.analyse("games.pgn", nodes=100_000, out="marked.pgn", resume=True, option={"Hash": 64})

    With `out` the games are written with scores, marks and better lines; with `resume=True` the games in that
    file are not analysed again, and are not in the result. Raises `ValueError` with the message of the binary
    for wrong arguments and if no game of the file can be read, `RuntimeError` if some could not be read; the
    others are then in `out`."""
    words = ["analyse", *_arguments.words({**_arguments.with_game(game, arguments), "json": True})]
    games: list[GameAnalysis] = []
    with observer(progress) as observe:

        def found(line: str) -> None:
            games.append(_game(json.loads(line)))
            observe(Progress("games", len(games), None, ""))

        _child.run([*words, "--", os.fspath(pgn)], progress=False, on_line=found)
    out = arguments.get("out")
    return Analysis(tuple(games), None if out is None else Path(out))


def _game(found: dict[str, Any]) -> GameAnalysis:
    points = [TurningPoint(**{**each, "best": tuple(each["best"])}) for each in found["turning_points"]]
    white, black = PlayerAnalysis(**found["white"]), PlayerAnalysis(**found["black"])
    return GameAnalysis(found["game"], white, black, tuple(points))
