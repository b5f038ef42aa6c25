"""Measures what a job on a cluster costs, and prints the tables of experiments/cluster.md.

    python experiments/measure_cluster.py target/release/labrys [seconds a shard]

The machine should have nothing else to do. It takes about 50 times the seconds of a shard, and a minute.
"""

import contextlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ray

from labrys import frames
from labrys.cluster import commands, files

LABRYS = str(Path(sys.argv[1]).absolute())
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0

# Seconds after which Ray has started.
SETTLE = 10

# Shards of a match for each core, and turns.
SHARDS, TURNS = 4, 3

ENGINES = [
    "--engine",
    "name=a",
    "--engine",
    "name=b",
    "option.Evaluation=linear",
    "--each",
    "nodes=5000",
    "option.Hash=8",
]
SELFPLAY = ["--nodes", "1000"]


def timed(work) -> float:
    """The seconds of some work."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def labrys(*words) -> str:
    return subprocess.run([LABRYS, *map(str, words)], capture_output=True, text=True, check=True).stdout


def row(*cells) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def local(games: int, concurrency: int) -> float:
    """Games a second of a match in one process."""
    words = ["match", *ENGINES, "--games", games, "--concurrency", concurrency, "--json"]
    return games / json.loads(labrys(*words))["wall_seconds"]


def clustered(games: int, size: int, cpus: int, folder: Path) -> float:
    """Games a second of the same match on a Ray cluster of so many cores of this machine, from the first
    shard on: a cluster is started once. `folder` gets the run."""
    start_ray(cpus)
    warm_up(cpus)
    words = ["match", "--labrys", LABRYS, "--folder", str(folder), "--shard-games", str(size)]
    with contextlib.redirect_stdout(io.StringIO()):
        seconds = timed(lambda: commands.run([*words, *ENGINES, "--games", str(games)]))
    ray.shutdown()
    return games / seconds


@ray.remote
def nothing() -> None:
    """A job without work."""


def start_ray(cpus: int) -> None:
    """A cluster of so many cores of this machine."""
    ray.init("local", num_cpus=cpus, log_to_driver=False, logging_level="error", **commands.LOCAL)


def warm_up(cpus: int) -> None:
    """Starts the processes of the workers, and waits for Ray's own to come to rest."""
    ray.get([nothing.remote() for _ in range(20 * cpus)])
    time.sleep(SETTLE)


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="labrys_measure-"))
    print("cost of a start\n")
    row("what", "seconds")
    row("---", "---")
    row(
        "`labrys --version`", f"{statistics.median(timed(lambda: labrys('--version')) for _ in range(5)):.3f}"
    )
    row("Ray on this machine (`ray.init`)", f"{timed(lambda: start_ray(1)):.2f}")
    row("first job, which starts a worker", f"{timed(lambda: ray.get(nothing.remote())):.2f}")
    count = 500
    each = timed(lambda: ray.get([nothing.remote() for _ in range(count)])) / count
    row("a job without work, after that", f"{each:.5f}")
    bundle = files.Files()
    bundle.add(LABRYS, executable=True)
    size = sum(map(len, bundle.content.values())) / 1e6
    shipment = None

    def ship() -> None:
        nonlocal shipment
        shipment = files.Shipment.of(bundle)

    row(f"binary into the object store, {size:.1f} MB", f"{timed(ship):.3f}")
    row("binary from the store to disk", f"{timed(lambda: bundle.unpack(scratch / 'unpacked')):.3f}")
    ray.shutdown()

    speed = local(40, 1)
    size = 2 * max(1, round(speed * SECONDS / 2))
    print(f"\nshards of {size} games, {size / speed:.0f} s; medians of {TURNS} turns\n")
    row("cores", "one process, games/s", "Ray, games/s", "ratio")
    row("---", "---", "---", "---")
    found = {1: [], 2: []}
    # By turns, as other work on the machine comes and goes.
    for turn in range(TURNS):
        for cpus, rates in found.items():
            games, folder = SHARDS * cpus * size, scratch / f"match-{cpus}-{turn}"
            rates.append((local(games, cpus), clustered(games, size, cpus, folder)))
    medians = {cpus: list(map(statistics.median, zip(*rates))) for cpus, rates in found.items()}
    for cpus, rates in found.items():
        ratio = statistics.median(ray / one for one, ray in rates)
        row(cpus, *(f"{rate:.2f}" for rate in medians[cpus]), f"{ratio:.3f}")
    alone, ray_s = (medians[2][way] / medians[1][way] for way in range(2))
    print(f"\n2 cores to 1: {alone:.3f} in one process, {ray_s:.3f} with Ray")
    played = frames.shards(scratch / "match-2-0")
    overhead = (played.seconds - played.played).median()
    share = 100 * overhead / played.played.median()
    print(f"a shard: {overhead:.3f} s besides its command, {share:.2f} % of it\n")

    row("data", "bytes a game")
    row("---", "---")
    row("match (PGN)", f"{played.bytes.sum() / (2 * SHARDS * size):.0f}")
    for nodes in SELFPLAY[1:]:
        out = scratch / "games.bin"
        labrys("nnue", "selfplay", "--nodes", nodes, "--games", 200, "--out", out)
        row("self-play of chess", f"{out.stat().st_size / 200:.0f}")

    print("\ncost of the driver\n")
    row("what", "seconds a game")
    row("---", "---")
    parts = sorted((scratch / "match-2-0" / "shards").iterdir())
    games = 2 * SHARDS * size
    row(
        "report (`match --report`)",
        f"{timed(lambda: labrys('match', *ENGINES, '--games', games, '--report', *parts)) / games:.6f}",
    )
    merged = timed(lambda: labrys("games", "merge", "--out", scratch / "merged", *parts))
    row("merge of PGN", f"{merged / games:.6f}")
    for index in range(1, 5):
        labrys(
            "nnue",
            "selfplay",
            "--nodes",
            50,
            "--games",
            4000,
            "--shard",
            f"{index}/4",
            "--out",
            scratch / f"part-{index}",
        )
    selfplay = [scratch / f"part-{index}" for index in range(1, 5)]
    row(
        "merge of self-play",
        f"{timed(lambda: labrys('games', 'merge', '--out', scratch / 'all', *selfplay)) / 4000:.6f}",
    )


if __name__ == "__main__":
    main()
