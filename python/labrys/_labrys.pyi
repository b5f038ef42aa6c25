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
    """Adds a game that is written in Python to those that are known by name; one of its name in Python before
    is replaced. `rules` is a `labrys.Rules`.

    Raises `ValueError` if the name is taken by another game, or there are too many games in Python already,
    and what the rules raise when they are asked for the start position."""
def games() -> list[str]:
    """The names of the games, the default first."""
def main(arguments: Sequence[str]) -> None:
    """Runs the command line, the program name included, as the binary does, and ends the process."""

@final
class Game:
    """A game: its rules and, for Amazons, its board.

    >>> labrys.Game("amazons", board="6x6").start().legal_moves

    The option of a game is named as in the protocol, or without what names the game: `AmazonsBoard` or
    `board`, `UCI_Chess960` or `chess960`."""
    def __new__(cls, name: str = "chess", **options: str | int | bool) -> Game: ...
    @property
    def name(self) -> str:
        """Its name, as in the option `UCI_Variant`."""
    @property
    def title(self) -> str:
        """Its name as people write it."""
    @property
    def options(self) -> dict[str, str]:
        """The value of its own option, by name; empty if it has none."""
    @property
    def feature_sets(self) -> dict[str, list[str]]:
        """The features of each set of linear evaluations, in their order; the first set is the default."""
    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """The shape of the planes of a position on the board of the start position: (planes, ranks, files).
        """
    @property
    def policy_shape(self) -> tuple[int, int, int]:
        """The shape of the policy on the board of the start position: (planes, ranks, files)."""
    @property
    def inputs(self) -> int:
        """The number of inputs of a player to an evaluation net, on the board of the start position."""
    @property
    def has_chance(self) -> bool:
        """Whether moves have outcomes of chance."""
    @property
    def max_moves(self) -> int:
        """No position has more legal moves."""
    @property
    def longest_game(self) -> int | None:
        """Plies after which a referee ends a game in favour of `Position.leader`; None if the rules end every
        game."""
    @property
    def pieces(self) -> list[tuple[str, str, str]]:
        """What stands on squares: the letter in the FEN (lower case), a name and a drawing of each piece."""
    def start(self) -> Position:
        """The start position."""
    def position(
        self, fen: str | PositionLike | None = None, moves: Iterable[MoveLike] | None = None
    ) -> Position:
        """The position of a FEN, by default the start position, after some moves. A `chess.Board` may stand
        in the place of the FEN.

        Raises `ValueError` if the FEN is not one of the game, or a move is not legal."""
    def features(
        self, positions: Iterable[PositionLike], set: str | None = None
    ) -> npt.NDArray[np.float64]:
        """The features of positions, as `Position.features`: float64 of shape (positions, features)."""
    def planes(self, positions: Iterable[PositionLike]) -> npt.NDArray[np.float32]:
        """The planes of positions on boards of one size, as `Position.planes`: float32 of shape (positions,
        planes, ranks, files)."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """A position of a game, with the moves that led to it. It never changes: `play` returns another one.

    Positions are equal where game, option and FEN are; how they came about does not matter."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def fen(self) -> str:
        """The position as FEN, with all counters."""
    @property
    def key(self) -> int:
        """The Zobrist key of board and side to move, 64 bits; counters do not count."""
    @property
    def side_to_move(self) -> Color:
        """Whose turn it is: `"white"` or `"black"`."""
    @property
    def legal_moves(self) -> MoveList:
        """The legal moves, in an order that depends on the position alone. In games with chance they are
        without their outcomes, see `outcomes`."""
    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by all rules (repetition and lack of progress, too); None if it goes on."""
    @property
    def leader(self) -> Color | None:
        """Who wins if a referee ends the game here; None if nobody does, and in games without points."""
    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by all rules."""
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
        """The position that the moves begin with."""
    @property
    def parent(self) -> Position | None:
        """The position before the last move; None at `start`."""
    @property
    def occurrences(self) -> int:
        """How often the position has occurred since `start`, this time included."""
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
        """Every outcome of a move with its probability (1 in sum), the most probable first; without chance
        the move itself."""
    def sample(self, move: MoveLike, number: float) -> Move:
        """The outcome of a move that a number from 0 (included) to 1 (not included) stands for, such as
        `random.random()`."""
    def playout(self, seed: int) -> Position:
        """The end of a game of random moves from here on. The same seed gives the same moves. Each legal move
        is as likely as any other; in Amazons the amazon, its square and that of the arrow are drawn one
        after the other."""
    def perft(self, depth: int) -> int:
        """The number of paths of `depth` legal moves."""
    def divide(self, depth: int) -> dict[str, int]:
        """The number of paths of `depth` legal moves, for each first move."""
    def diagram(self) -> str:
        """The board in letters."""
    def features(self, set: str | None = None) -> npt.NDArray[np.float64]:
        """The features of the position for the side to move, of a set of linear evaluations (by default the
        first one): float64 of shape (features,)."""
    def planes(self) -> npt.NDArray[np.float32]:
        """The position as a policy/value net sees it, by the side to move, which plays up the board: float32
        of shape (planes, ranks, files). The first rank is that of the side to move."""
    def inputs(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The inputs to an evaluation net (NNUE) that are 1, by their indices below `Game.inputs`: those of
        the side to move and those of the other player, two arrays of uint32 of shape (inputs that are 1,)."""
    def policy_indices(self, move: MoveLike) -> list[int]:
        """The indices of a move in the policy of a net, an array of shape `Game.policy_shape` in one row: the
        logit of the move is the sum of those at its indices."""
    def _repr_svg_(self) -> str: ...
    def svg(
        self,
        *,
        size: int = 400,
        arrows: Iterable[MoveLike] = (),
        last_move: bool = True,
        flipped: bool = False,
    ) -> str:
        """A picture of the board: SVG, whose longer side has `size` pixels. `arrows` are moves that are shown
        by arrows; `last_move` colours the squares of the last one; `flipped` has Black at the bottom."""
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, memo: Any, /) -> Position: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Move:
    """A legal move of a position. `str(move)` is its text in the notation of the protocol.

    Moves of several positions are equal where they do the same."""
    @property
    def position(self) -> Position:
        """The position that it is a move of."""
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
    """The legal moves of a position, a sequence. A move becomes an object when it is asked for."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Move: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Move]: ...
    def __iter__(self) -> Iterator[Move]: ...
    def __contains__(self, move: object, /) -> bool: ...
    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The place of a move, between `start` and `stop` if they are given.

        Raises `ValueError` if it is not among them."""
    def count(self, value: Any) -> int:
        """1 for a legal move, else 0."""

@final
class Outcome:
    """How a game ended."""
    @property
    def winner(self) -> Color | None:
        """`"white"` or `"black"`; None if the game is drawn."""
    @property
    def ending(self) -> str:
        """The rule that ended the game, in words, such as `"checkmate"`."""
    @property
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2"]:
        """The result as in PGN: `"1-0"`, `"0-1"` or `"1/2-1/2"`."""
    def points(self, player: Color) -> float:
        """The points of `"white"` or `"black"`: 1, ½ or 0."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Score:
    """A score for the side to move: hundredths of the evaluation's unit, a pawn in chess (`cp`), or a forced
    end (`mate`). Scores are ordered, the better the greater; `-score` is that of the other side."""
    @property
    def cp(self) -> int | None:
        """Hundredths of the evaluation's unit; None for a forced mate."""
    @property
    def mate(self) -> int | None:
        """Moves to the end that is forced, negative (or 0) if the side to move loses; None without one."""
    def __lt__(self, other: Score, /) -> bool: ...
    def __le__(self, other: Score, /) -> bool: ...
    def __gt__(self, other: Score, /) -> bool: ...
    def __ge__(self, other: Score, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __neg__(self) -> Score: ...

@final
class Option:
    """An option of an engine, and the value that it had when it was asked for."""
    @property
    def name(self) -> str:
        """Its name in the protocol."""
    @property
    def kind(self) -> Literal["check", "spin", "combo", "string", "button"]:
        """Its kind: `"check"`, `"spin"`, `"combo"`, `"string"` or `"button"`."""
    @property
    def value(self) -> bool | int | str | None:
        """The value that it had when the engine was asked for its options: a truth value, a number or a text;
        None for a button. Of a file it is the name that was set last; `""` stands for what is shipped, and
        for weights that were set by name."""
    @property
    def default(self) -> bool | int | str | None:
        """Its default: a truth value, a number or a text; None for a button."""
    @property
    def min(self) -> int | None:
        """The least value of a number; None for other kinds."""
    @property
    def max(self) -> int | None:
        """The greatest value of a number; None for other kinds."""
    @property
    def values(self) -> list[str]:
        """The words of which it takes one; empty for other kinds than `"combo"`."""

@final
class Info:
    """A step of a search: a line with its score."""
    @property
    def depth(self) -> int:
        """Depth of the iteration, in plies."""
    @property
    def seldepth(self) -> int:
        """The deepest ply visited."""
    @property
    def multipv(self) -> int:
        """Number of the line among several, from 1."""
    @property
    def score(self) -> Score:
        """The score for the side to move."""
    @property
    def bound(self) -> Literal["exact", "lower", "upper"]:
        """What the score is: `"exact"`, or a `"lower"` or `"upper"` bound of the value."""
    @property
    def wdl(self) -> tuple[float, float, float] | None:
        """The probabilities of a win, a draw and a loss of the side to move."""
    @property
    def nodes(self) -> int:
        """Nodes visited so far."""
    @property
    def time(self) -> float:
        """Seconds so far."""
    @property
    def hashfull(self) -> float:
        """How full the transposition table is, from 0 to 1."""
    @property
    def tbhits(self) -> int | None:
        """Positions found in endgame tables so far; None without such tables."""
    @property
    def visits(self) -> tuple[int, int, float] | None:
        """In a Monte Carlo search: the visits of the first move, of all moves, and the mean result of the
        first move for the side to move, from 0 to 1."""
    @property
    def pv(self) -> list[Move]:
        """The moves of the line."""

@final
class SearchResult:
    """What a search has found."""
    @property
    def move(self) -> Move | None:
        """The best move; None where no move is legal. A game may have been drawn before, by its rules."""
    @property
    def ponder(self) -> Move | None:
        """The reply that is expected; None where none is known."""
    @property
    def nodes(self) -> int:
        """Nodes visited."""
    @property
    def time(self) -> float:
        """Seconds that it took."""
    @property
    def lines(self) -> list[Info]:
        """The lines that were found, as many as the option `MultiPV` says, the best first; empty if no search
        was needed."""
    @property
    def score(self) -> Score | None:
        """The score of the best line for the side to move; None if no search was needed."""
    @property
    def wdl(self) -> tuple[float, float, float] | None:
        """The probabilities of a win, a draw and a loss of the side to move, by the best line."""
    @property
    def depth(self) -> int:
        """Depth of the best line's iteration, in plies; 0 if no search was needed."""
    @property
    def pv(self) -> list[Move]:
        """The moves of the best line."""

@final
class Search(Iterator[Info]):
    """A search that runs: an iterator of what it finds. `with` stops it at the end of the block.

    >>> with engine.analyse(position) as search:
    ...     for info in search:
    ...         if info.depth >= 12:
    ...             break
    >>> search.wait().move"""
    def stop(self) -> None:
        """Ends the search as soon as it can, at most some milliseconds later."""
    def wait(self) -> SearchResult:
        """Waits for the end of the search; what it has found. A search without limits ends by `stop` only.

        Raises `RuntimeError` if there was no search, and what the rules of a game in Python have raised, each
        time that it is called."""
    def __iter__(self) -> Search: ...
    def __next__(self) -> Info: ...
    def __enter__(self) -> Search: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Evaluation:
    """The static evaluation of a position for the side to move."""
    @property
    def kind(self) -> Literal["none", "linear", "net", "policy"]:
        """What evaluates positions in searches: `"linear"`, `"net"`, `"policy"` or `"none"`."""
    @property
    def value(self) -> float:
        """The value, in units of the evaluation (pawns in chess); of a policy/value net the expected result,
        from 0 to 1."""
    @property
    def features(self) -> dict[str, tuple[float, float]]:
        """Of a linear evaluation: the value and the weight of each feature by its name; `value` is the sum of
        their products."""
    @property
    def inputs(self) -> list[tuple[str, float]]:
        """Of an evaluation net: what each input, such as `P e4`, contributes to the value for White, in units
        of the evaluation."""
    def __float__(self) -> float: ...

@final
class Engine:
    """An engine: a game, options, an evaluation and the memory of its searches.

    >>> engine = labrys.Engine("chess", hash=64, threads=2)
    >>> engine.search(nodes=100_000).move

    The game is its name or a `labrys.Game`, by default chess. Options are those of the protocol, in any case,
    with `_` for a space.

    Several threads may use an engine: one searches, the others wait. While an analysis runs, other calls of
    the thread that has begun it are a `RuntimeError`, and so are calls by the rules that a search asks, and
    by a process that was forked while a search ran."""
    def __new__(cls, game: str | Game | None = None, **options: OptionValue | None) -> Engine: ...
    @property
    def game(self) -> Game:
        """The game that it plays."""
    @property
    def options(self) -> dict[str, Option]:
        """Its options with their values, by their names in the protocol: a new dictionary.

        >>> engine.options["Hash"].value"""
    def set(self, **options: OptionValue | None) -> None:
        """Sets options, such as `engine.set(hash=64, multipv=3)`. If one is refused, none is set.

        Raises `ValueError` if there is no such option, or it does not take the value; `OSError`, such as
        `FileNotFoundError`, for a file that cannot be read."""
    def set_option(self, name: str, value: OptionValue | None = None) -> list[str]:
        """Sets an option by its name; presses a button. Returns what else has changed, in words.

        Raises `ValueError` if there is no such option, or it does not take the value; `OSError`, such as
        `FileNotFoundError`, for a file that cannot be read."""
    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of the linear evaluation by the names of the features, in units of the evaluation: a
        copy, which cannot be changed. Set a dictionary of some or all of them, the name of a weights file,
        or None for the shipped ones; from then on the engine plays by the linear evaluation.

        >>> engine.weights = {"piecesForMe": 10.0}

        Raises `ValueError` for weights that the engine does not have; `OSError`, such as `FileNotFoundError`,
        for a file that cannot be read."""
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
        """Searches a position, by default the start position, to the first of some limits: `time` in seconds,
        `nodes`, `depth` in plies, a forced win in `mate` moves of the side to move, the time and the
        increment of a `clock`, both in seconds. `moves` are the only first moves that are searched, at
        least one; None stands for all.

        Ctrl-C stops it. Raises `ValueError` without a limit, and for illegal moves; `RuntimeError` if the
        engine cannot be used here, see `Engine`; and what the rules of a game in Python raise."""
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
        """Begins a search with the arguments of `search`, and goes on at once: an iterator of what it finds.
        Without limits it runs until it is stopped. Other calls of this thread are a `RuntimeError` until
        it ends."""
    def stop(self) -> None:
        """Stops the searches of this engine, from any thread."""
    def new_game(self) -> None:
        """Forgets what earlier searches have found."""
    def evaluate(self, position: PositionLike | None = None) -> Evaluation:
        """The static evaluation of a position, by default the start position, for the side to move and
        without any search."""
    def policy(self, position: PositionLike | None = None) -> list[tuple[Move, float]] | None:
        """The legal moves of a position, by default the start position, with the probabilities (1 in sum)
        that a policy/value net gives them before any search, the most probable first; None unless searches
        use such a net."""

@final
class SelfPlayGames:
    """The games of a file of `labrys nnue selfplay`. `games[0]` is the last position of the first one: it has
    the moves."""
    @property
    def header(self) -> dict[str, Any]:
        """How the games were played: game, start position (FEN), evaluation, nodes a move, seed and so on."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Position: ...
    @property
    def results(self) -> npt.NDArray[np.float32]:
        """The results for White: 1, ½ or 0; float32 of shape (games,)."""
    @property
    def opening_plies(self) -> npt.NDArray[np.uint32]:
        """The random plies that the games begin with: uint32 of shape (games,)."""
    @property
    def plies(self) -> npt.NDArray[np.uint32]:
        """The plies after those: uint32 of shape (games,)."""
    def scores(self, index: int) -> npt.NDArray[np.float32]:
        """The scores of the searches of a game, each for the player of the move, in units of the evaluation:
        float32 of shape (plies,)."""
    def positions(self) -> dict[str, npt.NDArray[Any]]:
        """All positions after the openings, those before a move, as arrays of shape (positions,): `game` and
        `ply` (uint32), `white` (bool: whose turn it is), `score` and `result` (float32) for the side to
        move. `own` and `other` (uint32) are the inputs to an evaluation net (see `Position.inputs`) of all
        positions, one after the other; those of position `i` are `own[offset[i]:offset[i + 1]]`, with
        `offset` (uint64) of shape (positions + 1,). A net in PyTorch begins with an `EmbeddingBag` of
        them."""

def read_selfplay(path: FilePath) -> SelfPlayGames:
    """Reads a file of `labrys nnue selfplay`.

    Raises `ValueError` if it is not such a file, or is damaged; `OSError`, such as `FileNotFoundError`, if it
    cannot be read."""
def read_pgn(path: FilePath) -> list[tuple[dict[str, str], Position]]:
    """Reads the games of a PGN file: for each its tags, and the position at its end, which has the moves.

    Raises `ValueError` at the first game that cannot be read or played; `OSError`, such as
    `FileNotFoundError`, if the file cannot be read."""
