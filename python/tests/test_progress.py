"""Progress bars."""

import sys

import pytest

from labrys import _progress
from labrys._progress import Progress


def test_each_phase_has_a_bar(capsys):
    pytest.importorskip("tqdm")
    with _progress.observer(True) as observe:
        observe(Progress("games", 3, 10, ""))
        observe(Progress("games", 10, 10, "Elo +5.0"))
        observe(Progress("positions", 0, None, ""))
    shown = capsys.readouterr().err
    assert "3/10" in shown and "10/10" in shown and "Elo +5.0" in shown
    assert "0 positions" in shown and shown.index("10/10") < shown.index("0 positions")


def test_a_file_gets_no_bar(capsys, monkeypatch):
    assert not _progress.has_reader()
    with _progress.observer(None) as observe:
        observe(Progress("games", 3, 10, ""))
    monkeypatch.setattr(sys, "stderr", None)
    assert not _progress.has_reader()
    assert capsys.readouterr().err == ""


def test_a_callback_gets_all_progress():
    seen = []
    with _progress.observer(seen.append) as observe:
        observe(Progress("games", 3, 10, ""))
    assert seen == [("games", 3, 10, "")]
