"""A random player against Labrys, in any of its games: python random_play.py [game]."""

import random
import sys

import labrys

game = labrys.Game(sys.argv[1] if len(sys.argv) > 1 else "tucchess")
engine = labrys.Engine(game)
position = game.start()
while not position.is_over and position.ply < 300:
    if position.side_to_move == "white":
        move: labrys.Move | None = random.choice(position.legal_moves)
    else:
        move = engine.search(position, nodes=1000).move
    assert move is not None
    # The prizes of TUC-CHESS.
    position = position.play(position.sample(move, random.random()) if game.has_chance else move)
print(position.diagram())
print("moves:", *position.moves)
print("result:", position.outcome.result if position.outcome else "*")
