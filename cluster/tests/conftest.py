"""A Ray cluster of two nodes on this machine, and the binary: that of `LABRYS`, or that of cargo."""

import os
import subprocess
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def labrys() -> str:
    path = Path(os.environ.get("LABRYS", ROOT / "target/release/labrys"))
    if not path.exists():
        pytest.skip(f"{path}: no binary")
    return str(path)


@pytest.fixture(scope="session")
def local(labrys):
    """Runs Labrys without a cluster; its standard output."""

    def run(*words, cwd=None) -> str:
        done = subprocess.run([labrys, *map(str, words)], capture_output=True, text=True, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
