"""Games written in Python."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from common import ROOT
from tictactoe import TicTacToe

import labrys
from labrys import _program
from labrys.actions import actions
from labrys.rules import GUARD


class Failing(TicTacToe):
    """Rules that fail after the second move, importable by another process."""

    name = "other"

    def play(self, state: str, move: str) -> str:
        if state.count(".") < 8:
            raise KeyError("no more")
        return TicTacToe.play(self, state, move)


class Likes(TicTacToe):
    """Rules that evaluate every position as bad for the side to move."""

    name = "other"

    def evaluate(self, state: str) -> float:
        return -2.5


class Large(TicTacToe):
    """Rules with more data than an argument of a program can have."""

    name = "other"

    def __init__(self) -> None:
        self.table = os.urandom(500_000)


@pytest.fixture
def game() -> labrys.Game:
    return labrys.add_game(TicTacToe())


def other(**methods: Any) -> labrys.Rules:
    """Rules with another name and some other methods."""
    return type("Other", (TicTacToe,), {"name": "other", **methods})()


def test_a_game_is_like_the_others(game: labrys.Game) -> None:
    assert game.name == "tictactoe" and "tictactoe" in labrys.games()
    assert labrys.Game("tictactoe") == game
    start = game.start()
    assert [start.perft(depth) for depth in range(1, 6)] == [9, 72, 504, 3024, 15120]
    position = start.play("a1", "b2")
    assert position.fen == "x...o...." and position.side_to_move == "white"
    assert position == game.position("x...o....") and position.diagram() == ". . .\n. o .\nx . ."
    assert "b2" not in position.legal_moves and "a2" in position.legal_moves
    over = position.play("b1", "a2", "c1")
    assert over.is_over and over.outcome is not None and over.outcome.winner == "white"
    assert len(over.legal_moves) == 0
    assert pickle.loads(pickle.dumps(over)) == copy.copy(over) == over
    assert game.start().playout(3).is_over
    # Except for reinforcement learning.
    with pytest.raises(ValueError, match="the moves of tictactoe have no numbers"):
        actions(game)


def test_all_searches_play_it(game: labrys.Game) -> None:
    winning = game.position("xx.oo....")
    for options in [{}, {"SearchMode": "alphabeta"}, {"SearchMode": "mtdf"}]:
        found = labrys.Engine(game, **options).search(winning, depth=3)
        assert str(found.move) == "c1" and found.score is not None and found.score.mate == 1
    assert str(labrys.Engine(game, SearchMode="mcts").search(winning, nodes=300).move) == "c1"
    # With good play by both sides it is a draw.
    position, engine = game.start(), labrys.Engine(game)
    while not position.is_over:
        move = engine.search(position, depth=9).move
        assert move is not None
        position = position.play(move)
    assert position.outcome is not None and position.outcome.winner is None


def test_an_evaluation_counts(game: labrys.Game) -> None:
    rules = other(evaluate=lambda self, state: 0.25 * (1 if state.endswith("x") else -1))
    engine = labrys.Engine(labrys.add_game(rules))
    assert engine.evaluate(engine.game.start()).value == -0.25
    assert engine.weights == {"evaluation": 1.0}


def test_matches_and_proofs(game: labrys.Game) -> None:
    result = labrys.match(
        {"name": "one"}, {"name": "two"}, game="tictactoe", each={"depth": 6}, games=2, progress=False
    )
    assert len(result.games) == 2 and all(played.game == game for played in result.games)
    assert labrys.solve(game=game, progress=False).value == "draw"
    solved = labrys.solve("xx.oo....", game=game, progress=False)
    assert solved.value == "win"


def test_rules_of_a_notebook_are_not_shared(game: labrys.Game) -> None:
    labrys.add_game(other())
    with pytest.raises(ValueError, match="other: another process cannot have these rules"):
        labrys.solve(game="other")
    labrys.add_game(TicTacToe())


def test_rules_that_another_process_does_not_find(
    game: labrys.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hidden.py").write_text(
        "from tictactoe import TicTacToe\nclass Hidden(TicTacToe):\n    name = 'other'\n"
    )
    with monkeypatch.context() as path:
        path.syspath_prepend(tmp_path)
        labrys.add_game(import_module("hidden").Hidden())
    with pytest.raises(ValueError, match="^other: another process cannot have these rules: No module"):
        labrys.solve(game="other", progress=False)
    # Other commands do not need them.
    assert labrys.solve("xx.oo....", game="tictactoe", progress=False).value == "win"


def test_rules_may_have_much_data(game: labrys.Game) -> None:
    labrys.add_game(Large())
    assert labrys.solve("xx.oo....", game="other", progress=False).value == "win"
    # A command line can be used again.
    line, text = _program.command_line(), "setoption name UCI_Variant value other\nd\nquit\n"
    for _ in range(2):
        done = subprocess.run(line, input=text, capture_output=True, text=True, timeout=60, cwd=ROOT)
        assert "Fen: ........." in done.stdout, done.stdout + done.stderr


PROGRAM = """
import labrys
from tictactoe import TicTacToe

class Mine(TicTacToe):
    name = "mine"

    def winner(self, state):
        print("over")
        return TicTacToe.winner(self, state)

print("loading")
labrys.add_game(Mine())
{guard}
    limits = {{"each": {{"depth": 1}}, "games": 2, "progress": False}}
    print(len(labrys.match({{"name": "one"}}, {{"name": "two"}}, game="{game}", **limits).games))
"""
"""A program with a game, which prints on its way."""


@pytest.mark.parametrize("game", ["mine", "neighbours"])
@pytest.mark.parametrize("guard", [GUARD, "if True:"])
def test_a_program_is_imported_by_its_commands(guard: str, game: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(guard=guard, game=game))
    path = os.pathsep.join(filter(None, [str(ROOT / "python" / "examples"), os.environ.get("PYTHONPATH")]))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(temporary)},
    )
    # The files with the rules for the other process.
    assert not list(temporary.glob("labrys-rules-*"))
    if guard == GUARD or game != "mine":
        assert done.stdout.split()[-1:] == ["2"], done.stdout + done.stderr
    else:
        assert f"a command that is to run once has to be under `{GUARD}`" in done.stderr


def test_errors_name_the_method(game: labrys.Game) -> None:
    for method, found, error in [
        ("legal_moves", "abc", "legal_moves: expected a list or another iterable, not the text 'abc'"),
        ("legal_moves", None, "legal_moves: expected a list or another iterable, not NoneType"),
        ("legal_moves", [1], "legal_moves: expected a text, not int"),
        ("side_to_move", None, "side_to_move: expected a text, not NoneType"),
        ("fen", b"x", "fen: expected a text, not bytes"),
    ]:
        with pytest.raises(TypeError, match=f"^{error}$"):
            labrys.add_game(other(**{method: lambda self, state, found=found: found}))
    assert labrys.Game("tictactoe").start().perft(2) == 72


@pytest.mark.parametrize(
    ("methods", "error"),
    [
        ({"name": "chess"}, "there is a game chess already"),
        ({"name": "No Name"}, "name: expected letters"),
        ({"side_to_move": lambda self, state: "green"}, 'expected "white" or "black", not "green"'),
        ({"side_to_move": lambda self, state: "red"}, "^side_to_move: "),
        ({"legal_moves": lambda self, state: ["a b"]}, "is no move"),
        ({"legal_moves": lambda self, state: ["a1", "4"]}, '"4" cannot stand in a game record'),
        ({"legal_moves": lambda self, state: ["a1", "b1", "a1"]}, 'legal_moves: "a1" is there twice'),
        ({"from_fen": lambda self, fen: "x........"}, "from_fen: .* is another position"),
    ],
)
def test_wrong_rules(game: labrys.Game, methods: dict[str, Any], error: str) -> None:
    before = labrys.games()
    with pytest.raises(ValueError, match=error):
        labrys.add_game(other(**methods))
    assert labrys.games() == before and labrys.Game("tictactoe").start().perft(2) == 72


def test_errors_of_rules_are_raised(game: labrys.Game) -> None:
    def play(self: TicTacToe, state: str, move: str) -> str:
        if state.count(".") < 8:
            raise KeyError("no more")
        return TicTacToe.play(self, state, move)

    broken = labrys.add_game(other(play=play))
    position = broken.start().play("a1")
    with pytest.raises(KeyError, match="no more"):
        position.play("a2").play("a3")
    with pytest.raises(KeyError, match="no more"):
        labrys.Engine(broken).search(depth=4)
    with pytest.raises(KeyError, match="no more"):
        broken.start().perft(4)
    # The error has no lasting effect.
    assert game.start().perft(2) == 72
    with pytest.raises(ValueError, match="room for no more"):
        labrys.add_game(other(name="third"))
    with pytest.raises(TypeError, match=r"labrys\.Rules"):
        labrys.add_game("rules")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected nine of x, o and"):
        game.position("xyz")


def failing(after: int) -> labrys.Game:
    """A game whose rules fail permanently after a number of moves."""
    left = [after]

    def play(self: TicTacToe, state: str, move: str) -> str:
        left[0] -= 1
        if left[0] < 0:
            raise KeyError("no more")
        return TicTacToe.play(self, state, move)

    return labrys.add_game(other(play=play))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("options", [{"SearchMode": "mcts"}, {"SearchMode": "mcts", "Threads": 2}])
def test_an_error_ends_a_search_at_once(game: labrys.Game, options: dict[str, Any]) -> None:
    # No proof ends the search early.
    engine = labrys.Engine(failing(300), ProveResults=False, **options)
    with pytest.raises(KeyError, match="no more"):
        engine.search(time=600)
    search = engine.analyse()
    with pytest.raises(KeyError, match="no more"):
        list(search)
    # It is raised again each time.
    for call in (search.wait, search.wait, lambda: next(search)):
        with pytest.raises(KeyError, match="no more"):
            call()
    with pytest.raises(KeyError, match="no more"), engine.analyse():
        time.sleep(0.2)


def test_an_error_does_not_affect_another_search(game: labrys.Game) -> None:
    with labrys.Engine("tictactoe", SearchMode="mcts", ProveResults=False).analyse() as search:
        with pytest.raises(KeyError, match="no more"):
            failing(0).start().play("a1")
        next(search)
    assert search.wait().move is not None


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_a_bad_fen(game: labrys.Game, kind: type[BaseException]) -> None:
    interrupted = []

    def from_fen(self: TicTacToe, fen: str) -> str:
        if interrupted:
            raise kind("stop")
        return TicTacToe.from_fen(self, fen)

    rules = labrys.add_game(other(from_fen=from_fen))
    engine = labrys.Engine(rules)
    position = rules.start()
    interrupted.append(True)
    calls: list[Callable[[], object]] = [
        lambda: rules.position("........."),
        lambda: engine.search(position, depth=2),
        lambda: engine.evaluate(position),
        lambda: pickle.loads(pickle.dumps(position)),
    ]
    for call in calls:
        with pytest.raises(kind, match="stop"):
            call()


def test_an_evaluation_counts_in_the_command_line(game: labrys.Game) -> None:
    labrys.add_game(Likes())
    text = "setoption name UCI_Variant value other\nposition startpos\neval\ngo depth 1\nwait\nquit\n"
    done = subprocess.run(
        _program.command_line(), input=text, capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert "score cp 250" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["none", "startpos", "fen", "moves", "value", "default", "random"])
def test_words_of_the_protocol_are_not_names(game: labrys.Game, name: str) -> None:
    with pytest.raises(ValueError, match="is a word of the protocol"):
        labrys.add_game(other(name=name))


def test_learning_rejects_games_in_python(game: labrys.Game, tmp_path: Path) -> None:
    calls: list[Callable[[], object]] = [
        lambda: labrys.selfplay(out=tmp_path / "games", game="tictactoe", games=2),
        lambda: labrys.selfplay(out=tmp_path / "games", game=game, games=2),
        lambda: labrys.train_linear(out=tmp_path / "out", game=game, games=2),
        lambda: labrys.train_nnue(out=tmp_path / "out", game=game, data="games"),
        lambda: labrys.zero({"variant": "tictactoe"}, out=tmp_path / "out"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="tictactoe is a game in Python, which has no self-play"):
            call()
    assert not list(tmp_path.iterdir())


def test_rules_that_fail_prove_nothing(game: labrys.Game, tmp_path: Path) -> None:
    labrys.add_game(Failing())
    with pytest.raises((ValueError, RuntimeError), match="no more"):
        labrys.solve(game="other", proof=tmp_path / "lie.proof", progress=False)
    assert not (tmp_path / "lie.proof").exists()
    with pytest.raises((ValueError, RuntimeError), match="no more"):
        labrys.match({"name": "a"}, {"name": "b"}, game="other", each={"depth": 4}, games=2, progress=False)


def test_an_error_is_raised_by_its_call(game: labrys.Game) -> None:
    def fails(self: TicTacToe, state: str) -> str:
        raise KeyError("no picture")

    position = labrys.add_game(other(diagram=fails, evaluate=fails)).start()
    for call in [position.diagram, position.features, lambda: repr(position)]:
        with pytest.raises(KeyError, match="no picture"):
            call()
        labrys.Game("chess").start().play("e4")
