from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.attempts import StoredRun, stored_run
from tests.support.github import Scene, make_scene
from workers.store import RunStore


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn() as standin:
        yield standin


@pytest.fixture
def scene(github: GitHubStandIn, tmp_path: Path) -> Scene:
    return make_scene(github, tmp_path)


@pytest.fixture
def stored(scene: Scene, sqlite_store: RunStore) -> StoredRun:
    """The run of the scene, in a real store."""
    return stored_run(sqlite_store, replace(scene.run, base_commit=scene.base))
