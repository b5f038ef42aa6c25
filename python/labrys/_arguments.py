"""Converts keyword arguments to arguments of the command line:

| Python | command line |
|---|---|
| `random_plies=8` | `--random-plies=8`; a trailing underscore is dropped: `lambda_=0.5` |
| `random_plies=(4, 7)` | `--random-plies=4-7`: a pair of integers is a range |
| `resume=True` | `--resume`; `False` and `None` are left out |
| `data=["a.bin", "b.bin"]` | `--data=a.bin --data=b.bin`, for arguments that take several values |
| `sprt={"elo0": 0, "elo1": 5}` | `--sprt=elo0=0 --sprt=elo1=5` |
| `each={"nodes": 300, "options": {"Hash": 1}}` | `--each=nodes=300 --each=option.Hash=1` |
| `engine=[{"name": "a"}, {"name": "b", "tc": "8+0.1"}]` | `--engine name=a --engine name=b tc=8+0.1` |

Only the binary knows which arguments exist and which values are valid.
"""

import os
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ._labrys import Game

Keys: TypeAlias = Mapping[str, Any]
"""Keys with their values, such as those of an engine."""


def words(arguments: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as arguments of the command line."""
    return [word for name, value in arguments.items() for word in _argument(name, value)]


def with_game(game: "str | Game | None", arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments, preceded by those for a game: its name, and its option if not the default.

    Raises `ValueError` if another `option` is not a mapping."""
    if game is None:
        return dict(arguments)
    if isinstance(game, str):
        return {"variant": game, **arguments}
    defaults = type(game)(game.name).options
    own = {name: value for name, value in game.options.items() if defaults.get(name) != value}
    if not own:
        return {"variant": game.name, **arguments}
    others = arguments.get("option")
    if not (others is None or isinstance(others, Mapping)):
        raise ValueError(f"option: expected a mapping beside the option of the game, found {others!r}")
    return {"variant": game.name, **arguments, "option": {**own, **(others or {})}}


def refuse_rules(command: str, game: "str | Game | None") -> None:
    """Rejects games in Python, which `command` does not support.

    Raises `ValueError` for such a game."""
    from .rules import is_added

    name = game if game is None or isinstance(game, str) else game.name
    if name is not None and is_added(name):
        raise ValueError(f"{command}: {name} is a game in Python, which has no self-play and no learning")


def whole_number(name: str, value: object) -> int:
    """Checks for an integer, which may be one of NumPy.

    Raises `TypeError` for anything else, such as a float, a str or a bool."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name}: expected a whole number, not {value!r}")


def _argument(name: str, value: object) -> list[str]:
    flag = "--" + name.removesuffix("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Mapping):
        return [f"{flag}={pair}" for pair in _pairs(name, value)]
    if isinstance(value, tuple) and len(value) == 2 and all(type(bound) is int for bound in value):
        return [f"{flag}={value[0]}-{value[1]}"]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for each in value for word in _each(flag, name, each)]
    return [f"{flag}={_text(name, value)}"]


def _each(flag: str, name: str, value: object) -> list[str]:
    """One value of several."""
    if isinstance(value, Mapping):
        return [flag, *_pairs(name, value)]
    return [f"{flag}={_text(name, value)}"]


def _pairs(name: str, value: Keys) -> list[str]:
    """`key=value` for each key. The options of an engine may be grouped in `options`."""
    pairs = []
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            prefix = "option" if key == "options" else key
            pairs += [f"{prefix}.{option}={_text(name, each)}" for option, each in inner.items()]
        elif isinstance(inner, (list, tuple)):
            pairs += [f"{key}={_text(name, each)}" for each in inner]
        elif inner is not None:
            pairs.append(f"{key}={_text(name, inner)}")
    return pairs


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    # Includes numbers of NumPy.
    if isinstance(value, (str, int, float)) or hasattr(value, "__float__"):
        text = str(value)
        try:
            # The operating system allows no NUL in arguments of a program.
            if b"\0" in os.fsencode(text):
                raise ValueError(f"{name}: {text!r} has a NUL character")
        except UnicodeEncodeError as error:
            raise ValueError(f"{name}: {text!r} has a character that is no Unicode") from error
        return text
    raise TypeError(f"{name}: expected text, a number or a path, found {value!r}")
