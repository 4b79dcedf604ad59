"""A store of its own for each test, and the application on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.support.sqlite_file import with_tables
from tests.support.web import Ringer, make_app, web_settings
from workers.store import RunStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = open_store(with_tables(tmp_path / "agent-fix.db"))
    yield store
    store.close()


@pytest.fixture
def ringer() -> Ringer:
    return Ringer()


@pytest.fixture
def client(tmp_path: Path, store: RunStore, ringer: Ringer) -> Iterator[TestClient]:
    """At this machine: everything is open."""
    with TestClient(make_app(web_settings(tmp_path), store, ringer), base_url="http://localhost") as client:
        yield client
