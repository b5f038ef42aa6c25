"""Matches, self-play and proofs of Labrys on a Ray cluster.

- `files`: the binary and the files that a job needs, by content, as every worker finds them;
- `folder`: a run on disk, an append-only folder of finished shards;
- `shards`: runs the shards of a job on the cluster;
- `commands`: `match`, `selfplay`, `zero`, `solve` and `spsa`;
- `frames`: results as data frames of pandas;
- `games`: games as Python objects, in the manner of OpenSpiel.
"""


class ClusterError(Exception):
    """What is wrong, in words for people."""
