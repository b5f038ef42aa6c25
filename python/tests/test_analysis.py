"""The analysis of games."""

import pytest

import labrys

# In the first game Black loses the queen, in the second one White is mated.
GAMES = """
[Event "x"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Qh5 Qg5 3. Qxg5 Nf6 4. Qxe5+ Be7 5. Qxc7 1-0

[Event "x"]
[White "Bob"]
[Black "Ann"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
"""


def test_games_are_analysed_and_marked(tmp_path):
    path, out = tmp_path / "games.pgn", tmp_path / "marked.pgn"
    path.write_text(GAMES)
    seen = []
    analysis = labrys.analyse(path, nodes=3000, out=out, progress=seen.append)
    first, second = analysis.games
    assert (first.number, first.white.name, first.black.name) == (1, "Ann", "Bob")
    assert first.black.blunders > 0 and 0 <= first.black.accuracy < first.white.accuracy <= 100
    point = next(point for point in first.turning_points if "Qg5" in point.move)
    assert point.before > point.after and point.best
    assert second.white.moves == 2 and [now.done for now in seen] == [1, 2]
    frame = analysis.frame()
    assert list(frame.color) == ["white", "black"] * 2 and list(frame.name) == ["Ann", "Bob", "Bob", "Ann"]
    assert analysis.path == out and "Qg5 $4" in out.read_text()
    again = labrys.analyse(path, nodes=3000, out=out, resume=True)
    assert again.games == ()


def test_errors(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAMES.replace("Qh4#", "Qh3#"))
    with pytest.raises(ValueError, match="missing --movetime S, --nodes N or --depth N"):
        labrys.analyse(path)
    with pytest.raises(FileNotFoundError, match="`nofile.pgn`: No such file"):
        labrys.analyse("nofile.pgn", nodes=1)
    # The first game is analysed before the error in the second one.
    with pytest.raises(RuntimeError, match="(?s)Qh3.*1 game not analysed"):
        labrys.analyse(path, nodes=1)
