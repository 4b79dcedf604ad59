"""Where the operator says that services come from."""

from pathlib import Path

import pytest

from repo_tools.errors import ConfigError
from workers.load_settings import load_settings
from workers.settings import WorkerSettings

IMAGES = "AGENT_FIX_SERVICE_IMAGES"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql=registry.example:5000/pg:16, redis=valkey/valkey:8",
        '{"postgresql": "registry.example:5000/pg:16", "redis": "valkey/valkey:8"}',
    ],
)
def test_images_are_named_by_kind(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(IMAGES, text)
    expected = {"postgresql": "registry.example:5000/pg:16", "redis": "valkey/valkey:8"}
    assert load_settings(WorkerSettings).service_images == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("postgres=postgres:16", "knows mariadb, mysql, postgresql, rabbitmq, redis, and not postgres"),
        ("redis", "names no image for redis"),
        ('{"redis": ', "neither a JSON object nor kind=image"),
        ('{"redis": 8}', "string"),
    ],
)
def test_an_image_that_can_mean_nothing_stops_the_start(monkeypatch: pytest.MonkeyPatch, text: str, words: str) -> None:
    monkeypatch.setenv(IMAGES, text)
    with pytest.raises(ConfigError, match=words) as raised:
        load_settings(WorkerSettings)
    assert raised.value.setting.startswith(IMAGES)


def test_nothing_is_named_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (IMAGES, "AGENT_FIX_SERVICE_PROGRAMS"):
        monkeypatch.delenv(name, raising=False)
    settings = load_settings(WorkerSettings)
    assert (settings.service_images, settings.service_programs) == ({}, None)


def test_programs_are_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_FIX_SERVICE_PROGRAMS", "/opt/servers")
    assert load_settings(WorkerSettings).service_programs == Path("/opt/servers")
