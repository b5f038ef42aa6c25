"""Boards and moves of python-chess."""

from __future__ import annotations

import random

import pytest

import labrys

chess = pytest.importorskip("chess")


def test_boards_as_positions() -> None:
    game = labrys.Game("chess")
    board = chess.Board()
    assert game.position(board) == game.start()
    for move in ("e2e4", "e7e5", "g1f3"):
        board.push_uci(move)
    position = game.position(board)
    assert position == game.start().play("e4", "e5", "Nf3")
    assert [str(move) for move in position.moves] == ["e2e4", "e7e5", "g1f3"]
    assert game.position(board, ["Nc6"]).ply == 4


def test_chess_moves_as_moves() -> None:
    start = labrys.Game("chess").start()
    move = chess.Move.from_uci("e2e4")
    assert start.play(move) == start.play("e2e4") and start.is_legal(move) and move in start.legal_moves
    assert start.san(move) == "e4" and start.policy_indices(move) == start.policy_indices("e2e4")
    with pytest.raises(ValueError, match="e2e5"):
        start.play(chess.Move.from_uci("e2e5"))
    with pytest.raises(ValueError):
        start.play(chess.Move.null())


def test_repetitions_of_a_stack_count() -> None:
    board = chess.Board()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
        board.push_uci(move)
    position = labrys.Game("chess").position(board)
    assert board.is_repetition(3) and position.occurrences == 3 and position.is_over
    assert labrys.Game("chess").position(board.copy(stack=False)).occurrences == 1


def test_boards_with_another_start() -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    board = chess.Board(fen)
    board.push_san("O-O-O")
    board.push_san("O-O")
    position = labrys.Game("chess").position(board)
    assert position.start.fen == fen and position.fen == board.fen() and position.ply == 2


@pytest.mark.parametrize("number", [0, 1, 342, 959])
def test_chess960(number: int) -> None:
    game = labrys.Game("chess", chess960=True)
    board = chess.Board.from_chess960_pos(number)
    generator = random.Random(number)
    while not board.is_game_over() and board.ply() < 60:
        position = game.position(board)
        assert position.game == game
        assert {str(move) for move in position.legal_moves} == {move.uci() for move in board.legal_moves}
        castlings = [move for move in board.legal_moves if board.is_castling(move)]
        board.push(generator.choice(castlings or list(board.legal_moves)))


def test_random_games_agree() -> None:
    game = labrys.Game("chess")
    for seed in range(6):
        generator = random.Random(seed)
        board, position = chess.Board(), game.start()
        while not position.is_over:
            moves = list(board.legal_moves)
            assert {str(move) for move in position.legal_moves} == {move.uci() for move in moves}
            move = generator.choice(moves)
            assert position.san(move) == board.san(move)
            board.push(move)
            position = position.play(move)
            assert position.fen == board.fen()
        # Labrys ends a game at the third occurrence or the hundredth ply; python-chess needs a claim.
        found = board.outcome(claim_draw=True)
        assert found is not None and position.outcome is not None
        assert position.outcome.result == found.result()


def test_engines_accept_boards() -> None:
    engine = labrys.Engine("chess")
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    result = engine.search(board, depth=4)
    assert str(result.move) == "a1a8" and result.score is not None and result.score.mate == 1
    assert engine.evaluate(board).kind in ("linear", "net")
    with pytest.raises(ValueError):
        labrys.Engine("neighbours").search(board, nodes=10)


def test_wrong_games() -> None:
    with pytest.raises(ValueError, match="chess"):
        labrys.Game("neighbours").position(chess.Board())
    from chess.variant import AtomicBoard

    with pytest.raises(ValueError):
        labrys.Game("chess").position(AtomicBoard())
    with pytest.raises(TypeError, match="int"):
        labrys.Game("chess").position(7)
    board = chess.Board()
    board.push(chess.Move.null())
    with pytest.raises(ValueError):
        labrys.Game("chess").position(board)
    with pytest.raises(ValueError):
        labrys.Game("chess").position(chess.Board("8/8/8/8/8/8/8/8 w - - 0 1"))
    # Chess moves are not moves of another game.
    with pytest.raises(ValueError):
        labrys.Game("amazons").start().play(chess.Move.from_uci("e2e4"))
