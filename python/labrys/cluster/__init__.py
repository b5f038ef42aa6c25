"""Matches, self-play and proofs of Labrys on a Ray cluster.

It needs the packages of `pip install labrys[cluster]`; `python -m labrys.cluster` is its command.

- `files`: the program and the files that a job needs, by content, as every worker finds them;
- `folder`: a run on disk, an append-only folder of finished shards;
- `shards`: runs the shards of a job on the cluster;
- `commands`: `match`, `selfplay`, `zero`, `solve`, `spsa` and `train`.
"""


class ClusterError(Exception):
    """What is wrong, in words for people."""
