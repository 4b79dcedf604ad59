"""Waiting for the servers of a box, from inside of it: what counts is that its own programs reach them."""

import json
import time
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from repo_tools.errors import SandboxError, ServiceError
from repo_tools.sandbox.contract import Sandbox
from repo_tools.sandbox.service import Offer, Service, label_of, left_out, port_of

NO_SERVICES = Offer()
HEALTHY_SECONDS = 90.0
"""Until every service answers, from its start; a first start of RabbitMQ or MySQL takes some ten of them."""
LOOK_SECONDS = 1.0
"""How long one look takes; between looks it is asked whether the servers still run."""
PATIENCE_SECONDS = 5.0
ANSWER_SECONDS = 30.0
LAST_LINES = 15


class ServiceWatch:
    """Over the services of one box: that they come up, and what people are told of them."""

    def __init__(self, offer: Offer = NO_SERVICES) -> None:
        self._services = offer.services
        self.notes = offer.notes

    def wait_until_healthy(
        self,
        box: Sandbox,
        ended: Callable[[Service], bool],
        log: Callable[[Service], str],
        seconds: float = HEALTHY_SECONDS,
    ) -> None:
        """`ended`: whether a server is no longer running; `log`: what it said. ServiceError, with its last lines."""
        deadline = time.monotonic() + seconds
        missing = {port_of(service): service for service in self._services}
        while missing:
            problems = look(box, list(missing.values()), LOOK_SECONDS)
            for port, service in missing.items():
                if port in problems and (ended(service) or time.monotonic() > deadline):
                    self._give_up(service, failure(service, problems.pop(port), ended(service), log(service)))
            missing = {port: missing[port] for port in problems}

    def _give_up(self, service: Service, why: str) -> None:
        """Tests may do without one that was found, not asked for."""
        if service.required:
            raise ServiceError(why)
        self._services = tuple(other for other in self._services if other != service)
        self.notes += (left_out(service, ServiceError(why)),)

    def silent(self, box: Sandbox) -> tuple[str, ...]:
        """Those that do not answer a client inside the box, after some patience: tests may leave them busy."""
        problems = look(box, list(self._services), PATIENCE_SECONDS) if self._services else {}
        return tuple(f"{label_of(s)}: {problems[port_of(s)]}" for s in self._services if port_of(s) in problems)


@cache
def probe() -> str:
    return files(__package__).joinpath("service_probe.py").read_text("utf-8")


def look(box: Sandbox, services: list[Service], seconds: float) -> dict[int, str]:
    """Port -> why the server there does not answer, within `seconds`."""
    wanted = json.dumps([(service.kind, port_of(service)) for service in services])
    argv = ["python3", "-I", "-S", "-c", probe(), wanted, str(seconds)]
    result = box.exec(argv, timeout_seconds=seconds + ANSWER_SECONDS, cwd="/")
    try:
        return {int(port): str(problem) for port, problem in json.loads(result.output).items()}
    except ValueError as error:
        raise SandboxError(f"the box cannot look at its services: {result.output[-500:]!r}") from error


def failure(service: Service, problem: str, ended: bool, log: str) -> str:
    how = "ended" if ended else f"does not answer ({problem})"
    said = "\n".join(log.strip().splitlines()[-LAST_LINES:])
    return f"The service {label_of(service)} {how}.\n{said}".strip()
