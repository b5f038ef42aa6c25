"""Gymnasium environments: one agent against a chosen opponent.

    import gymnasium, labrys
    env = gymnasium.make("labrys.gymnasium:labrys/Opponent-v0", game="neighbours", side="random")
    observation, info = env.reset(seed=1)

or, with an engine as the opponent,

    from labrys.gymnasium import OpponentEnv
    env = OpponentEnv("neighbours", opponent=labrys.Engine("neighbours"), limits={"nodes": 1000})

- Observations, actions and chance are as in `labrys.pettingzoo`. A step is the agent's move and the
  opponent's reply.
- Rewards: 1 for a win, −1 for a loss, 0 for a draw and before the end. An illegal action loses.
- `info` has `fen`; `move` and `reply`, the texts of the moves of this step; `side`; `illegal`, whether the
  action was illegal.
- `reset(seed=…)` seeds everything random: the side, chance, an opponent that plays random moves.
- `reset(options={"fen": …, "side": …})` starts from another position or with another side.
- `action_masks()` is for MaskablePPO of sb3-contrib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from ._labrys import Engine, Game, Position
from .environments import RENDER_MODES, Observation, Referee, checked_render_mode, render

if TYPE_CHECKING:
    from ._labrys import MoveLike

__all__ = ["Opponent", "OpponentEnv"]

Opponent: TypeAlias = "Engine | Callable[[Position], MoveLike] | None"
"""The opponent: an engine, a function from a position to a legal move, or `None` for random moves."""

Side: TypeAlias = Literal["white", "black", "random"]


class OpponentEnv(gymnasium.Env[Observation, Any]):
    """A game against an opponent; see the module.

    Args:
        game: The game or its name.
        opponent: An engine, a function from a position to a legal move, or `None` for random moves. The
            engine's tables are cleared before each game.
        side: The agent's side; with `random` it is chosen at random for each game.
        limits: The limits of the engine's searches, as arguments of `Engine.search`; by default 1000 nodes.
        max_plies: The number of plies after which games are truncated; `None` for no limit.
        render_mode: The result of `render`: `ansi`, the board as text, or `svg`, an image.
        **options: Options of the game, such as `board="6x6"`.

    Raises:
        ValueError: There is no such game, option, side or mode.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        game: str | Game = "chess",
        opponent: Opponent = None,
        side: Side = "white",
        *,
        limits: Mapping[str, Any] | None = None,
        max_plies: int | None = None,
        render_mode: str | None = None,
        **options: str | int | bool,
    ) -> None:
        self._referee = Referee(game, max_plies, **options)
        if isinstance(opponent, Engine) and opponent.game.name != self._referee.game.name:
            raise ValueError(f"the opponent plays {opponent.game.name}, not {self._referee.game.name}")
        if opponent is not None and not isinstance(opponent, Engine) and not callable(opponent):
            raise ValueError(f"the opponent is neither an engine nor a function, but {opponent!r}")
        self.render_mode = checked_render_mode(render_mode)
        self._opponent = opponent
        self._side = _checked(side)
        self._limits: dict[str, Any] = {"nodes": 1000} if limits is None else dict(limits)
        self.observation_space = self._referee.observation_space()
        self.action_space = self._referee.action_space()
        self._position = self._referee.game.start()
        self._is_black = False
        self._done = True

    @property
    def position(self) -> Position:
        """The current position."""
        return self._position

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a game. The opponent moves first if it is their turn. After an error the previous game
        continues.

        Raises:
            ValueError: There is no such side, the game is over in the given position, or the opponent's move
                is not legal.
        """
        options = dict(self._referee.checked_options(options))
        side = _checked(options.get("side", self._side))
        position = self._referee.begin(options.get("fen"))
        with self._unchanged_on_errors():
            super().reset(seed=seed)
            if isinstance(self._opponent, Engine):
                self._opponent.new_game()
            self._is_black = bool(self.np_random.integers(2)) if side == "random" else side == "black"
            self._position = position
            reply = None if self._is_ours() else self._answer()
            self._done = self._is_finished()
            if self._done:
                raise ValueError(f"the opponent's first move from {position.fen} ends the game")
        return self._observe(), self._info(None, reply)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's reply. After an error the action has not been played.

        Raises:
            ValueError: The game is over, or the opponent's move is not legal.
        """
        if self._done:
            raise ValueError("the game is over: `reset` starts the next one")
        try:
            move = self._referee.actions.move(self._position, action)
        except ValueError:
            self._done = True
            return self._observe(), -1.0, True, False, self._info(None, None, illegal=True)
        with self._unchanged_on_errors():
            self._position = self._referee.play(self._position, move, self.np_random)
            played, reply = str(self._position.last_move), None
            if not self._is_finished():
                reply = self._answer()
            self._done = self._is_finished()
        value = self._referee.value(self._position)
        return (
            self._observe(),
            -value if self._is_black else value,
            self._referee.is_over(self._position),
            self._referee.is_truncated(self._position),
            self._info(played, reply),
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """True for each legal action, of shape (actions,)."""
        return self._observe()["action_mask"].astype(bool)

    def render(self) -> str | None:
        """The board in `render_mode`, or `None` without one."""
        return render(self._position, self.render_mode)

    @contextmanager
    def _unchanged_on_errors(self) -> Iterator[None]:
        """Restores the state after an error, including that of the random number generator."""
        # Gymnasium seeds its generator on first use.
        generator, seed = self.np_random, self._np_random_seed
        before = self._position, self._is_black, self._done, generator.bit_generator.state
        try:
            yield
        except BaseException:
            self._np_random, self._np_random_seed = generator, seed
            self._position, self._is_black, self._done, generator.bit_generator.state = before
            raise

    def _is_ours(self) -> bool:
        return (self._position.side_to_move == "black") == self._is_black

    def _is_finished(self) -> bool:
        return self._referee.is_over(self._position) or self._referee.is_truncated(self._position)

    def _answer(self) -> str:
        """Plays the opponent's move."""
        opponent, position = self._opponent, self._position
        move: MoveLike | None
        if opponent is None:
            moves = position.legal_moves
            move = moves[int(self.np_random.integers(len(moves)))]
        elif isinstance(opponent, Engine):
            move = opponent.search(position, **self._limits).move
        else:
            move = opponent(position)
        self._position = self._referee.play(position, move, self.np_random)
        return str(self._position.last_move)

    def _observe(self) -> Observation:
        return self._referee.observe(self._position, can_move=not self._done and self._is_ours())

    def _info(self, move: str | None, reply: str | None, *, illegal: bool = False) -> dict[str, Any]:
        side = "black" if self._is_black else "white"
        return {"fen": self._position.fen, "move": move, "reply": reply, "side": side, "illegal": illegal}


def _checked(side: str) -> str:
    if side not in ("white", "black", "random"):
        raise ValueError(f"the side `{side}` is unknown; there are `white`, `black` and `random`")
    return side


gymnasium.register("labrys/Opponent-v0", entry_point=OpponentEnv)
