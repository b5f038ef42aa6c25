"""Games that are written in Python."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Literal


class Rules(ABC):
    """The rules of a game for two players, for teaching: slow beside the games in Rust, but with all that they
    have: `labrys.add_game(rules)` makes it a game by its `name`, for `labrys.Game`, `labrys.Engine` (all
    searches), matches and the solver.

    A state is any object that says all of a position, and never changes. A game that goes on for 1000 plies is
    drawn.
    """

    name: str
    """The name of the game: letters a to z, digits and hyphens."""

    @abstractmethod
    def start(self) -> Any:
        """The state of the start position."""

    @abstractmethod
    def side_to_move(self, state: Any) -> Literal["white", "black"]:
        """Whose turn it is. White need not begin, nor need the players alternate."""

    @abstractmethod
    def legal_moves(self, state: Any) -> Iterable[str]:
        """The legal moves, each a word; none where the game is over."""

    @abstractmethod
    def play(self, state: Any, move: str) -> Any:
        """The state after a legal move."""

    @abstractmethod
    def winner(self, state: Any) -> Literal["white", "black"] | None:
        """Who has won a game that is over; None for a draw."""

    @abstractmethod
    def fen(self, state: Any) -> str:
        """The position as a line of text. States with the same text are the same position."""

    @abstractmethod
    def from_fen(self, fen: str) -> Any:
        """The state of such a text. Raises `ValueError` where it is none."""

    def diagram(self, state: Any) -> str:
        """The board in letters, in several lines."""
        return self.fen(state)

    def evaluate(self, state: Any) -> float:
        """What the position is worth for the side to move, in pawns or whatever the unit is: searches look
        ahead and trust it. It counts times the weight `evaluation`, which is 1 in a `labrys.Engine`."""
        return 0.0
