"""Engines: searches, options, weights, evaluations."""

from __future__ import annotations

import copy
import itertools
import json
import operator
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from common import ROOT, STARTS, command, random_game

import labrys

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def binary_search(name: str, commands: str) -> tuple[str, int, str]:
    """Best move, nodes and last score of a search by the protocol."""
    text = command(text=f"setoption name UCI_Variant value {name}\n{commands}\nwait\nquit\n")
    last = [line for line in text.splitlines() if " pv " in line][-1]
    score, nodes = re.search(r"score (\w+ -?\d+)", last), re.search(r"nodes (\d+)", last)
    best = re.search(r"^bestmove (\S+)", text, re.MULTILINE)
    assert score and nodes and best, text
    return best[1], int(nodes[1]), score[1]


def test_searches_agree_with_the_protocol(name: str) -> None:
    best, nodes, score = binary_search(name, "position startpos\ngo nodes 20000")
    result = labrys.Engine(name).search(nodes=20_000)
    assert result.score is not None
    assert (str(result.move), result.lines[0].nodes, str(result.score)) == (best, nodes, score)
    assert result.pv[0] == result.move and result.depth > 1 and result.nodes >= nodes and result.time > 0


def test_a_result() -> None:
    engine = labrys.Engine("chess")
    position = labrys.Game("chess").position(KIWIPETE)
    result = engine.search(position, depth=5)
    assert result.move in position.legal_moves and result.depth == 5
    assert position.play(*result.pv).ply == len(result.pv) > 1
    assert result.ponder == result.pv[1]
    assert result.wdl is not None and sum(result.wdl) == pytest.approx(1)
    (line,) = result.lines
    assert line.multipv == 1 and line.bound == "exact" and line.seldepth >= 5 and 0 <= line.hashfull <= 1
    assert line.score == result.score and line.tbhits is None and line.visits is None


def test_several_lines() -> None:
    result = labrys.Engine("chess", multipv=4).search(nodes=20_000)
    assert [line.multipv for line in result.lines] == [1, 2, 3, 4]
    assert len({str(line.pv[0]) for line in result.lines}) == 4
    assert all(one.score >= other.score for one, other in itertools.pairwise(result.lines))


def test_limits() -> None:
    engine = labrys.Engine("chess")
    assert engine.search(nodes=5000).nodes <= 5100
    assert engine.search(depth=3).depth == 3
    mate = engine.search(labrys.Game("chess").position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), mate=1)
    assert str(mate.move) == "a1a8" and mate.score is not None and mate.score.mate == 1
    assert mate.score.cp is None and mate.wdl == (1.0, 0.0, 0.0)
    allowed = ["a2a3", "h2h3"]
    assert str(engine.search(nodes=3000, moves=allowed).move) in allowed
    assert engine.search(clock=(1.0, 0.1)).move is not None
    assert engine.search(time=0.05).move is not None
    assert engine.search(labrys.Game("chess").start().play("f3", "e5", "g4", "Qh4"), nodes=10).move is None


def test_scores_are_ordered() -> None:
    game = labrys.Game("chess")
    engine = labrys.Engine("chess")

    def score(fen: str) -> labrys.Score:
        found = engine.search(game.position(fen), depth=5).score
        assert found is not None
        return found

    wins, even = score("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), score(STARTS["chess"])
    slower, loses = score("7k/8/5K2/8/8/8/8/1R6 w - - 0 1"), score("r3k3/8/8/8/8/8/5PPP/6K1 w - - 0 1")
    assert wins > slower > even > loses and -wins < even and wins != slower
    assert wins >= wins and loses <= even and hash(wins) == hash(-(-wins))


def test_bad_limits() -> None:
    engine = labrys.Engine("chess")
    bad: list[dict[str, object]] = [
        {},
        {"nodes": 0},
        {"nodes": -1},
        {"nodes": 2**70},
        {"depth": 0},
        {"depth": 2**40},
        {"time": -1.0},
        {"time": float("nan")},
        {"time": float("inf")},
        {"clock": (-1.0, 0.0)},
        {"nodes": 10, "moves": ["e2e5"]},
    ]
    for limits in bad:
        with pytest.raises(ValueError):
            engine.search(**limits)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        engine.search("startpos", nodes=10)
    with pytest.raises(ValueError, match="amazons"):
        engine.search(labrys.Game("amazons").start(), nodes=10)
    assert engine.search(nodes=100).move is not None


def test_iterating() -> None:
    engine = labrys.Engine("chess")
    with engine.analyse() as search:
        depths = []
        for info in search:
            depths.append(info.depth)
            if info.depth >= 6:
                break
    assert depths == sorted(depths) and depths[-1] == 6
    result = search.wait()
    assert result.move is not None and result.depth >= 6
    # To the end of a search with a limit.
    infos = list(engine.analyse(depth=4))
    assert infos[-1].depth == 4 and [move.position.ply for move in infos[-1].pv][:2] == [0, 1]


def test_stopping_from_another_thread() -> None:
    engine = labrys.Engine("chess")
    results = []
    thread = threading.Thread(target=lambda: results.append(engine.search(time=600)))
    thread.start()
    while not results and thread.is_alive():
        time.sleep(0.1)
        engine.stop()
    thread.join()
    assert results[0].move is not None
    # The next search is not stopped.
    assert engine.search(nodes=20_000).nodes >= 20_000


def test_the_gil_is_released() -> None:
    # With the GIL held, this thread could not continue before the end of the search.
    search = labrys.Engine("chess").analyse(time=10)
    thread = threading.Thread(target=search.wait)
    thread.start()
    time.sleep(0.2)
    assert thread.is_alive()
    search.stop()
    thread.join()
    assert search.wait().time < 10


def test_several_threads_use_an_engine(name: str) -> None:
    engine = labrys.Engine(name)
    start = labrys.Game(name).start()
    moves: list[labrys.Move | None] = []
    threads = [
        threading.Thread(target=lambda: moves.append(engine.search(start, nodes=500).move)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(moves) == 4 and all(move in start.legal_moves for move in moves)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    "work",
    [
        "labrys.Engine('chess').search(time=600)",
        "labrys.Engine('chess', searchmode='mcts').search(time=600)",
        "list(labrys.Engine('chess').analyse())",
        "labrys.Game('amazons').start().perft(5)",
        "labrys.Game('chess').planes(itertools.repeat(labrys.Game('chess').start()))",
        "labrys.Game('chess').position(None, itertools.cycle(['Nf3', 'Nf6', 'Ng1', 'Ng8']))",
        "labrys.Engine('chess').search(nodes=1, moves=itertools.repeat('e2e4'))",
        "slow.perft(3)",
        "labrys.Engine(slow.game).search(slow, depth=3)",
        "labrys.read_samples(fifo)",
    ],
)
def test_ctrl_c(work: str, tmp_path: Path) -> None:
    # Rules with a call that takes too long to wait for, and a file that never has any data.
    code = f"""
import itertools, os, sys, time
sys.path.append({str(ROOT / "python" / "examples")!r})
import labrys
from tictactoe import TicTacToe

class Slow(TicTacToe):
    name = "slow"

    def play(self, state, move):
        time.sleep(1000)

slow = labrys.add_game(Slow()).start()
fifo = {str(tmp_path / "fifo")!r}
os.mkfifo(fifo)
print('begun', flush=True)
try:
    {work}
"""
    code += "except KeyboardInterrupt:\n    print('interrupted', flush=True)\nelse:\n    print('ended')\n"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert (output, process.returncode) == ("interrupted\n", 0)


def test_options() -> None:
    engine = labrys.Engine("chess", hash=8, Threads=1, move_overhead=20)
    options = engine.options
    assert options["Hash"].kind == "spin" and options["Hash"].min == 1 and options["Hash"].default == 16
    assert options["SearchMode"].kind == "combo" and "mcts" in options["SearchMode"].values
    assert options["Ponder"].kind == "check" and options["Ponder"].default is False
    assert options["EvalFile"].kind == "string" and options["Clear Hash"].kind == "button"
    engine.set(searchmode="mcts", hash=4)
    visits = engine.search(nodes=20_000).lines[0].visits
    assert visits is not None and 0 < visits[0] < visits[1] and 0 < visits[2] < 1
    engine.set_option("Clear Hash")
    engine.set_option("SearchMode", "pvs")
    assert engine.search(nodes=400).lines[0].visits is None


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("Hash", 0),
        ("Hash", "much"),
        ("Hash", 10**12),
        ("SearchMode", "magic"),
        ("EvalFile", __file__),
        ("WeightsFile", __file__),
        ("FeatureSet", "none"),
        ("NoSuchOption", 1),
        ("UCI_ShowWDL", "maybe"),
    ],
)
def test_wrong_options(option: str, value: str | int) -> None:
    engine = labrys.Engine("chess", hash=2)
    before = engine.search(nodes=1000)
    with pytest.raises(ValueError) as error:
        engine.set_option(option, value)
    # The message of the binary.
    said = command(text=f"setoption name {option} value {value}\nquit\n")
    assert f"info string error: {error.value}" in said
    engine.new_game()
    after = engine.search(nodes=1000)
    assert (str(after.move), after.score) == (str(before.move), before.score)
    with pytest.raises(ValueError):
        labrys.Engine("chess", **{option: value})


def test_weights(tmp_path: Path) -> None:
    engine = labrys.Engine("neighbours", featureset="base", evaluation="linear")
    shipped = engine.weights
    assert list(shipped) == labrys.Game("neighbours").feature_sets["base"]
    engine.weights = {"piecesForMe": 20.0}
    assert engine.weights == {**shipped, "piecesForMe": 20.0}
    for wrong in ({"noSuchFeature": 1.0}, {"piecesForMe": float("nan")}):
        with pytest.raises(ValueError):
            engine.weights = wrong
    assert engine.weights == {**shipped, "piecesForMe": 20.0}
    assert copy.deepcopy(engine).weights == engine.weights
    engine.weights = None
    assert engine.weights == shipped
    file = ROOT / "weights" / "neighbours" / "base.json"
    engine.weights = str(file)
    with pytest.raises(FileNotFoundError):
        engine.weights = str(tmp_path / "none.json")


def test_evaluations(name: str) -> None:
    position = random_game(labrys.Game(name).start(), 1, plies=8)
    linear = labrys.Engine(name, evaluation="linear").evaluate(position)
    assert linear.kind == "linear" and not linear.inputs and float(linear) == linear.value
    board = {"board": "8x8"} if name == "amazons" else {}
    game = labrys.Game(name, **board)
    net = labrys.Engine(game, evaluation="net").evaluate(game.start())
    assert net.kind == "net" and net.inputs and not net.features


def test_your_own_net(tmp_path: Path) -> None:
    net = tmp_path / "net.safetensors"
    command("nnue", "new", "--variant", "neighbours", "--neurons", "16", "--out", str(net))
    engine = labrys.Engine("neighbours", EvalFile=str(net))
    found = engine.evaluate()
    assert found.kind == "net"
    assert found.value != labrys.Engine("neighbours", evaluation="net").evaluate().value
    assert engine.search(nodes=500).move is not None
    net.write_bytes(net.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"net\.safetensors"):
        labrys.Engine("neighbours", EvalFile=str(net))


def test_a_policy(tmp_path: Path) -> None:
    assert labrys.Engine("neighbours").policy() is None
    net = tmp_path / "policy.safetensors"
    command("zero", "new", "--variant", "neighbours", "--channels", "8", "--blocks", "1", "--out", str(net))
    engine = labrys.Engine("neighbours", NetFile=str(net), SearchMode="mcts", Selection="puct")
    policy = engine.policy()
    assert policy is not None
    start = labrys.Game("neighbours").start()
    assert {move for move, _ in policy} == set(start.legal_moves)
    assert sum(prior for _, prior in policy) == pytest.approx(1, abs=1e-4)
    priors = [prior for _, prior in policy]
    assert priors == sorted(priors, reverse=True)
    assert engine.evaluate().kind == "policy" and 0 <= engine.evaluate().value <= 1


def test_engines_can_be_copied() -> None:
    engine = labrys.Engine("neighbours", hash=2, featureset="base", evaluation="linear")
    engine.weights = {"piecesForMe": 3.0}
    for other in (copy.copy(engine), copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
        assert other.weights == engine.weights
        one, two = engine.search(nodes=2000), other.search(nodes=2000)
        assert (str(one.move), one.score) == (str(two.move), two.score)
        engine.new_game()
        other.new_game()
    assert "neighbours" in repr(engine)


def test_a_copy_has_the_weights_despite_later_options() -> None:
    engine = labrys.Engine("neighbours", featureset="base", evaluation="linear")
    engine.weights = {"piecesForMe": 2.0}
    # Other weights with the same names, after other options.
    engine.weights = {"piecesForMe": 3.0}
    engine.set_option("FeatureSet", "base")
    engine.set_option("Evaluation", "linear")
    assert engine.weights["piecesForMe"] == 3.0
    assert copy.copy(engine).weights == pickle.loads(pickle.dumps(engine)).weights == engine.weights
    # Another feature set, and back: the shipped weights.
    other = next(name for name in engine.game.feature_sets if name != "base")
    engine.set_option("FeatureSet", other)
    engine.set_option("FeatureSet", "base")
    assert copy.copy(engine).weights == engine.weights


def test_a_copy_repeats_only_the_weights_that_count() -> None:
    engine = labrys.Engine("neighbours", evaluation="linear")
    file = str(ROOT / "weights" / "neighbours" / "base.json")

    def change() -> int:
        # The shipped weights are those of the feature set of the file.
        for weights in ({"piecesForMe": 2.0}, {"piecesForMe": 3.0}, None, file, {"piecesForMe": 4.0}, None):
            engine.weights = weights
            engine.set(hash=8)
            copied = copy.copy(engine)
            assert copied.weights == engine.weights
            assert copied.options["FeatureSet"].value == engine.options["FeatureSet"].value
        return len(pickle.dumps(engine))

    change()
    size = change()
    assert [change() for _ in range(5)] == [size] * 5
    assert list(engine.weights) == engine.game.feature_sets["base"]


def test_results_can_be_copied() -> None:
    engine = labrys.Engine("chess", multipv=2)
    position = labrys.Game("chess").start().play("e4")
    results = [engine.search(position, nodes=3000)]
    engine.set(searchmode="mcts")
    results.append(engine.search(position, nodes=20_000))
    engine.set(searchmode="pvs")
    results.append(engine.search(labrys.Game("chess").position("k7/8/1K6/8/8/8/8/7R w - - 0 1"), nodes=3000))
    over = labrys.Game("chess").start().play("f3", "e5", "g4", "Qh4")
    results.append(engine.search(over, nodes=10))
    words = ["depth", "seldepth", "multipv", "score", "bound", "wdl", "nodes", "time", "hashfull", "tbhits"]
    for result in results:
        for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            for word in ("move", "ponder", "nodes", "time", "score", "wdl", "depth", "pv"):
                assert getattr(other, word) == getattr(result, word)
            assert len(other.lines) == len(result.lines)
            for one, two in zip(other.lines, result.lines, strict=True):
                for word in [*words, "visits", "pv"]:
                    assert getattr(one, word) == getattr(two, word)
    assert results[1].lines[0].visits is not None and results[2].score is not None and results[2].score.mate
    for options in ({"evaluation": "linear"}, {"evaluation": "net"}):
        found = labrys.Engine("neighbours", **options).evaluate()
        for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert (copied.kind, copied.value) == (found.kind, found.value)
            assert (copied.features, copied.inputs) == (found.features, found.inputs)


def test_the_board_of_a_game() -> None:
    engine = labrys.Engine(labrys.Game("amazons", board="5x5"))
    assert engine.game.options == {"AmazonsBoard": "5x5"}
    found = engine.search(nodes=300)
    assert found.move is not None and found.move.position.fen.startswith("1q1q1/")
    assert engine.search(labrys.Game("amazons").start(), nodes=100).move is not None


def test_several_options_are_set_without_the_files_of_earlier_ones(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    file.write_bytes((ROOT / "weights" / "neighbours" / "base.json").read_bytes())
    engine = labrys.Engine("neighbours")
    engine.weights = file
    before = engine.weights
    file.unlink()
    engine.set(hash=8, multipv=2)
    assert (engine.options["Hash"].value, engine.options["MultiPV"].value) == (8, 2)
    with pytest.raises(ValueError, match="option MultiPV"):
        engine.set(hash=16, multipv=0)
    assert engine.options["Hash"].value == 8 and engine.weights == before
    with pytest.raises(FileNotFoundError):
        copy.copy(engine)


def test_several_threads_set_several_options() -> None:
    engine = labrys.Engine("chess")

    def change() -> None:
        for number in range(200):
            engine.set(multipv=1 + number % 3, hash=1 + number % 2)
            repr(engine)

    threads = [threading.Thread(target=change, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


def test_options_have_values(tmp_path: Path) -> None:
    engine = labrys.Engine("chess", hash=8, searchmode="mcts", move_overhead=20)
    values = {name: option.value for name, option in engine.options.items()}
    assert (values["Hash"], values["SearchMode"], values["Move Overhead"]) == (8, "mcts", 20)
    assert values["Ponder"] is False and values["UCI_ShowWDL"] is True and values["Clear Hash"] is None
    new = labrys.Engine("neighbours").options
    assert all(
        option.value == option.default for name, option in new.items() if name not in ("UCI_ShowWDL",)
    ), new
    # Options that change with others.
    engine = labrys.Engine("neighbours")
    engine.weights = str(ROOT / "weights" / "neighbours" / "base.json")
    options = engine.options
    assert options["FeatureSet"].value == "base" and options["Evaluation"].value == "linear"
    assert options["WeightsFile"].value == str(ROOT / "weights" / "neighbours" / "base.json")
    engine.weights = {"piecesForMe": 1.0}
    assert engine.options["WeightsFile"].value == ""
    small = labrys.Engine(labrys.Game("amazons", board="6x6"))
    small.evaluate(labrys.Game("amazons").start())
    assert small.options["AmazonsBoard"].value == "6x6"


def test_reprs_are_those_of_python() -> None:
    engine = labrys.Engine(labrys.Game("amazons", board="6x6"), hash=8, searchmode="mcts", move_overhead=5)
    engine.set(hash=4)
    again = eval(repr(engine), {"labrys": labrys})
    assert again.game == engine.game and again.options["Hash"].value == 4
    assert again.options["SearchMode"].value == "mcts" and again.options["Move Overhead"].value == 5
    options = labrys.Engine("chess").options
    hash_repr = "labrys.Option(name='Hash', kind='spin', value=16, default=16, min=1, max=32768)"
    assert repr(options["Hash"]) == hash_repr
    assert repr(options["Ponder"]) == "labrys.Option(name='Ponder', kind='check', value=False, default=False)"
    assert "values=['net', 'linear']" in repr(options["Evaluation"])
    assert repr(options["Clear Hash"]) == "labrys.Option(name='Clear Hash', kind='button')"


def test_weights_are_a_read_only_copy() -> None:
    engine = labrys.Engine("neighbours", featureset="base", evaluation="linear")
    weights = engine.weights
    changes: list[Callable[[], object]] = [
        lambda: operator.setitem(weights, "piecesForMe", 1.0),  # type: ignore[call-overload]
        lambda: operator.delitem(weights, "piecesForMe"),  # type: ignore[call-overload]
        lambda: weights.update(piecesForMe=1.0),  # type: ignore[attr-defined]
        lambda: weights.clear(),  # type: ignore[attr-defined]
    ]
    for change in changes:
        with pytest.raises(TypeError, match="a copy and cannot be changed"):
            change()
    assert engine.weights == weights == dict(weights)
    assert pickle.loads(pickle.dumps(weights)) == copy.deepcopy(weights) == weights
    assert json.loads(json.dumps(weights)) == weights
    engine.weights = {**weights, "piecesForMe": 1.0}
    assert engine.weights["piecesForMe"] == 1.0
