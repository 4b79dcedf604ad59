from collections.abc import Iterator
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.github import Scene, make_scene


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn() as standin:
        yield standin


@pytest.fixture
def scene(github: GitHubStandIn, tmp_path: Path) -> Scene:
    return make_scene(github, tmp_path)
