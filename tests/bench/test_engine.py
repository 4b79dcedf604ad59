"""What the parts of the benchmark measure on."""

import pytest

from bench.engine import engine_host
from bench.table import PeerMissingError
from tests.support.engine import require_docker


@pytest.mark.docker
def test_an_engine_with_the_sandbox_image_is_measured_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", require_docker())
    assert engine_host() == require_docker()


@pytest.mark.docker
def test_an_engine_without_the_image_is_told_with_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", require_docker())
    with pytest.raises(PeerMissingError, match="does not have the sandbox image agent-fix-sandbox:none"):
        engine_host("agent-fix-sandbox:none")
