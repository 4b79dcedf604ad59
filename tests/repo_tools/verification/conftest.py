"""A small shop with two bugs, in real boxes: one that a test of its base commit shows, and one that none does."""

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.engines import proved
from tests.support.engine import unavailable
from tests.support.laboratory import Laboratory, laboratory
from tests.support.shop import FILES


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    engine = BubblewrapEngine(tmp_path_factory.mktemp("data"))
    try:
        proved(engine)
    except SandboxError as error:
        unavailable(f"bubblewrap cannot make a box here: {error}")
    return laboratory(engine, tmp_path_factory.mktemp("shop"), FILES)
