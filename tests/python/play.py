"""Games of the engine against itself to the end, without claiming draws, then an analysis.

The first argument is the engine, the second the number of games; half of them are of Chess960. The first one
begins where it cannot be won.
"""

import sys

import chess
import chess.engine

# Neither king gets past the pawns, and no pawn can move.
LOCKED_FEN = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"

with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    engine.configure({"Hash": 1})
    endings = []
    for number in range(int(sys.argv[2])):
        board = chess.Board.from_chess960_pos(41 * number % 960) if number % 2 else chess.Board()
        board.chess960 = number % 2 == 1
        if number == 0:
            board.set_fen(LOCKED_FEN)
        # Different games from the same start.
        for _ in range(number % 5):
            board.push(list(board.legal_moves)[number % board.legal_moves.count()])
        while not board.is_game_over():
            result = engine.play(board, chess.engine.Limit(nodes=200), game=number)
            if result.move not in board.legal_moves:
                sys.exit(f"{board.fen()}: {result.move}")
            board.push(result.move)
        endings.append(board.outcome().termination.name)
    print(len(endings), *sorted(set(endings)))
    for fen in [chess.STARTING_FEN, "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5"]:
        board = chess.Board(fen)
        lines = engine.analyse(board, chess.engine.Limit(depth=10), multipv=5)
        scores = [line["score"].relative.score(mate_score=100000) for line in lines]
        if len(scores) != 5 or scores != sorted(scores, reverse=True):
            sys.exit(f"{fen}: {scores}")
