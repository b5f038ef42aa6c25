"""Self-play and learning: `labrys nnue selfplay`, `nnue train`, `linear train` and `zero train`."""

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
    """The folder of a training run."""

    folder: Path
    text: str
    """The output of the command."""

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
        """The weights file, for the option `WeightsFile`."""
        return self.folder / "weights.json"

    @property
    def weights(self) -> dict[str, float]:
        """The weights by feature, in units of the evaluation, for `labrys.Engine.weights`."""
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
        """The files with training samples, one for each generation."""
        return sorted(self.folder.glob("generation-*/samples.safetensors"))


def selfplay(
    *,
    out: str | os.PathLike[str],
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> "SelfPlayGames":
    """Plays training games into the file `out`, like `labrys nnue selfplay`, and reads it.

    Further keyword arguments are those of the command; `games` is the total number of games in the file:

        labrys.selfplay(out="games.bin", game="tucchess", games=1000, nodes=500, random_plies=(6, 9))

    The same call continues a file with the same settings and fewer games. Raises `ValueError` with the
    message of the binary for wrong arguments, and for a game in Python."""
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
    """Learns the weights of an evaluation by self-play into the folder `out`, like `labrys linear train`.

    Further keyword arguments are those of the command, with `lambda_` for `--lambda`:

        labrys.train_linear(out="lstd", game="neighbours", learner="lstd", weights="zeros", games=1000)

    With `resume=True` it continues the run in the folder, or starts it. Raises `ValueError` with the message
    of the binary for wrong arguments, and without `resume` for a folder with a run."""
    return LinearTraining(*_train(["linear", "train"], out, game, progress, arguments))


def train_nnue(
    *,
    out: str | os.PathLike[str],
    game: "str | Game | None" = None,
    progress: ProgressLike = None,
    **arguments: Any,
) -> NetTraining:
    """Trains an evaluation net on files of self-play games into the folder `out`, like `labrys nnue train`.

    Further keyword arguments are those of the command; `data` is a file or a list of files:

        labrys.train_nnue(out="net", game="tucchess", data=["games.bin"], epochs=20, neurons=64)

    With `resume=True` it continues the run in the folder, or starts it. Raises `ValueError` with the message
    of the binary for wrong arguments, and without `resume` for a folder with a run."""
    return NetTraining(*_train(["nnue", "train"], out, game, progress, arguments))


def zero(
    settings: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str],
    progress: ProgressLike = None,
    **arguments: Any,
) -> ZeroTraining:
    """Learns a policy/value net by self-play into the folder `out`, like `labrys zero train`.

    `settings` are those of docs/zero.md: a TOML file, or a mapping with the same keys, where None leaves a
    setting out:

        labrys.zero({"variant": "tucchess", "generations": 5, "net": {"channels": 8, "blocks": 1},
                     "selfplay": {"games": 50}}, out="zero")

    Further keyword arguments are those of the command. With `resume=True` it continues the run in the folder,
    or starts it. Raises `ValueError` with the message of the binary for wrong arguments, and without `resume`
    for a folder with a run.
    """
    if isinstance(settings, Mapping):
        _arguments.refuse_rules("zero", settings.get("variant"))
    with tempfile.TemporaryDirectory(prefix="labrys-") as folder:
        if isinstance(settings, Mapping):
            path = Path(folder, "settings.toml")
            path.write_text(_document(settings), "utf-8")
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


def _document(settings: Mapping[str, Any]) -> str:
    """A TOML file with these settings. Those that are None are left out."""
    return "".join(f"{key} = {_toml(value)}\n" for key, value in settings.items() if value is not None)


def _text(text: object) -> str:
    """A text in TOML: as in JSON, but for the surrogates that JSON has for letters, and one letter that only
    TOML escapes."""
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, Mapping):
        inner = (f"{_text(key)} = {_toml(each)}" for key, each in value.items() if each is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    # A number or bool of NumPy.
    item = getattr(value, "item", None)
    if hasattr(value, "dtype") and callable(item):
        value = item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return _text(os.fsdecode(value) if isinstance(value, os.PathLike) else value)
