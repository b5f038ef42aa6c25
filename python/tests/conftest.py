"""Fixtures of the tests."""

from __future__ import annotations

import pytest
from common import GAMES


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each game."""
    return str(request.param)
