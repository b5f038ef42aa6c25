"""The package as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution

import pytest
from common import ROOT, command

import labrys

# Optional features import these.
HEAVY = ["numpy", "pandas", "gymnasium", "pettingzoo", "pyspiel", "chess", "ray", "tqdm", "matplotlib"]


def test_the_import_is_small() -> None:
    code = "import json, sys, labrys\nlabrys.Game('chess').start().play('e4')\n"
    code += "print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert set(json.loads(done.stdout)).isdisjoint(HEAVY)


def test_the_binary_is_included() -> None:
    assert labrys.__version__ in command("--version")
    assert "Usage: labrys" in command("--help")


def test_an_error_of_the_command_line() -> None:
    words = [sys.executable, "-m", "labrys", "solve", "--variant", "tictactoe"]
    done = subprocess.run(words, capture_output=True, cwd=ROOT)
    assert done.returncode not in (0, 101) and b"tictactoe" in done.stderr


@pytest.mark.parametrize(
    "checker", [["mypy", "--strict"], ["pyright", "--pythonpath", sys.executable]], ids=["mypy", "pyright"]
)
def test_types(checker: list[str]) -> None:
    pytest.importorskip(checker[0])
    done = subprocess.run(
        [sys.executable, "-m", *checker, "labrys"], capture_output=True, text=True, cwd=ROOT / "python"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_has_the_docstrings_of_the_module() -> None:
    words = [sys.executable, str(ROOT / "python" / "tools" / "stub_docs.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_has_a_docstring() -> None:
    for name in labrys.__all__:
        thing = getattr(labrys, name)
        if name.startswith("_") or isinstance(thing, str):
            continue
        assert thing.__doc__, name
        for part, its in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and (callable(its) or hasattr(its, "__get__")):
                assert its.__doc__, f"{name}.{part}"


def test_the_wheel_has_licences_and_classifiers() -> None:
    found = distribution("labrys")
    names = {path.name for path in found.files or []}
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert licence in names
        # These are copies beside pyproject.toml: wheel builders follow no links.
        assert (ROOT / "python" / licence).read_bytes() == (ROOT / licence).read_bytes()
    assert "Typing :: Typed" in (found.metadata.get_all("Classifier") or [])


def test_the_stub_has_what_the_module_has() -> None:
    pytest.importorskip("mypy")
    words = [sys.executable, "-m", "mypy.stubtest", "labrys._labrys", "--ignore-disjoint-bases"]
    words += ["--allowlist", str(ROOT / "python" / "tests" / "stubtest.allow"), "--concise"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
