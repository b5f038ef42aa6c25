"""Missing or malformed files, and arguments of the wrong type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import labrys

PLAYERS = {"name": "a"}, {"name": "b"}

READERS: dict[str, Callable[[Path], object]] = {
    "read_pgn": labrys.read_pgn,
    "read_selfplay": labrys.read_selfplay,
    "read_samples": labrys.read_samples,
    "EvalFile": lambda path: labrys.Engine("neighbours", EvalFile=path),
    "NetFile": lambda path: labrys.Engine("neighbours", NetFile=path),
    "WeightsFile": lambda path: labrys.Engine("neighbours", WeightsFile=path, hash=2),
    "weights": lambda path: setattr(labrys.Engine("neighbours"), "weights", path),
    "verify": labrys.verify,
    "analyse": lambda path: labrys.analyse(path, nodes=10),
    "train_nnue": lambda path: labrys.train_nnue(
        out=path.parent / "out", game="neighbours", data=path, progress=False
    ),
    "match": lambda path: labrys.match(
        *PLAYERS, game="neighbours", each={"nodes": 1, "options": {"EvalFile": path}}, games=2, progress=False
    ),
    "zero": lambda path: labrys.zero(path, out=path.parent / "out", progress=False),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_file(reader: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"):
        READERS[reader](tmp_path / "nowhere")


@pytest.mark.parametrize("reader", [name for name in READERS if name not in ("analyse", "read_pgn")])
def test_a_file_of_something_else(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("[this is] no { file of Labrys\n")
    with pytest.raises(ValueError):
        READERS[reader](path)


def test_a_position_of_the_wrong_type() -> None:
    with pytest.raises(TypeError, match=r"not a labrys\.Game: solve\(game=…\)"):
        labrys.solve(labrys.Game("amazons", board="4x4"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="position: expected a labrys.Position or a FEN, not int"):
        labrys.solve(5)  # type: ignore[arg-type]


def test_a_string_is_not_a_list_of_moves() -> None:
    game, engine = labrys.Game("chess"), labrys.Engine("chess")
    calls: list[Callable[[], object]] = [
        lambda: game.position(None, "e2e4"),
        lambda: engine.search(nodes=10, moves="e2e4"),
        lambda: engine.analyse(nodes=10, moves="e2e4"),
        lambda: game.start().svg(arrows="e2e4"),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="'e2e4'"):
            call()
    with pytest.raises(TypeError, match="moves: expected a list or another iterable, not int"):
        engine.search(nodes=10, moves=7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="positions: expected a list or another iterable, not the text"):
        game.planes("startpos")


def test_an_empty_list_does_not_mean_all_moves() -> None:
    engine = labrys.Engine("chess")
    with pytest.raises(ValueError, match="moves: expected at least one move, or None for all"):
        engine.search(nodes=10, moves=[])
    with pytest.raises(ValueError, match="moves: expected at least one move"):
        engine.analyse(moves=iter([]))
    assert engine.search(nodes=10, moves=None).move is not None


def test_huge_indices() -> None:
    moves = labrys.Game("chess").start().legal_moves
    for index in (2**70, -(2**70), 20, -21):
        with pytest.raises(IndexError, match=f"no legal move {index if abs(index) < 99 else ''}"):
            moves[index]
    assert moves[:2**70] == list(moves) and moves.index(moves[3], -(2**70), 2**70) == 3
    with pytest.raises(ValueError):
        moves.index(moves[3], 2**70)


def test_resuming_an_existing_run(tmp_path: Path) -> None:
    arguments = {"game": "neighbours", "each": {"nodes": 10}, "games": 2, "progress": False}
    path = tmp_path / "games.pgn"
    # Without a run, it starts one.
    assert labrys.match(*PLAYERS, pgnout=path, resume=True, **arguments).is_complete
    with pytest.raises(ValueError, match="the file exists\nIn Python: resume=True continues"):
        labrys.match(*PLAYERS, pgnout=path, **arguments)
    assert labrys.match(*PLAYERS, pgnout=path, resume=True, **arguments).is_complete
