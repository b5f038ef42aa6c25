"""Keyword arguments as arguments of the command line."""

from pathlib import Path

import pytest

import labrys
from labrys import _arguments


def words(**arguments):
    return _arguments.words(arguments)


def test_each_kind_of_value():
    assert words(games=10, max_moves=5) == ["--games=10", "--max-moves=5"]
    assert words(random_plies=(4, 7), lambda_=0.5, rate=1e-05) == [
        "--random-plies=4-7",
        "--lambda=0.5",
        "--rate=1e-05",
    ]
    assert words(resume=True, shuffle=False, seed=None) == ["--resume"]
    assert words(pgnout=Path("a b/c"), fen="-w") == ["--pgnout=a b/c", "--fen=-w"]
    assert words(data=["a", Path("b")], moves=("e2e4", "e7e5")) == [
        "--data=a", "--data=b", "--moves=e2e4", "--moves=e7e5",
    ]  # fmt: skip
    assert words(sprt={"elo0": 0, "elo1": 5.5}) == ["--sprt=elo0=0", "--sprt=elo1=5.5"]
    assert words(each={"nodes": 300, "options": {"Hash": 1, "OwnBook": True}}) == [
        "--each=nodes=300", "--each=option.Hash=1", "--each=option.OwnBook=true",
    ]  # fmt: skip


def test_engines_are_mappings():
    spec = labrys.EngineSpec("b", cmd="stockfish", arg=["x", "y"], options={"Hash": 2})
    assert words(engine=[{"name": "a"}, spec]) == [
        "--engine", "name=a", "--engine", "name=b", "cmd=stockfish", "arg=x", "arg=y", "option.Hash=2",
    ]  # fmt: skip
    assert eval(repr(spec), {"EngineSpec": labrys.EngineSpec}) == spec


def test_numpy_numbers():
    numpy = pytest.importorskip("numpy")
    assert words(rate=numpy.float64(0.1), seed=numpy.int64(3)) == ["--rate=0.1", "--seed=3"]


def test_other_objects_are_errors():
    with pytest.raises(TypeError, match="openings: expected text, a number or a path, found <object"):
        words(openings=object())
    with pytest.raises(TypeError, match="sprt: expected"):
        words(sprt={"elo0": b"x"})


def test_a_game_passes_its_options():
    game = labrys.Game("amazons", board="6x6")
    assert _arguments.with_game(None, {"games": 2}) == {"games": 2}
    assert _arguments.with_game("chess", {"games": 2}) == {"variant": "chess", "games": 2}
    assert _arguments.with_game(labrys.Game("amazons"), {}) == {"variant": "amazons"}
    assert _arguments.with_game(game, {}) == {"variant": "amazons", "option": {"AmazonsBoard": "6x6"}}
    # Options of the engine do not replace it.
    found = _arguments.with_game(game, {"option": {"Hash": 64}})
    assert found == {"variant": "amazons", "option": {"AmazonsBoard": "6x6", "Hash": 64}}
    with pytest.raises(ValueError, match="option: expected a mapping .*'Hash=64'"):
        _arguments.with_game(game, {"option": ["Hash=64"]})
