"""OpenSpiel: Amazons, chess and the bot."""

from __future__ import annotations

import random
from typing import Any

import pytest

import labrys

pyspiel = pytest.importorskip("pyspiel")

from labrys import openspiel  # noqa: E402


def triples(state: Any) -> set[tuple[int, int, int]]:
    """The legal moves in OpenSpiel's Amazons as triples of actions."""
    found = set()
    for start in state.legal_actions():
        moved = state.child(start)
        for end in moved.legal_actions():
            shooting = moved.child(end)
            found |= {(start, end, arrow) for arrow in shooting.legal_actions()}
    return found


@pytest.mark.parametrize("size", openspiel.AMAZONS_SIZES)
def test_amazons_agrees(size: int) -> None:
    game = pyspiel.load_game(f"amazons(board_size={size})")
    for seed in range(3 if size == 6 else 1):
        generator = random.Random(seed)
        state, position = game.new_initial_state(), openspiel.amazons_start(size)
        ply = 0
        while not state.is_terminal():
            assert not position.is_over
            assert state.current_player() == (position.side_to_move == "black")
            # All triples take long on larger boards: only every fifth position.
            if size == 6 or ply % 5 == 0:
                ours = {tuple(openspiel.amazons_actions(move, size)) for move in position.legal_moves}
                assert triples(state) == ours
            move = generator.choice(position.legal_moves)
            actions = openspiel.amazons_actions(move, size)
            assert openspiel.amazons_move(actions, size) == str(move)
            for action in actions:
                assert action in state.legal_actions()
                state.apply_action(action)
            position = position.play(move)
            board = position.fen.split()[0]
            letters = "".join("." * int(c) if c.isdecimal() else c for c in board.replace("10", "55"))
            theirs = str(state).replace("\n", "/").replace("X", "Q").replace("O", "q").replace("#", "*")
            assert letters == theirs
            ply += 1
        assert position.outcome is not None
        winner = 1 if position.outcome.winner == "white" else -1
        assert state.returns() == [winner, -winner]
        assert openspiel.position(state) == position and openspiel.position(state).ply == ply
        assert openspiel.state(position).history() == state.history()


def test_chess_agrees() -> None:
    results = set()
    for seed in range(6):
        generator = random.Random(seed)
        state = pyspiel.load_game("chess").new_initial_state()
        while not state.is_terminal():
            position = openspiel.position(state)
            assert not position.is_over
            ours = {state.parse_move_to_action(str(move)) for move in position.legal_moves}
            assert ours == set(state.legal_actions())
            state.apply_action(generator.choice(state.legal_actions()))
        position = openspiel.position(state)
        assert position.outcome is not None
        value = position.outcome.points("white") - position.outcome.points("black")
        assert state.returns() == [-value, value]
        results.add(value)
        assert openspiel.state(position).history() == state.history()
    assert len(results) > 1


def test_chess960() -> None:
    game = pyspiel.load_game("chess(chess960=true)")
    for start in (3, 518, 800):
        generator = random.Random(start)
        state = game.new_initial_state()
        state.apply_action(start)
        for _ in range(40):
            if state.is_terminal():
                break
            position = openspiel.position(state)
            by_action = {state.parse_move_to_action(str(move)): move for move in position.legal_moves}
            assert by_action.keys() == set(state.legal_actions())
            castlings = [action for action, move in by_action.items() if move.san.startswith("O-O")]
            state.apply_action(generator.choice(castlings or list(by_action)))
        again = openspiel.state(openspiel.position(state))
        assert str(again) == str(state)


@pytest.mark.parametrize(("game", "engine"), [("amazons(board_size=6)", "amazons"), ("chess", "chess")])
def test_the_bot_beats_a_random_one(game: str, engine: str) -> None:
    state = pyspiel.load_game(game).new_initial_state()
    bot = openspiel.Bot(labrys.Engine(engine), 1, nodes=300)
    random_bot = pyspiel.make_uniform_random_bot(0, 7)
    returns = pyspiel.evaluate_bots(state, [random_bot, bot], 7)
    assert list(returns) == [-1.0, 1.0]


def test_the_bot_within_a_move() -> None:
    state = pyspiel.load_game("amazons(board_size=6)").new_initial_state()
    engine = labrys.Engine("amazons")
    bot = openspiel.Bot(engine, nodes=300)
    # Another player has chosen the amazon.
    state.apply_action(state.legal_actions()[2])
    end = bot.step(state)
    assert end in state.legal_actions()
    state.apply_action(end)
    policy, arrow = bot.step_with_policy(state)
    assert dict(policy)[arrow] == 1 and sum(dict(policy).values()) == 1
    assert [action for action, _ in policy] == state.legal_actions()
    # Not the target that was planned.
    other = state.clone()
    other.undo_action(0, end)
    different = next(action for action in other.legal_actions() if action != end)
    other.apply_action(different)
    assert bot.step(other) in other.legal_actions()
    bot.restart_at(state)
    assert bot.step(state) in state.legal_actions()


def test_the_bot_does_not_use_a_wrong_plan() -> None:
    game = pyspiel.load_game("amazons(board_size=6)")
    start = game.new_initial_state()
    bot = openspiel.Bot(labrys.Engine("amazons"), nodes=300)
    generator = random.Random(1)
    chosen, checked = bot.step(start), 0
    end = bot.step(start.child(chosen))
    for amazon in start.legal_actions():
        # The target is stored for the chosen amazon.
        bot.step(start)
        other = start.child(amazon)
        assert bot.step(other) in other.legal_actions()
    while checked < 3:
        # The same amazon in another position, where it cannot move there.
        other = game.new_initial_state()
        for _ in range(6):
            other.apply_action(generator.choice(other.legal_actions()))
        if chosen in other.legal_actions() and end not in other.child(chosen).legal_actions():
            bot.step(start)
            other.apply_action(chosen)
            assert bot.step(other) in other.legal_actions()
            checked += 1


def test_repetitions_of_a_state() -> None:
    state = pyspiel.load_game("chess").new_initial_state("6k1/8/8/8/8/8/8/K1Q5 b - - 0 1")
    for move in ("g8h8", "c1c2", "h8g8", "c2c1", "g8h8", "c1c2", "h8g8"):
        state.apply_action(state.parse_move_to_action(move))
    position = openspiel.position(state)
    assert not position.is_over and position.play("c2c1").is_over
    # This does not win with a queen.
    state.apply_action(openspiel.Bot(labrys.Engine("chess"), depth=6).step(state))
    assert not state.is_terminal()


def test_errors() -> None:
    with pytest.raises(ValueError, match="7"):
        openspiel.amazons_start(7)
    for wrong in ("d1d7", "d1d7,d7z1", "d1,d7", "", "d1d11,d11d1"):
        with pytest.raises(ValueError):
            openspiel.amazons_actions(wrong, 10)
    for actions in ([1, 2], [1, 2, 100], [-1, 2, 3]):
        with pytest.raises(ValueError):
            openspiel.amazons_move(actions, 10)
    tic_tac_toe = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(ValueError, match="tic_tac_toe"):
        openspiel.position(tic_tac_toe)
    with pytest.raises(ValueError, match="tic_tac_toe"):
        openspiel.Bot(labrys.Engine("chess")).step(tic_tac_toe)
    with pytest.raises(ValueError, match="neighbours"):
        openspiel.Bot(labrys.Engine("neighbours"))
    with pytest.raises(ValueError, match="neighbours"):
        openspiel.state(labrys.Game("neighbours").start())
    # Labrys has another start position on 6×6.
    with pytest.raises(ValueError, match="start position"):
        openspiel.state(labrys.Game("amazons", board="6x6").start())
    within = pyspiel.load_game("amazons").new_initial_state()
    within.apply_action(within.legal_actions()[0])
    with pytest.raises(ValueError, match="within"):
        openspiel.position(within)
    # White is player 1 in OpenSpiel's chess.
    chess = pyspiel.load_game("chess").new_initial_state()
    with pytest.raises(ValueError, match="player 1 is to move"):
        openspiel.Bot(labrys.Engine("chess"), 0).step(chess)
