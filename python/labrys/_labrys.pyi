"""The part of `labrys` that is written in Rust."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt

from .rules import Rules

Color: TypeAlias = Literal["white", "black"]
PositionLike: TypeAlias = Position | Any
"""A `Position`, or a `chess.Board` where a chess position is wanted."""
MoveLike: TypeAlias = Move | str | Any
"""A `Move`, its text in the notation of the protocol or of game records, or a `chess.Move`."""
FilePath: TypeAlias = str | os.PathLike[str]
OptionValue: TypeAlias = str | int | float | bool | os.PathLike[str]
"""A value of an option of an engine. Files are paths, or their text."""

__version__: str

def add_game(rules: Rules) -> Game:
    """Registers a game written in Python; it replaces an earlier game in Python of the same name. `rules` is
    a `labrys.Rules`.

    Raises `ValueError` if the name is taken by another game, or there are too many games in Python already,
    and the errors that the rules raise for the start position."""
def games() -> list[str]:
    """The names of the games, the default first."""
def main(arguments: Sequence[str]) -> None:
    """Runs a command line, whose first element is the program name, as the binary does, and ends the process.
    """

@final
class Game:
    """A game: its rules and, for Amazons, the size of its board.

    >>> labrys.Game("amazons", board="6x6").start().legal_moves

    The option of a game has its name in the protocol, with or without the prefix: `AmazonsBoard` or `board`,
    `UCI_Chess960` or `chess960`."""
    def __new__(cls, name: str = "chess", **options: str | int | bool) -> Game: ...
    @property
    def name(self) -> str:
        """The name, as in the option `UCI_Variant`."""
    @property
    def title(self) -> str:
        """The name as people write it."""
    @property
    def options(self) -> dict[str, str]:
        """The option of the game with its value, by name; empty if it has none."""
    @property
    def feature_sets(self) -> dict[str, list[str]]:
        """The names of the features of each feature set, in order; the first set is the default."""
    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """The shape of the planes of a position on the board of the start position: (planes, ranks, files).
        """
    @property
    def policy_shape(self) -> tuple[int, int, int]:
        """The shape of the policy on the board of the start position: (planes, ranks, files)."""
    @property
    def inputs(self) -> int:
        """The number of inputs that an evaluation net has for each player, on the board of the start
        position."""
    @property
    def has_chance(self) -> bool:
        """Whether moves have chance outcomes."""
    @property
    def max_moves(self) -> int:
        """An upper bound of the number of legal moves in a position."""
    @property
    def longest_game(self) -> int | None:
        """Plies after which a referee awards the game to `Position.leader`; None if the rules end every game.
        """
    @property
    def pieces(self) -> list[tuple[str, str, str]]:
        """The pieces: for each the letter in the FEN (lower case), a name and a drawing."""
    def start(self) -> Position:
        """The start position."""
    def position(
        self, fen: str | PositionLike | None = None, moves: Iterable[MoveLike] | None = None
    ) -> Position:
        """The position of a FEN, by default the start position, after some moves. A `chess.Board` may replace
        the FEN.

        Raises `ValueError` if the FEN is not valid in the game, or a move is not legal."""
    def features(
        self, positions: Iterable[PositionLike], set: str | None = None
    ) -> npt.NDArray[np.float64]:
        """The features of several positions, as in `Position.features`: float64 of shape (positions,
        features)."""
    def planes(self, positions: Iterable[PositionLike]) -> npt.NDArray[np.float32]:
        """The planes of several positions on boards of the same size, as in `Position.planes`: float32 of
        shape (positions, planes, ranks, files)."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """A position of a game, with the moves that led to it. It is immutable: `play` returns a new one.

    Positions are equal if game, option and FEN are equal; the moves before do not matter."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def fen(self) -> str:
        """The position as a FEN, with all counters."""
    @property
    def key(self) -> int:
        """The 64-bit Zobrist key of board and side to move, without the counters."""
    @property
    def side_to_move(self) -> Color:
        """Whose turn it is: `"white"` or `"black"`."""
    @property
    def legal_moves(self) -> MoveList:
        """The legal moves, in an order that depends on the position alone. In games with chance they come
        without their chance outcomes, see `outcomes`."""
    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by all rules including repetition and lack of progress; None if it has not
        ended."""
    @property
    def leader(self) -> Color | None:
        """Who wins if a referee ends the game here; None for a draw, and in games without points."""
    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by all rules including repetition and lack of progress."""
    @property
    def ply(self) -> int:
        """The number of moves since `start`."""
    @property
    def moves(self) -> list[Move]:
        """The moves since `start`."""
    @property
    def last_move(self) -> Move | None:
        """The last move; None at `start`."""
    @property
    def start(self) -> Position:
        """The position before the first of the moves."""
    @property
    def parent(self) -> Position | None:
        """The position before the last move; None at `start`."""
    @property
    def occurrences(self) -> int:
        """How often the position has occurred since `start`, including now."""
    def move(self, text: MoveLike) -> Move:
        """A legal move by its text, in the notation of the protocol or of game records (SAN in chess).

        Raises `ValueError` if it is not legal."""
    def is_legal(self, move: MoveLike) -> bool:
        """Whether a move is legal."""
    def play(self, *moves: MoveLike) -> Position:
        """The position after some moves.

        Raises `ValueError` if one is not legal."""
    def san(self, move: MoveLike) -> str:
        """A legal move in the notation of game records, SAN in chess."""
    def outcomes(self, move: MoveLike) -> list[tuple[Move, float]]:
        """The chance outcomes of a move with their probabilities, which sum to 1, the most probable first;
        without chance, the move itself."""
    def sample(self, move: MoveLike, number: float) -> Move:
        """Samples a chance outcome of a move by a random number in [0, 1), such as `random.random()`."""
    def playout(self, seed: int) -> Position:
        """The final position of a game of random moves from here. The same seed gives the same moves. All
        legal moves are equally likely; in Amazons the amazon, its target and the target of the arrow are
        sampled one after the other."""
    def perft(self, depth: int) -> int:
        """The number of sequences of `depth` legal moves."""
    def divide(self, depth: int) -> dict[str, int]:
        """The number of sequences of `depth` legal moves, for each first move."""
    def diagram(self) -> str:
        """A text diagram of the board."""
    def features(self, set: str | None = None) -> npt.NDArray[np.float64]:
        """The values of the features of a feature set (by default the first one) for the side to move:
        float64 of shape (features,)."""
    def planes(self) -> npt.NDArray[np.float32]:
        """The input of a policy/value net, from the perspective of the side to move, which plays up the
        board: float32 of shape (planes, ranks, files). The first rank is that of the side to move."""
    def inputs(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The active inputs of an evaluation net (NNUE) as indices below `Game.inputs`: those of the side to
        move and those of the opponent, two arrays of uint32 of shape (active inputs,)."""
    def policy_indices(self, move: MoveLike) -> list[int]:
        """The indices of a move in the flattened policy of a net, whose shape is `Game.policy_shape`: the
        logit of the move is the sum of the logits at these indices."""
    def _repr_svg_(self) -> str: ...
    def svg(
        self,
        *,
        size: int = 400,
        arrows: Iterable[MoveLike] = (),
        last_move: bool = True,
        flipped: bool = False,
    ) -> str:
        """An SVG image of the board, whose longer side has `size` pixels. `arrows` are moves to show as
        arrows; `last_move` highlights the squares of the last move; `flipped` puts Black at the bottom."""
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, memo: Any, /) -> Position: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Move:
    """A legal move in a position. `str(move)` is its text in the notation of the protocol.

    The same move in different positions is equal."""
    @property
    def position(self) -> Position:
        """The position in which it is legal."""
    @property
    def san(self) -> str:
        """The move in the notation of game records, SAN in chess."""
    @property
    def bits(self) -> int:
        """The move as a number, from 1 to 2²⁴ − 1."""
    def __str__(self) -> str: ...
    def __copy__(self) -> Move: ...
    def __deepcopy__(self, memo: Any, /) -> Move: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class MoveList(Sequence[Move]):
    """The legal moves in a position, a sequence, whose elements are created on access."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Move: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Move]: ...
    def __iter__(self) -> Iterator[Move]: ...
    def __contains__(self, move: object, /) -> bool: ...
    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The index of a move, between `start` and `stop` if given.

        Raises `ValueError` if it is not there."""
    def count(self, value: Any) -> int:
        """1 for a legal move, otherwise 0."""

@final
class Outcome:
    """How a game ended."""
    @property
    def winner(self) -> Color | None:
        """`"white"` or `"black"`; None if the game is drawn."""
    @property
    def ending(self) -> str:
        """The rule that ended the game, such as `"checkmate"`."""
    @property
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2"]:
        """The result as in PGN: `"1-0"`, `"0-1"` or `"1/2-1/2"`."""
    def points(self, player: Color) -> float:
        """The points of `"white"` or `"black"`: 1, ½ or 0."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Score:
    """A score for the side to move: hundredths of the evaluation's unit, which is a pawn in chess (`cp`), or
    a forced end (`mate`). A better score is greater; `-score` is the score for the other side."""
    @property
    def cp(self) -> int | None:
        """Hundredths of the evaluation's unit; None for a forced end."""
    @property
    def mate(self) -> int | None:
        """Moves to a forced end, negative (or 0) if the side to move loses; None without one."""
    def __lt__(self, other: Score, /) -> bool: ...
    def __le__(self, other: Score, /) -> bool: ...
    def __gt__(self, other: Score, /) -> bool: ...
    def __ge__(self, other: Score, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __neg__(self) -> Score: ...

@final
class Option:
    """An option of an engine, with its value at the time of the query."""
    @property
    def name(self) -> str:
        """Its name in the protocol."""
    @property
    def kind(self) -> Literal["check", "spin", "combo", "string", "button"]:
        """Its kind: `"check"`, `"spin"`, `"combo"`, `"string"` or `"button"`."""
    @property
    def value(self) -> bool | int | str | None:
        """The value at the time of the query: a bool, an int or a str; None for a button. For a file it is
        the last name that was set; `""` stands for the shipped file, and for weights that were set by
        name."""
    @property
    def default(self) -> bool | int | str | None:
        """Its default: a bool, an int or a str; None for a button."""
    @property
    def min(self) -> int | None:
        """The minimum of a number; None for other kinds."""
    @property
    def max(self) -> int | None:
        """The maximum of a number; None for other kinds."""
    @property
    def values(self) -> list[str]:
        """The possible values of a `"combo"`; empty for other kinds."""

@final
class Info:
    """A report of a search: a line with its score."""
    @property
    def depth(self) -> int:
        """The depth of the iteration, in plies."""
    @property
    def seldepth(self) -> int:
        """The deepest ply visited."""
    @property
    def multipv(self) -> int:
        """The number of the line, from 1 for the best."""
    @property
    def score(self) -> Score:
        """The score for the side to move."""
    @property
    def bound(self) -> Literal["exact", "lower", "upper"]:
        """Whether the score is `"exact"`, or a `"lower"` or `"upper"` bound."""
    @property
    def wdl(self) -> tuple[float, float, float] | None:
        """The probabilities of a win, a draw and a loss for the side to move."""
    @property
    def nodes(self) -> int:
        """Nodes visited so far."""
    @property
    def time(self) -> float:
        """Seconds spent so far."""
    @property
    def hashfull(self) -> float:
        """The fill level of the transposition table, from 0 to 1."""
    @property
    def tbhits(self) -> int | None:
        """Positions found in endgame tables so far; None without such tables."""
    @property
    def visits(self) -> tuple[int, int, float] | None:
        """In a Monte Carlo search: the visits of the first move and of all moves, and the mean result of the
        first move for the side to move, from 0 to 1."""
    @property
    def pv(self) -> list[Move]:
        """The moves of the line."""

@final
class SearchResult:
    """The result of a search."""
    @property
    def move(self) -> Move | None:
        """The best move; None if there is no legal move. In a game that is already drawn by the rules there
        may still be one."""
    @property
    def ponder(self) -> Move | None:
        """The expected reply; None if unknown."""
    @property
    def nodes(self) -> int:
        """The number of visited nodes."""
    @property
    def time(self) -> float:
        """The duration in seconds."""
    @property
    def lines(self) -> list[Info]:
        """The best lines, up to the number in the option `MultiPV`, the best first; empty if no search was
        needed."""
    @property
    def score(self) -> Score | None:
        """The score of the best line for the side to move; None if no search was needed."""
    @property
    def wdl(self) -> tuple[float, float, float] | None:
        """The probabilities of a win, a draw and a loss for the side to move, from the best line."""
    @property
    def depth(self) -> int:
        """The depth of the best line's iteration, in plies; 0 if no search was needed."""
    @property
    def pv(self) -> list[Move]:
        """The moves of the best line."""

@final
class Search(Iterator[Info]):
    """A running search: an iterator over its reports. A `with` block stops it at its end.

    >>> with engine.analyse(position) as search:
    ...     for info in search:
    ...         if info.depth >= 12:
    ...             break
    >>> search.wait().move"""
    def stop(self) -> None:
        """Stops the search, which ends within some milliseconds."""
    def wait(self) -> SearchResult:
        """Waits for the end of the search and returns its result. A search without limits ends only by
        `stop`.

        Raises `RuntimeError` if there was no search, and any error of the rules of a game in Python, each
        time it is called."""
    def __iter__(self) -> Search: ...
    def __next__(self) -> Info: ...
    def __enter__(self) -> Search: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Evaluation:
    """The static evaluation of a position for the side to move."""
    @property
    def kind(self) -> Literal["none", "linear", "net", "policy"]:
        """The evaluation that searches use: `"linear"`, `"net"`, `"policy"` or `"none"`."""
    @property
    def value(self) -> float:
        """The value, in units of the evaluation (pawns in chess); for a policy/value net the expected result,
        from 0 to 1."""
    @property
    def features(self) -> dict[str, tuple[float, float]]:
        """For a linear evaluation: the value and the weight of each feature by name; `value` is the sum of
        their products."""
    @property
    def inputs(self) -> list[tuple[str, float]]:
        """For an evaluation net: the contribution of each input, such as `P e4`, to the value for White, in
        units of the evaluation."""
    def __float__(self) -> float: ...

@final
class Engine:
    """An engine: a game, options, an evaluation and a transposition table.

    >>> engine = labrys.Engine("chess", hash=64, threads=2)
    >>> engine.search(nodes=100_000).move

    The game is a name or a `labrys.Game`, by default chess. Options are those of the protocol, in any case,
    with `_` for a space.

    Several threads may share an engine: one searches, the others wait. While an analysis runs, other calls by
    the thread that started it raise `RuntimeError`, as do calls by the rules that a search calls, and by a
    process that was forked during a search."""
    def __new__(cls, game: str | Game | None = None, **options: OptionValue | None) -> Engine: ...
    @property
    def game(self) -> Game:
        """The game of the engine."""
    @property
    def options(self) -> dict[str, Option]:
        """The options with their values, by their names in the protocol: a new dictionary.

        >>> engine.options["Hash"].value"""
    def set(self, **options: OptionValue | None) -> None:
        """Sets options, such as `engine.set(hash=64, multipv=3)`: all of them, or none if one is rejected.

        Raises `ValueError` if there is no such option, or it does not accept the value; `OSError`, such as
        `FileNotFoundError`, for a file that cannot be read."""
    def set_option(self, name: str, value: OptionValue | None = None) -> list[str]:
        """Sets an option by name, or presses a button. Returns messages about side effects.

        Raises `ValueError` if there is no such option, or it does not accept the value; `OSError`, such as
        `FileNotFoundError`, for a file that cannot be read."""
    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of the linear evaluation by the names of the features, in units of the evaluation: a
        read-only copy. Assign a dictionary of some or all of them, the name of a weights file, or None for
        the shipped weights; from then on the engine uses the linear evaluation.

        >>> engine.weights = {"piecesForMe": 10.0}

        Raises `ValueError` for unknown weights; `OSError`, such as `FileNotFoundError`, for a file that
        cannot be read."""
    @weights.setter
    def weights(self, weights: Mapping[str, float] | FilePath | None) -> None: ...
    def search(
        self,
        position: PositionLike | None = None,
        *,
        time: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        mate: int | None = None,
        clock: tuple[float, float] | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> SearchResult:
        """Searches a position, by default the start position, up to the first of several limits: `time` in
        seconds, `nodes`, `depth` in plies, a forced win in `mate` moves of the side to move, the time and
        the increment of a `clock`, both in seconds. `moves` restricts the search to these first moves, at
        least one; None stands for all.

        Ctrl-C stops it. Raises `ValueError` without a limit, and for illegal moves; `RuntimeError` if the
        engine cannot be used here, see `Engine`; and the errors of the rules of a game in Python."""
    def analyse(
        self,
        position: PositionLike | None = None,
        *,
        time: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        mate: int | None = None,
        clock: tuple[float, float] | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Search:
        """Starts a search with the arguments of `search` and returns at once: an iterator over its reports.
        Without limits it runs until it is stopped. Until it ends, other calls by this thread raise
        `RuntimeError`."""
    def stop(self) -> None:
        """Stops the searches of this engine, from any thread."""
    def new_game(self) -> None:
        """Clears the results of earlier searches."""
    def evaluate(self, position: PositionLike | None = None) -> Evaluation:
        """The static evaluation of a position, by default the start position, for the side to move, without a
        search."""
    def policy(self, position: PositionLike | None = None) -> list[tuple[Move, float]] | None:
        """The legal moves in a position, by default the start position, with their probabilities by the
        policy/value net without a search, which sum to 1, the most probable first; None unless searches
        use such a net."""

@final
class SelfPlayGames:
    """The games of a file of `labrys nnue selfplay`. `games[0]` is the final position of the first game, with
    its moves."""
    @property
    def header(self) -> dict[str, Any]:
        """How the games were played: game, start position (FEN), evaluation, nodes per move, seed and so on.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Position: ...
    @property
    def results(self) -> npt.NDArray[np.float32]:
        """The results for White: 1, ½ or 0; float32 of shape (games,)."""
    @property
    def opening_plies(self) -> npt.NDArray[np.uint32]:
        """The numbers of random plies at the start of the games: uint32 of shape (games,)."""
    @property
    def plies(self) -> npt.NDArray[np.uint32]:
        """The numbers of plies after these: uint32 of shape (games,)."""
    def scores(self, index: int) -> npt.NDArray[np.float32]:
        """The scores of the searches in a game, each for the side to move, in units of the evaluation:
        float32 of shape (plies,)."""
    def positions(self) -> dict[str, npt.NDArray[Any]]:
        """All positions after the openings in which a move was played, as arrays of shape (positions,):
        `game` and `ply` (uint32), `white` (bool: whether White is to move), `score` and `result` (float32)
        for the side to move. `own` and `other` (uint32) are the concatenated inputs of an evaluation net
        (see `Position.inputs`); those of position `i` are `own[offset[i]:offset[i + 1]]`, with `offset`
        (uint64) of shape (positions + 1,). The first layer of a net in PyTorch is an `EmbeddingBag` over
        them."""

def read_selfplay(path: FilePath) -> SelfPlayGames:
    """Reads a file of `labrys nnue selfplay`.

    Raises `ValueError` if it is not such a file, or is damaged; `OSError`, such as `FileNotFoundError`, if it
    cannot be read."""
def read_pgn(path: FilePath) -> list[tuple[dict[str, str], Position]]:
    """Reads the games of a PGN file: for each its tags and its final position, with the moves.

    Raises `ValueError` at the first game that cannot be read or played; `OSError`, such as
    `FileNotFoundError`, if the file cannot be read."""
