"""Random positions of chess, a third of them of Chess960, with all their legal moves.

Each line has, between tabs: `true` for Chess960, the FEN, then each move in UCI, a space and SAN.
"""

import random
import sys

import chess

random.seed(7)
left = int(sys.argv[1])
while left > 0:
    chess960 = random.random() < 1 / 3
    board = chess.Board.from_chess960_pos(random.randrange(960)) if chess960 else chess.Board()
    board.chess960 = chess960
    for _ in range(min(left, random.randrange(5, 200))):
        if board.is_game_over():
            break
        moves = list(board.legal_moves)
        print(str(chess960).lower(), board.fen(), *(f"{board.uci(mv)} {board.san(mv)}" for mv in moves), sep="\t")
        board.push(random.choice(moves))
        left -= 1
