"""Measures the package side by side with what it is compared to, in one run on one core:

    taskset -c 0 python benchmarks/compare.py [--labrys target/release/labrys] [--wheel target/wheels/*.whl]

Each figure is the best of several rounds in which the two sides take turns. Rates are by the time on the
processor: on a busy machine, a side that waits more would look slower than it is.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import labrys

ROUNDS = 7


def rate(work: Callable[[], int], seconds: float = 1.0) -> float:
    """How often a second of the processor, where `work` says how often it did it."""
    count, start = 0, time.process_time()
    while (passed := time.process_time() - start) < seconds:
        count += work()
    return count / passed


def rounds(one: Callable[[], float], other: Callable[[], float]) -> tuple[list[float], list[float]]:
    """The figures of two sides that take turns."""
    pairs = [(one(), other()) for _ in range(ROUNDS)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def report(what: str, figure: str, goal: str, reached: bool) -> None:
    """Prints a line of the table."""
    print(f"{what:<44}{figure:<44}{goal:<12}{'reached' if reached else 'NOT REACHED'}", flush=True)


def amazons_playouts() -> None:
    """Random games of 8×8 Amazons, by the package's `playout` and by OpenSpiel's states from Python."""
    import pyspiel

    start = labrys.Game("amazons", board="8x8").start()
    game = pyspiel.load_game("amazons(board_size=8)")
    seeds = iter(range(10**9))
    generator = random.Random(1)

    def ours() -> int:
        return min(start.playout(next(seeds)).ply, 1)

    def step_by_step() -> int:
        position = start
        while not position.is_over:
            position = position.play(generator.choice(position.legal_moves))
        return 1

    def theirs() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
        return 1

    mine, other = rounds(lambda: rate(ours, 0.5), lambda: rate(theirs))
    times = max(mine) / max(other)
    figure = f"{max(mine):.0f}/s, OpenSpiel {max(other):.1f}/s: {times:.0f} times"
    report("random games of Amazons 8x8, playout()", figure, "20 times", times >= 20)
    slow = max(rate(step_by_step, 0.5) for _ in range(ROUNDS))
    print(f"{'  move by move from Python':<44}{slow:.0f}/s: {slow / max(other):.1f} times", flush=True)


def chess_moves() -> None:
    """`legal_moves` and `play` along random games of chess, the same for both."""
    import chess

    games = [[str(move) for move in labrys.Game("chess").start().playout(seed).moves] for seed in range(20)]
    plies = sum(len(game) for game in games)

    def ours() -> int:
        for game in games:
            position = labrys.Game("chess").start()
            for move in game:
                list(position.legal_moves)
                position = position.play(move)
        return plies

    objects = [[chess.Move.from_uci(move) for move in game] for game in games]

    def theirs() -> int:
        for game in objects:
            board = chess.Board()
            for move in game:
                list(board.legal_moves)
                board.push(move)
        return plies

    mine, other = rounds(lambda: rate(ours), lambda: rate(theirs))
    times = max(mine) / max(other)
    figure = f"{max(mine):.0f}/s, python-chess {max(other):.0f}/s: {times:.1f} times"
    report("chess, list(legal_moves) and play()", figure, "10 times", times >= 10)


def searches(binary: str) -> None:
    """A search of 100,000 nodes in chess, by the package and by the binary's protocol."""
    engine = labrys.Engine("chess")
    process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert process.stdin is not None and process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def say(text: str, until: str) -> None:
        stdin.write(text + "\n")
        for line in stdout:
            if line.startswith(until):
                return
        raise RuntimeError(f"{binary} has ended")

    say("setoption name UCI_ShowWDL value true\nposition startpos\nisready", "readyok")

    # The clock of the binary's time on a processor, as clock_getcpuclockid(3) makes it.
    binary_clock = (~process.pid << 3) | 2

    def ours() -> tuple[float, float]:
        engine.new_game()
        start, used = time.perf_counter(), time.process_time()
        engine.search(nodes=100_000)
        return time.perf_counter() - start, time.process_time() - used

    def theirs() -> tuple[float, float]:
        say("ucinewgame\nposition startpos\nisready", "readyok")
        start, used = time.perf_counter(), time.clock_gettime(binary_clock)
        say("go nodes 100000", "bestmove")
        return time.perf_counter() - start, time.clock_gettime(binary_clock) - used

    ours()
    theirs()
    pairs = [(ours(), theirs()) for _ in range(10 * ROUNDS)]
    for clock, name in ((0, "on the clock"), (1, "on the processor")):
        mine, other = ([pair[side][clock] for pair in pairs] for side in (0, 1))
        # What disturbs a search makes it slower: the fastest tenth is that of a quiet machine.
        fast = [statistics.mean(sorted(times)[: len(times) // 10]) for times in (mine, other)]
        slower = fast[0] / fast[1] - 1
        figure = f"{fast[0] * 1000:.1f} ms, binary {fast[1] * 1000:.1f} ms: {slower:+.1%}"
        report(f"a search of 100,000 nodes, {name}", figure, "+1 %", slower <= 0.01)
    process.stdin.write("quit\n")
    process.wait()


def importing() -> None:
    """What `import labrys` takes beyond an empty program."""

    def took(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    took("import labrys")
    mine, other = rounds(lambda: took("import labrys"), lambda: took("pass"))
    seconds = min(mine) - min(other)
    report("import labrys", f"{seconds:.3f} s", "0.1 s", seconds <= 0.1)


def wheel_size(wheel: Path) -> None:
    """The size of a wheel."""
    megabytes = os.path.getsize(wheel) / 1e6
    report(re.sub(r"-cp.*", "", wheel.name), f"{megabytes:.1f} MB", "12 MB", megabytes <= 12)


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description="Measures labrys against its yardsticks.")
    parser.add_argument("--labrys", default="labrys", help="the binary to compare searches with")
    parser.add_argument("--wheel", type=Path, help="a wheel whose size to tell")
    arguments = parser.parse_args()
    amazons_playouts()
    chess_moves()
    searches(arguments.labrys)
    importing()
    if arguments.wheel is not None:
        wheel_size(arguments.wheel)


if __name__ == "__main__":
    main()
