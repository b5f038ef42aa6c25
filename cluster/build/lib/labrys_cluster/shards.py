"""Runs the shards of a job on the cluster. Ray places them, moves their files, and repeats those whose worker
is lost; a shard counts when the driver has its result, which it gets once."""

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable

import ray
from ray.exceptions import RayTaskError

from . import ClusterError
from .files import Shipment, version

# Shards in the hands of Ray for each core of the cluster: one that is played and one that waits.
QUEUED = 2

# Seconds in which finished shards gather. Those that wait keep the cores busy.
GATHER = 0.2


@dataclass
class Job:
    """What all shards of a job share."""

    # The command line of Labrys, with the names of files as the workers have them.
    words: list[str]
    # The arguments that name the files of a shard, and the ends of the names that these have in its folder.
    outs: dict[str, str]
    # Cores of a shard, and the argument that names them.
    cpus: int
    threads: str
    # The binary on the workers: a shipped file, or a program that they have.
    binary: str
    # What the binary has to say of its version.
    version: str
    # The argument that names a folder with the files of `given`, if there is one.
    folder: str | None = None
    # Small files that change from job to job, by their names.
    given: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Shard:
    """A part of a job."""

    # From 1 on.
    index: int
    # What the command line has for it besides that of the job.
    words: list[str]
    # What errors call it.
    name: str


@dataclass
class Result:
    """A finished shard."""

    index: int
    # Its files, by the ends of their names. Those that Labrys did not write are empty.
    files: dict[str, bytes]
    # Seconds of the task and of the command in it, and the machine.
    seconds: float
    played: float
    node: str


class Lost(Exception):
    """The command was killed from outside, as a worker may be."""


def die_with_parent() -> None:
    """Has the kernel kill this process when its parent, a worker of Ray, is killed."""
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@ray.remote(max_retries=-1, retry_exceptions=[Lost])
def run_shard(shipment: Shipment, job: Job, shard: Shard) -> Result:
    """Runs a shard and returns its files. It may run again if its worker or the command is
    lost: it leaves nothing behind."""
    begin = time.monotonic()
    folder = shipment.folder()
    node = ray.util.get_node_ip_address()
    try:
        found = version(job.binary, folder)
    except ClusterError as error:
        raise ClusterError(f"worker {node}: {error}") from error
    if found != job.version:
        raise ClusterError(f"worker {node}: {job.binary} is another version: {found!r}, not {job.version!r}")
    program = str(folder / job.binary) if "/" in job.binary else job.binary
    with tempfile.TemporaryDirectory(prefix="labrys_shard-") as scratch:
        outs = {end: Path(scratch) / f"out{end}" for end in job.outs.values()}
        words = [program, *job.words, *shard.words, job.threads, str(job.cpus)]
        words += [word for flag, end in job.outs.items() for word in (flag, str(outs[end]))]
        if job.folder:
            given = Path(scratch) / "given"
            given.mkdir()
            for name, content in job.given.items():
                (given / name).write_bytes(content)
            words += [job.folder, str(given)]
        start = time.monotonic()
        done = subprocess.run(
            words,
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        played = time.monotonic() - start
        if done.returncode == -signal.SIGKILL:
            raise Lost(shard.name)
        if done.returncode != 0:
            message = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
            raise ClusterError(f"{shard.name} on worker {node}: {message[0]}")
        files = {end: out.read_bytes() if out.exists() else b"" for end, out in outs.items()}
        return Result(shard.index, files, time.monotonic() - begin, played, node)


def run_shards(
    shipment: Shipment, job: Job, shards: Iterable[Shard], finished: Callable[[Result], bool]
) -> None:
    """Runs shards in order, taking each when there is room for it. `finished` is called with each result as
    it comes; if it returns true, the rest is left."""
    task = run_shard.options(num_cpus=job.cpus)
    waiting, running = iter(shards), set()
    try:
        while True:
            slots = QUEUED * max(1, int(ray.cluster_resources().get("CPU", 1)) // job.cpus)
            while len(running) < slots and (shard := next(waiting, None)) is not None:
                running.add(task.remote(shipment, job, shard))
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=len(running), timeout=GATHER)
            for reference in ready:
                running.remove(reference)
                if finished(ray.get(reference)):
                    return
    except RayTaskError as error:
        raise ClusterError(
            str(error.cause) if isinstance(error.cause, ClusterError) else str(error)
        ) from error
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
