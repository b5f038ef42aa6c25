"""A random player against Labrys, in any of its games: python random_play.py [game] [binary]."""

import random
import sys

from labrys_cluster.games import load_game

name = sys.argv[1] if len(sys.argv) > 1 else "tucchess"
labrys = sys.argv[2] if len(sys.argv) > 2 else "labrys"
with load_game(name, labrys=labrys) as game:
    state = game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 300:
        if state.current_player() == 0:
            action = random.choice(state.legal_actions())
        else:
            action = state.search("nodes 1000")
        state.apply_action(action)
    print(state)
    print("moves:", *state.history())
    print("returns of the random player and of Labrys:", state.returns())
