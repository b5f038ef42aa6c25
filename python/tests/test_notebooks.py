"""The notebooks run."""

from __future__ import annotations

from pathlib import Path

import pytest
from common import ROOT

nbclient = pytest.importorskip("nbclient")
import nbformat  # noqa: E402

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    # They are stored without outputs, which change with each run.
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    streams = [out for cell in code for out in cell.outputs if out.output_type == "stream"]
    assert not [out.text for out in streams if "Traceback" in out.text]
    # A notebook leaves no files behind.
    assert list(tmp_path.iterdir()) == []
