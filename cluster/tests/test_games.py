"""Games as Python objects."""

import random

import pytest

from labrys_cluster import ClusterError
from labrys_cluster.games import load_game


@pytest.mark.parametrize("name", ["chess", "neighbours", "tucchess", "amazons"])
def test_random_play_ends(labrys, name):
    options = {"AmazonsBoard": "5x5"} if name == "amazons" else {}
    with load_game(name, options, labrys) as game:
        state, seeded = game.new_initial_state(), random.Random(1)
        for _ in range(60):
            actions = state.legal_actions()
            if not actions:
                break
            child = state.child(seeded.choice(actions))
            assert len(child.history()) == len(state.history()) + 1
            assert child.is_terminal() or child.current_player() in (0, 1)
            state = child
        assert state.is_terminal() == (not state.legal_actions())
        assert sum(state.returns()) == 0


def test_results_and_errors(labrys):
    with load_game("chess", labrys=labrys) as game:
        mated = game.new_initial_state("7k/5KQ1/8/8/8/8/8/8 b - - 0 1")
        assert mated.is_terminal() and mated.returns() == [1.0, -1.0] and mated.legal_actions() == []
        drawn = game.new_initial_state("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
        assert drawn.is_terminal() and drawn.returns() == [0.0, 0.0]
        state = game.new_initial_state()
        with pytest.raises(ClusterError, match="e2e5"):
            state.apply_action("e2e5")
        state.apply_action("e2e4")
        assert state.history() == ["e2e4"] and state.current_player() == 1
        assert state.search("nodes 100") in state.legal_actions()
        assert "sum" in state.evaluation() and "Fen: " in str(state)
    with pytest.raises(ClusterError, match="unknown"):
        load_game("go", labrys=labrys)
