"""Results as pandas data frames, for notebooks:

    from labrys import frames
    frames.pairings("run/report.json")
    frames.games("run/games.pgn").groupby("termination").size()
    frames.selfplay("run/games.bin").plies.hist()

The files may come from the command line, from this package or from a run on a cluster.
"""

import json
import math
import os
import re
from pathlib import Path
from typing import Any, TypeAlias

import pandas

from ._labrys import read_selfplay

FilePath: TypeAlias = str | os.PathLike[str]

TAG = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]$', re.MULTILINE)

# The tags of game records and the names of their columns.
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


def report(path: FilePath) -> dict[str, Any]:
    """The output of `labrys match --json`, or `report.json` of a run on a cluster."""
    found: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return found


def players(path: FilePath) -> pandas.DataFrame:
    """The players of a report: wins, draws, losses, score, Elo."""
    return pandas.json_normalize(report(path)["players"])


def pairings(path: FilePath) -> pandas.DataFrame:
    """The pairings of a report, with Elo differences and intervals from the point of view of the first
    player."""
    frame = pandas.json_normalize(report(path)["pairings"])
    names = frame.pop("players")
    frame.insert(0, "first", names.str[0])
    frame.insert(1, "second", names.str[1])
    return frame


def games(path: FilePath) -> pandas.DataFrame:
    """The games of a PGN file of Labrys, in the order of the schedule. `points` are White's."""
    return games_of(Path(path).read_text("utf-8"))


def games_of(text: str) -> pandas.DataFrame:
    """The games in the text of a PGN file, as from `games`."""
    rows = []
    for game in re.split(r"(?m)^(?=\[Event )", text):
        tags = {name: re.sub(r"\\(.)", r"\1", value) for name, value in TAG.findall(game)}
        if tags:
            rows.append({column: tags.get(tag) for tag, column in COLUMNS.items()})
    frame = pandas.DataFrame(rows, columns=list(COLUMNS.values()))
    for column in ["number", "opening", "plies"]:
        frame[column] = pandas.to_numeric(frame[column])
    frame["points"] = [POINTS.get(result, math.nan) for result in frame["result"]]
    return frame.sort_values("number", ignore_index=True)


def selfplay(path: FilePath) -> pandas.DataFrame:
    """The games of a file of `labrys nnue selfplay`: White's points, the plies of the opening and those after
    it, and the mean score of the searches for White, in units of the evaluation. White must move first."""
    games = read_selfplay(path)
    means = []
    for index, opening in enumerate(games.opening_plies):
        scores = games.scores(index).astype(float)
        # Scores are for the side to move.
        scores[(int(opening) + 1) % 2 :: 2] *= -1
        means.append(scores.mean() if len(scores) else 0.0)
    return pandas.DataFrame(
        {
            "points": games.results.astype(float),
            "opening_plies": games.opening_plies.astype(int),
            "plies": games.plies.astype(int),
            "mean_score": means,
        }
    )


def results(path: FilePath) -> pandas.DataFrame:
    """The values of positions in a file of `labrys solve --results`, with the nodes of each search."""
    names = ["variant", "fen", "value", "nodes"]
    # A fifth column, the checksum, may follow.
    return pandas.read_csv(path, sep="\t", comment="#", names=names, usecols=range(4))


def curve(path: FilePath) -> pandas.DataFrame:
    """The learning curve of a training run, from its folder or its file `curve.csv`: a row for each period of
    `linear train`, epoch of `nnue train` or generation of `zero train`."""
    path = Path(path)
    return pandas.read_csv(path / "curve.csv" if path.is_dir() else path)


def shards(folder: FilePath) -> pandas.DataFrame:
    """The shards of a run on a cluster: machine, bytes, seconds of the task and of its command."""
    names = ["shard", "node", "bytes", "seconds", "played"]
    return pandas.read_csv(Path(folder) / "shards.csv", names=names)
