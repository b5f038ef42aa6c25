"""A Ray cluster of two nodes on this machine."""

import os
import subprocess
from pathlib import Path

import pytest

from labrys import _program

pytest.importorskip("ray")


@pytest.fixture(scope="session")
def binary() -> str:
    """A binary to ship: that of `LABRYS`, or that of cargo."""
    path = Path(os.environ.get("LABRYS", Path(__file__).parents[3] / "target/release/labrys"))
    if not path.exists():
        pytest.skip(f"{path}: no binary")
    return str(path)


@pytest.fixture(scope="session")
def local():
    """Runs Labrys without a cluster; its standard output."""

    def run(*words, program=None) -> str:
        line = [*(program or _program.command_line()), *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    import ray
    from ray.cluster_utils import Cluster

    # Workers import from the working directory of the driver, and beside the tests lies no whole package.
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("driver"))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    os.chdir(before)
