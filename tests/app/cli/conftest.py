"""The command line, for every test here."""

from collections.abc import Iterator

import pytest

from tests.support.command_line import CommandLine, command_line


@pytest.fixture(scope="session")
def agent_fix() -> Iterator[CommandLine]:
    with command_line() as running:
        yield running
