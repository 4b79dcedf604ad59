"""What an operator is told of the services that are at hand, and of servers that are less than what was asked for."""

from pathlib import Path
from typing import Any

import pytest

from repo_tools.errors import ServiceMissingError
from repo_tools.sandbox.service import Service, ServiceSources, offered
from repo_tools.sandbox.service_images import ServiceImage, ServiceImages
from repo_tools.sandbox.service_programs import ServicePrograms
from repo_tools.sandbox.service_survey import services_at_hand, surveyed
from tests.support.engine import require_docker

POSTGIS = Service("postgresql", richer="postgis/postgis:16")


def only(*kinds: str) -> Any:
    def look(service: Service) -> str:
        if service.kind not in kinds:
            raise ServiceMissingError(service.kind)
        return "Debian's MariaDB" if service.kind == "mysql" else ""

    return look


def test_each_kind_is_there_or_lacking_and_the_remedy_is_for_those_that_are() -> None:
    found = surveyed(only("postgresql", "mysql"), " ".join)
    assert found.shown == "at hand: PostgreSQL, MySQL (Debian's MariaDB); not: MariaDB, Redis, RabbitMQ"
    assert found.remedy == "mariadb redis rabbitmq"


def test_nothing_is_to_be_mended_where_all_are_there() -> None:
    found = surveyed(only("postgresql", "mysql", "mariadb", "redis", "rabbitmq"), " ".join)
    assert (found.lacking, found.remedy) == ((), "")


def test_nothing_at_all_is_told_too() -> None:
    assert surveyed(only(), " ".join).shown.startswith("none at hand; not: PostgreSQL")


def test_programs_of_the_operators_folder_are_at_hand_for_bubblewrap(tmp_path: Path) -> None:
    (tmp_path / "rabbitmq-server").write_text("#!/bin/sh\n")
    (tmp_path / "rabbitmq-server").chmod(0o755)
    found = services_at_hand("bubblewrap", ServiceSources(programs=tmp_path))
    assert "RabbitMQ" in found.there
    assert all("AGENT_FIX_SERVICE_PROGRAMS" in found.remedy for _ in found.lacking)


@pytest.mark.docker
def test_images_of_the_container_engine_are_at_hand() -> None:
    sources = ServiceSources(images={"redis": "agent-fix-there-is-no-such-image:1"})
    found = services_at_hand("docker", sources, require_docker())
    assert "Redis" in found.lacking
    assert "sandbox build --services" in found.remedy
    assert "redis" in found.remedy


def test_a_plain_server_instead_of_an_image_with_more_is_told(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("#!/bin/sh\n")
    (tmp_path / "postgres").chmod(0o755)
    told = "a plain PostgreSQL, without what postgis/postgis:16 has besides"
    assert ServicePrograms(tmp_path, system="/nowhere").check(POSTGIS) == told
    nothing: Any = None
    assert ServiceImages(nothing, {}).stand_in(POSTGIS, ServiceImage("sha256:1", own=False)) == told
    (note,) = offered([POSTGIS], lambda _: told).notes
    assert note == f"PostgreSQL (port 5432) is {told}."


def test_the_operators_own_image_may_have_it() -> None:
    nothing: Any = None
    images = ServiceImages(nothing, {"postgresql": "postgis/postgis:16"})
    assert images.stand_in(POSTGIS, ServiceImage("sha256:1", own=False)) == ""
