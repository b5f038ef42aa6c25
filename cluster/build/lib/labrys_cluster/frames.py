"""Results as data frames of pandas, for notebooks:

from labrys_cluster import frames
frames.pairings("run/report.json")
frames.games("run/games.pgn").groupby("termination").size()
frames.selfplay("run/games.bin").plies.hist()
"""

import json
import re
import struct
import zlib
from pathlib import Path

import pandas

TAG = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]$', re.MULTILINE)

# Tags of records, by the names of their columns.
COLUMNS = {
    "GameNumber": "number",
    "Round": "opening",
    "White": "white",
    "Black": "black",
    "Result": "result",
    "PlyCount": "plies",
    "Termination": "termination",
    "TerminationDetails": "details",
}

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def report(path: str | Path) -> dict:
    """What `labrys match --json` has printed, or `report.json` of a run on a cluster."""
    return json.loads(Path(path).read_text())


def players(path: str | Path) -> pandas.DataFrame:
    """The players of a report: wins, draws, losses, score, Elo."""
    return pandas.json_normalize(report(path)["players"])


def pairings(path: str | Path) -> pandas.DataFrame:
    """The pairings of a report, from the view of the first player, with the Elo difference, its interval."""
    frame = pandas.json_normalize(report(path)["pairings"])
    names = frame.pop("players")
    frame.insert(0, "first", names.str[0])
    frame.insert(1, "second", names.str[1])
    return frame


def games(path: str | Path) -> pandas.DataFrame:
    """The games of a PGN file of Labrys, in the order of the schedule. `points` are those of White."""
    rows = []
    for game in re.split(r"(?m)^(?=\[Event )", Path(path).read_text()):
        tags = dict(TAG.findall(game))
        if tags:
            rows.append({column: tags.get(tag) for tag, column in COLUMNS.items()})
    frame = pandas.DataFrame(rows, columns=list(COLUMNS.values()))
    for column in ["number", "opening", "plies"]:
        frame[column] = pandas.to_numeric(frame[column])
    frame["points"] = frame["result"].map(POINTS)
    return frame.sort_values("number", ignore_index=True)


def selfplay(path: str | Path) -> pandas.DataFrame:
    """The games of a file of `labrys selfplay`: half points of White as `points`, plies of the opening, plies
    after it, and the mean score of the searches in units of the evaluation, for White if it moves first."""
    data = Path(path).read_bytes()
    start = data.index(b"\n") + 1
    rows = []
    while start < len(data):
        count, positions, size, checksum = struct.unpack_from("<4I", data, start)
        block = data[start + 16 : start + 16 + size]
        if zlib.crc32(block, zlib.crc32(struct.pack("<3I", count, positions, size))) != checksum:
            raise ValueError(f"{path}: the block at byte {start} is damaged")
        rows += _block(block, count)
        start += 16 + size
    return pandas.DataFrame(rows, columns=["points", "opening_plies", "plies", "mean_score"])


def _block(block: bytes, count: int) -> list[tuple]:
    rows, at = [], 0
    for _ in range(count):
        result, opening, plies = struct.unpack_from("<BHH", block, at)
        at += 5 + 3 * opening
        scores = [
            int.from_bytes(block[at + 6 * ply + 3 : at + 6 * ply + 6], "little", signed=True)
            for ply in range(plies)
        ]
        first = [score if (opening + ply) % 2 == 0 else -score for ply, score in enumerate(scores)]
        rows.append((result / 2, opening, plies, sum(first) / max(1, plies) / 1000))
        at += 6 * plies
    return rows


def results(path: str | Path) -> pandas.DataFrame:
    """The values of positions in a file of `labrys solve --results`, and the nodes that they have taken."""
    return pandas.read_csv(path, sep="\t", comment="#", names=["variant", "fen", "value", "nodes"])


def header(path: str | Path) -> dict:
    """How the games of a file of `labrys selfplay` were played."""
    with open(path, "rb") as file:
        return json.loads(file.readline())


def shards(folder: str | Path) -> pandas.DataFrame:
    """The shards of a run on a cluster: machine, bytes, seconds of the task and of the command in it."""
    names = ["shard", "node", "bytes", "seconds", "played"]
    return pandas.read_csv(Path(folder) / "shards.csv", names=names)
