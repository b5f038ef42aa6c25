"""Access to engines from threads and processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from common import ROOT
from tictactoe import TicTacToe

import labrys

CALLS: dict[str, Callable[[labrys.Engine], object]] = {
    "search": lambda engine: engine.search(nodes=100),
    "analyse": lambda engine: engine.analyse(nodes=100),
    "evaluate": lambda engine: engine.evaluate(),
    "policy": lambda engine: engine.policy(),
    "new_game": lambda engine: engine.new_game(),
    "set": lambda engine: engine.set(hash=2, multipv=2),
    "set_option": lambda engine: engine.set_option("Hash", 2),
    "options": lambda engine: engine.options,
    "weights": lambda engine: engine.weights,
}


def other(**methods: Any) -> labrys.Game:
    """A game in Python that differs from tic-tac-toe in some methods."""
    return labrys.add_game(type("Other", (TicTacToe,), {"name": "other", **methods})())


@pytest.mark.timeout(60)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_during_an_analysis_of_this_thread(call: str) -> None:
    engine = labrys.Engine("neighbours")
    with engine.analyse() as search:
        with pytest.raises(RuntimeError, match="an analysis of this engine runs"):
            CALLS[call](engine)
        # The analysis still runs.
        assert next(search).depth >= 1
        # These need no access to the engine.
        assert engine.game.name == "neighbours" and "neighbours" in repr(engine)
    CALLS[call](engine)


@pytest.mark.timeout(60)
def test_a_stopped_analysis_is_waited_for() -> None:
    engine = labrys.Engine("chess")
    for _ in range(5):
        search = engine.analyse()
        next(search)
        engine.stop()
        assert engine.search(nodes=100).move is not None
        assert search.wait().move is not None


@pytest.mark.timeout(60)
def test_a_dropped_analysis_does_not_block() -> None:
    engine = labrys.Engine("chess")
    next(engine.analyse())
    assert engine.search(nodes=100).move is not None


@pytest.mark.timeout(60)
def test_other_threads_wait_for_an_analysis() -> None:
    engine = labrys.Engine("chess")
    found: list[labrys.SearchResult] = []
    with engine.analyse() as search:
        # The engine is taken once the first report is there.
        next(search)
        thread = threading.Thread(target=lambda: found.append(engine.search(nodes=100)))
        thread.start()
        next(search)
        assert not found
    thread.join()
    assert found[0].move is not None


@pytest.mark.timeout(60)
def test_a_search_that_waits_is_stopped() -> None:
    engine = labrys.Engine("chess")
    waiting: list[labrys.Search] = []
    with engine.analyse() as search:
        next(search)
        thread = threading.Thread(target=lambda: waiting.append(engine.analyse()))
        thread.start()
        thread.join()
        waiting[0].stop()
        with pytest.raises(RuntimeError, match="stopped before it began"):
            waiting[0].wait()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", [*CALLS, "wait"])
def test_rules_cannot_use_the_engine_that_calls_them(call: str, threads: int) -> None:
    searches: list[labrys.Search] = []

    def evaluate(self: TicTacToe, state: str) -> float:
        if call == "wait":
            while not searches:
                pass
            searches[0].wait()
        else:
            CALLS[call](engine)
        return 0.0

    engine = labrys.Engine(other(evaluate=evaluate), Threads=threads)
    if call == "wait" and threads > 1:
        pytest.skip("a search does not know its other threads")
    with pytest.raises(RuntimeError, match="rules in Python cannot"):
        searches.append(engine.analyse(depth=3))
        searches[0].wait()
    if call != "wait":
        with pytest.raises(RuntimeError, match="rules in Python cannot"):
            engine.evaluate()


@pytest.mark.timeout(60)
def test_rules_may_use_another_engine() -> None:
    helper = labrys.Engine("neighbours", hash=1)

    def evaluate(self: TicTacToe, state: str) -> float:
        return helper.evaluate().value + helper.search(depth=1).nodes

    assert labrys.Engine(other(evaluate=evaluate)).search(depth=2).move is not None


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no processes that fork")
def test_a_process_that_was_forked_during_a_search() -> None:
    code = """
import os, labrys
engine = labrys.Engine("chess")
search = engine.analyse()
next(search)
child = os.fork()
if child == 0:
    for call in [engine.evaluate, search.wait, lambda: next(search), lambda: engine.search(nodes=10)]:
        try:
            call()
        except RuntimeError as error:
            assert "forked" in str(error), error
        else:
            os._exit(1)
    os._exit(0 if labrys.Engine("chess").search(nodes=1000).move else 2)
_, status = os.waitpid(child, 0)
search.stop()
assert search.wait().move is not None
print(os.waitstatus_to_exitcode(status))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout == "0\n", done.stderr
