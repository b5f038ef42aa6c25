"""Matches, self-play, learning and proofs on a Ray cluster.

It needs the packages of the extra `labrys[cluster]`; `python -m labrys.cluster` is its command.

- `files`: the program and the files of a job, stored by content on every worker;
- `folder`: a run on disk, an append-only folder of finished shards;
- `shards`: runs the shards of a job on the cluster;
- `commands`: `match`, `selfplay`, `zero`, `solve`, `spsa` and `train`.
"""


class ClusterError(Exception):
    """An error with a message for the user."""
