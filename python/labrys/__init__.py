"""Chess, Amazons, Neighbours and TUC-CHESS: rules, engine, nets and learning of Labrys as Python objects.

>>> import labrys
>>> position = labrys.Game("chess").start().play("e4", "e5")
>>> labrys.Engine("chess").search(position, nodes=10_000).move
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from .rules import Rules, add_game

if TYPE_CHECKING:
    from . import actions as actions
    from . import cluster as cluster
    from . import frames as frames
    from .analysis import Analysis, analyse
    from .arena import EngineSpec, MatchResult, match
    from .learning import selfplay, train_linear, train_nnue, zero
    from .proofs import solve, verify
    from .samples import Samples, read_samples

__all__ = [
    "Analysis",
    "Engine",
    "EngineSpec",
    "Evaluation",
    "Game",
    "Info",
    "MatchResult",
    "Move",
    "MoveList",
    "Option",
    "Outcome",
    "Position",
    "Rules",
    "Samples",
    "Score",
    "Search",
    "SearchResult",
    "SelfPlayGames",
    "__version__",
    "add_game",
    "analyse",
    "games",
    "match",
    "read_pgn",
    "read_samples",
    "read_selfplay",
    "selfplay",
    "solve",
    "train_linear",
    "train_nnue",
    "verify",
    "zero",
]

_LAZY = {
    "analysis": ["Analysis", "analyse"],
    "arena": ["EngineSpec", "MatchResult", "match"],
    "learning": ["selfplay", "train_linear", "train_nnue", "zero"],
    "proofs": ["solve", "verify"],
    "samples": ["Samples", "read_samples"],
}
"""Names imported on first use, by module, as they import much of the standard library."""

_MODULES = ["actions", "cluster", "frames"]
"""Submodules imported on first use. They may need other packages."""


def __getattr__(name: str) -> Any:
    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'labrys' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
