"""PettingZoo environments for two agents that take turns (AEC).

    from labrys import pettingzoo
    env = pettingzoo.env("amazons", board="6x6")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

- Agents: `player_0` is White, `player_1` is Black.
- Observation: a dictionary. `observation` has the planes of `Position.planes`, float32 of shape (planes,
  ranks, files), from the perspective of the side to move; it is the same for both agents. `action_mask` has 1
  for each legal action, int8 of shape (actions,); it is zero for the agent that is not to move.
- Actions: see `labrys.actions`.
- Rewards: 1 for a win, −1 for a loss, 0 for a draw and before the end. TUC-CHESS ends after 140 plies, by
  points. `max_plies` truncates games, with rewards of 0.
- An illegal action ends the game: −1 for the agent, 0 for the other one. (In `raw_env`, without the wrappers,
  it raises `ValueError` and changes nothing.)
- Chance, in TUC-CHESS: outcomes are sampled by the generator that `reset(seed=…)` seeds.
- `infos[agent]` has `fen`, and `move`, the text of the last move with its chance outcome.
- `reset(options={"fen": …})` starts from another position, on a board of the same size.
- `render_mode`: `ansi`, the board as text, or `svg`, an image.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Space
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._labrys import Game, Position
from .environments import RENDER_MODES, Observation, Referee, checked_render_mode, render

__all__ = ["env", "raw_env"]


def env(
    game: str | Game = "chess",
    *,
    max_plies: int | None = None,
    render_mode: str | None = None,
    **options: str | int | bool,
) -> AECEnv[str, Observation, Any]:
    """The environment of a game with PettingZoo's usual wrappers; see the module.

    Args:
        game: The game or its name.
        max_plies: The number of plies after which games are truncated; `None` for no limit.
        render_mode: The result of `render`: `ansi` or `svg`.
        **options: Options of the game, such as `board="6x6"`.

    Raises:
        ValueError: There is no such game, option or mode.
    """
    bare = raw_env(game, max_plies=max_plies, render_mode=render_mode, **options)
    wrapped = wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv[str, Observation, Any]):
    """The environment of a game without wrappers. Its arguments are those of `env`."""

    def __init__(
        self,
        game: str | Game = "chess",
        *,
        max_plies: int | None = None,
        render_mode: str | None = None,
        **options: str | int | bool,
    ) -> None:
        super().__init__()
        self._referee = Referee(game, max_plies, **options)
        self.metadata: dict[str, Any] = {
            "name": f"labrys_{self._referee.game.name}_v0",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
        }
        self.render_mode = checked_render_mode(render_mode)
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._referee.observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: self._referee.action_space() for agent in self.possible_agents}
        self._generator, _ = seeding.np_random()
        self._position = self._referee.game.start()

    @property
    def position(self) -> Position:
        """The current position."""
        return self._position

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game, from `options["fen"]` if given."""
        position = self._referee.begin(self._referee.checked_options(options).get("fen"))
        if seed is not None:
            self._generator, _ = seeding.np_random(seed)
        self._position = position
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._update()

    def observe(self, agent: str) -> Observation:
        """The observation of an agent: the planes of the position and its legal actions."""
        can_move = agent == self._mover() and not any(self.truncations.values())
        return self._referee.observe(self._position, can_move=can_move)

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move, or removes an agent whose game is over.

        Raises:
            ValueError: The action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("expected an action: the game is not over")
        move = self._referee.actions.move(self._position, action)
        self._cumulative_rewards[agent] = 0.0
        self._position = self._referee.play(self._position, move, self._generator)
        value = self._referee.value(self._position)
        self.rewards = dict(zip(self.possible_agents, (value, -value), strict=True))
        if self._referee.is_over(self._position):
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._referee.is_truncated(self._position):
            self.truncations = dict.fromkeys(self.agents, True)
        self._update()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board in `render_mode`, or `None` without one."""
        return render(self._position, self.render_mode)

    def state(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The planes of the position, which both agents observe completely."""
        return self._position.planes()

    def close(self) -> None:
        """Does nothing, as there is no window."""

    def _mover(self) -> str:
        return self.possible_agents[self._position.side_to_move == "black"]

    def _update(self) -> None:
        """Updates the agent to move and the infos."""
        self.agent_selection = self._mover()
        move = self._position.last_move
        info = {"fen": self._position.fen, "move": None if move is None else str(move)}
        self.infos = {agent: dict(info) for agent in self.agents}
