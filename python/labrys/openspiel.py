"""Labrys in OpenSpiel: a bot for its chess and Amazons, and conversion of positions and moves.

    import labrys, pyspiel
    from labrys import openspiel
    game = pyspiel.load_game("amazons(board_size=8)")
    bot = openspiel.Bot(labrys.Engine("amazons"), nodes=1000)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))

White is OpenSpiel's player 0 in Amazons (its `X`), and its player 1 in chess. Its Amazons is played on 6×6,
8×8 and 10×10 boards. A move consists of three actions, which are square numbers counted row by row from the
upper left corner: the amazon, its target, and the target of the arrow. On 6×6 the start position differs from
that of `labrys.Game("amazons", board="6x6")`; `amazons_start` returns it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import pyspiel

from ._labrys import Engine, Game, Move, Position

__all__ = [
    "AMAZONS_SIZES",
    "Bot",
    "amazons_actions",
    "amazons_move",
    "amazons_start",
    "position",
    "state",
]

AMAZONS_SIZES = (6, 8, 10)
"""The board sizes of OpenSpiel's Amazons."""

_AMAZONS_STARTS = {
    6: "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w - - 0 1",
    8: "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1",
    10: "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
}

State: TypeAlias = Any
"""A state of OpenSpiel, which has no type annotations."""


def amazons_start(size: int = 10) -> Position:
    """The start position of OpenSpiel's Amazons.

    Args:
        size: The board size: 6, 8 or 10.
    """
    fen = _AMAZONS_STARTS.get(size)
    if fen is None:
        raise ValueError(f"OpenSpiel has no Amazons of size {size}, but of 6, 8 and 10")
    return Game("amazons", board=f"{size}x{size}").position(fen)


def amazons_actions(move: Move | str, size: int) -> list[int]:
    """The three actions of a move such as `d1d7,d7g7`, on a board of a size."""
    text = str(move)
    amazon, comma, flight = text.partition(",")
    if not comma:
        raise ValueError(f"`{text}` is no move of Amazons, such as `d1d7,d7g7`")
    (start, end), (bow, arrow) = (_halves(half, text) for half in (amazon, flight))
    if bow != end:
        reason = f"the arrow flies from {bow}, the amazon is on {end}"
        raise ValueError(f"`{text}` is no move of Amazons: {reason}")
    return [_cell(square, size, text) for square in (start, end, arrow)]


def amazons_move(actions: Sequence[int], size: int) -> str:
    """The text of the move for three actions, on a board of a size."""
    if len(actions) != 3:
        raise ValueError(f"a move of Amazons has three actions, not {len(actions)}")
    start, end, arrow = (_square(action, size) for action in actions)
    return f"{start}{end},{end}{arrow}"


def position(state: State) -> Position:
    """The position for a state of OpenSpiel's chess or Amazons, with the moves that led to it.

    Raises:
        ValueError: The state is of another game, or within a move.
    """
    match _name_of(state):
        case "amazons":
            size = _size_of(state)
            history = state.history()
            if len(history) % 3:
                raise ValueError("the state is within a move of Amazons, which has three actions")
            return amazons_start(size).play(*_amazons_moves(history, size))
        case "chess":
            return _chess_position(state)
        case name:
            raise ValueError(f"Labrys does not play OpenSpiel's {name}, but its chess and amazons")


def state(position: Position) -> State:
    """The state of OpenSpiel's chess or Amazons for a position.

    A chess position may have any start position. An Amazons position must be reached from OpenSpiel's start
    position by `Position.moves`, as OpenSpiel cannot set up others.

    Raises:
        ValueError: OpenSpiel does not have the game or the start position.
    """
    if not isinstance(position, Position):
        raise TypeError(f"position: expected a labrys.Position, not {type(position).__name__}")
    name = position.game.name
    if name == "amazons":
        size = _size_of_start(position.start)
        new = pyspiel.load_game(f"amazons(board_size={size})").new_initial_state()
        for move in position.moves:
            for action in amazons_actions(move, size):
                new.apply_action(action)
        return new
    if name == "chess":
        is_chess960 = position.game.options["UCI_Chess960"] == "true"
        game = pyspiel.load_game("chess(chess960=true)" if is_chess960 else "chess")
        new = game.new_initial_state(position.start.fen)
        for move in position.moves:
            new.apply_action(_chess_action(new, move))
        return new
    raise ValueError(f"OpenSpiel has no {name}, but chess and amazons")


class Bot(pyspiel.Bot):
    """An engine as a bot for OpenSpiel's chess and Amazons.

    The bot is stateless except for the tables of its engine, so it can act in any state. In Amazons the
    engine searches for the first action of a move, and the bot stores the other two; within a move that it
    has not started, it searches the moves with these first actions.

    Args:
        engine: An engine of the game.
        player: The player for which it acts, 0 or 1, or `None` for both.
        **limits: The limits of a search, as arguments of `Engine.search`; by default `nodes=1000`.
    """

    def __init__(self, engine: Engine, player: int | None = None, **limits: Any) -> None:
        super().__init__()
        if not isinstance(engine, Engine):
            raise TypeError(f"engine: expected a labrys.Engine, not {type(engine).__name__}")
        if engine.game.name not in ("chess", "amazons"):
            raise ValueError(f"OpenSpiel has no {engine.game.name}, but chess and amazons")
        self._engine = engine
        self._player = player
        self._limits = limits or {"nodes": 1000}
        # In Amazons, the actions before the current move, and those of the current move.
        self._plan: tuple[list[int], list[int]] | None = None

    def player_id(self) -> int | None:
        """The player for which it acts, or `None` for both."""
        return self._player

    def provides_policy(self) -> bool:
        """Whether it has probabilities of actions: 1 for the chosen one."""
        return True

    def restart(self) -> None:
        """Clears the tables of the engine for a new game."""
        self._plan = None
        self._engine.new_game()

    def restart_at(self, state: State) -> None:
        """Clears the tables of the engine, as for a new game."""
        self.restart()

    def step(self, state: State) -> int:
        """The action in a state.

        Raises:
            ValueError: The state is of another game, or another player is to move.
        """
        name = _name_of(state)
        if name != self._engine.game.name:
            raise ValueError(f"the bot plays {self._engine.game.name}, not {name}")
        if self._player is not None and state.current_player() != self._player:
            raise ValueError(f"player {state.current_player()} is to move, the bot is player {self._player}")
        if name == "amazons":
            return self._amazons_step(state)
        return _chess_action(state, self._search(position(state)))

    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """The action in a state, with the probabilities of all legal actions."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen

    def get_policy(self, state: State) -> list[tuple[int, float]]:
        """The probabilities of the legal actions in a state."""
        return self.step_with_policy(state)[0]

    def _amazons_step(self, state: State) -> int:
        history: list[int] = state.history()
        played = len(history) % 3
        before, part = history[: len(history) - played], history[len(history) - played :]
        if self._plan is None or self._plan[0] != before or self._plan[1][:played] != part or not played:
            size = _size_of(state)
            at = amazons_start(size).play(*_amazons_moves(before, size))
            allowed: list[Move] | None
            if played:
                actions = {move: amazons_actions(move, size) for move in at.legal_moves}
                allowed = [move for move, its in actions.items() if its[:played] == part]
            else:
                allowed = None
            self._plan = (before, amazons_actions(self._search(at, allowed), size))
        return self._plan[1][played]

    def _search(self, position: Position, moves: list[Move] | None = None) -> Move:
        move = self._engine.search(position, moves=moves, **self._limits).move
        if move is None:
            raise ValueError(f"there is no legal move in {position.fen}")
        return move


def _name_of(state: State) -> str:
    if not isinstance(state, pyspiel.State):
        raise TypeError(f"state: expected a state of OpenSpiel, not {type(state).__name__}")
    name: str = state.get_game().get_type().short_name
    return name


def _size_of(state: State) -> int:
    return math.isqrt(state.num_distinct_actions())


def _size_of_start(start: Position) -> int:
    board = start.fen.split()[0]
    for size, fen in _AMAZONS_STARTS.items():
        if fen.split()[:2] == [board, "w"]:
            return size
    raise ValueError(f"{start.fen} is no start position of OpenSpiel's Amazons")


def _amazons_moves(history: Sequence[int], size: int) -> Iterable[str]:
    return (amazons_move(history[at : at + 3], size) for at in range(0, len(history), 3))


def _halves(half: str, text: str) -> tuple[str, str]:
    """The two squares of half a move."""
    for cut in (2, 3):
        start, end = half[:cut], half[cut:]
        if end[:1].isalpha() and start[1:].isdecimal() and end[1:].isdecimal():
            return start, end
    raise ValueError(f"`{text}` is no move of Amazons, such as `d1d7,d7g7`")


def _cell(square: str, size: int, text: str) -> int:
    """The number of a square in OpenSpiel."""
    file, rank = ord(square[0]) - ord("a"), int(square[1:])
    if not (0 <= file < size and 1 <= rank <= size):
        raise ValueError(f"`{square}` in `{text}` is no square of a board of {size}×{size}")
    return (size - rank) * size + file


def _square(cell: int, size: int) -> str:
    """The name of the square with a number in OpenSpiel."""
    row, file = divmod(cell, size)
    if not 0 <= row < size:
        raise ValueError(f"{cell} is no square of a board of {size}×{size}")
    return f"{chr(ord('a') + file)}{size - row}"


def _chess_position(state: State) -> Position:
    fen, history = state.start_fen(), state.moves_history()
    if not state.get_game().is_chess960():
        return Game("chess").position(fen, [move.to_lan() for move in history])
    # In Chess960 castling moves name the square of the rook, which OpenSpiel takes from the board before
    # them.
    before = state.get_game().new_initial_state(fen)
    moves = []
    for move in history:
        moves.append(move.to_lan(True, before.board()))
        before.apply_action(pyspiel.chess.move_to_action(move))
    return Game("chess", chess960=True).position(fen, moves)


def _chess_action(state: State, move: Move) -> int:
    action: int = state.parse_move_to_action(str(move))
    if action == pyspiel.INVALID_ACTION:
        raise ValueError(f"OpenSpiel does not know the move {move} of {move.position.fen}")
    return action
