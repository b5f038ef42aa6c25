"""`match`, `selfplay`, `zero`, `solve`, `spsa` and `train` on a cluster, with the arguments of Labrys."""

import argparse
import csv
import json
import logging
import math
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import ray
from tqdm import tqdm

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from . import ClusterError
from .files import Files, Shipment, program, version
from .folder import Folder, write_atomically
from .shards import Job, Result, Shard, run_shards

# Arguments of Labrys that the cluster sets itself, or that need files it does not ship.
OWN = {
    "--shard",
    "--report",
    "--resume",
    "--out",
    "--pgnout",
    "--epdout",
    "--plot",
    "--json",
    "--log",
    "--config",
    "--quick",
    "--concurrency",
    "--threads",
    "--affinity",
    "--rating-interval",
    "--results",
    "--assume",
    "--checkpoint",
    "--manifest",
    "--part",
    "--parts",
    "--next",
}

# The settings of a cluster on this machine.
LOCAL = {"include_dashboard": False}

# Limits of a proof.
LIMITS = ["--nodes", "--time", "--hash"]

# The suffix of certificates.
PROOF = ".proof"

# The maximum share of the time for reports on the progress.
REPORTS = 0.05


def run(line: list[str]) -> None:
    """Runs a command line, which does not include the program name."""
    parser = argparse.ArgumentParser(
        prog="python -m labrys.cluster",
        description="Runs jobs of Labrys on a Ray cluster. Other arguments are those of the command.",
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=list(COMMANDS))
    parser.add_argument(
        "--folder", type=Path, required=True, help="folder of the run; run the same command to continue"
    )
    parser.add_argument("--labrys", help="a binary, shipped to the workers [default: this package]")
    parser.add_argument(
        "--worker-labrys", help="a program on the workers to use instead, of the same version"
    )
    parser.add_argument(
        "--address", help="a Ray cluster, such as auto or ray://host:10001 [default: this machine]"
    )
    parser.add_argument("--shard-games", type=int, default=20, help="games per shard, about [default: 20]")
    parser.add_argument("--cpus", type=int, default=1, help="cores per shard [default: 1]")
    options, words = parser.parse_known_args(line)
    for word in words:
        if word.partition("=")[0] in OWN:
            raise ClusterError(f"{word.partition('=')[0]}: not with a cluster, which sets it itself")
    for name in ["shard_games", "cpus"]:
        if getattr(options, name) < 1:
            raise ClusterError(f"--{name.replace('_', '-')}: expected 1 or more")
    COMMANDS[options.command](Cluster(options), words)


class Cluster:
    """The program, the connection to the cluster, and running of shards, for all commands."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.files = options, Files()
        self.binary: str | None = None
        self.shipped: str | None = options.worker_labrys
        if options.labrys is not None:
            found = shutil.which(options.labrys)
            if found is None:
                raise ClusterError(f"--labrys {options.labrys}: no such program")
            self.binary = str(Path(found).absolute())
            self.shipped = self.shipped or self.files.add(self.binary, executable=True)
        self.version = version(self.binary)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The arguments and settings from `labrys options`."""
        return cast(dict[str, Any], json.loads(self.labrys("options", "--json")))

    def default(self, command: str, flag: str) -> int:
        """The default of an integer argument."""
        arguments = self.defaults["commands"][command]["arguments"]
        return next(int(each["default"]) for each in arguments if each["name"] == flag)

    def connect(self) -> None:
        """Joins the cluster, or starts one on this machine. It has to have a machine for a shard."""
        if not ray.is_initialized():
            self.join()
        nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
        cores = max((node["Resources"].get("CPU", 0) for node in nodes if node["Alive"]), default=0)
        # Ray would wait for a larger one for ever. Where no machine has cores, they have yet to come.
        if 0 < cores < self.options.cpus:
            raise ClusterError(f"--cpus {self.options.cpus}: the largest machine has {cores:g}")

    def join(self) -> None:
        """Joins the cluster, or starts one on this machine."""
        address = self.options.address
        host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
        if colon and port.isdigit():
            # Ray itself would retry for minutes.
            try:
                socket.create_connection((host, int(port)), timeout=10).close()
            except OSError as error:
                raise ClusterError(f"--address {address}: cannot reach the cluster: {error}") from error
        # Workers on other machines get this package. A cluster for one run needs no dashboard.
        package = str(Path(__file__).parents[1])
        rest: dict[str, Any] = {"runtime_env": {"py_modules": [package]}} if address else LOCAL
        try:
            ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **rest)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ClusterError(f"--address {address}: cannot reach the cluster: {error}") from error

    def labrys(self, *words: str | Path, files: Path | None = None) -> str:
        """Runs Labrys on this machine, in the folder of the files, and returns its standard output."""
        done = subprocess.run(
            [*program(self.binary), *map(str, words)], cwd=files, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise ClusterError(done.stderr.strip().removeprefix("labrys: "))
        return done.stdout

    def play(
        self,
        folder: Folder,
        shipment: Shipment,
        words: list[str],
        out: str,
        live: Callable[[bytes], tuple[str, bool]],
    ) -> bool:
        """Plays all games of a job in shards; see `run`."""
        return self.run(folder, shipment, self.job(words, {out: ""}), self.games(folder), live)

    def games(self, folder: Folder) -> Iterable[Shard]:
        """The shards of games that are missing in a folder."""
        for index in range(1, folder.shards + 1):
            if index not in folder.done:
                name = f"{index}/{folder.shards}"
                yield Shard(index, ["--shard", name], f"shard {name}")

    def job(self, words: list[str], outs: dict[str, str], **given: Any) -> Job:
        """A job for the program of this cluster."""
        threads = "--concurrency" if words[0] in ("match", "spsa") else "--threads"
        return Job(words, outs, self.options.cpus, threads, self.shipped, self.version, **given)

    def run(
        self,
        folder: Folder,
        shipment: Shipment,
        job: Job,
        shards: Iterable[Shard],
        live: Callable[[bytes], tuple[str, bool]],
    ) -> bool:
        """Runs shards into their folder. `live` is called with the result of each one, first with nothing,
        and returns a text to show and whether to stop. Shards without all their files are left for the next
        run. Returns whether the folder is complete."""
        bar = tqdm(total=folder.shards, initial=len(folder.done), unit="shard", disable=None)

        def finished(result: Result) -> bool:
            content = result.files[""] if all(result.files.values()) else b""
            if content:
                folder.put(result.index, result.files)
                bar.update()
            with (folder.path / "shards.csv").open("a", newline="") as file:
                size = sum(map(len, result.files.values()))
                csv.writer(file).writerow(
                    [result.index, result.node, size, f"{result.seconds:.3f}", f"{result.played:.3f}"]
                )
            text, decided = live(content)
            bar.set_postfix_str(text)
            return decided

        try:
            if not live(b"")[1]:
                run_shards(shipment, job, shards, finished)
        finally:
            bar.close()
        return folder.is_complete

    def shards(self, games: int) -> int:
        """The number of shards for a number of games."""
        if games < 1:
            raise ClusterError(f"{games} games: expected 1 or more")
        size: int = self.options.shard_games
        return max(1, min(games // 2, math.ceil(games / size)))

    def manifest(self, words: list[str], shards: int) -> dict[str, Any]:
        """The manifest that identifies a run."""
        return {"command": words, "shards": shards, "version": self.version}


def value(words: list[str], flag: str) -> str | None:
    """The value of an argument."""
    for word, following in zip(words, [*words[1:], ""]):
        if word == flag:
            return following
        if word.startswith(flag + "="):
            return word.partition("=")[2]
    return None


def number(words: list[str], flag: str) -> int | None:
    """The value of an integer argument."""
    text = value(words, flag)
    if text is not None and not text.isdigit():
        raise ClusterError(f"{flag} {text}: expected a whole number")
    return None if text is None else int(text)


class Live:
    """The results of a run so far, in one file, and a report on them, whose frequency is limited by its
    cost."""

    def __init__(self, folder: Folder, name: str, report: Callable[[Path], tuple[str, bool]]):
        self.report, self.path = report, folder.path / name
        with self.path.open("wb") as file:
            for index in sorted(folder.done):
                file.write(folder.shard(index).read_bytes())
        self.last, self.next = ("", False), 0.0

    def __call__(self, result: bytes) -> tuple[str, bool]:
        with self.path.open("ab") as file:
            file.write(result)
        start = time.monotonic()
        if start >= self.next and self.path.stat().st_size > 0:
            self.last = self.report(self.path)
            end = time.monotonic()
            self.next = end + (end - start) / REPORTS
        return self.last


def play_match(cluster: Cluster, words: list[str]) -> None:
    """Plays a match. Its final report is that of the same match on one machine."""
    games, rounds = number(words, "--games"), number(words, "--rounds")
    if games is None and rounds is None and "--sprt" in words:
        raise ClusterError("--sprt: set the maximum number of games by --games")
    if games is None:
        games = 2 * rounds if rounds is not None else cluster.default("match", "--games")
    count = cluster.shards(games)
    words = ["match", *cluster.files.add_words(words)]
    cluster.connect()
    shipment = Shipment.of(cluster.files)
    files = shipment.folder()

    def report(*rest: str | Path) -> str:
        return cluster.labrys(*words, *rest, files=files)

    # The report on no games checks the arguments.
    with tempfile.NamedTemporaryFile(suffix=".pgn") as nothing:
        report("--report", nothing.name)
    folder = Folder(cluster.options.folder.absolute(), cluster.manifest(words, count))

    def progress(path: Path) -> tuple[str, bool]:
        found = json.loads(report("--json", "--report", path))
        if not found["pairings"]:
            # An SPRT counts games only when all earlier ones are finished.
            return "", False
        first, sprt = found["pairings"][0], found.get("sprt")
        interval = [first[name] for name in ("estimate", "low", "high")]
        elo = " ".join("inf" if bound is None else f"{bound:+.0f}" for bound in interval)
        shown = f"{found['games']} games, Elo {elo}" + (f", LLR {sprt['llr']:+.2f}" if sprt else "")
        return shown, bool(sprt and sprt["accepted"])

    live = Live(folder, "played.pgn", progress)
    games_file = live.path
    if cluster.play(folder, shipment, words, "--pgnout", live):
        games_file = folder.path / "games.pgn"
        merge(cluster, folder, games_file)
    write_atomically(folder.path / "report.json", report("--json", "--report", games_file).encode())
    print(report("--report", games_file).rpartition("\n0 games in ")[0])


def play_selfplay(cluster: Cluster, words: list[str]) -> None:
    """Plays games for `labrys nnue train`, byte for byte those of one machine."""
    games = number(words, "--games")
    if games is None:
        raise ClusterError("missing --games, as in `labrys nnue selfplay`")
    words = ["nnue", "selfplay", *cluster.files.add_words(words)]
    cluster.connect()
    folder = Folder(cluster.options.folder.absolute(), cluster.manifest(words, cluster.shards(games)))
    cluster.play(folder, Shipment.of(cluster.files), words, "--out", lambda _: ("", False))
    merge(cluster, folder, folder.path / "games.bin")


def merge(cluster: Cluster, folder: Folder, out: Path) -> None:
    """Merges all shards of a folder."""
    if not out.exists():
        # Relative names, as the length of a command line is limited.
        words: list[str | Path] = ["games", "merge", "--out", out, *folder.files()]
        print(cluster.labrys(*words, files=folder.path / "shards"), end="")


def play_zero(cluster: Cluster, words: list[str]) -> None:
    """Runs generations of `labrys zero train`: the cluster plays their games, this machine trains and
    gates."""
    if not words or words[0].startswith("-"):
        raise ClusterError("zero: expected a settings file")
    path, rest = Path(words[0]).absolute(), words[1:]
    try:
        settings = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ClusterError(f"{path}: {error}") from error
    zero = cluster.defaults["settings"]["zero"]
    generations = number(rest, "--generations")
    if generations is None:
        generations = settings.get("generations", zero["generations"])
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--generations")
    _, unknown = parser.parse_known_args(rest)
    if unknown:
        raise ClusterError(f"{unknown[0]}: unknown argument of zero")
    games = settings.get("selfplay", {}).get("games", zero["selfplay"]["games"])
    base = cluster.options.folder.absolute()
    run, config = base / "run", cluster.files.add(str(path))
    base.mkdir(parents=True, exist_ok=True)
    train = ["zero", "train", path, "--out", run, "--resume", "--generations"]
    cluster.labrys(*train, "0")
    cluster.connect()
    while (done := len(json.loads((run / "state.json").read_text())["state"]["generations"])) < generations:
        generation = done + 1
        net = cluster.files.add(str(run / "best.safetensors"))
        words = ["zero", "selfplay", config, "--generation", str(generation), "--net", net]
        folder = Folder(base / f"games-{generation:04}", cluster.manifest(words, cluster.shards(games)))
        shipment = Shipment.of(cluster.files)
        cluster.play(folder, shipment, words, "--out", lambda _: (f"generation {generation}", False))
        samples = run / f"generation-{generation:04}" / "samples.safetensors"
        samples.parent.mkdir(exist_ok=True)
        merge(cluster, folder, samples)
        print(cluster.labrys(*train, str(generation)).splitlines()[0])
        del cluster.files.content[net]


def solve(cluster: Cluster, words: list[str]) -> None:
    """Proves a position: the cluster solves the positions into which it is split, this machine combines
    them."""
    parser = argparse.ArgumentParser(
        prog="python -m labrys.cluster solve", allow_abbrev=False, add_help=False
    )
    for flag in ["--variant", "--fen", "--split", *LIMITS]:
        parser.add_argument(flag)
    parser.add_argument("--moves", nargs="+")
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--counting", action="store_true")
    given = parser.parse_args(words)
    if given.counting and not given.proof:
        raise ClusterError("--counting: only with --proof")
    game = ["--variant", given.variant or "chess"]
    position = ["solve", *game]
    if given.fen:
        position += ["--fen", given.fen]
    if given.moves:
        position += ["--moves", *given.moves]
    listing = [*position, "--split", given.split or "1"]
    limits = [word for flag in LIMITS if (limit := getattr(given, flag.strip("-"))) for word in (flag, limit)]
    counting = ["--counting"] * given.counting

    def positions(*assumed: str | Path) -> list[str]:
        """The positions that are still open."""
        return [line.split("\t")[1] for line in cluster.labrys(*listing, *assumed).splitlines()]

    jobs = positions()
    if not jobs:
        raise ClusterError("the value needs no proof: `labrys solve` finds it at once")
    # A position may need higher limits, so limits do not identify the run.
    kind = ["--proof"] * given.proof + counting
    cluster.connect()
    folder = Folder(cluster.options.folder.absolute(), cluster.manifest([*listing, *kind], len(jobs)))
    still_open = set(jobs)

    def progress(results: Path) -> tuple[str, bool]:
        still_open.intersection_update(positions("--assume", results))
        return f"{len(still_open)} open", not still_open

    live = Live(folder, "results.tsv", progress)
    left = (
        Shard(index, ["--fen", fen], f"position {index}, `{fen}`,")
        for index, fen in enumerate(jobs, 1)
        if index not in folder.done and fen in still_open
    )
    outs = {"--results": ""} | ({"--proof": PROOF} if given.proof else {})
    job = cluster.job(["solve", *game, *limits, *counting], outs)
    cluster.run(folder, Shipment.of(cluster.files), job, left, live)
    print(f"{len(folder.done)} of {len(jobs)} positions have a value")
    if not progress(live.path)[1]:
        print(f"{len(still_open)} are still open; run the same command to continue, or with higher limits")
        return
    whole = folder.path / f"whole{PROOF}"
    proof = ["--proof", str(whole), *counting] if given.proof else []
    print(cluster.labrys(*position, *limits, "--assume", str(live.path), *proof), end="")
    if whole.exists():
        parts = [name + PROOF for name in folder.files()]
        print(cluster.labrys("verify", *parts, str(whole), files=folder.path / "shards").splitlines()[-1])


def learn(cluster: Cluster, command: list[str], words: list[str], state: str, whole: str) -> None:
    """Learns in steps, with the state in the file `state`: the cluster plays the games of a step, this
    machine learns from them and plays the matches of a training run. The file `whole` exists at the end."""
    words = [*command, *cluster.files.add_words(words)]
    base = cluster.options.folder.absolute()
    run = base / "run"
    base.mkdir(parents=True, exist_ok=True)
    # Before anything is put into the store, which would start a cluster of its own.
    cluster.connect()
    shipment = Shipment.of(cluster.files)

    def step(*rest: str) -> str:
        return cluster.labrys(*words, "--out", str(run), *rest, files=shipment.folder())

    def following() -> tuple[int, int]:
        done, games = step("--next").split()[1::2]
        return int(done), int(games)

    done, games = following()
    text = ""
    while games:
        given = {state: (run / state).read_bytes()} if (run / state).exists() else {}
        job = cluster.job(words, {"--part": ""}, folder="--out", given=given)
        folder = Folder(base / f"step-{done}", cluster.manifest(words, cluster.shards(games)))
        cluster.run(folder, shipment, job, cluster.games(folder), lambda _: (f"{done} done", False))
        parts = [str(folder.shard(index)) for index in sorted(folder.done)]
        text = step("--resume", "--parts", *parts)
        shutil.rmtree(folder.path)
        done, games = following()
    if not (run / whole).exists():
        text = step("--resume")
    print(text, end="")


def tune(cluster: Cluster, words: list[str]) -> None:
    """Runs `labrys spsa` by iterations."""
    learn(cluster, ["spsa"], words, "spsa.json", "spsa.csv")


def train(cluster: Cluster, words: list[str]) -> None:
    """Runs `labrys linear train` by rounds."""
    learn(cluster, ["linear", "train"], words, "checkpoint.json", "weights.json")


COMMANDS = {
    "match": play_match,
    "selfplay": play_selfplay,
    "zero": play_zero,
    "solve": solve,
    "spsa": tune,
    "train": train,
}


def main() -> int:
    """The entry point."""
    try:
        run(sys.argv[1:])
    except ClusterError as error:
        print(f"labrys.cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("labrys.cluster: interrupted, run the same command to continue", file=sys.stderr)
        return 130
    return 0
