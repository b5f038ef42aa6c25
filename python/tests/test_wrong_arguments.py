"""Wrong arguments: errors name them, and nothing else happens."""

from __future__ import annotations

import errno
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from common import ROOT

import labrys
from labrys import _arguments, actions, learning


def test_submodules_need_no_import() -> None:
    assert command_of("import labrys; print(labrys.actions.actions(labrys.Game('neighbours')).size)") == "512"
    pytest.importorskip("pandas")
    assert command_of("import labrys; print(callable(labrys.frames.games))") == "True"


def command_of(code: str) -> str:
    """The output of a program."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.strip()


@pytest.mark.parametrize("size", [None, "400", 1.5, float("inf"), True])
def test_the_size_of_an_image_is_an_integer(size: Any) -> None:
    with pytest.raises(TypeError, match="size: expected a whole number"):
        labrys.Game("chess").start().svg(size=size)


@pytest.mark.parametrize("size", [0, -1, 10**40])
def test_the_size_of_an_image_is_limited(size: int) -> None:
    with pytest.raises(ValueError, match=f"size: .*not {size}"):
        labrys.Game("chess").start().svg(size=size)


def test_arrows_are_a_list() -> None:
    with pytest.raises(TypeError, match="arrows: expected a list or another iterable, not int"):
        labrys.Game("chess").start().svg(arrows=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [None, "3", 1.5, True])
def test_an_action_is_a_whole_number(name: str, action: Any) -> None:
    game = labrys.Game(name)
    with pytest.raises(TypeError, match="action: expected a whole number"):
        actions.actions(game).move(game.start(), action)


def test_actions_are_those_of_a_game_and_a_board() -> None:
    chess, amazons = labrys.Game("chess").start(), labrys.Game("amazons").start()
    small = labrys.Game("amazons", board="6x6")
    for numbering, position in [
        (actions.actions(labrys.Game("neighbours")), chess),
        (actions.actions(small), chess),
        (actions.actions(small), amazons),
        (actions.actions(labrys.Game("amazons")), small.start()),
    ]:
        for ask in (numbering.legal, numbering.mask, lambda position, its=numbering: its.move(position, 5)):
            with pytest.raises(ValueError, match="actions of"):
                ask(position)
        with pytest.raises(ValueError, match="actions of"):
            numbering.action(position, position.legal_moves[0])


def test_an_action_of_another_type_does_not_lose_the_game() -> None:
    gymnasium = pytest.importorskip("labrys.gymnasium")
    env = gymnasium.OpponentEnv("neighbours")
    env.reset(seed=1)
    before = env.position
    for action in ("x", 1.5):
        with pytest.raises(TypeError, match="action"):
            env.step(action)
    assert env.position == before and not env.step(np.int64(env.action_masks().argmax()))[2]


@pytest.mark.parametrize("plies", ["5", 1.5])
def test_a_limit_of_plies_is_a_whole_number(plies: Any) -> None:
    gymnasium = pytest.importorskip("labrys.gymnasium")
    with pytest.raises(TypeError, match="max_plies: expected a whole number"):
        gymnasium.OpponentEnv("neighbours", max_plies=plies)


def test_no_engine_of_a_match() -> None:
    with pytest.raises(TypeError, match="engine: expected .*, not NoneType"):
        labrys.match(None, None)  # type: ignore[arg-type]


def test_characters_that_no_program_takes() -> None:
    with pytest.raises(ValueError, match=r"pgnout: 'a\\x00b' has a NUL character"):
        _arguments.words({"pgnout": "a\0b"})
    with pytest.raises(ValueError, match=r"pgnout: '\\ud800' has a character that is no Unicode"):
        _arguments.words({"pgnout": "\ud800"})


def test_settings_with_numbers_of_numpy() -> None:
    settings = {"generations": np.int64(2), "rate": np.float32(0.5), "on": np.bool_(True)}
    assert learning._toml(settings) == '{ "generations" = 2, "rate" = 0.5, "on" = true }'


def test_a_missing_file_of_a_command_has_its_number() -> None:
    with pytest.raises(FileNotFoundError) as error:
        labrys.analyse("nowhere.pgn", nodes=10)
    assert error.value.errno == errno.ENOENT and "nowhere.pgn" in str(error.value)


def test_openspiel_is_asked_for_its_own() -> None:
    openspiel = pytest.importorskip("labrys.openspiel")
    for call in (openspiel.position, openspiel.Bot(labrys.Engine("chess")).step):
        with pytest.raises(TypeError, match="state: expected a state of OpenSpiel, not NoneType"):
            call(None)
    with pytest.raises(TypeError, match="engine"):
        openspiel.Bot(None)
    with pytest.raises(TypeError, match="position"):
        openspiel.state(None)
    with pytest.raises(ValueError, match="the arrow flies from b1, the amazon is on a2"):
        openspiel.amazons_actions("a1a2,b1b2", 6)


def test_a_board_of_python_chess_is_solved() -> None:
    chess = pytest.importorskip("chess")
    board = chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert labrys.solve(board).value == "win"
