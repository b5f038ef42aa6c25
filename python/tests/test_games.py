"""Games, positions and moves."""

from __future__ import annotations

import copy
import errno
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from common import GAMES, STARTS, random_game, suite

import labrys

# The maximum perft count in a test.
MOST_PATHS = 300_000


@pytest.mark.parametrize(
    ("game", "suite_name"),
    [(labrys.Game(name), name) for name in GAMES] + [(labrys.Game("chess", chess960=True), "chess960")],
    ids=[*GAMES, "chess960"],
)
def test_perft(game: labrys.Game, suite_name: str) -> None:
    positions = suite(suite_name)
    assert len(positions) > 4
    for fen, counts in positions:
        for depth, count in counts.items():
            if count <= MOST_PATHS:
                assert game.position(fen).perft(depth) == count, f"{fen} depth {depth}"


def test_divide_adds_up(name: str) -> None:
    start = labrys.Game(name).start()
    depth = 1 if name == "amazons" else 3
    divided = start.divide(depth)
    assert divided.keys() == {str(move) for move in start.legal_moves}
    assert sum(divided.values()) == start.perft(depth)


def test_perft_by_play(name: str) -> None:
    fen, counts = suite(name)[-1]

    def paths(position: labrys.Position, depth: int) -> int:
        moves = position.legal_moves
        return len(moves) if depth == 1 else sum(paths(position.play(move), depth - 1) for move in moves)

    depth = max(depth for depth, count in counts.items() if count <= 30_000)
    assert paths(labrys.Game(name).position(fen), depth) == counts[depth]


def test_starts(name: str) -> None:
    game = labrys.Game(name)
    start = game.start()
    assert start.fen == STARTS[name] and start.side_to_move == "white" and start.game == game
    assert start == game.position() == game.position(start.fen) == game.position(start)
    assert start.ply == 0 and start.moves == [] and start.last_move is None and start.parent is None
    assert start.outcome is None and not start.is_over and start.occurrences == 1
    assert repr(start) == f"{start.diagram()}\n{start.fen}"
    assert start.start == start


def test_games_are_values() -> None:
    small = labrys.Game("amazons", board="6x6")
    assert labrys.games()[:4] == GAMES
    assert small == labrys.Game("amazons", AmazonsBoard="6x6") != labrys.Game("amazons")
    assert hash(small) == hash(labrys.Game("amazons", board="6x6"))
    assert {small: 1}[pickle.loads(pickle.dumps(small))] == 1
    assert small.options == {"AmazonsBoard": "6x6"}
    assert labrys.Game("neighbours").options == {}
    assert small.start().fen == "2q3/5q/6/6/Q5/3Q2 w - - 0 1"
    assert small.planes_shape[1:] == (6, 6)
    assert labrys.Game("tucchess").has_chance and not labrys.Game("chess").has_chance


def test_playing_changes_nothing(name: str) -> None:
    start = labrys.Game(name).start()
    before = (start.fen, start.key, [str(move) for move in start.legal_moves])
    for move in start.legal_moves[:10]:
        after = start.play(move)
        assert after != start and after.parent == start and after.last_move == move
        assert after.side_to_move == "black" and after.moves == [move]
    assert (start.fen, start.key, [str(move) for move in start.legal_moves]) == before
    for attribute in ("fen", "key", "side_to_move"):
        with pytest.raises(AttributeError):
            setattr(start, attribute, before[0])


def test_a_game_to_its_end(name: str) -> None:
    game = labrys.Game(name, **({"board": "6x6"} if name == "amazons" else {}))
    for seed in range(3):
        end = random_game(game.start(), seed)
        assert end.is_over == (end.outcome is not None)
        assert game.position(None, [str(move) for move in end.moves]) == end
        assert end.start.play(*end.moves) == end
        if end.outcome:
            assert end.outcome.result in ("1-0", "0-1", "1/2-1/2")
            assert end.outcome.points("white") + end.outcome.points("black") == 1
        # Back to the start position, in both ways.
        back, moves = end, []
        while (parent := back.parent) is not None and back.last_move is not None:
            moves.append(back.last_move)
            assert back.last_move.position == parent
            back = parent
        assert back == end.start and moves[::-1] == end.moves


def test_equal_positions_have_equal_hashes() -> None:
    game = labrys.Game("chess")
    one = game.start().play("g1f3", "g8f6", "b1c3")
    other = game.start().play("b1c3", "g8f6", "g1f3")
    assert one == other and hash(one) == hash(other) and one.key == other.key
    assert one.moves != other.moves
    # Counters are part of a position, but not of its key.
    later = game.position(one.fen.replace(" 3 2", " 7 9"))
    assert later != one and later.key == one.key
    assert len({one, other, later}) == 2
    assert labrys.Game("chess", chess960=True).start() != game.start()


def test_moves() -> None:
    start = labrys.Game("chess").start()
    move = start.move("Nf3")
    assert str(move) == "g1f3" and move.san == "Nf3" == start.san("g1f3") and move.position == start
    assert move == start.move("g1f3") == start.move(move) and hash(move) == hash(start.move("g1f3"))
    assert move != start.move("e4")
    assert move in start.legal_moves and "e2e5" not in start.legal_moves and "e4" in start.legal_moves
    assert start.is_legal("e2e4") and not start.is_legal("e2e5") and not start.is_legal("nonsense")
    moves = start.legal_moves
    assert len(moves) == 20 and moves[-1] == list(moves)[19] and moves[2:4] == list(moves)[2:4]
    with pytest.raises(IndexError):
        moves[20]
    with pytest.raises(TypeError):
        start.play(12)
    castle = labrys.Game("chess").position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert castle.move("O-O") == castle.move("e1g1") == castle.move("e1h1")
    assert castle.san("e1g1") == "O-O"


@pytest.mark.parametrize(
    ("name", "fen", "words"),
    [
        ("chess", "8/8/8/8/8/8/8/8 w - - 0 1", "missing white king"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1", "'X' on rank 1"),
        ("chess", "", "missing board"),
        ("chess", "\ud800", "str|surrogates"),
        ("neighbours", "pppppppp/8/8/8/8/8/8/PPPPPPPP x 0 1", "side to move `x`"),
        ("neighbours", STARTS["chess"], "'r' on rank 8 .* looks like variant `chess`"),
        ("tucchess", "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w many 0 1", "points of White `many`"),
        ("amazons", "12/12/12/12/12/12/12/12/12/12/12/12 w - - 0 1", "12 files, expected at most 11"),
    ],
)
def test_wrong_fens(name: str, fen: str, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        labrys.Game(name).position(fen)


@pytest.mark.parametrize(
    ("name", "move"),
    [("chess", "e2e5"), ("neighbours", "e1e4"), ("tucchess", "a2a5"), ("amazons", "d1d7,d7d11")],
)
def test_illegal_moves(name: str, move: str) -> None:
    start = labrys.Game(name).start()
    first = str(start.legal_moves[0])
    for wrong in (move, "", "e", "\0", "f3♞", "a" * 10_000):
        for attempt in (start.move, start.play, start.san, start.policy_indices, start.outcomes):
            with pytest.raises(ValueError):
                attempt(wrong)
        with pytest.raises(ValueError):
            start.play(first, wrong)
        assert not start.is_legal(wrong)
    assert start.fen == STARTS[name] and start.ply == 0


def test_other_errors() -> None:
    with pytest.raises(ValueError, match="checkers"):
        labrys.Game("checkers")
    with pytest.raises(ValueError, match="99x99"):
        labrys.Game("amazons", board="99x99")
    with pytest.raises(ValueError, match="board"):
        labrys.Game("chess", board="8x8")
    with pytest.raises(ValueError, match="neighbours"):
        labrys.Game("chess").features([labrys.Game("neighbours").start()])
    with pytest.raises(ValueError, match="set9"):
        labrys.Game("neighbours").start().features("set9")
    # A move of another game, and one of another position that is not legal here.
    with pytest.raises(ValueError):
        labrys.Game("chess").start().play(labrys.Game("neighbours").start().legal_moves[0])
    after = labrys.Game("chess").start().play("e2e4")
    with pytest.raises(ValueError, match="e2e4"):
        after.play(labrys.Game("chess").start().move("e2e4"))


def test_pickles_and_copies(name: str) -> None:
    position = random_game(labrys.Game(name).start(), 7, plies=12)
    for other in (pickle.loads(pickle.dumps(position)), copy.copy(position), copy.deepcopy(position)):
        assert other == position and hash(other) == hash(position)
        assert other.moves == position.moves and other.start == position.start
        assert other.game == position.game
    move = position.legal_moves[0]
    assert pickle.loads(pickle.dumps(move)) == move == copy.deepcopy(move)
    assert copy.copy(move).position == position


def test_a_pickle_of_moves_has_linear_size() -> None:
    game = labrys.Game("chess")
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    short, long = (game.position(None, shuffle * rounds) for rounds in (50, 100))
    lists: list[Callable[[labrys.Position], list[labrys.Move]]] = [
        lambda position: position.moves,
        lambda position: list(position.legal_moves),
    ]
    for moves in lists:
        sizes = [len(pickle.dumps(moves(position))) for position in (short, long)]
        assert sizes[1] < 3 * sizes[0]
        again = pickle.loads(pickle.dumps(moves(short)))
        assert again == moves(short)
        assert [move.position.ply for move in again] == [move.position.ply for move in moves(short)]
        assert [move.position.occurrences for move in again][-1] == moves(short)[-1].position.occurrences
    # The pickle of a move includes its game.
    (last,) = pickle.loads(pickle.dumps(short.moves[-1:]))
    assert last == short.last_move and last.position.moves == short.moves[:-1]


def test_outcomes_and_lists_can_be_pickled() -> None:
    mated = labrys.Game("chess").start().play("f3", "e5", "g4", "Qh4")
    drawn = labrys.Game("chess").position("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    for outcome in (mated.outcome, drawn.outcome):
        assert outcome is not None
        for other in (pickle.loads(pickle.dumps(outcome)), copy.deepcopy(outcome)):
            assert other == outcome and hash(other) == hash(outcome)
            assert (other.winner, other.ending) == (outcome.winner, outcome.ending)
    moves = labrys.Game("chess").start().legal_moves
    assert list(pickle.loads(pickle.dumps(moves))) == list(copy.copy(moves)) == list(moves)


def test_legal_moves_are_a_sequence() -> None:
    start = labrys.Game("chess").start()
    moves = start.legal_moves
    assert isinstance(moves, Sequence)
    assert list(reversed(moves)) == list(moves)[::-1]
    for place, move in enumerate(moves):
        assert moves.index(move) == moves.index(str(move)) == moves.index(move, -20) == place
        assert moves.count(move) == 1
    assert moves.count("e2e5") == moves.count(7) == 0
    for wrong, stop in (("e2e5", None), (moves[5], 5), (moves[5], -15)):
        with pytest.raises(ValueError):
            moves.index(wrong, 0, stop)


def test_a_pickle_has_the_repetitions() -> None:
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    position = labrys.Game("chess").start().play(*shuffle, *shuffle)
    assert position.occurrences == 3 and position.outcome and position.outcome.winner is None
    again = pickle.loads(pickle.dumps(position))
    assert again.occurrences == 3 and again.is_over
    # A FEN does not have them.
    assert labrys.Game("chess").position(position.fen).occurrences == 1


def test_threads_share_positions(name: str) -> None:
    start = labrys.Game(name).start()

    def play(seed: int) -> str:
        return start.playout(seed).fen

    with ThreadPoolExecutor(4) as pool:
        shared = list(pool.map(play, range(20)))
    assert shared == [play(seed) for seed in range(20)]


def test_playouts(name: str) -> None:
    game = labrys.Game(name)
    for seed in range(5):
        end = game.start().playout(seed)
        assert end.is_over or end.ply == game.longest_game
        assert game.start().playout(seed) == end
        assert game.start().play(*end.moves) == end
    assert len({game.start().playout(seed).fen for seed in range(5)}) > 1


def test_playouts_start_with_every_move(name: str) -> None:
    start = labrys.Game(name, **({"board": "3x4"} if name == "amazons" else {})).start()
    first = Counter(str(start.playout(seed).moves[0]).split("=")[0].split("+")[0] for seed in range(3000))
    assert first.keys() == {str(move) for move in start.legal_moves}
    # In Amazons the three squares are sampled one after the other.
    if name != "amazons":
        assert max(first.values()) < 2 * min(first.values())


def test_chance_outcomes() -> None:
    # The king takes the prize on c4 or moves elsewhere.
    position = labrys.Game("tucchess").position("5/2k1p/5/2*2/2K2/4P/5 w 0 0 1")
    outcomes = position.outcomes("c3c4")
    assert sum(probability for _, probability in outcomes) == pytest.approx(1)
    by_move = {str(move): probability for move, probability in outcomes}
    assert by_move["c3c4=1"] == pytest.approx(0.81) and by_move["c3c4=0"] == pytest.approx(0.09)
    assert all(position.is_legal(move) for move in by_move)
    assert position.play("c3c4=1").fen.split()[2:4] == ["1", "0"]
    # A move without its outcome has the mean value.
    assert position.play("c3c4").fen.split()[2:4] == ["0.9", "0"]
    assert labrys.Game("chess").start().outcomes("e2e4") == [(labrys.Game("chess").start().move("e2e4"), 1.0)]


def test_samples_have_the_probabilities_of_the_outcomes() -> None:
    position = labrys.Game("tucchess").position("5/2k1p/5/2*2/2K2/4P/5 w 0 0 1")
    probabilities = {str(move): probability for move, probability in position.outcomes("c3c4")}
    # Equidistant numbers.
    steps = 20_000
    counts = Counter(str(position.sample("c3c4", (step + 0.5) / steps)) for step in range(steps))
    assert counts.keys() == probabilities.keys()
    for move, probability in probabilities.items():
        assert counts[move] == pytest.approx(probability * steps, abs=2)
    for wrong in (1.0, -0.1, float("nan")):
        with pytest.raises(ValueError):
            position.sample("c3c4", wrong)


def test_endings() -> None:
    game = labrys.Game("chess")
    mated = game.start().play("f2f3", "e7e5", "g2g4", "d8h4")
    assert mated.outcome and mated.outcome.winner == "black" and mated.outcome.result == "0-1"
    assert len(mated.legal_moves) == 0 and mated.outcome.points("black") == 1
    assert "mate" in mated.outcome.ending
    stuck = labrys.Game("neighbours").position("8/8/8/8/8/8/8/p6P w 0 1")
    assert stuck.outcome and stuck.outcome.winner == "black"


def test_perft_has_a_maximum_depth() -> None:
    start = labrys.Game("chess").start()
    for count in [start.perft, start.divide]:
        for depth in [65, 20_000, 2**40, -1]:
            with pytest.raises(ValueError, match=str(depth)):
                count(depth)


def test_errors_of_a_foreign_move_are_not_swallowed() -> None:
    class Foreign:
        def uci(self) -> str:
            raise KeyboardInterrupt

    moves = labrys.Game("chess").start().legal_moves
    for ask in (moves.__contains__, moves.count):
        with pytest.raises(KeyboardInterrupt):
            ask(Foreign())
    assert 3 not in moves and "xx" not in moves and moves.count("Nf6") == 0


def test_a_huge_index_is_named() -> None:
    with pytest.raises(IndexError, match=f"no legal move {10**30} of 20"):
        labrys.Game("chess").start().legal_moves[10**30]


def test_a_missing_file_has_its_number() -> None:
    with pytest.raises(FileNotFoundError) as error:
        labrys.read_pgn("nowhere.pgn")
    assert error.value.errno == errno.ENOENT and "nowhere.pgn" in str(error.value)
