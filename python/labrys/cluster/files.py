"""The program and the files of a job, shipped to the workers by reference and stored by content."""

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import ray

from .._program import command_line
from . import ClusterError

# Arguments and engine keys whose values are files.
FLAGS = {"--openings", "--net"}
KEYS = {"option.EvalFile", "option.WeightsFile", "option.NetFile"}

# Arguments with weights: files, or in a training run some of these words.
WEIGHTS = {"--weights", "--opponent", "--rival"}
WORDS = {"default", "zeros", "ones", "clone", "start", "random"}


@dataclass
class Files:
    """Files by their names in the folder of a job, `<hash>/<name>`, where the hash is that of the content."""

    content: dict[str, bytes] = field(default_factory=dict)
    executable: set[str] = field(default_factory=set)

    def add(self, path: str, executable: bool = False) -> str:
        """Adds a file and returns its name in the folder."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise ClusterError(f"{path}: {error.strerror}") from error
        name = f"{hashlib.sha256(content).hexdigest()[:16]}/{Path(path).name}"
        self.content[name] = content
        if executable:
            self.executable.add(name)
        return name

    def add_words(self, words: list[str]) -> list[str]:
        """Adds the files that a command line names, and returns the command line with their new names."""
        flag = ""
        added: list[str] = []
        for before, word in zip(["", *words], words):
            flag = word if word.startswith("--") else flag
            # There may be several rivals.
            is_file = flag in WEIGHTS and word not in {flag, *WORDS}
            added.append(self.add(word) if is_file else self._add_word(before, word))
        return added

    def _add_word(self, before: str, word: str) -> str:
        if before in FLAGS:
            return self.add(word)
        key, equals, value = word.partition("=")
        if equals and key in FLAGS | WEIGHTS | KEYS and value not in WORDS:
            return f"{key}={self.add(value)}"
        # A program without a slash is in the PATH of the workers.
        if equals and key == "cmd" and "/" in value:
            return f"cmd={self.add(value, executable=True)}"
        return word

    def hash(self) -> str:
        """A hash of the names and contents of all files."""
        return hashlib.sha256("\n".join(sorted(self.content)).encode()).hexdigest()[:16]

    def unpack(self, folder: Path) -> None:
        """Writes the missing files. Several processes may do so at the same time."""
        for name, content in self.content.items():
            path = folder / name
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(content)
            os.chmod(file.name, 0o755 if name in self.executable else 0o644)
            os.replace(file.name, path)


@dataclass
class Shipment:
    """Files in the object store. Workers fetch them once and store them on disk."""

    hash: str
    # In a list, so that Ray passes the reference and not the content.
    reference: "list[ray.ObjectRef[Files]]"

    @staticmethod
    def of(files: Files) -> "Shipment":
        return Shipment(files.hash(), [ray.put(files)])

    def folder(self) -> Path:
        """The complete folder of the files on this machine."""
        base = Path(tempfile.gettempdir()) / f"labrys-cluster-{os.getuid()}"
        base.mkdir(mode=0o700, exist_ok=True)
        if base.stat().st_uid != os.getuid():
            raise ClusterError(f"{base}: belongs to another user")
        folder = base / self.hash
        folder.mkdir(exist_ok=True)
        if not (folder / "complete").exists():
            ray.get(self.reference[0]).unpack(folder)
            (folder / "complete").touch()
        return folder


def program(binary: str | None, folder: Path | None = None) -> list[str]:
    """The first words of a command line: the binary, or this package. A relative path with a slash is
    relative to the folder."""
    if binary is None:
        return command_line()
    return [str(folder / binary) if folder and "/" in binary else binary]


def version(binary: str | None, folder: Path | None = None) -> str:
    """The version that a program prints, without the lines about its build and processor."""
    return own_version() if binary is None else version_of(binary, program(binary, folder))


@cache
def own_version() -> str:
    """The version of this package."""
    return version_of("labrys", program(None))


def version_of(name: str, words: list[str]) -> str:
    """The version of a program by its command line."""
    try:
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, timeout=60)
    except OSError as error:
        raise ClusterError(f"{name}: {error.strerror}") from error
    if done.returncode != 0:
        raise ClusterError(f"{name}: {done.stderr.strip()}")
    lines = done.stdout.strip().splitlines()
    return "\n".join(line for line in lines if not line.startswith(("build: ", "processor: ")))
