"""Random games with comments, variations and annotation glyphs, a third of them of Chess960.

Writes them as PGN to the second argument, and prints the final FEN of each.
"""

import random
import sys

import chess
import chess.pgn

random.seed(3)
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for number in range(int(sys.argv[1])):
        chess960 = number % 3 == 2
        board = chess.Board.from_chess960_pos(random.randrange(960)) if chess960 else chess.Board()
        board.chess960 = chess960
        game = chess.pgn.Game()
        game.setup(board)
        game.headers["White"] = 'A "quoted" \\ name é'
        node = game
        for _ in range(random.randrange(10, 300)):
            if board.is_game_over():
                break
            moves = list(board.legal_moves)
            move = random.choice(moves)
            child = node.add_variation(move)
            if random.random() < 0.1:
                child.comment = "[%clk 0:01:02] (strange] ; 1-0 $3 2. e4"
            if random.random() < 0.1:
                child.nags.add(random.randrange(1, 140))
            if random.random() < 0.05:
                other = node.add_variation(random.choice(moves), comment="or", starting_comment="(so")
                replies = list(other.board().legal_moves)
                for reply in replies[:2]:
                    other.add_variation(reply)
            node = child
            board.push(move)
        game.headers["Result"] = board.result()
        print(game, file=out, end="\n\n")
        print(board.fen())
