from collections.abc import Iterator
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.github import FILES, NOBODY, REPOSITORY
from tests.support.sqlite_file import with_tables
from workers.broker import EmbeddedBroker, running_broker
from workers.store import RunStore, open_store


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    """A real broker."""
    with running_broker(tmp_path / "broker-data") as running:
        yield running


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[RunStore]:
    """An empty store in `tmp_path / "store.db"`."""
    opened = open_store(with_tables(tmp_path / "store.db"))
    yield opened
    opened.close()


@pytest.fixture
def store(sqlite_store: RunStore) -> RunStore:
    return sqlite_store


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    """`acme/calc`, whose receiver is down."""
    with GitHubStandIn() as standin:
        standin.create_repository(REPOSITORY, FILES)
        standin.add_collaborator(REPOSITORY, "maintainer", "write")
        standin.webhook_url = NOBODY
        yield standin
