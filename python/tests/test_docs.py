"""The examples of the manual and of the package's page run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from common import ROOT

PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", ROOT / "docs" / "python.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("chess", "pettingzoo", "gymnasium", "pyspiel", "pandas"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
