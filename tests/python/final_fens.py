"""The final FEN of every game of a PGN file; fails where python-chess finds an error in a game."""

import sys

import chess.pgn

with open(sys.argv[1], encoding="utf-8") as file:
    while game := chess.pgn.read_game(file):
        if game.errors:
            sys.exit(f"{game.headers}: {game.errors}")
        board = game.end().board()
        if board.chess960 != (game.headers.get("Variant") == "Chess960"):
            sys.exit(f"{game.headers}: Chess960 is {board.chess960}")
        print(board.fen())
