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
    games,
    read_pgn,
    read_selfplay,
)

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
    "Score",
    "Search",
    "SearchResult",
    "SelfPlayGames",
    "__version__",
    "games",
    "read_pgn",
    "read_selfplay",
]
