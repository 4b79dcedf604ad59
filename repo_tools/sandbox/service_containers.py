"""Services of a container box: side containers that share its network namespace, which has a loopback interface and
nothing else. They have what a box may have, and their tests' users may become their masters: a database's superuser
runs programs (``COPY … TO PROGRAM``)."""

import re
import uuid
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

from docker import DockerClient
from docker.models.containers import Container

from repo_tools.errors import SandboxError, SandboxUnavailableError, ServiceMissingError
from repo_tools.sandbox.contract import BoxSpec, Sandbox
from repo_tools.sandbox.docker_channel import attach, discard, let_go
from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.docker_policy import GVISOR, container_options
from repo_tools.sandbox.docker_violations import violations
from repo_tools.sandbox.sealed_channel import Channel
from repo_tools.sandbox.service import KINDS, Offer, Service, label_of, offered, port_of, variables_of
from repo_tools.sandbox.service_filter import FILTERED_BY_PERL
from repo_tools.sandbox.service_health import ServiceWatch
from repo_tools.sandbox.service_images import ServiceImage, ServiceImages
from repo_tools.sandbox.service_limits import SERVICE_LIMITS
from repo_tools.sandbox.service_scripts import script_of, told

SPEC = BoxSpec(limits=SERVICE_LIMITS)
LOG = {"Type": "json-file", "Config": {"max-size": "1m", "max-file": "1"}}
LOG_LINES = 40
RUN_FOLDERS = ("/run/postgresql", "/run/mysqld")
"""Where the registry's images keep sockets, besides what they declare as volumes."""
FIRST = "/docker-entrypoint-initdb.d"
"""What stands here the registry's images of databases run at their first start:
https://hub.docker.com/_/postgres#initialization-scripts"""
_ROLE = "do $$ begin create role \"{}\" superuser login password '{}'; exception when others then null; end $$;\n"
_USER = "create user if not exists '{0}'@'%' identified by '{1}';\ngrant all on *.* to '{0}'@'%' with grant option;\n"
_EXTENDED = 'do $$ begin create extension if not exists "{}"; exception when others then null; end $$;\n'
"""The image ends at the first statement that fails."""
MAKES_DATABASES = f'printf %s "$1" > {FIRST}/databases.sql && shift && exec "$@"'
KEEPER = r"""
trap 'exit 70' USR1
( "$@" </dev/null; kill -USR1 1 ) &
while read -r _; do :; done
"""
"""Process 1: it ends, and with it all others, when the worker lets go of its input or when the server has ended."""
DIFFERENCES = {"another program", "network", "names of hosts", "log on the host"}
OTHER_IMAGES_DIFFERENCES = {"root user", "volumes of others", "volumes without their size"}
"""Rules of boxes that a service is held to in a form of its own, see `service_violations`."""
NO_SHARING = (
    "The tests need {}, and gVisor gives each container a loopback interface of its own: services need the runtime "
    "runc (AGENT_FIX_SANDBOX_RUNTIME) or bubblewrap (AGENT_FIX_SANDBOX)."
)


def service_options(
    service: Service, image: ServiceImage, box: str, *, runtime: str, installation: str = ""
) -> dict[str, Any]:
    """Arguments of the SDK's `containers.create`, apart from image and name. `box`: the id of the box's container."""
    options = container_options(SPEC, runtime=runtime, installation=installation)
    options |= {"network_mode": f"container:{box}", "log_config": LOG, "environment": environment_of(service, image)}
    options |= {"entrypoint": ["sh", "-c", KEEPER, "sh", *FILTERED_BY_PERL], "command": command_of(service, image)}
    for name in ("hostname", "extra_hosts"):  # the box's
        del options[name]
    if not image.own:
        del options["working_dir"]
        options |= {"user": KINDS[service.kind].user, "tmpfs": other_image_volumes(service, image)}
    return options


def command_of(service: Service, image: ServiceImage) -> list[str]:
    if image.own:
        return ["sh", "-c", script_of(service.kind)]
    kind, variables = KINDS[service.kind], variables_of(service)
    said = [word for name, option in kind.options.items() if name in variables for word in (option, variables[name])]
    made = _made_first(service)
    first = ["sh", "-c", MAKES_DATABASES, "sh", made] if made else []
    return [*first, *image.entrypoint, *(word.format(port=port_of(service)) for word in kind.argv), *said]


def _made_first(service: Service) -> str:
    """Statements that the image's own program runs before the server takes connections."""
    accounts = [account.partition(":")[::2] for account in service.users]
    if service.kind == "postgresql":
        roles = "".join(_ROLE.format(*account) for account in accounts)
        made = "".join(f'create database "{name}";\n' for name in service.databases)
        extended = "".join(map(_EXTENDED.format, service.extensions))
        others = (f'\\connect "{name}"\n{extended}' for name in service.databases if extended)
        return roles + made + extended + "".join(others)
    made = "".join(f"create database if not exists `{name}`;\n" for name in service.databases)
    user = service.variables.get("MARIADB_USER") or service.variables.get("MYSQL_USER") or ""
    granted = service.databases if re.fullmatch(r"[\w.-]+", user) else ()
    made += "".join(f"grant all on `{name}`.* to '{user}'@'%';\n" for name in granted)
    return made + "".join(_USER.format(name, password) for name, password in accounts)


def environment_of(service: Service, image: ServiceImage) -> dict[str, str]:
    variables = variables_of(service)
    if image.own:
        return {**variables, **told(service)}
    settings = KINDS[service.kind].settings
    return {**variables, **{name: value.format(port=port_of(service)) for name, value in settings.items()}}


def other_image_volumes(service: Service, image: ServiceImage) -> dict[str, str]:
    """Sized memory wherever the image declares a volume: the engine would make one on its disk."""
    limits = SERVICE_LIMITS
    sizes = dict.fromkeys(("/tmp", *RUN_FOLDERS), limits.temporary_bytes)  # noqa: S108 - the container's own
    sizes |= dict.fromkeys(image.volumes, limits.workspace_bytes)
    sizes |= {FIRST: limits.temporary_bytes} if _made_first(service) else {}
    return {path: f"rw,exec,nosuid,nodev,size={size},mode=1777" for path, size in sizes.items()}


def service_violations(
    inspection: Mapping[str, Any], service: Service, image: ServiceImage, box: str, runtime: str
) -> tuple[str, ...]:
    """What `docker inspect` shows that no service may have; empty for a good one."""
    wanted = service_options(service, image, box, runtime=runtime)
    host, config = inspection["HostConfig"], inspection["Config"]
    allowed = DIFFERENCES if image.own else DIFFERENCES | OTHER_IMAGES_DIFFERENCES
    demands = {
        "another program": [*config["Entrypoint"], *config["Cmd"]] == [*wanted["entrypoint"], *wanted["command"]],
        "network": host["NetworkMode"] == wanted["network_mode"],
        "names of hosts": not (host["ExtraHosts"] or host["Dns"] or host["Links"]),
        "log on the host": host["LogConfig"] == LOG,
        "root user": config["User"] == wanted["user"] and not host["GroupAdd"],
        "volumes without their size": host["Tmpfs"] == wanted["tmpfs"],
        "volumes of others": not host["VolumesFrom"] and set(config.get("Volumes") or ()) <= host["Tmpfs"].keys(),
    }
    broken = [name for name in violations(inspection, SPEC, runtime) if name not in allowed]
    return (*broken, *(name for name, holds in demands.items() if not holds and name not in broken))


class SideContainer:
    """One service. It ends when this process lets go of its input, however this process ends."""

    def __init__(self, service: Service, container: Container) -> None:
        """Attach to a container that is not started yet."""
        self.service = service
        self._container = container
        self._input = attach(container, ("stdin",))  # kept: the SDK closes the connection when this goes

    def start(self) -> None:
        with engine_call("start a container"):
            self._container.start()

    def ended(self) -> bool:
        with engine_call("describe a container"):
            self._container.reload()
        return bool(self._container.status != "running")

    def log(self) -> str:
        with engine_call("read a container's log"):
            return bytes(self._container.logs(tail=LOG_LINES)).decode("utf-8", "replace")

    def close(self) -> None:
        """An engine that is away cannot remove the container; it ends with its input, and its label finds it."""
        let_go(self._input)
        with suppress(SandboxUnavailableError):
            discard(self._container)


class ContainerServices:
    """The services of boxes on one engine; `installation` is whose their containers are, as those of boxes."""

    def __init__(
        self,
        client: DockerClient,
        images: ServiceImages,
        runtime: str,
        installation: str = "",
        *,
        no_other_runtime: str = "",
    ) -> None:
        """`no_other_runtime`: why another than `runtime`, which could have services, is not taken."""
        self._client = client
        self._images = images
        self.runtime = runtime
        self._installation = installation
        self._no_other_runtime = no_other_runtime

    def offered(self, services: tuple[Service, ...]) -> Offer:
        """Those that can be had, before anything is started. ServiceError where one is missing that is required."""
        return offered(services, self._check_image)

    def _check_image(self, service: Service) -> str:
        if self.runtime == GVISOR:
            refusal = NO_SHARING.format(label_of(service))
            raise ServiceMissingError(f"{refusal} {self._no_other_runtime}".rstrip())
        return self._images.stand_in(service, self._images.find(service))

    def start(self, services: tuple[Service, ...], pod: "Pod", box: str) -> None:
        """Beside the container `box`, which runs. Who calls closes `pod`, whatever happens here."""
        for service in services:
            image = self._images.find(service)
            container = self._create(service, image, box)
            with ExitStack() as on_failure:
                on_failure.callback(discard, container)
                self._check(container, service, image, box)
                pod.add(SideContainer(service, container)).start()
                on_failure.pop_all()

    def _create(self, service: Service, image: ServiceImage, box: str) -> Container:
        options = service_options(service, image, box, runtime=self.runtime, installation=self._installation)
        with engine_call(f"create a container for {label_of(service)}"):
            return self._client.containers.create(image.id, name=f"agent-fix-{uuid.uuid4().hex}", **options)

    def _check(self, container: Container, service: Service, image: ServiceImage, box: str) -> None:
        with engine_call("describe a container"):
            container.reload()
        if found := service_violations(container.attrs, service, image, box, self.runtime):
            raise SandboxError(f"the engine made a container that no service may be: {', '.join(found)}")


class Pod:
    """`Channel` of a box whose services end with it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sides: dict[int, SideContainer] = {}

    def add(self, side: SideContainer) -> SideContainer:
        self._sides[port_of(side.service)] = side
        return side

    def wait_until_healthy(self, box: Sandbox, watch: ServiceWatch) -> None:
        """ServiceError, with what a service that does not come up said last."""
        sides = self._sides
        watch.wait_until_healthy(box, lambda s: sides[port_of(s)].ended(), lambda s: sides[port_of(s)].log())

    def send(self, data: bytes) -> None:
        self._channel.send(data)

    def receive(self, max_bytes: int, timeout_seconds: float) -> bytes:
        return self._channel.receive(max_bytes, timeout_seconds)

    def failure(self) -> str:
        return self._channel.failure()

    def close(self) -> None:
        for port in list(self._sides):
            self._sides.pop(port).close()
        self._channel.close()
