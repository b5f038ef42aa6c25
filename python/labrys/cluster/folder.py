"""A run on disk: an immutable manifest, and an immutable file for each finished shard."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from . import ClusterError


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file so that readers see all of it or nothing."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


class Folder:
    """The folder of a run. The same command continues it; another one is an error."""

    def __init__(self, path: Path, manifest: dict[str, Any]):
        self.path = path
        self.shards: int = manifest["shards"]
        (path / "shards").mkdir(parents=True, exist_ok=True)
        # In memory, as checking for all files after each shard would take quadratic time.
        self.done = {index for index in range(1, self.shards + 1) if self.shard(index).exists()}
        file = path / "manifest.json"
        if not file.exists():
            write_atomically(file, (json.dumps(manifest, indent=1) + "\n").encode())
            return
        try:
            found = json.loads(file.read_text())
        except ValueError as error:
            raise ClusterError(f"{file}: {error}") from error
        for name in [*manifest, *found]:
            if manifest.get(name) != found.get(name):
                raise ClusterError(
                    f"{path} holds another run: {name} is {found.get(name)!r}, not {manifest.get(name)!r}"
                )

    @property
    def is_complete(self) -> bool:
        """Whether all shards are finished."""
        return len(self.done) == self.shards

    def shard(self, index: int) -> Path:
        """The file of a shard, by its number from 1."""
        return self.path / "shards" / f"{index:06}"

    def files(self) -> list[str]:
        """The names of the finished shards in the folder `shards`, in order."""
        return [self.shard(index).name for index in sorted(self.done)]

    def put(self, index: int, files: dict[str, bytes]) -> None:
        """Adds a finished shard: its files by suffix. The file without a suffix is written last, and marks
        the shard as finished."""
        for suffix in sorted(files, reverse=True):
            path = self.shard(index)
            write_atomically(path.with_name(path.name + suffix), files[suffix])
        self.done.add(index)
