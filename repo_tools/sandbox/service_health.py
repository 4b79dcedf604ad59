"""Waiting for the servers of a box, from inside of it: what counts is that its own programs reach them."""

import json
import time
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from repo_tools.errors import SandboxError, ServiceError
from repo_tools.sandbox.contract import Layer, Sandbox
from repo_tools.sandbox.service import Offer, Service, label_of, left_out, port_of

NO_SERVICES = Offer()
HEALTHY_SECONDS = 90.0
"""Until every service answers, from its start; a first start of RabbitMQ or MySQL takes some ten of them."""
LOOK_SECONDS = 1.0
"""How long one look takes; between looks it is asked whether the servers still run."""
GIVEN_UP_SECONDS = 3600.0
"""As long as a run may take, by the usual budget."""
PATIENCE_SECONDS = 5.0
ANSWER_SECONDS = 30.0
LAST_LINES = 15


class GivenUp:
    """Services that were only found and did not come up, by the environment of their box. Its next boxes do without
    them at once: no run waits again and again, nor compares tests that had a server with tests that had none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: list[tuple[float, str, Service, str]] = []

    def watch(self, layer: Layer | None, offer: Offer) -> "ServiceWatch":
        """Over those of `offer` that are worth a try in a box with `layer`."""
        key = layer.key if layer else ""
        since = self._clock() - GIVEN_UP_SECONDS
        self._known = [entry for entry in self._known if entry[0] > since]
        absent = [(service, note) for _, of, service, note in self._known if of == key and service in offer.services]
        kept = tuple(service for service in offer.services if service not in [each for each, _ in absent])
        return ServiceWatch(
            Offer(kept, (*offer.notes, *(note for _, note in absent))),
            lambda service, note: self._known.append((self._clock(), key, service, note)),
        )


class ServiceWatch:
    """Over the services of one box: that they come up, and what people are told of them."""

    def __init__(
        self, offer: Offer = NO_SERVICES, on_giving_up: Callable[[Service, str], None] = lambda _service, _note: None
    ) -> None:
        self.services = offer.services
        self.notes = offer.notes
        self._on_giving_up = on_giving_up

    def wait_until_healthy(self, box: Sandbox, ended: Callable[[Service], bool], log: Callable[[Service], str]) -> None:
        """`ended`: whether a server is no longer running; `log`: what it said. ServiceError, with its last lines."""
        deadline = time.monotonic() + HEALTHY_SECONDS
        missing = {port_of(service): service for service in self.services}
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
        self.services = tuple(other for other in self.services if other != service)
        note = left_out(service, ServiceError(why))
        self.notes += (note,)
        self._on_giving_up(service, note)

    def silent(self, box: Sandbox) -> tuple[str, ...]:
        """Those that do not answer a client inside the box, after some patience: tests may leave them busy."""
        problems = look(box, list(self.services), PATIENCE_SECONDS) if self.services else {}
        return tuple(f"{label_of(s)}: {problems[port_of(s)]}" for s in self.services if port_of(s) in problems)


@cache
def probe() -> str:
    return files(__package__).joinpath("service_probe.py").read_text("utf-8")


def look(box: Sandbox, services: list[Service], seconds: float) -> dict[int, str]:
    """Port -> why the server there does not answer, within `seconds`."""
    wanted = json.dumps([(service.kind, port_of(service)) for service in services])
    argv = ["python3", "-I", "-S", "-c", probe(), wanted, str(seconds)]
    result = box.exec(argv, timeout_seconds=seconds + ANSWER_SECONDS, cwd="/")
    try:
        problems = dict(json.loads(result.output))
    except (ValueError, TypeError, RecursionError) as error:
        raise SandboxError(f"the box cannot look at its services: {result.output[-500:]!r}") from error
    return {port: str(problems[str(port)]) for port in map(port_of, services) if str(port) in problems}


def failure(service: Service, problem: str, ended: bool, log: str) -> str:
    how = "ended" if ended else f"does not answer ({problem})"
    said = "\n".join(log.strip().splitlines()[-LAST_LINES:])
    return f"The service {label_of(service)} {how}.\n{said}".strip()
