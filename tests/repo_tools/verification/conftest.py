"""A small shop with two bugs, in real boxes: one that a test of its base commit shows, and one that none does."""

import pytest

from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.shop import FILES


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("shop"), FILES)
