"""Files as data frames."""

import json

from labrys import frames

PGN = """
[Event "labrys match"]
[GameNumber "2"]
[White "b"]
[Black "a \\"x\\""]
[Result "1/2-1/2"]
[PlyCount "4"]

1. e4 1/2-1/2

[Event "labrys match"]
[GameNumber "1"]
[White "a"]
[Black "b"]
[Result "0-1"]

1. e4 0-1
"""


def test_games_are_in_the_order_of_the_schedule(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    frame = frames.games(path)
    assert list(frame.number) == [1, 2] and list(frame.points) == [0.0, 0.5] and frame.plies[1] == 4
    assert list(frame.white) == ["a", "b"] and frame.black[1] == 'a "x"'


def test_reports_have_players_and_pairings(tmp_path):
    path = tmp_path / "report.json"
    pairing = {"players": ["a", "b"], "wins": 1, "estimate": None}
    path.write_text(json.dumps({"players": [{"name": "a", "elo": 1.5}], "pairings": [pairing]}))
    assert frames.players(path).elo[0] == 1.5
    assert list(frames.pairings(path).columns[:3]) == ["first", "second", "wins"]


def test_curves_and_results_are_tables(tmp_path):
    (tmp_path / "curve.csv").write_text("epoch,training,held out\n1,0.5,0.25\n")
    assert (
        frames.curve(tmp_path)["held out"][0] == 0.25 and frames.curve(tmp_path / "curve.csv").epoch[0] == 1
    )
    (tmp_path / "x.tsv").write_text("# made\namazons\t1q w - - 0 1\tloss\t335\n")
    assert frames.results(tmp_path / "x.tsv").nodes[0] == 335
    (tmp_path / "y.tsv").write_text("amazons\t1q w - - 0 1\tloss\t335\tcrc32=12345678\n")
    assert list(frames.results(tmp_path / "y.tsv").iloc[0]) == ["amazons", "1q w - - 0 1", "loss", 335]
