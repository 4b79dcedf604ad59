"""A box with pytest in it, from a layer that is made once."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, Sandbox
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import checkout_of, prepared_for

Fill = Callable[..., Sandbox]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return shared_bubblewrap(tmp_path_factory)


@pytest.fixture(scope="session")
def bare(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> tuple[GitCheckout, PreparedEnvironment]:
    """A repository that needs nothing but pytest, and its layer."""
    checkout = checkout_of(tmp_path_factory.mktemp("bare"), {"test_nothing.py": ""})
    return checkout, prepared_for(engine, checkout)


@pytest.fixture
def fill(engine: BubblewrapEngine, bare: tuple[GitCheckout, PreparedEnvironment]) -> Iterator[Fill]:
    """`fill(files, limits)`: boxes that hold the given files."""
    boxes: list[Sandbox] = []

    def filled(files: Mapping[str, str], limits: Limits = DEFAULT_LIMITS) -> Sandbox:
        states = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in files.items()}
        box = fresh_box(engine, *bare, overlay=ChangeSet(bare[0].commit, states), limits=limits)
        boxes.append(box)
        return box

    yield filled
    for box in boxes:
        box.close()


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[Mapping[str, str]], GitCheckout]:
    """Makes a commit in one repository, and gives its checkout."""
    return lambda files: checkout_of(tmp_path / "repository", files)
