"""The common parts of the environments for reinforcement learning: spaces, observations, moves, results and
images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ._arguments import whole_number
from ._labrys import Game, Position
from .actions import Actions, actions

if TYPE_CHECKING:
    from ._labrys import MoveLike

__all__ = ["RENDER_MODES", "Observation", "Referee", "checked_render_mode", "render"]

RENDER_MODES = ["ansi", "svg"]
"""The render modes: the board as text, or an SVG image."""

# A bound of the values of planes. The largest is the move number of TUC-CHESS, at most 9999, divided by 70.
_LARGEST = 150.0

Observation: TypeAlias = dict[str, npt.NDArray[Any]]
"""An observation. `observation` has the planes of the position, float32 of shape (planes, ranks, files), from
the perspective of the side to move; `action_mask` has 1 for each legal action, int8 of shape (actions,)."""


class Referee:
    """Runs games: defines the spaces, makes observations, plays moves and decides when a game is over.

    Args:
        game: The game, or its name and `options`.
        max_plies: The number of plies after which games are truncated; `None` for no limit.
    """

    def __init__(self, game: str | Game, max_plies: int | None, **options: str | int | bool) -> None:
        if isinstance(game, Game) and options:
            name = next(iter(options))
            raise ValueError(f"option `{name}`: not allowed with a Game object, which has its options")
        if max_plies is not None:
            max_plies = whole_number("max_plies", max_plies)
            if max_plies < 1:
                raise ValueError(f"max_plies: expected at least 1, not {max_plies}")
        self.game = game if isinstance(game, Game) else Game(game, **options)
        self.actions: Actions = actions(self.game)
        self.max_plies = max_plies

    def observation_space(self) -> spaces.Space[Any]:
        """A new space of observations."""
        mask = spaces.Box(0, 1, (self.actions.size,), np.int8)
        planes = spaces.Box(-_LARGEST, _LARGEST, self.game.planes_shape, np.float32)
        return spaces.Dict({"observation": planes, "action_mask": mask})

    def action_space(self) -> spaces.Space[Any]:
        """A new space of actions."""
        return spaces.Discrete(self.actions.size)

    @staticmethod
    def checked_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """The options of `reset`. Unknown options are ignored, as usual.

        Raises:
            TypeError: They are not a dictionary.
        """
        if options is None:
            return {}
        if not isinstance(options, Mapping):
            raise TypeError(f"options: expected a dictionary, not {type(options).__name__}")
        return options

    def begin(self, fen: str | None) -> Position:
        """The first position of a game, by default the start position.

        Raises:
            ValueError: The game is over in the position, or its board has another size.
        """
        if fen is None:
            return self.game.start()
        position = self.game.position(fen)
        if position.planes().shape != self.game.planes_shape:
            raise ValueError(f"{fen} is not on the board of the environment")
        if self.is_over(position):
            raise ValueError(f"the game is over in {fen}")
        return position

    def observe(self, position: Position, *, can_move: bool) -> Observation:
        """The observation of an agent; the action mask is empty unless it can move."""
        can_move = can_move and not self.is_over(position)
        mask = self.actions.mask(position) if can_move else np.zeros(self.actions.size, np.int8)
        return {"observation": position.planes(), "action_mask": mask}

    def play(self, position: Position, move: MoveLike, generator: np.random.Generator) -> Position:
        """The position after a move, with a sampled chance outcome in games with chance."""
        if self.game.has_chance:
            move = position.sample(move, generator.random())
        return position.play(move)

    def is_over(self, position: Position) -> bool:
        """Whether the game has ended by its rules."""
        longest = self.game.longest_game
        return position.is_over or (longest is not None and position.ply >= longest)

    def is_truncated(self, position: Position) -> bool:
        """Whether the game is truncated here."""
        limit = self.max_plies
        return limit is not None and position.ply >= limit and not self.is_over(position)

    def value(self, position: Position) -> float:
        """The result for White: 1, 0 or −1, 0 if the game is not over."""
        if not self.is_over(position):
            return 0.0
        # A game that has reached its maximum length is won by the leader.
        outcome = position.outcome
        winner = position.leader if outcome is None else outcome.winner
        return {"white": 1.0, "black": -1.0, None: 0.0}[winner]


def checked_render_mode(mode: str | None) -> str | None:
    """Checks a render mode.

    Raises:
        ValueError: There is no such mode.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"the render mode `{mode}` is unknown; there are `ansi` and `svg`")
    return mode


def render(position: Position, mode: str | None) -> str | None:
    """The board in a render mode, or `None` without one."""
    match mode:
        case "ansi":
            return position.diagram()
        case "svg":
            return position.svg()
        case _:
            return None
