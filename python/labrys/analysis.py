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
    """How a player has played in a game."""

    name: str
    moves: int
    accuracy: float
    """Mean accuracy of a move, in percent."""
    loss: float
    """Expected points given away, in all."""
    inaccuracies: int
    mistakes: int
    blunders: int


@dataclass(frozen=True)
class TurningPoint:
    """A move that gave much away."""

    move: str
    """The move with its number and mark."""
    before: float
    """The expected points of its player before it, from 0 to 1."""
    after: float
    """The same after it."""
    best: tuple[str, ...]
    """The better line."""


@dataclass(frozen=True)
class GameAnalysis:
    """The analysis of a game."""

    number: int
    """Its number in the file, from 1 on."""
    white: PlayerAnalysis
    black: PlayerAnalysis
    turning_points: tuple[TurningPoint, ...]


@dataclass(frozen=True)
class Analysis:
    """The analysis of the games of a file."""

    games: tuple[GameAnalysis, ...]
    """The games that this call has analysed."""
    path: Path | None
    """The file with the marked games, if there is one."""

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
    """Searches every position of the games of a PGN file and marks the mistakes, as `labrys analyse` does.

    Further keyword arguments are those of the command; one of `movetime` (seconds), `nodes` and `depth`
    (plies) has to be among them, the limit of each search:

        labrys.analyse("games.pgn", nodes=100_000, out="marked.pgn", resume=True, option={"Hash": 64})

    With `out` the games are written with scores, marks and better lines; with `resume=True` those that are in
    it are not analysed again, and not in the result. Raises `ValueError` with the words of the binary for
    wrong arguments and for a file none of whose games can be read, `RuntimeError` if some could not be read:
    the others are in the file of `out`."""
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
