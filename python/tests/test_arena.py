"""Matches."""

import math
import os
import signal
import threading

import pytest

import labrys

ENGINES = {"name": "a"}, labrys.EngineSpec("b", options={"FeatureSet": "base"})
SETTINGS = {"game": "neighbours", "each": {"nodes": 100, "options": {"Hash": 1}}, "progress": False}


def play(**arguments):
    return labrys.match(*ENGINES, **SETTINGS, **arguments)


def moves(result):
    """The moves of the games, by number."""
    found = {int(tags["GameNumber"]): list(map(str, position.moves)) for tags, position in result.records}
    assert len(found) == len(result.games)
    return found


def test_a_match_has_elo_players_games_and_a_frame():
    seen = []
    result = labrys.match(*ENGINES, **{**SETTINGS, "progress": seen.append}, games=6)
    assert result.is_complete and result.report["games_played"] == 6 and result.paths == ()
    (pairing,) = result.pairings
    assert (pairing.first, pairing.second) == ("a", "b") and result.elo == pairing.elo
    assert pairing.wins + pairing.draws + pairing.losses == 6 and sum(pairing.pentanomial) == 3
    assert pairing.elo.low <= pairing.elo.estimate <= pairing.elo.high and 0 <= pairing.elo.los <= 1
    assert [player.name for player in result.players] == ["a", "b"] and result.sprt is None
    assert sorted(moves(result)) == [1, 2, 3, 4, 5, 6]
    assert all(position.game.name == "neighbours" and position.outcome for position in result.games)
    frame = result.frame()
    assert list(frame.number) == [1, 2, 3, 4, 5, 6] and frame.points.isin([0, 0.5, 1]).all()
    assert str(result).startswith("a against b: +")
    assert seen[0] == ("games", 0, 6, "") and seen[-1].done == 6 and "Elo" in seen[-1].message


def test_the_elo_of_games_that_were_all_won():
    engines = {"name": "a", "nodes": 500}, {"name": "random", "options": {"SearchMode": "random"}, "depth": 1}
    result = labrys.match(*engines, game="neighbours", games=2, progress=False)
    assert result.pairings[0].wins == 2
    assert result.elo and 0 < result.elo.estimate < math.inf and result.elo.high == math.inf
    assert result.players[0].elo - result.players[1].elo == pytest.approx(result.elo.estimate)


def test_an_sprt_ends_a_match():
    result = labrys.match(
        {"name": "a", "nodes": 500}, {"name": "random", "depth": 1, "options": {"SearchMode": "random"}},
        game="neighbours", sprt={"elo0": 0, "elo1": 300, "alpha": 0.2, "beta": 0.2}, progress=False,
    )  # fmt: skip
    assert result.sprt and result.sprt["accepted"] == "H1" and result.is_complete
    assert "accepted: H1" in str(result)


def test_games_are_written_to_the_given_file(tmp_path):
    path = tmp_path / "games.pgn"
    result = play(games=4, pgnout=path)
    assert result.paths == (path,) and len(result.games) == 4 and len(result.frame()) == 4
    assert play(games=4, report=[path]).pairings == result.pairings
    with pytest.raises(ValueError, match="--pgnout: use --resume to continue a match: .*: the file exists"):
        play(games=4, pgnout=path)


def test_wrong_arguments_raise_the_message_of_the_binary():
    with pytest.raises(ValueError, match="unknown argument `--gmaes`, did you mean `--games`"):
        play(gmaes=4)
    with pytest.raises(ValueError, match="--games 3: expected an even number"):
        play(games=3)
    with pytest.raises(ValueError, match="--engine: expected at least two engines, found 1"):
        labrys.match({"name": "a"}, each={"nodes": 1})
    with pytest.raises(FileNotFoundError, match="openings `nofile`: No such file"):
        play(games=2, openings="nofile")
    with pytest.raises(ValueError, match="option .*Nonsense"):
        labrys.match({"name": "a"}, {"name": "b", "options": {"Nonsense": 1}}, each={"nodes": 1}, games=2)
    with pytest.raises(ValueError, match="unknown variant `go`"):
        labrys.match({"name": "a"}, {"name": "b"}, game="go", each={"nodes": 1})


def test_engines_play_with_their_options_and_weights(tmp_path):
    small = labrys.Game("amazons", board="5x5")
    one = labrys.Engine(small, hash=1, searchmode="mcts", move_overhead=5)
    two = labrys.Engine(small, hash=2, featureset="mobility")
    two.weights = {name: 2 * value for name, value in two.weights.items()}
    path = tmp_path / "games.pgn"
    settings = {"each": {"nodes": 50}, "games": 2, "progress": False, "pgnout": path, "resume": True}
    result = labrys.match(one, labrys.EngineSpec("two", engine=two), **settings)
    assert [player.name for player in result.players] == ["engine1", "two"]
    assert all(game.game == small for game in result.games)
    tags = result.records[0][0]
    setups = {tags["White"]: tags["WhiteSetup"], tags["Black"]: tags["BlackSetup"]}
    assert {"Hash=1", "SearchMode=mcts", "Move Overhead=5"} <= set(setups["engine1"].split(", "))
    (weights,) = tmp_path.glob("weights-*.json")
    assert {"Hash=2", "FeatureSet=mobility", f"WeightsFile={weights}", "Evaluation=linear"} <= set(
        setups["two"].split(", ")
    )
    again = labrys.Engine(small)
    again.weights = weights
    assert again.weights == two.weights
    # The same call continues.
    assert labrys.match(one, labrys.EngineSpec("two", engine=two), **settings).is_complete
    # A net that was set after the weights.
    two.set(evaluation="net")
    result = labrys.match(two, one, each={"nodes": 50}, games=2, progress=False)
    assert "Evaluation=net" in result.records[0][0]["WhiteSetup"] + result.records[0][0]["BlackSetup"]


def test_wrong_engines_of_a_match():
    with pytest.raises(TypeError, match=r"engine: expected a labrys\.Engine, .*, not int"):
        labrys.match(labrys.Engine("chess"), 5, each={"nodes": 1})
    with pytest.raises(ValueError, match="the engines play .*chess.* and .*neighbours"):
        labrys.match(labrys.Engine("chess"), labrys.Engine("neighbours"), each={"nodes": 1})
    with pytest.raises(ValueError, match="cmd='x' names another program"):
        labrys.match({"engine": labrys.Engine("chess"), "cmd": "x"}, {"name": "b"}, each={"nodes": 1})


def interrupt_after(games):
    """An observer that sends Ctrl-C from another thread while a match waits for its games."""
    enough = threading.Event()

    def send():
        enough.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    return lambda now: enough.set() if now.done >= games else None


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_match_can_be_resumed_after_ctrl_c(tmp_path):
    path = tmp_path / "games.pgn"
    arguments = {**SETTINGS, "each": {"nodes": 2000, "options": {"Hash": 1}}, "games": 30}
    whole = labrys.match(*ENGINES, **arguments)
    with pytest.raises(KeyboardInterrupt):
        labrys.match(*ENGINES, **{**arguments, "progress": interrupt_after(4)}, pgnout=path)
    before = path.read_bytes()
    assert 4 <= before.count(b"[Event ") < 30
    result = labrys.match(*ENGINES, **arguments, pgnout=path, resume=True)
    assert path.read_bytes().startswith(before) and moves(result) == moves(whole)
    assert result.pairings == whole.pairings and result.report["games_played"] < 30


def test_an_error_of_the_observer_ends_the_match():
    def broken(now):
        raise LookupError(now.unit)

    with pytest.raises(LookupError, match="games"):
        labrys.match(*ENGINES, **{**SETTINGS, "progress": broken}, games=10_000)
