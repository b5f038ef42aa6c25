"""Moves as numbers: the action spaces of the environments for reinforcement learning.

Each game has `size` actions. The number of a move depends only on the board size and the side to move, which
plays up the board as in the planes: for Black the ranks are counted from the top, so that the same network
can play both sides.

- Games in which a move has one policy index (chess, Neighbours, TUC-CHESS): the action is that index, from
  `Position.policy_indices`. In TUC-CHESS the chance outcome is not part of an action.
- Amazons, where a move has two policy indices: the triples (from, to, arrow) in which `to` is a queen's move
  from `from`, and `arrow` one from `to`, on an empty board, counted from 0 in ascending order of the three
  squares, where a1 is 0, b1 is 1, and so on along the ranks. Each action is a legal move in some position:
  9,412 actions on 6×6, 33,344 on 8×8, 86,980 on 10×10. (The product of the two halves of the policy would
  have 518,400 on 10×10, most of which leave the board.)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from typing import TYPE_CHECKING

from ._arguments import whole_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._labrys import Game, Move, MoveLike, Position

__all__ = ["Actions", "actions"]


class Actions(ABC):
    """The numbering of the moves of a game, created by `actions`; see the module."""

    size: int
    """The number of actions, which are counted from 0."""

    _game: Game

    @abstractmethod
    def action(self, position: Position, move: MoveLike) -> int:
        """The number of a legal move.

        Raises:
            ValueError: The move is not legal, or the position is of another game or size.
        """

    def legal(self, position: Position) -> dict[int, Move]:
        """The legal moves in a position by number.

        Raises:
            ValueError: The position is of another game, or on a board of another size.
        """
        self._check(position)
        return {self.action(position, move): move for move in position.legal_moves}

    def move(self, position: Position, action: int) -> Move:
        """The legal move with a number.

        Raises:
            ValueError: There is no such action, or it is not legal here.
        """
        move = self.legal(position).get(whole_number("action", action))
        if move is None:
            raise ValueError(f"the action {action} is not a legal move of {position.fen}")
        return move

    def mask(self, position: Position) -> npt.NDArray[np.int8]:
        """1 for each legal action in a position, otherwise 0, of shape (size,)."""
        import numpy as np

        mask = np.zeros(self.size, np.int8)
        mask[list(self.legal(position))] = 1
        return mask

    def _check(self, position: Position) -> None:
        """Rejects positions of another game or board."""
        if position.game.name != self._game.name:
            raise ValueError(f"actions of {self._game.name}, but a position of {position.game.name}")


class _Policy(Actions):
    """Actions that are policy indices."""

    def __init__(self, game: Game) -> None:
        self._game = game
        planes, ranks, files = game.policy_shape
        self.size = planes * ranks * files

    def action(self, position: Position, move: MoveLike) -> int:
        self._check(position)
        (index,) = position.policy_indices(move)
        return index


class _Amazons(Actions):
    """Actions that are pairs of queen moves, the second from the target of the first."""

    def __init__(self, game: Game) -> None:
        self._game = game
        _, self._ranks, self._files = game.policy_shape
        squares = range(self._ranks * self._files)
        targets = [[other for other in squares if self._is_queen_move(square, other)] for square in squares]
        # The moves of an amazon, and the first action of each of them.
        self._moves: list[tuple[int, int]] = []
        self._firsts: list[int] = []
        self.size = 0
        for start in squares:
            for end in targets[start]:
                self._moves.append((start, end))
                self._firsts.append(self.size)
                self.size += len(targets[end])
        self._first_of = dict(zip(self._moves, self._firsts, strict=True))
        self._arrows = targets
        self._index_of = [{arrow: index for index, arrow in enumerate(arrows)} for arrows in targets]

    def _is_queen_move(self, start: int, end: int) -> bool:
        ranks = abs(start // self._files - end // self._files)
        files = abs(start % self._files - end % self._files)
        return start != end and (ranks == 0 or files == 0 or ranks == files)

    def action(self, position: Position, move: MoveLike) -> int:
        self._check(position)
        return self._number(str(position.move(move)), position.side_to_move == "black")

    def legal(self, position: Position) -> dict[int, Move]:
        self._check(position)
        is_black = position.side_to_move == "black"
        return {self._number(str(move), is_black): move for move in position.legal_moves}

    def move(self, position: Position, action: int) -> Move:
        self._check(position)
        # Decoding the squares is faster than comparing with hundreds of legal moves.
        action = whole_number("action", action)
        if not 0 <= action < self.size:
            raise ValueError(f"there is no action {action}: there are {self.size}, counted from 0")
        index = bisect_right(self._firsts, action) - 1
        start, end = self._moves[index]
        arrow = self._arrows[end][action - self._firsts[index]]
        is_black = position.side_to_move == "black"
        names = [self._name(square, is_black) for square in (start, end, arrow)]
        text = f"{names[0]}{names[1]},{names[1]}{names[2]}"
        if not position.is_legal(text):
            raise ValueError(f"the action {action}, {text}, is not a legal move of {position.fen}")
        return position.move(text)

    def _check(self, position: Position) -> None:
        super()._check(position)
        # A game accepts positions on boards of other sizes.
        rows = position.fen.partition(" ")[0].split("/")
        files = sum(int(part) if part.isdecimal() else 1 for part in re.findall(r"\d+|\D", rows[0]))
        if (len(rows), files) != (self._ranks, self._files):
            ours = f"{self._files}x{self._ranks}"
            raise ValueError(f"actions of a board of {ours}, but a position on {files}x{len(rows)}")

    def _number(self, text: str, is_black: bool) -> int:
        amazon, flight = text.split(",")
        start, end = self._split(amazon, is_black)
        _, arrow = self._split(flight, is_black)
        return self._first_of[start, end] + self._index_of[end][arrow]

    def _split(self, half: str, is_black: bool) -> tuple[int, int]:
        """The squares of half a move, such as `d1d10`."""
        cut = 3 if half[2:3].isdecimal() else 2
        return self._square(half[:cut], is_black), self._square(half[cut:], is_black)

    def _square(self, name: str, is_black: bool) -> int:
        rank = int(name[1:]) - 1
        return (self._ranks - 1 - rank if is_black else rank) * self._files + ord(name[0]) - ord("a")

    def _name(self, square: int, is_black: bool) -> str:
        rank, file = divmod(square, self._files)
        return f"{chr(ord('a') + file)}{(self._ranks - 1 - rank if is_black else rank) + 1}"


def actions(game: Game) -> Actions:
    """The numbering of the moves of a game, on its board.

    Raises:
        ValueError: The moves of the game have no numbers: like games in Python it has no encoding for
            policy/value nets, or it has several policy indices for each move.
    """
    if game.name == "amazons":
        return _Amazons(game)
    start = game.start()
    if any(len(start.policy_indices(move)) != 1 for move in start.legal_moves[:1]):
        raise ValueError(f"the moves of {game.name} have no numbers: they have not one policy index each")
    return _Policy(game)
