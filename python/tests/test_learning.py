"""Self-play and learning."""

import os
import re
import subprocess
import zlib
from pathlib import Path

import numpy
import pytest

import labrys
from labrys import frames
from labrys.learning import _document

TRAIN = {
    "game": "neighbours", "weights": "zeros", "round": 8, "clone_every": 10, "period": 20, "compare_every": 0,
    "judge_games": 4,
}  # fmt: skip

ZERO = {
    "variant": "tucchess", "generations": 2, "net": {"channels": 4, "blocks": 1, "dense": 4},
    "selfplay": {"games": 6, "opening_plies": 2, "longest": 40, "options": {"Simulations": 8}},
    "training": {"batch": 16}, "gate": {"games": 2},
}  # fmt: skip


@pytest.fixture(scope="module")
def binary():
    """Runs the binary of `LABRYS`, or of cargo, beside which the package is checked."""
    path = Path(os.environ.get("LABRYS", Path(__file__).parents[2] / "target/release/labrys"))
    if not path.exists():
        pytest.skip(f"{path}: no binary")
    return lambda *words: subprocess.run([path, *map(str, words)], check=True, capture_output=True)


def stop_at(done, unit):
    """An observer that ends a call at a certain point, like Ctrl-C."""

    def observe(now):
        if now.unit.startswith(unit) and now.done >= done:
            raise KeyboardInterrupt

    return observe


def test_selfplay_resumes_and_agrees_with_the_binary(binary, tmp_path):
    settings = {"game": "tucchess", "nodes": 200, "random_plies": (2, 3)}
    path = tmp_path / "games.bin"
    with pytest.raises(KeyboardInterrupt):
        labrys.selfplay(out=path, games=20_000, progress=stop_at(10, "games"), **settings)
    begun = len(labrys.read_selfplay(path))
    games = labrys.selfplay(out=path, games=begun + 20, progress=False, **settings)
    assert begun >= 10 and len(games) == begun + 20 and set(numpy.unique(games.results)) <= {0, 0.5, 1}
    assert games.header["game"] == "tucchess" and games.header["nodes"] == 200
    frame = frames.selfplay(path)
    assert list(frame.points) == list(games.results) and list(frame.plies) == list(games.plies)
    # Scores are for the side to move, which is White in every other ply.
    scores, opening = games.scores(3), games.opening_plies[3]
    white = [score if (opening + ply) % 2 == 0 else -score for ply, score in enumerate(scores)]
    assert frame.mean_score[3] == pytest.approx(sum(white) / len(white))
    # A resumed file starts a new block.
    whole = labrys.selfplay(out=tmp_path / "ours.bin", games=len(games), progress=False, **settings)
    assert [game.moves for game in whole] == [game.moves for game in games]
    words = ["--variant", "tucchess", "--nodes", 200, "--random-plies", "2-3", "--games", len(games)]
    binary("nnue", "selfplay", *words, "--out", tmp_path / "theirs.bin")
    assert (tmp_path / "ours.bin").read_bytes() == (tmp_path / "theirs.bin").read_bytes()
    with pytest.raises(ValueError, match="games.bin: .*nodes"):
        labrys.selfplay(out=path, games=10, game="tucchess", nodes=201, progress=False)


@pytest.mark.parametrize(
    "game", [labrys.Game("amazons", board="5x5"), labrys.Game("chess", chess960=True), labrys.Game("chess")]
)
def test_games_of_self_play_have_the_option_of_the_game(game, tmp_path):
    games = labrys.selfplay(out=tmp_path / "games", game=game, games=2, nodes=5, progress=False)
    assert games[0].game == game and games[1].start == game.start()


def test_an_older_file_has_the_board_of_its_start_position(tmp_path):
    game, path = labrys.Game("amazons", board="5x5"), tmp_path / "games"
    labrys.selfplay(out=path, game=game, games=2, nodes=5, progress=False)
    header, _, rest = path.read_bytes().partition(b"\n")
    older = header.replace(b'"version":2,', b'"version":1,').replace(b'"option":"5x5",', b"")
    older = re.sub(rb',"crc32":"\w+"', b"", older)
    # In the first version the checksum of a block did not begin with that of the header.
    checksum = zlib.crc32(rest[:12] + rest[16:]).to_bytes(4, "little")
    path.write_bytes(older + b"\n" + rest[:12] + checksum + rest[16:])
    assert labrys.read_selfplay(path)[0].game == game


def test_linear_weights_agree_with_the_binary(binary, tmp_path):
    out = tmp_path / "ours"
    with pytest.raises(KeyboardInterrupt):
        labrys.train_linear(out=out, games=60, progress=stop_at(8, "games"), **TRAIN)
    assert not (out / "weights.json").exists()
    result = labrys.train_linear(out=out, games=60, resume=True, progress=False, **TRAIN)
    words = [f"--{name}={value}".replace("_", "-") for name, value in TRAIN.items() if name != "game"]
    binary("linear", "train", "--variant=neighbours", "--games=60", *words, "--out", tmp_path / "theirs")
    for name in ["weights.json", "curve.csv"]:
        assert (out / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert result.text.startswith("60 games") and len(result.curve) > 10
    assert set(result.weights) < set(result.curve.columns)
    engine = labrys.Engine("neighbours")
    engine.weights = result.weights
    assert engine.weights == pytest.approx(result.weights)


def test_a_net_is_trained_and_plays(tmp_path):
    data, out = tmp_path / "games.bin", tmp_path / "net"
    labrys.selfplay(out=data, game="tucchess", games=30, nodes=50, progress=False)
    settings = {"game": "tucchess", "data": [data], "neurons": 16, "epochs": 3}
    epochs = []

    def in_the_second_epoch(now):
        epochs.extend([now] if now.done == 0 else [])
        if len(epochs) == 2:
            raise KeyboardInterrupt

    labrys.train_nnue(out=out, progress=False, **settings)
    with pytest.raises(ValueError, match="--resume"):
        labrys.train_nnue(out=out, progress=False, **settings)
    with pytest.raises(KeyboardInterrupt):
        labrys.train_nnue(out=tmp_path / "more", progress=in_the_second_epoch, **settings)
    assert (tmp_path / "more/training.safetensors").exists()
    result = labrys.train_nnue(out=tmp_path / "more", resume=True, progress=False, **settings)
    assert list(result.curve.epoch) == [1, 2, 3]
    assert result.net.read_bytes() == (out / "net.safetensors").read_bytes()
    engine = labrys.Engine("tucchess", EvalFile=result.net)
    assert engine.search(nodes=100).move is not None
    with pytest.raises(ValueError, match="8 neurons, expected a multiple of 16"):
        labrys.train_nnue(out=tmp_path / "x", game="tucchess", data=data, neurons=8)


def test_settings_become_toml():
    tomllib = pytest.importorskip("tomllib")
    text = "\U0001d538 \x7f ä \" \\ \n"
    settings = {"a": text, "b": None, "c": {"d": None, "e f": [1, True, 0.5], "g": Path("h")}, "i.j": 1}
    expected = {"a": text, "c": {"e f": [1, True, 0.5], "g": "h"}, "i": {"j": 1}}
    assert tomllib.loads(_document(settings)) == expected


def test_zero_with_a_mapping_and_resumed(tmp_path):
    settings = tmp_path / "zero.toml"
    settings.write_text(
        'variant = "tucchess"\ngenerations = 2\nnet = { channels = 4, blocks = 1, dense = 4 }\n'
        "selfplay = { games = 6, opening_plies = 2, longest = 40, options = { Simulations = 8 } }\n"
        "training = { batch = 16 }\ngate = { games = 2 }\n"
    )
    seen = []
    whole = labrys.zero(settings, out=tmp_path / "whole", progress=seen.append)
    assert {"games of self-play, generation 1", "steps of training, generation 2"} <= {
        now.unit for now in seen
    }
    out = tmp_path / "parts"
    with pytest.raises(KeyboardInterrupt):
        labrys.zero(ZERO, out=out, progress=stop_at(1, "steps of training"))
    result = labrys.zero(ZERO, out=out, resume=True, progress=False)
    assert result.net.read_bytes() == whole.net.read_bytes()
    assert list(result.curve.generation) == [1, 2] and len(result.samples()) == 2
    with pytest.raises(ValueError, match="unknown field `channel`"):
        labrys.zero({**ZERO, "net": {"channel": 4}}, out=tmp_path / "x")
