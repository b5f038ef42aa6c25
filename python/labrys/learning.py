"""Self-play and learning: `labrys nnue selfplay`, `nnue train`, `linear train` and
`zero train`."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _arguments, _child
from ._progress import ProgressLike

if TYPE_CHECKING:
    import pandas

    from ._labrys import Game, SelfPlayGames


@dataclass(frozen=True)
class Training:
    """The folder of a training."""

    folder: Path
    text: str
    """What the command has printed."""

    @property
    def curve(self) -> "pandas.DataFrame":
        """The learning curve, read from the folder: a row for each period, epoch or generation."""
        from . import frames

        return frames.curve(self.folder)


@dataclass(frozen=True)
class LinearTraining(Training):
    """The result of `train_linear`."""

    @property
    def path(self) -> Path:
        """The file of the weights, for the option `WeightsFile`."""
        return self.folder / "weights.json"

    @property
    def weights(self) -> dict[str, float]:
        """The weights by feature, in units of the evaluation; `labrys.Engine.weights` takes them."""
        weights: dict[str, float] = json.loads(self.path.read_text("utf-8"))["weights"]
        return weights


@dataclass(frozen=True)
class NetTraining(Training):
    """The result of `train_nnue`."""

    @property
    def net(self) -> Path:
        """The net of the epoch with the lowest held-out loss, for the option `EvalFile`."""
        return self.folder / "net.safetensors"


@dataclass(frozen=True)
class ZeroTraining(Training):
    """The result of `zero`."""

    @property
    def net(self) -> Path:
        """The best net, for the option `NetFile`."""
        return self.folder / "best.safetensors"

    def samples(self) -> list[Path]:
        """The files of positions to learn from, one for each generation."""
        return sorted(self.folder.glob("generation-*/samples.safetensors"))


def selfplay(
    *,
    out: str | os.PathLike[str],
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> "SelfPlayGames":
    """Plays games to learn from into the file `out`, as `labrys nnue selfplay` does, and reads it.

    Further keyword arguments are those of the command; `games` is the number that the file is to have:

        labrys.selfplay(out="games.bin", game="tucchess", games=1000, nodes=500, random_plies=(6, 9))

    The same call goes on with a file of the same settings that has fewer games. Raises `ValueError` with the
    words of the binary for wrong arguments, and for a game in Python."""
    from ._labrys import read_selfplay

    _arguments.refuse_rules("selfplay", game)
    given = {**_arguments.with_game(game, arguments), "out": out}
    _child.run(["nnue", "selfplay", *_arguments.words(given)], progress=progress)
    return read_selfplay(out)


def train_linear(
    *,
    out: str | os.PathLike[str],
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> LinearTraining:
    """Learns the weights of an evaluation by self-play into the folder `out`, as `labrys linear train` does.

    Further keyword arguments are those of the command; `lambda` is `lambda_`:

        labrys.train_linear(out="lstd", game="neighbours", learner="lstd", weights="zeros", games=1000)

    With `resume=True` it goes on in the folder, or begins there. Raises `ValueError` with the words of the
    binary for wrong arguments, and for a folder that has a training already, without `resume`."""
    return LinearTraining(*_train(["linear", "train"], out, game, progress, arguments))


def train_nnue(
    *,
    out: str | os.PathLike[str],
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> NetTraining:
    """Trains an evaluation net on files of self-play games into the folder `out`, as `labrys nnue train`
    does.

    Further keyword arguments are those of the command; `data` is a file, or a list of files:

        labrys.train_nnue(out="net", game="tucchess", data=["games.bin"], epochs=20, neurons=64)

    With `resume=True` it goes on in the folder, or begins there. Raises `ValueError` with the words of the
    binary for wrong arguments, and for a folder that has a training already, without `resume`."""
    return NetTraining(*_train(["nnue", "train"], out, game, progress, arguments))


def zero(
    settings: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str],
    progress: ProgressLike = None,
    **arguments: Any,
) -> ZeroTraining:
    """Learns a policy/value net by self-play into the folder `out`, as `labrys zero train` does.

    `settings` are those of docs/zero.md: a TOML file, or a mapping of the same:

        labrys.zero({"variant": "tucchess", "generations": 5, "net": {"channels": 8, "blocks": 1},
                     "selfplay": {"games": 50}}, out="zero")

    Further keyword arguments are those of the command. With `resume=True` it goes on in the folder, or begins
    there. Raises `ValueError` with the words of the binary for wrong arguments, and for a folder that has a
    run already, without `resume`.
    """
    if isinstance(settings, Mapping):
        _arguments.refuse_rules("zero", settings.get("variant"))
    with tempfile.TemporaryDirectory(prefix="labrys-") as folder:
        if isinstance(settings, Mapping):
            path = Path(folder, "settings.toml")
            path.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in settings.items()), "utf-8")
        else:
            path = Path(settings)
        given = _arguments.words({**arguments, "out": out})
        text = _child.run(["zero", "train", *given, "--", str(path)], progress=progress)
    return ZeroTraining(Path(out), text)


def _train(
    command: list[str],
    out: str | os.PathLike[str],
    game: "str | Game | None",
    progress: ProgressLike,
    arguments: dict[str, Any],
) -> tuple[Path, str]:
    _arguments.refuse_rules(" ".join(command), game)
    given = {**_arguments.with_game(game, arguments), "out": out}
    return Path(out), _child.run([*command, *_arguments.words(given)], progress=progress)


def _toml(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, Mapping):
        inner = (f"{json.dumps(str(key))} = {_toml(each)}" for key, each in value.items() if each is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    # A number of NumPy, a truth value among them.
    item = getattr(value, "item", None)
    if hasattr(value, "dtype") and callable(item):
        value = item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    # Strings of JSON are strings of TOML.
    return json.dumps(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
