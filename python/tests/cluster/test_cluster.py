"""Jobs on a cluster of two nodes: results equal those of one machine, whatever is killed."""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from labrys import _program, frames
from labrys.cluster import ClusterError, commands

ENGINES = [
    "--variant", "neighbours", "--engine", "name=a", "--engine", "name=b", "option.FeatureSet=base",
    "--each", "nodes=300", "option.Hash=1",
]  # fmt: skip

# Fields that differ from run to run.
VARYING = ["games_played", "wall_seconds", "thinking"]


def lasting(report: str) -> dict:
    return {name: value for name, value in json.loads(report).items() if name not in VARYING}


def moves(path: Path) -> list[str]:
    """The games of a file, without dates and times."""
    lines = path.read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("[Date ", "[Shard ")))
    return [
        " ".join(word for word in game.split() if not word.endswith("s}"))
        for game in text.split("[Event ")[1:]
    ]


def workers() -> list[int]:
    """The workers of Ray that run shards, and their commands: those that come from this process, and not from
    another run of the tests."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
    lines = [line.split(None, 2) for line in listed.splitlines() if "<defunct>" not in line]
    children: dict[int, list[int]] = {}
    for process, parent, *_ in lines:
        children.setdefault(int(parent), []).append(int(process))
    ours, waiting = set(), [os.getpid()]
    while waiting:
        for child in children.pop(waiting.pop(), []):
            ours.add(child)
            waiting.append(child)
    kinds = ["ray::run_shard", "--shard "]
    words = {int(process): "".join(rest) for process, _, *rest in lines}
    return sorted(process for process in ours if any(kind in words[process] for kind in kinds))


def kill_workers(shards: Path, count: int, ended: threading.Event, killed: list) -> None:
    """Kills random workers of Ray, or the commands that they run, like `kill -9`: one for each shard that is
    finished in a folder, so that no machine is too fast for it, and none too slow to get on."""
    dice = random.Random(1)
    while len(killed) < count and not ended.wait(0.02):
        if len(list(shards.glob("0*"))) > len(killed) and (found := workers()):
            victim = dice.choice(found)
            try:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
            except ProcessLookupError:
                pass


def test_a_match_survives_kill_9(cluster, local, tmp_path):
    games = ["--games", "200"]
    whole = local("match", *ENGINES, *games, "--json", "--pgnout", tmp_path / "whole.pgn")
    ended, killed = threading.Event(), []
    killer = threading.Thread(target=kill_workers, args=(tmp_path / "run/shards", 8, ended, killed))
    killer.start()
    words = ["match", "--folder", str(tmp_path / "run"), "--shard-games", "10"]
    try:
        commands.run([*words, *ENGINES, *games])
    finally:
        ended.set()
        killer.join()
    print(f"{len(killed)} workers were killed")
    assert len(killed) >= 5, "too few were killed for a test"
    assert lasting((tmp_path / "run/report.json").read_text()) == lasting(whole)
    assert moves(tmp_path / "run/games.pgn") == moves(tmp_path / "whole.pgn")
    found = frames.games(tmp_path / "run/games.pgn")
    assert list(found.number) == list(range(1, 201)) and found.points.isin([0, 0.5, 1]).all()
    assert frames.pairings(tmp_path / "run/report.json").first[0] == "a"
    assert set(frames.shards(tmp_path / "run").shard) == set(range(1, 21))


def test_an_sprt_stops_the_rest(cluster, local, tmp_path):
    sprt = ["--games", "2000", "--sprt", "elo0=0", "elo1=300", "alpha=0.2", "beta=0.2"]
    whole = local("match", *ENGINES, *sprt, "--json")
    words = ["match", "--folder", str(tmp_path), "--shard-games", "4"]
    commands.run([*words, *ENGINES, *sprt])
    assert lasting((tmp_path / "report.json").read_text()) == lasting(whole)
    assert len(list((tmp_path / "shards").iterdir())) < 500


def test_selfplay_resumes_after_the_driver_was_killed(cluster, binary, local, tmp_path):
    games = ["--variant", "tucchess", "--games", "150", "--nodes", "200"]
    local("nnue", "selfplay", *games, "--out", tmp_path / "whole.bin")
    # Here with a shipped binary.
    line = [
        sys.executable,
        "-m",
        "labrys.cluster",
        "selfplay",
        "--address",
        cluster.address,
        "--labrys",
        binary,
    ]
    line += ["--folder", str(tmp_path / "run"), "--shard-games", "10", *games]
    driver = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE)
    while len(list(tmp_path.glob("run/shards/0*"))) < 3:
        assert driver.poll() is None, driver.stderr.read()
        time.sleep(0.1)
    driver.kill()
    driver.wait()
    first = {path: path.stat().st_mtime_ns for path in tmp_path.glob("run/shards/0*")}
    assert 3 <= len(first) < 15
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(path.stat().st_mtime_ns == time for path, time in first.items()), "a shard was played again"
    assert (tmp_path / "run/games.bin").read_bytes() == (tmp_path / "whole.bin").read_bytes()
    assert len(frames.selfplay(tmp_path / "run/games.bin")) == 150


def test_zero_learns_the_same_nets(cluster, local, tmp_path):
    (tmp_path / "zero.toml").write_text(
        """
variant = "tucchess"
generations = 2
net = { channels = 4, blocks = 1, dense = 4 }
selfplay = { games = 6, opening_plies = 2, longest = 40, options = { Simulations = 8 } }
training = { batch = 16 }
gate = { games = 2 }
"""
    )
    local("zero", "train", tmp_path / "zero.toml", "--out", tmp_path / "whole")
    words = ["--folder", str(tmp_path / "run"), "--shard-games", "2"]
    commands.run(["zero", *words, str(tmp_path / "zero.toml")])
    for name in ["best.safetensors", "state.json", "generation-0002/net.safetensors"]:
        assert (tmp_path / "run/run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_spsa_agrees_with_one_machine(cluster, binary, local, tmp_path):
    if "tuning" not in local("--version", program=[binary]):
        pytest.skip("needs a build for tuning")
    words = ["spsa", "--variant", "neighbours", "--each", "nodes=100", "option.Hash=1", "--iterations", "3"]
    words += ["--pairs", "4", "--constant", "late_pruning_moves min=3 max=16 c_end=3 r_end=0.1"]
    whole = local(*words, "--out", tmp_path / "whole", program=[binary])
    line = ["--labrys", binary, "--folder", str(tmp_path / "run"), "--shard-games", "2"]
    commands.run([words[0], *line, *words[1:]])
    for name in ["spsa.json", "spsa.csv"]:
        assert (tmp_path / "run/run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert "late_pruning_moves" in whole and not list((tmp_path / "run").glob("step-*"))
    longer = ["4" if word == "3" else word for word in words[1:]]
    with pytest.raises(ClusterError, match="--iterations: 4, but"):
        commands.run(["spsa", *line, *longer])


def test_train_agrees_with_one_machine(cluster, local, tmp_path):
    words = ["--variant", "neighbours", "--weights", "zeros", "--games", "20", "--round", "8"]
    words += ["--clone-every", "10", "--period", "20", "--compare-every", "0", "--judge-games", "4"]
    whole = local("linear", "train", *words, "--out", tmp_path / "whole")
    line = ["train", "--folder", str(tmp_path / "run"), "--shard-games", "3", *words]
    commands.run(line)
    names = ["checkpoint.json", "curve.csv", "weights.json"]
    for name in names:
        assert (tmp_path / "run/run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert whole.startswith("20 games") and not list((tmp_path / "run").glob("step-*"))
    # After a lost driver, the final match is played again.
    (tmp_path / "run/run/weights.json").unlink()
    commands.run(line)
    for name in names:
        assert (tmp_path / "run/run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


# The side to move loses.
LOST = ["--variant", "amazons", "--fen", "2q/q2/Q1q/2Q w"]


def test_a_proof_is_combined_and_verified(cluster, binary, local, tmp_path, capsys):
    # With a shipped binary: these jobs are shorter than the start of Python.
    words = ["solve", "--folder", str(tmp_path), "--labrys", binary, *LOST, "--split", "2", "--hash", "8"]
    # Too few nodes for most positions, which are left for the next run.
    commands.run([*words, "--proof", "--nodes", "5"])
    first = frames.results(tmp_path / "results.tsv")
    assert 0 < len(first) and "are still open" in capsys.readouterr().out
    assert not (tmp_path / "whole.proof").exists()
    solved = {path: path.stat().st_mtime_ns for path in tmp_path.glob("shards/*")}
    commands.run([*words, "--proof"])
    out = capsys.readouterr().out
    assert "\nloss " in out and "loss amazons 2q/q2/Q1q/2Q w - - 0 1: verified" in out, out
    assert all(path.stat().st_mtime_ns == time for path, time in solved.items()), "solved again"
    found = frames.results(tmp_path / "results.tsv")
    assert len(first) < len(found) and set(found.fen) > set(first.fen)
    # One losing reply is enough for each first move.
    jobs = local("solve", *LOST, "--split", "2")
    assert len(found) < len(jobs.splitlines())
    with pytest.raises(ClusterError, match="holds another run: command is"):
        commands.run(words)


def test_errors_name_the_argument(cluster, tmp_path):
    def refused(message: str, *words: str) -> None:
        with pytest.raises(ClusterError, match=message):
            commands.run([words[0], "--folder", str(tmp_path / "run"), *words[1:]])

    selfplay = ["--variant", "tucchess", "--games", "8", "--nodes", "10"]
    refused("no-net: No such file", "selfplay", "--net", "no-net", *selfplay)
    refused("--out: not with a cluster", "selfplay", "--out", "x", *selfplay)
    refused("missing --games", "selfplay")
    refused("--sprt: set the maximum", "match", *ENGINES, "--sprt", "elo1=5")
    refused("--counting: only with --proof", "solve", *LOST, "--counting")
    refused("--cpus 2: the largest machine has 1", "selfplay", "--cpus", "2", *selfplay)
    refused("unknown variant `x`", "solve", "--variant", "x")
    refused("FEN: missing white amazon", "solve", "--variant", "amazons", "--fen", "9q w")
    refused("needs no proof", "solve", "--variant", "amazons", "--fen", "q*Q1 w")
    refused("unknown variant `x`", "match", *ENGINES[2:], "--variant", "x")
    net = tmp_path / "net"
    net.write_text("no net")
    refused("shard ./4 on worker .*net", "selfplay", "--net", str(net), "--shard-games", "2", *selfplay)
    assert not list(tmp_path.glob("run/shards/*")), "nothing is counted"

    other = tmp_path / "other"
    other.write_text(
        '#!/bin/sh\n[ "$1" != --version ] || { echo labrys 0.0.1; exit; }\n'
        f'exec {shlex.join(_program.command_line())} "$@"\n'
    )
    other.chmod(0o755)
    refused(
        "worker .*another version: 'labrys 0.0.1', not", "selfplay", "--worker-labrys", str(other),
        "--folder", str(tmp_path / "x"), *selfplay,
    )  # fmt: skip
    commands.run(["selfplay", "--folder", str(tmp_path / "y"), *selfplay])
    with pytest.raises(ClusterError, match="y holds another run: command is"):
        commands.run(["selfplay", "--folder", str(tmp_path / "y"), *selfplay, "--seed", "2"])


def test_a_shard_that_is_always_killed_ends_the_run(cluster, tmp_path):
    killed = tmp_path / "killed"
    killed.write_text(
        '#!/bin/sh\n[ "$1" != --version ] || exec '
        f'{shlex.join(_program.command_line())} "$@"\nkill -9 $$\n'
    )
    killed.chmod(0o755)
    words = ["selfplay", "--folder", str(tmp_path / "run"), "--worker-labrys", str(killed)]
    words += ["--variant", "tucchess", "--games", "2", "--nodes", "10"]
    with pytest.raises(ClusterError, match="^shard 1/1: its command was killed 11 times"):
        commands.run(words)


def test_an_unreachable_cluster(tmp_path):
    line = [sys.executable, "-m", "labrys.cluster", "selfplay", "--address", "127.0.0.1:9"]
    line += ["--folder", str(tmp_path / "run"), "--games", "8"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "--address 127.0.0.1:9: cannot reach the cluster" in done.stderr, (
        done.stderr
    )
    assert not (tmp_path / "run").exists()
