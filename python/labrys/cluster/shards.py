"""Runs the shards of a job on the cluster. Ray schedules them, transfers their files and retries those whose
worker is lost; a shard is finished when the driver has received its result, exactly once."""

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from .._program import die_with_parent
from . import ClusterError
from .files import Shipment, program, version

# Shards submitted to Ray for each core of the cluster: one that runs and one that waits.
QUEUED = 2

# Times that Ray plays a shard again after its worker or its command was lost. One that is lost each time, as
# it needs more memory than there is, would never end.
RETRIES = 10

# Seconds to collect finished shards. The waiting shards keep the cores busy meanwhile.
GATHER = 0.2


@dataclass
class Job:
    """The common part of all shards of a job."""

    # The command line of Labrys, with the names of files on the workers.
    words: list[str]
    # The arguments for the output files of a shard, and the suffixes of these files in its folder.
    outs: dict[str, str]
    # The number of cores of a shard, and the argument for it.
    cpus: int
    threads: str
    # The binary on the workers: a shipped file, or an installed program; `None` for this package.
    binary: str | None
    # The version that it must have.
    version: str
    # The argument for a folder with the files of `given`, if there is one.
    folder: str | None = None
    # Small files that change from job to job, by name.
    given: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Shard:
    """A part of a job."""

    # From 1.
    index: int
    # Its arguments in addition to those of the job.
    words: list[str]
    # Its name in errors.
    name: str


@dataclass
class Result:
    """A finished shard."""

    index: int
    # Its files by suffix; empty if Labrys did not write them.
    files: dict[str, bytes]
    # Seconds of the task and of its command, and the machine.
    seconds: float
    played: float
    node: str


class Lost(Exception):
    """The command was killed from outside, as when a worker is lost."""


def run_shard(shipment: Shipment, job: Job, shard: Shard) -> Result:
    """Runs a shard and returns its files. It may be retried if its worker or the command is lost, so it
    leaves nothing behind."""
    task_start = time.monotonic()
    folder = shipment.folder()
    node: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    try:
        found = version(job.binary, folder)
    except ClusterError as error:
        raise ClusterError(f"worker {node}: {error}") from error
    if found != job.version:
        name = job.binary or "labrys"
        raise ClusterError(f"worker {node}: {name} is another version: {found!r}, not {job.version!r}")
    with tempfile.TemporaryDirectory(prefix="labrys_shard-") as scratch:
        outs = {suffix: Path(scratch) / f"out{suffix}" for suffix in job.outs.values()}
        words = [*program(job.binary, folder), *job.words, *shard.words, job.threads, str(job.cpus)]
        words += [word for flag, suffix in job.outs.items() for word in (flag, str(outs[suffix]))]
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
            preexec_fn=partial(die_with_parent, signal.SIGKILL),
        )
        played = time.monotonic() - start
        if done.returncode == -signal.SIGKILL:
            raise Lost(shard.name)
        if done.returncode != 0:
            message = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
            raise ClusterError(f"{shard.name} on worker {node}: {message[0]}")
        files = {suffix: out.read_bytes() if out.exists() else b"" for suffix, out in outs.items()}
        return Result(shard.index, files, time.monotonic() - task_start, played, node)


def run_shards(
    shipment: Shipment, job: Job, shards: Iterable[Shard], finished: Callable[[Result], bool]
) -> None:
    """Runs shards in order, each as soon as there is room for it. `finished` is called with each result as it
    arrives; if it returns true, the rest is cancelled."""
    # Ray's type annotations do not allow a list of exceptions.
    retries: dict[str, Any] = {"max_retries": RETRIES, "retry_exceptions": [Lost]}
    task = ray.remote(run_shard).options(num_cpus=job.cpus, **retries)
    waiting = iter(shards)
    running: dict[ray.ObjectRef[Result], Shard] = {}
    try:
        while True:
            cores = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
            slots = QUEUED * max(1, int(cores) // job.cpus)
            while len(running) < slots and (shard := next(waiting, None)) is not None:
                running[task.remote(shipment, job, shard)] = shard
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=len(running), timeout=GATHER)
            for reference in ready:
                if finished(result_of(reference, running.pop(reference))):
                    return
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def result_of(reference: "ray.ObjectRef[Result]", shard: Shard) -> Result:
    """The result of a shard that is finished, or its error."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        if isinstance(error.cause, Lost):
            lost = f"{shard.name}: its command was killed {1 + RETRIES} times, perhaps for lack of memory"
            raise ClusterError(lost) from error
        raise ClusterError(
            str(error.cause) if isinstance(error.cause, ClusterError) else str(error)
        ) from error
    except RayError as error:
        # The worker itself was lost, was killed for its memory, or its machine has failed.
        raise ClusterError(f"{shard.name}: {error}") from error
