"""Chess, Amazons, Neighbours and TUC-CHESS: rules, engine, nets and learning of Labrys as Python objects.

>>> import labrys
>>> position = labrys.Game("chess").start().play("e4", "e5")
>>> labrys.Engine("chess").search(position, nodes=10_000).move
"""

from ._labrys import (
    Engine,
    Evaluation,
    Game,
    Info,
    Move,
    MoveList,
    Option,
    Outcome,
    Position,
    Score,
    Search,
    SearchResult,
    SelfPlayGames,
    __version__,
    add_game,
    games,
    read_pgn,
    read_selfplay,
)
from .rules import Rules

__all__ = [
    "Engine",
    "Evaluation",
    "Game",
    "Info",
    "Move",
    "MoveList",
    "Option",
    "Outcome",
    "Position",
    "Rules",
    "Score",
    "Search",
    "SearchResult",
    "SelfPlayGames",
    "__version__",
    "add_game",
    "games",
    "read_pgn",
    "read_selfplay",
]
