"""Matches and tournaments between engines: `labrys match`."""

import json
import math
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _arguments, _child
from ._labrys import Engine, Game
from ._progress import ProgressLike

if TYPE_CHECKING:
    import pandas

    from ._labrys import Position


class EngineSpec(Mapping[str, Any]):
    """An engine in a match, by the keys of `labrys match --engine`.

    Without `cmd` or `tcp` it is Labrys itself; `engine`, a `labrys.Engine`, sets its options and weights.
    `options` are options of the engine by name. The other keys, such as `cmd`, `tc`, `st`, `nodes` and
    `depth`, are described in docs/matches.md.

        EngineSpec("new", options={"EvalFile": "new.safetensors", "Hash": 64}, nodes=5000)
        EngineSpec("mine", engine=engine, nodes=5000)
        EngineSpec("stockfish", cmd="stockfish", tc="8+0.08")
    """

    def __init__(
        self, name: str | None = None, *, options: Mapping[str, Any] | None = None, **keys: Any
    ) -> None:
        self._keys = {"name": name, **keys, "options": dict(options or {})}
        self._keys = {key: value for key, value in self._keys.items() if value not in (None, {})}

    def __getitem__(self, key: str) -> Any:
        return self._keys[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"EngineSpec({', '.join(f'{key}={value!r}' for key, value in self._keys.items())})"


@dataclass(frozen=True)
class Elo:
    """An Elo difference, from the point of view of the first player."""

    estimate: float
    """Elo; finite also if one player has won all games."""
    low: float
    """The lower end of the 95 % confidence interval."""
    high: float
    """The upper end of the 95 % confidence interval."""
    los: float
    """The likelihood that the first player is stronger, from 0 to 1."""

    def __str__(self) -> str:
        return f"Elo {self.estimate:+.1f} [{self.low:+.1f}, {self.high:+.1f}], LOS {100 * self.los:.1f} %"


@dataclass(frozen=True)
class Pairing:
    """All games between two players, from the point of view of the first one."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    score: float
    """Points per game, from 0 to 1."""
    pentanomial: tuple[int, ...]
    """The numbers of game pairs with 0, ½, 1, 1½ and 2 points."""
    elo: Elo

    def __str__(self) -> str:
        counts = f"+{self.wins} ={self.draws} -{self.losses}"
        return f"{self.first} against {self.second}: {counts}, score {100 * self.score:.1f} %, {self.elo}"


@dataclass(frozen=True)
class Player:
    """The results of a player."""

    name: str
    wins: int
    draws: int
    losses: int
    score: float
    """Points per game, from 0 to 1."""
    elo: float
    """Elo relative to the mean of all players that games connect."""
    elo_error: float
    """Half the width of the 95 % confidence interval; infinite while games do not connect all players."""
    forfeits: dict[str, int]
    """The numbers of games lost on time, or by an illegal move, a crash or a stall."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match."""

    report: dict[str, Any]
    """The output of `labrys match --json`."""
    paths: tuple[Path, ...]
    """The files with the games; empty if they were not written to files."""
    _pgn: bytes = field(default=b"", repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether all games are finished or the SPRT is decided."""
        return bool(self.report["complete"])

    @property
    def players(self) -> list[Player]:
        """The players, in the order of `engines`."""
        return [
            Player(
                **{**each, "elo": _elo(each["elo"], each["score"]), "elo_error": _bound(each["elo_error"], 1)}
            )
            for each in self.report["players"]
        ]

    @property
    def pairings(self) -> list[Pairing]:
        """The pairings; empty before the first pair of games."""
        return [_pairing(each) for each in self.report["pairings"]]

    @property
    def elo(self) -> Elo | None:
        """The Elo difference of the first pairing."""
        return next((pairing.elo for pairing in self.pairings), None)

    @property
    def sprt(self) -> dict[str, Any] | None:
        """The sequential probability ratio test: `llr`, the log-likelihood ratio; its `bounds`; `accepted`,
        which is `"H0"`, `"H1"` or `None`; `elo0` and `elo1`."""
        return self.report.get("sprt")

    @cached_property
    def records(self) -> "list[tuple[dict[str, str], Position]]":
        """The games in the order in which they ended: for each its tags and final position."""
        from ._labrys import read_pgn

        if not self._pgn:
            return [record for path in self.paths for record in read_pgn(path)]
        with tempfile.TemporaryDirectory(prefix="labrys-") as folder:
            path = Path(folder, "games.pgn")
            path.write_bytes(self._pgn)
            return read_pgn(path)

    @property
    def games(self) -> "list[Position]":
        """The final position of each game, with its moves, in the order in which they ended."""
        return [position for _, position in self.records]

    def frame(self) -> "pandas.DataFrame":
        """A data frame with a row for each game, as from `labrys.frames.games`."""
        from . import frames

        texts = [self._pgn.decode()] if self._pgn else [path.read_text("utf-8") for path in self.paths]
        return frames.games_of("\n".join(texts))

    def __str__(self) -> str:
        sprt = self.sprt
        test = [f"LLR {sprt['llr']:+.2f}, accepted: {sprt['accepted']}"] if sprt else []
        return "\n".join([*map(str, self.pairings), *test]) or "no pair of games is complete"


def match(
    *engines: Mapping[str, Any] | Engine,
    game: str | Game | None = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> MatchResult:
    """Plays a match or a tournament, like `labrys match`: every opening twice, with colours swapped.

    `engines` are two or more, each an `EngineSpec`, a mapping of its keys, or an `Engine`, whose options and
    weights are used in another process, under the name `engine1`, `engine2` and so on by its position; `each`
    has keys for all of them. The game is by default that of the engines. Weights other than the shipped ones
    are written beside `pgnout`, as `weights-….json`. Further keyword arguments are those of `labrys match`,
    with underscores:

        labrys.match({"name": "new", "options": {"EvalFile": "new.st"}}, {"name": "old"}, game="amazons",
                     each={"tc": "1+0.01"}, games=200, concurrency=2, pgnout="games.pgn", resume=True)

    With `pgnout` the games are written to that file, and the same call with `resume=True` continues an
    interrupted match, or starts it; without it an existing file is an error. An interrupted match raises
    `KeyboardInterrupt`. Raises `ValueError` with the message of the binary for wrong arguments."""
    if game is None and "variant" not in arguments:
        game = _game_of(engines)
    given = _arguments.with_game(game, arguments)
    files = [given[name] for name in ("pgnout", "report") if given.get(name) is not None]
    with tempfile.TemporaryDirectory(prefix="labrys-") as folder:
        own = Path(folder, "games.pgn")
        if not files:
            given["pgnout"] = own
        pgnout = given.get("pgnout")
        beside = Path(folder if pgnout is None else os.path.dirname(pgnout))
        given["engine"] = [_keys(engine, place, beside) for place, engine in enumerate(engines, 1)] or None
        given["json"] = True
        out = _child.run(["match", *_arguments.words(given)], progress=progress)
        pgn = own.read_bytes() if own.exists() else b""
    flat = [path for file in files for path in (file if isinstance(file, (list, tuple)) else [file])]
    return MatchResult(json.loads(out), tuple(map(Path, flat)), pgn)


def _game_of(engines: tuple[Mapping[str, Any] | Engine, ...]) -> Game | None:
    """The game of the engines that are objects, if there are any."""
    games = [each.game for each in map(_engine, engines) if each is not None]
    for game in games:
        if game != games[0]:
            raise ValueError(f"the engines play {games[0]!r} and {game!r}")
    return games[0] if games else None


def _engine(engine: Mapping[str, Any] | Engine) -> Engine | None:
    """The `Engine` that is, or describes, an engine of a match."""
    found = engine.get("engine") if isinstance(engine, Mapping) else engine
    if not isinstance(found, Engine) and not (isinstance(engine, Mapping) and found is None):
        text = "a labrys.Engine, an EngineSpec or a mapping of its keys"
        raise TypeError(f"engine: expected {text}, not {type(found).__name__}")
    return found


def _keys(engine: Mapping[str, Any] | Engine, place: int, folder: Path) -> dict[str, Any]:
    """The keys of an engine by its position in the match; its weights are written to `folder`."""
    own = _engine(engine)
    keys = dict(engine) if isinstance(engine, Mapping) else {}
    if own is None:
        return keys
    for key in ("cmd", "tcp"):
        if keys.get(key) is not None:
            raise ValueError(f"engine: {key}={keys[key]!r} names another program")
    keys.pop("engine", None)
    return {"name": f"engine{place}", **keys, "options": {**_options(own, folder), **keys.get("options", {})}}


def _options(engine: Engine, folder: Path) -> dict[str, Any]:
    """The options of an engine that differ from those of a new one, with its weights as a file."""
    options, new = engine.options, Engine(engine.game)
    defaults = {name: option.value for name, option in new.options.items()}
    found: dict[str, Any] = {
        name: option.value for name, option in options.items() if option.value != defaults[name]
    }
    found.pop("WeightsFile", None)
    feature_set = options["FeatureSet"].value
    new.set_option("FeatureSet", feature_set)
    if new.weights != engine.weights:
        found = {**found, "WeightsFile": _weights_file(engine, str(feature_set), folder)}
    # Files and feature sets also select the kind of evaluation, and a feature set replaces the weights.
    first = [name for name in ("FeatureSet", "WeightsFile", "EvalFile") if name in found]
    found["Evaluation"] = options["Evaluation"].value
    return {name: found[name] for name in dict.fromkeys([*first, "Evaluation", *found])}


def _weights_file(engine: Engine, feature_set: str, folder: Path) -> Path:
    """Writes the weights of an engine. Equal weights have the same file name, so that a match can be
    resumed."""
    text = json.dumps(
        {
            "game": engine.game.name,
            "set": feature_set,
            "version": 1,
            "source": "the weights of an engine in Python",
            "weights": engine.weights,
        }
    )
    path = folder / f"weights-{zlib.crc32(text.encode()):08x}.json"
    new = path.with_suffix(f".{os.getpid()}.new")
    new.write_text(text, "utf-8")
    new.replace(path)
    return path


def _pairing(found: dict[str, Any]) -> Pairing:
    first, second = found["players"]
    bounds = _elo(found["estimate"], found["score"]), _bound(found["low"], -1), _bound(found["high"], 1)
    counts = found["wins"], found["draws"], found["losses"]
    return Pairing(
        first, second, *counts, found["score"], tuple(found["pentanomial"]), Elo(*bounds, los=found["los"])
    )


def _elo(estimate: float | None, score: float) -> float:
    return _bound(estimate, score - 0.5)


def _bound(value: float | None, sign: float) -> float:
    """A number from JSON, where `null` stands for infinity."""
    return math.copysign(math.inf, sign) if value is None else value
