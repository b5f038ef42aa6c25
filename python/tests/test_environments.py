"""Environments of PettingZoo and Gymnasium."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest
from common import random_game

import labrys
from labrys.actions import actions

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

import gymnasium  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

import labrys.gymnasium  # noqa: E402
import labrys.pettingzoo  # noqa: E402

# Small boards: their games are short.
OPTIONS: dict[str, dict[str, Any]] = {
    "chess": {},
    "neighbours": {},
    "tucchess": {},
    "amazons": {"board": "6x6"},
}


@pytest.mark.parametrize(
    ("game", "size"),
    [
        (labrys.Game("chess"), 73 * 64),
        (labrys.Game("neighbours"), 8 * 64),
        (labrys.Game("tucchess"), 24 * 35),
        (labrys.Game("amazons", board="6x6"), 9412),
        (labrys.Game("amazons", board="8x8"), 33_344),
        (labrys.Game("amazons"), 86_980),
        (labrys.Game("amazons", board="5x11"), None),
        (labrys.Game("chess", chess960=True), 73 * 64),
    ],
    ids=repr,
)
def test_actions(game: labrys.Game, size: int | None) -> None:
    numbering = actions(game)
    assert size is None or numbering.size == size
    for seed in range(2):
        position = random_game(game.start(), seed, plies=9 + seed)
        legal = numbering.legal(position)
        assert len(legal) == len(position.legal_moves)
        assert all(0 <= action < numbering.size for action in legal)
        for action, move in list(legal.items())[::7]:
            assert numbering.move(position, action) == move
            assert numbering.action(position, move) == numbering.action(position, str(move)) == action
        mask = numbering.mask(position)
        assert mask.dtype == np.int8 and mask.shape == (numbering.size,)
        assert np.flatnonzero(mask).tolist() == sorted(legal)
        illegal = int(np.flatnonzero(mask == 0)[0])
        for wrong in (illegal, -1, numbering.size, 10**9):
            with pytest.raises(ValueError):
                numbering.move(position, wrong)


def test_every_action_of_amazons_is_a_move_of_an_empty_board() -> None:
    game = labrys.Game("amazons", board="3x4")
    numbering = actions(game)
    seen: dict[int, str] = {}
    for file in "abc":
        for rank in range(1, 5):
            rows = [["", "", ""] for _ in range(4)]
            rows[4 - rank]["abc".index(file)] = "Q"
            # The black amazon must stand out of the way of each move.
            for corner in range(12):
                if rows[corner // 3][corner % 3] == "Q":
                    continue
                board = [list(row) for row in rows]
                board[corner // 3][corner % 3] = "q"
                rows_of_fen = "/".join("".join(letter or "." for letter in row) for row in board)
                fen = re.sub(r"\.+", lambda run: str(len(run[0])), rows_of_fen) + " w - - 0 1"
                for action, move in numbering.legal(game.position(fen)).items():
                    assert seen.setdefault(action, str(move)) == str(move)
    assert sorted(seen) == list(range(numbering.size))

    def squares(move: str) -> list[tuple[str, str]]:
        """The ranks and files of the three squares of a move."""
        return [(square[1], square[0]) for square in (move[:2], move[2:4], move[7:])]

    assert [seen[action] for action in sorted(seen)] == sorted(seen.values(), key=squares)


def test_both_sides_have_the_same_actions(name: str) -> None:
    """The start positions of all games look the same to both sides."""
    game = labrys.Game(name)
    start = game.start()
    fields = start.fen.split()
    fields[1] = "b"
    turned = game.position(" ".join(fields))
    numbering = actions(game)
    np.testing.assert_array_equal(numbering.mask(start), numbering.mask(turned))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_api(name: str) -> None:
    # A random game of chess takes some hundred moves, each with a mask.
    api_test(labrys.pettingzoo.env(name, **OPTIONS[name]), num_cycles=60)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_seeds(name: str) -> None:
    seed_test(lambda: labrys.pettingzoo.env(name, **OPTIONS[name]), num_cycles=60)


def played(env: Any, seed: int) -> list[tuple[str, float]]:
    """The moves of a random game of an environment, with the agents' last rewards."""
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    moves: list[tuple[str, float]] = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        moves.append((info["move"], reward))
        over = termination or truncation
        legal = np.flatnonzero(observation["action_mask"])
        assert (len(legal) == 0) == over
        env.step(None if over else int(generator.choice(legal)))
        assert agent in env.possible_agents
    return moves


def test_a_game_of_pettingzoo(name: str) -> None:
    env = labrys.pettingzoo.env(name, **OPTIONS[name])
    moves = played(env, 5)
    position: labrys.Position = env.unwrapped.position
    assert moves == played(env, 5) != played(env, 6)
    longest = position.game.longest_game
    assert position.is_over or position.ply == longest
    assert [text for text, _ in moves[1:-1]] == [str(move) for move in position.moves]
    winner = position.outcome.winner if position.outcome else position.leader
    value = {"white": 1.0, "black": -1.0, None: 0.0}[winner]
    # The last two are the agents' at the end, White's after an even number of plies.
    last = [reward for _, reward in moves[-2:]]
    assert last == ([value, -value] if position.ply % 2 == 0 else [-value, value])
    assert all(reward == 0 for _, reward in moves[:-2])


def test_chance_is_sampled() -> None:
    env = labrys.pettingzoo.raw_env("tucchess")
    seen = set()
    for seed in range(200):
        env.reset(seed=seed, options={"fen": "5/2k2/5/2*2/2K2/5/4P w 0 0 1"})
        position = env.position
        env.step(actions(position.game).action(position, "c3c4"))
        seen.add(str(env.position.last_move))
    assert {"c3c4=1", "c3c4=0"} <= seen and any("+" in move for move in seen)


@pytest.mark.parametrize(("points", "value"), [("90 1", 1), ("1 90", -1)])
def test_a_game_of_maximum_length(points: str, value: int) -> None:
    env = labrys.pettingzoo.raw_env("tucchess")
    env.reset(seed=1, options={"fen": f"k4/5/p4/P4/5/5/4K w {points} 1"})
    numbering = actions(env.position.game)
    while not all(env.terminations.values()):
        # The kings go to and fro, and the pawns are stuck.
        there, back = ("e1d1", "d1e1") if env.agent_selection == "player_0" else ("a7b7", "b7a7")
        move = there if env.position.is_legal(there) else back
        assert env.position.ply < 140 and set(env.rewards.values()) == {0}
        env.step(numbering.action(env.position, move))
    assert env.position.ply == 140 and not env.position.is_over
    assert env.rewards == {"player_0": value, "player_1": -value}
    assert not env.observe(env.agent_selection)["action_mask"].any()


def test_illegal_actions_of_pettingzoo() -> None:
    env = labrys.pettingzoo.env("neighbours")
    env.reset(seed=1)
    mask = env.last()[0]["action_mask"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(int(np.flatnonzero(mask == 0)[0]))
    assert env.rewards == {"player_0": -1, "player_1": 0} and all(env.terminations.values())
    bare = labrys.pettingzoo.raw_env("neighbours")
    bare.reset()
    with pytest.raises(ValueError):
        bare.step(int(np.flatnonzero(mask == 0)[0]))
    assert bare.position == labrys.Game("neighbours").start() and not any(bare.terminations.values())


def test_options_of_pettingzoo() -> None:
    env = labrys.pettingzoo.raw_env("amazons", board="5x5", max_plies=3, render_mode="ansi")
    env.reset()
    assert env.render() == labrys.Game("amazons", board="5x5").start().diagram()
    assert env.observe("player_0")["observation"].shape == (4, 5, 5)
    assert env.observe("player_1")["action_mask"].sum() == 0
    for _ in range(3):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    fen = "1q2*/3q1/5/Q2Q1/5 b - - 1 1"
    env.reset(options={"fen": fen})
    assert env.agent_selection == "player_1" and env.position.fen == fen
    for wrong in ("nonsense", "2q3/5q/6/6/Q5/3Q2 w - - 0 1"):
        with pytest.raises(ValueError):
            env.reset(options={"fen": wrong})
    assert env.position.fen == fen
    for arguments in ({"render_mode": "human"}, {"max_plies": 0}, {"hash": 3}):
        with pytest.raises(ValueError):
            labrys.pettingzoo.env("neighbours", **arguments)
    other = pickle.loads(pickle.dumps(env))
    assert other.position == env.position and copy.deepcopy(env).agent_selection == env.agent_selection


@pytest.mark.parametrize("side", ["white", "black", "random"])
def test_gymnasium_checks(name: str, side: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It cannot be recreated from its specification.
        warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes.*")
        check_env(labrys.gymnasium.OpponentEnv(name, side=side, **OPTIONS[name]))


def test_gymnasium_makes_it() -> None:
    env = gymnasium.make("labrys.gymnasium:labrys/Opponent-v0", game="neighbours", render_mode="svg")
    check_env(env.unwrapped)
    env.reset(seed=1)
    assert str(env.render()).startswith("<svg")


def episode(env: labrys.gymnasium.OpponentEnv, seed: int) -> tuple[float, int]:
    """The last reward of an episode of random moves, and the number of steps."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    for step in range(1000):
        action = generator.choice(np.flatnonzero(env.action_masks()))
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space and isinstance(reward, float)
        if terminated or truncated:
            assert not info["illegal"] and not observation["action_mask"].any()
            return reward, step
        assert reward == 0
    raise AssertionError("no end")


def test_an_engine_as_the_opponent(name: str) -> None:
    game = labrys.Game(name, **OPTIONS[name])
    for side in ("white", "black"):
        env = labrys.gymnasium.OpponentEnv(game, labrys.Engine(game), side, limits={"nodes": 200})
        reward, _ = episode(env, 3)
        position = env.position
        assert position.is_over or position.ply == game.longest_game
        winner = position.outcome.winner if position.outcome else position.leader
        assert reward == (0 if winner is None else 1 if winner == side else -1)
        # Two hundred nodes beat random moves.
        assert reward == -1


def test_an_engine_is_reset_for_each_game() -> None:
    engine = labrys.Engine("chess")
    env = labrys.gymnasium.OpponentEnv("chess", engine, max_plies=40, limits={"nodes": 3000})

    def replies() -> list[str]:
        env.reset(seed=1)
        found, over = [], False
        while not over:
            # The first legal action is always the same.
            *_, terminated, truncated, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
            found.append(info["reply"])
            over = terminated or truncated
        return found

    assert replies() == replies()


def test_a_function_as_the_opponent() -> None:
    def first(position: labrys.Position) -> labrys.Move:
        return position.legal_moves[0]

    env = labrys.gymnasium.OpponentEnv("neighbours", first, "black")
    _, info = env.reset(seed=1)
    start = labrys.Game("neighbours").start()
    assert info["reply"] == str(start.legal_moves[0]) and info["move"] is None and info["side"] == "black"
    assert env.position == start.play(start.legal_moves[0])
    _, _, _, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert [str(move) for move in env.position.moves][1:] == [info["move"], info["reply"]]


def test_illegal_actions_lose() -> None:
    env = labrys.gymnasium.OpponentEnv("chess")
    env.reset(seed=1)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert env.position == labrys.Game("chess").start() and not observation["action_mask"].any()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


def test_options_of_gymnasium() -> None:
    env = labrys.gymnasium.OpponentEnv("chess", side="random", max_plies=4)
    sides = {env.reset(seed=seed)[1]["side"] for seed in range(20)}
    assert sides == {"white", "black"}
    assert env.reset(options={"side": "black", "fen": "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"})[1]["side"] == "black"
    assert env.position.ply == 1
    env.reset(options={"side": "white"})
    for _ in range(2):
        *_, terminated, truncated, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert truncated and not terminated
    for options in ({"side": "green"}, {"fen": "nonsense"}):
        with pytest.raises(ValueError):
            env.reset(options=options)
    with pytest.raises(ValueError, match="amazons"):
        labrys.gymnasium.OpponentEnv("chess", labrys.Engine("amazons"))
    with pytest.raises(ValueError, match="opponent"):
        labrys.gymnasium.OpponentEnv("chess", 5)  # type: ignore[arg-type]


class Failing:
    """An opponent with a given answer: an error, an illegal move or a legal one."""

    def __init__(self) -> None:
        self.answer: str | BaseException | None = None

    def __call__(self, position: labrys.Position) -> str:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer or str(position.legal_moves[0])


@pytest.mark.parametrize("answer", [RuntimeError("no answer"), KeyboardInterrupt("no answer"), "no answer"])
@pytest.mark.parametrize("game", ["neighbours", "tucchess"])
def test_an_opponent_that_fails_changes_nothing(game: str, answer: str | BaseException) -> None:
    opponent = Failing()
    env, same = (labrys.gymnasium.OpponentEnv(game, each, "black") for each in (opponent, Failing()))

    def step(env: labrys.gymnasium.OpponentEnv) -> tuple[str, dict[str, Any]]:
        *_, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        return env.position.fen, info

    for each in (env, same):
        each.reset(seed=1)
    step(env), step(same)
    before = env.position
    opponent.answer = answer
    for attempt in (lambda: step(env), lambda: env.reset(seed=7), lambda: env.reset()):
        with pytest.raises((RuntimeError, KeyboardInterrupt, ValueError), match="no answer"):
            attempt()
        assert env.position == before and env.position.ply == before.ply
    # The random numbers are drawn again.
    opponent.answer = None
    assert [step(env) for _ in range(3)] == [step(same) for _ in range(3)]


def test_bad_options_of_a_reset_change_nothing() -> None:
    gym, zoo = labrys.gymnasium.OpponentEnv("neighbours"), labrys.pettingzoo.raw_env("neighbours")
    for env in (gym, zoo):
        env.reset(seed=1)
        mask = zoo.observe("player_0")["action_mask"] if env is zoo else gym.action_masks()
        env.step(int(np.flatnonzero(mask)[0]))
        before = env.position
        for options, error in (({"fen": "x"}, ValueError), (5, TypeError), ({"fen": 5}, TypeError)):
            with pytest.raises(error):
                env.reset(seed=2, options=options)  # type: ignore[arg-type]
            assert env.position == before
        with pytest.raises(Exception):
            env.reset(seed="x")  # type: ignore[arg-type]
        assert env.position == before
