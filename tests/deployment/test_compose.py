"""compose.yaml and the Dockerfile, held to the same rules as the chart."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


def services() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    services: dict[str, Any] = composed["services"]
    return services


def test_compose_has_the_four_services_of_one_machine() -> None:
    assert set(services()) == {"web", "worker", "redis", "postgres"}


def test_no_image_floats_and_no_socket_of_the_host_is_mounted() -> None:
    for service in services().values():
        assert re.fullmatch(r"[\w./-]+:[\w.-]*\d[\w.-]*", service["image"])
        assert not [v for v in service.get("volumes", ()) if v.startswith(("/", ".", "~")) or "docker.sock" in v]


def test_our_own_containers_are_read_only_without_capabilities() -> None:
    for role in ("web", "worker"):
        service = services()[role]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_the_workers_health_is_its_heartbeat_and_its_queue_and_not_its_process() -> None:
    health = services()["worker"]["healthcheck"]
    assert health["test"] == ["CMD", "agent-fix", "worker", "--check"]
    assert health["retries"] >= 2


def test_only_the_web_port_is_published_and_only_on_loopback() -> None:
    assert {name: s["ports"] for name, s in services().items() if "ports" in s} == {"web": ["127.0.0.1:8000:8000"]}


def test_secrets_come_from_files_each_role_its_own() -> None:
    assert services()["web"]["env_file"] == ["secrets/store.env", "secrets/web.env"]
    assert services()["worker"]["env_file"] == ["secrets/store.env", "secrets/worker.env"]
    inline = {n: set(s.get("environment", {})) for n, s in services().items()}
    assert inline == {
        "web": set(),
        "worker": {"AGENT_FIX_GITHUB_PRIVATE_KEY_FILE", "DOCKER_CERT_PATH"},
        "redis": set(),
        "postgres": {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE"},
    }


def test_the_image_ends_as_a_user_that_is_not_root_on_a_base_of_the_builders_choice() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert "FROM ${BASE_IMAGE}" in lines
    assert [line for line in lines if line.startswith("USER")][-1] == "USER 10001:10001"
    assert any("--require-hashes" in line for line in lines)
