"""What is told before a worker starts."""

from pathlib import Path

import pytest

from repo_tools.errors import ConfigError
from workers.prerequisites import model_key, read_ca_bundle
from workers.settings import WorkerSettings


def settings(**given: object) -> WorkerSettings:
    return WorkerSettings.model_validate({"ANTHROPIC_API_KEY": "k", "ca_bundle": None, **given})


def test_a_key_that_is_not_set_is_named_and_one_that_is_set_is_given() -> None:
    assert model_key(settings()) == "k"
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        model_key(settings(ANTHROPIC_API_KEY=None))


def test_a_bundle_that_cannot_be_read_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(b"certificates")
    assert read_ca_bundle(settings(ssl_cert_file=tmp_path / "ca.pem")) == b"certificates"
    with pytest.raises(ConfigError, match="SSL_CERT_FILE"):
        read_ca_bundle(settings(ssl_cert_file=tmp_path / "none.pem"))
    with pytest.raises(ConfigError, match="AGENT_FIX_CA_BUNDLE"):
        read_ca_bundle(settings(ca_bundle=tmp_path / "none.pem"))
