"""Proofs and their certificates."""

import pytest

import labrys
from labrys.proofs import _verified

# The side to move loses.
LOST = "1qq1/q2q/Q2Q/1QQ1 w"


def test_a_proof_has_a_certificate(tmp_path):
    proof = tmp_path / "lost.proof"
    solution = labrys.solve(LOST, game="amazons", proof=proof)
    assert solution.value == "loss" and solution.certificate == proof and solution.nodes > 0
    assert solution.line and all("," in move for move in solution.line)
    (verified,) = labrys.verify(proof)
    assert (verified.value, verified.game, verified.fen) == ("loss", "amazons", LOST + " - - 0 1")
    assert verified.positions == solution.certificate_positions and verified.checksum == solution.checksum
    position = labrys.Game("amazons", board="4x4").position(LOST)
    assert labrys.solve(position).value == "loss"


def test_a_fen_may_have_colons():
    verified = _verified(
        "win clocks x:.o. 0: 5: verified, 2 lines by counting, 3 positions, checksum 01234567, 0.01 s"
    )
    assert (verified.value, verified.game, verified.fen) == ("win", "clocks", "x:.o. 0: 5")
    assert (verified.positions, verified.means) == (3, "verified, 2 lines by counting")


def test_limits_too_low_for_a_proof():
    solution = labrys.solve("1qq1/q2q/4/Q2Q/1QQ1 w", game="amazons", nodes=5, hash=8)
    assert solution.value is None and solution.certificate is None and solution.checksum is None


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="FEN: the board has 1 rank, expected 8"):
        labrys.solve("x")
    with pytest.raises(ValueError, match="unknown argument `--tmie`"):
        labrys.solve(LOST, game="amazons", tmie=1)
    with pytest.raises(ValueError, match="split: for the command line"):
        labrys.solve(LOST, game="amazons", split=2)
    with pytest.raises(ValueError, match="fen: the position is the first argument"):
        labrys.solve(game="amazons", fen=LOST)
    proof = tmp_path / "x.proof"
    labrys.solve(LOST, game="amazons", proof=proof)
    proof.write_bytes(proof.read_bytes()[:-3] + b"xyz")
    with pytest.raises(ValueError, match="x.proof"):
        labrys.verify(proof)
    with pytest.raises(ValueError, match="missing FILE"):
        labrys.verify()
