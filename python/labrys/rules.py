"""Games written in Python."""

from __future__ import annotations

import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _labrys

if TYPE_CHECKING:
    from ._labrys import Game

GUARD = 'if __name__ == "__main__":'
"""The line of a program above what it does only when it is run, not when it is imported."""

_added: dict[str, Rules] = {}
"""The games that have been added, by name."""

_is_following = False
"""Whether a game of another process is being added."""

_folder = ""
"""The folder of the rules for other processes, from the first one on."""

_storing = threading.Lock()
"""One thread writes there at a time."""


class Rules(ABC):
    """The rules of a game for two players, for teaching: slow compared with the games in Rust.
    `labrys.add_game(rules)` registers it under its `name`, for `labrys.Game`, `labrys.Engine` (all searches),
    matches and the solver.

    A state is any immutable object that describes a position completely. A game is drawn after 1000 plies.
    """

    name: str
    """The name of the game: letters a to z, digits and hyphens."""

    @abstractmethod
    def start(self) -> Any:
        """The state of the start position."""

    @abstractmethod
    def side_to_move(self, state: Any) -> Literal["white", "black"]:
        """Whose turn it is. White need not move first, and the players need not alternate."""

    @abstractmethod
    def legal_moves(self, state: Any) -> Iterable[str]:
        """The legal moves, each a word; none if the game is over.

        A word has to be one that a game record can have as a move: `d4` or `drop-4`, but not digits alone or
        before letters (`4`, `4d`), which are the number of a move, no sign at the end (`d4!`), and not `N`,
        `D`, results, null moves (`--`) or words about the end of a game (`draw`, `on`, `up`). Others raise
        `ValueError`.
        """

    @abstractmethod
    def play(self, state: Any, move: str) -> Any:
        """The state after a legal move."""

    @abstractmethod
    def winner(self, state: Any) -> Literal["white", "black"] | None:
        """The winner of a game that is over; None for a draw."""

    @abstractmethod
    def fen(self, state: Any) -> str:
        """The position as a line of text. States with the same text are the same position."""

    @abstractmethod
    def from_fen(self, fen: str) -> Any:
        """The state for a text of `fen`. Raises `ValueError` if it is not valid."""

    def diagram(self, state: Any) -> str:
        """A text diagram of the board, in several lines."""
        return self.fen(state)

    def evaluate(self, state: Any) -> float:
        """The static evaluation for the side to move, in pawns or another unit. It is multiplied by the
        weight `evaluation`, which is 1 by default."""
        return 0.0


def add_game(rules: Rules) -> Game:
    """Registers a game. It replaces an earlier game in Python of the same name; there can be two of them.

    Raises `ValueError` if the name is that of another game or a word of the protocol, or there are two games
    already; and the errors that the rules raise for the start position.
    """
    game = _labrys.add_game(rules)
    _added[rules.name] = rules
    return game


def is_added(name: str) -> bool:
    """Whether a game of this name has been added in Python."""
    return name in _added


def recipe(words: Sequence[str]) -> str:
    """A line of Python that adds the games of this process to another one, which will run `words`. It can run
    more than once, until this process ends. It omits games that are not available there: those defined in a
    notebook or in the interactive interpreter, and those that cannot be pickled. What Python prints there
    goes to standard error: the standard output is that of the command.

    Raises `ValueError` if `words` names an omitted game, `RuntimeError` in the other process while it adds
    the games: programs would start each other for ever. The other process ends with an error if they name a
    game whose class it does not find.
    """
    if _is_following:
        raise RuntimeError(f"a command that is to run once has to be under `{GUARD}`")
    if not _added:
        return ""
    import pickle

    paths = [os.path.abspath(path) for path in sys.path]
    lines = ["from labrys import rules", "sys.stdout = sys.stderr", f"sys.path.extend({paths!r})"]
    for name, rules in _added.items():
        is_named = any(word.rpartition("=")[2] == name for word in words)
        main = getattr(sys.modules["__main__"], "__file__", None)
        is_main = type(rules).__module__ == "__main__"
        try:
            if is_main and main is None:
                raise ValueError("their class is in no file")
            path = _stored(pickle.dumps(rules))
        except Exception as error:
            if is_named:
                raise ValueError(f"{name}: another process cannot have these rules: {error}") from error
            continue
        lines.append(f"rules.follow({name!r}, {path!r}, {main if is_main else None!r}, {is_named})")
    return "; ".join(lines)


def _stored(data: bytes) -> str:
    """The path of a file with this content, which is removed at the end of this process: an argument of a
    program has at most 128 KiB, and other users can read it."""
    import atexit
    import hashlib
    import tempfile

    global _folder
    with _storing:
        # Something may have removed it, as the parent of a process that was forked.
        if not os.path.isdir(_folder):
            _folder = tempfile.mkdtemp(prefix="labrys-rules-")
            atexit.register(_remove, _folder, os.getpid())
        path = os.path.join(_folder, hashlib.sha256(data).hexdigest())
        if not os.path.exists(path):
            # Whole, or not at all.
            with open(f"{path}.new", "wb") as file:
                file.write(data)
            os.replace(f"{path}.new", path)
        return path


def _remove(folder: str, process: int) -> None:
    """Removes a folder if this process has made it, and not the one from which it was forked."""
    import shutil

    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def follow(name: str, path: str, main: str | None, is_named: bool) -> None:
    """Adds a game, in the line of `recipe`. `path` is a file with its rules, `main` the program that defines
    their class. A game that cannot be added ends the process if the command names it, and is ignored
    otherwise."""
    global _is_following
    import pickle
    import runpy

    _is_following = True
    try:
        if main is not None:
            vars(sys.modules["__main__"]).update(runpy.run_path(main, run_name="__labrys_main__"))
        with open(path, "rb") as file:
            rules = pickle.load(file)
        add_game(rules)
    except Exception as error:
        if is_named:
            sys.exit(f"labrys: {name}: another process cannot have these rules: {error}")
    finally:
        _is_following = False
