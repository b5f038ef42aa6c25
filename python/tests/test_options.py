"""The package agrees with `labrys options` about the command line."""

import json
from typing import Any

import pytest

from labrys import _child


@pytest.fixture(scope="module")
def options() -> dict[str, Any]:
    return json.loads(_child.run(["options", "--json"]))


def arguments(options: dict[str, Any], command: str) -> dict[str, Any]:
    return {each["name"]: each for each in options["commands"][command]["arguments"]}


def test_the_cluster_knows_the_arguments(options: dict[str, Any]) -> None:
    commands = pytest.importorskip("labrys.cluster.commands")
    files = pytest.importorskip("labrys.cluster.files")
    run = {"match", "nnue selfplay", "zero selfplay", "zero train", "solve", "spsa", "linear train"}
    known = {name: each for command in run for name, each in arguments(options, command).items()}
    for flag in commands.OWN | {*commands.LIMITS}:
        assert flag in known, flag
    for flag in files.FLAGS | files.WEIGHTS:
        assert known[flag]["kind"] == "file" and not known[flag]["written"], flag
    # The cluster sets all files that a command writes, and other files that it reads.
    others = {name for name, each in known.items() if each["kind"] == "file" and name.startswith("--")}
    assert others - commands.OWN - files.FLAGS - files.WEIGHTS <= {"--proof", "--regions", "--net"}, others


def test_defaults_and_ranges(options: dict[str, Any]) -> None:
    games = arguments(options, "match")["--games"]
    assert (games["kind"], games["min"], games["default"]) == ("whole", 0, "100")
    assert options["settings"]["zero"]["selfplay"]["games"] == 40
    hash_size = next(each for each in options["games"]["chess"] if each["name"] == "Hash")
    assert hash_size["type"] == "spin" and hash_size["min"] == 1
