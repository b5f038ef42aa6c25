"""Positions as arrays."""

from __future__ import annotations

import re
import sys
import threading
import time

import numpy as np
import pytest
from common import command, random_game, suite

import labrys


def printed_features(name: str, fen: str, set_name: str) -> dict[str, float]:
    """The nonzero features that the command `eval` prints."""
    text = f"setoption name UCI_Variant value {name}\nsetoption name FeatureSet value {set_name}\n"
    text += f"setoption name Evaluation value linear\nposition fen {fen}\neval\nquit\n"
    table = command(text=text)
    rows = re.findall(r"^(\S+)((?:\s+-?\d+\.\d+\s+×\s+-?\d+\.\d+\s+-?\d+\.\d+)+)$", table, re.MULTILINE)
    return {term: float(re.findall(r"-?\d+\.\d+", numbers)[0]) for term, numbers in rows}


def test_features_are_those_that_eval_prints() -> None:
    # One value per line: the set `base` of Neighbours has neither phases nor squares.
    game = labrys.Game("neighbours")
    for fen, _ in suite("neighbours")[:5]:
        values = dict(zip(game.feature_sets["base"], game.position(fen).features("base"), strict=True))
        printed = printed_features("neighbours", fen, "base")
        assert len(printed) > 3
        for term, value in printed.items():
            assert values[term] == pytest.approx(value, abs=1e-4), term


def test_features(name: str) -> None:
    game = labrys.Game(name)
    positions = [random_game(game.start(), seed, plies=10) for seed in range(4)]
    for set_name, names in game.feature_sets.items():
        batch = game.features(positions, set_name)
        assert batch.shape == (4, len(names)) and batch.dtype == np.float64
        for row, position in zip(batch, positions, strict=True):
            np.testing.assert_array_equal(row, position.features(set_name))
    first = next(iter(game.feature_sets))
    np.testing.assert_array_equal(game.features(positions), game.features(positions, first))
    assert game.features([]).shape == (0, len(game.feature_sets[first]))
    assert np.any(game.features(positions) != 0)


def test_the_evaluation_is_the_weighted_sum_of_features(name: str) -> None:
    engine = labrys.Engine(name, evaluation="linear")
    position = random_game(labrys.Game(name).start(), 3, plies=9)
    found = engine.evaluate(position)
    assert found.kind == "linear"
    weights = np.array(list(engine.weights.values()))
    assert found.value == pytest.approx(float(position.features() @ weights), abs=1e-9)
    assert found.value == pytest.approx(sum(value * weight for value, weight in found.features.values()))


def test_planes(name: str) -> None:
    game = labrys.Game(name)
    positions = [random_game(game.start(), seed, plies=11) for seed in range(3)] + [game.start()]
    batch = game.planes(positions)
    assert batch.shape == (4, *game.planes_shape) and batch.dtype == np.float32
    for planes, position in zip(batch, positions, strict=True):
        np.testing.assert_array_equal(planes, position.planes())
        assert position.planes().flags["C_CONTIGUOUS"]


def test_planes_are_from_the_perspective_of_the_side_to_move() -> None:
    game = labrys.Game("neighbours")
    white, black = game.start().planes(), game.position("pppppppp/8/8/8/8/8/8/PPPPPPPP b 0 1").planes()
    np.testing.assert_array_equal(white, black)
    assert white[0, 0].tolist() == [1] * 8 and white[1, 7].tolist() == [1] * 8 and white[:2].sum() == 16
    # Arrays share no memory.
    white[:] = 5
    assert game.start().planes()[0, 0, 0] == 1


def test_planes_of_other_boards() -> None:
    game = labrys.Game("amazons", board="6x6")
    assert game.start().planes().shape == game.planes_shape == (4, 6, 6)
    large = labrys.Game("amazons").start()
    assert large.planes().shape == (4, 10, 10)
    with pytest.raises(ValueError, match="sizes"):
        game.planes([game.start(), large])


def test_policy_indices(name: str) -> None:
    game = labrys.Game(name)
    planes, ranks, files = game.policy_shape
    for seed in range(3):
        position = random_game(game.start(), seed, plies=8)
        indices = [tuple(position.policy_indices(move)) for move in position.legal_moves]
        assert len(set(indices)) == len(indices)
        assert {len(each) for each in indices} == {2 if name == "amazons" else 1}
        assert all(0 <= index < planes * ranks * files for each in indices for index in each)


def test_inputs(name: str) -> None:
    game = labrys.Game(name)
    for seed in range(3):
        own, other = random_game(game.start(), seed, plies=10).inputs()
        for inputs in (own, other):
            assert inputs.dtype == np.uint32 and 0 < len(inputs) == len(set(inputs.tolist()))
            assert inputs.max() < game.inputs


def test_inputs_of_both_sides_mirror_each_other() -> None:
    own, other = labrys.Game("chess").start().inputs()
    assert sorted(own) == sorted(other) and len(own) == 32 and labrys.Game("chess").inputs == 768


def test_other_threads_run_while_a_batch_is_written() -> None:
    game = labrys.Game("chess")
    positions = [game.start()] * 20_000
    ticks, ended, interval = [0], threading.Event(), sys.getswitchinterval()

    def tick() -> None:
        while not ended.is_set():
            ticks[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=tick)
    # From now on a thread runs only when another one releases the GIL.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        for write in (game.planes, game.features):
            before = ticks[0]
            array = write(positions)
            assert ticks[0] > before
            assert np.array_equal(array[77], write(positions[:1])[0]) and len(array) == len(positions)
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        thread.join()
