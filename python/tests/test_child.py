"""The child process."""

import os
import signal
import subprocess
import sys
import time

import pytest

from labrys import _child


def test_it_runs_this_package_whatever_is_in_the_folder(tmp_path, monkeypatch):
    (tmp_path / "labrys.py").write_text("raise SystemExit('another one')")
    monkeypatch.chdir(tmp_path)
    assert _child.run(["--version"], progress=False).startswith("labrys ")


def test_other_messages_are_warnings(tmp_path, monkeypatch):
    script = "import sys; print('labrys: warning: a note', file=sys.stderr); print('done')"
    monkeypatch.setattr(_child, "command_line", lambda *words: [sys.executable, "-c", script])
    with pytest.warns(RuntimeWarning, match="^a note$"):
        assert _child.run(["match"]) == "done\n"


def test_a_warning_comes_before_the_work(monkeypatch):
    script = """
import sys
print('labrys: a note', file=sys.stderr)
print('{"progress": "games", "done": 0, "total": 1, "message": ""}', file=sys.stderr)
sys.exit('labrys: crashed')
"""
    monkeypatch.setattr(_child, "command_line", lambda *words: [sys.executable, "-c", script])
    with pytest.warns(RuntimeWarning, match="^a note$"), pytest.raises(RuntimeError, match="^crashed$"):
        _child.run(["match"])


@pytest.mark.parametrize(
    "script, kind, message",
    [
        ("import os; os.kill(os.getpid(), 9)", RuntimeError, "labrys match ended with -9"),
        ("import sys; print(1, flush=True); sys.exit('labrys: disk full')", RuntimeError, "^disk full$"),
        ("import sys; sys.exit('labrys: no such option')", ValueError, "^no such option$"),
        ("import sys; print('labrys: x', file=sys.stderr); sys.exit(2)", ValueError, "^x$"),
        ("import sys; print('{\"x\": 1}', file=sys.stderr); sys.exit(1)", ValueError, '^{"x": 1}$'),
    ],
)
def test_its_errors_are_raised(script, kind, message, monkeypatch):
    monkeypatch.setattr(_child, "command_line", lambda *words: [sys.executable, "-c", script])
    with pytest.raises(kind, match=message):
        _child.run(["match"])


@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
def test_it_ends_with_its_parent(tmp_path):
    games = ["--engine", "name=a", "--engine", "name=b", "--each", "nodes=100", "--games", "100000"]
    script = (
        "import sys; from labrys import _child\n"
        "child = _child.start(sys.argv[1:])\nprint(child.pid, flush=True)\nnext(_child.lines(child))\n"
        "print(flush=True)\nchild.wait()"
    )
    words = [sys.executable, "-c", script, "match", *games]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        # The match has started.
        parent.stdout.readline()
        parent.send_signal(signal.SIGKILL)
    while True:
        time.sleep(0.05)
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        # A child without a parent exists until init has reaped it.
        with open(f"/proc/{child}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "Z":
                return
