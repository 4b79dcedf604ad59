"""The base image of the Docker sandbox: Pythons, Node, git, what builds most packages with C and C++ in them, and the
languages that the operator wants.

The container engine may have no way to an image registry; then the same image is made from Debian's packages. A box
is always started by image id: a tag may move.
"""

import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO

from docker import DockerClient
from docker.errors import ImageNotFound

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import ENVIRONMENT, HOME, WORKSPACE
from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.docker_policy import USER_ID
from repo_tools.sandbox.image_pull import pull
from repo_tools.sandbox.languages import packages_of, wants_backports
from repo_tools.sandbox.mmdebstrap import mmdebstrap
from repo_tools.sandbox.pythons import COMPILED, FURTHER, unpack_pythons

REPOSITORY = "agent-fix-sandbox"
RECIPE = "10"
"""Raised with each change of what is in the image."""
TAG = f"{REPOSITORY}:{RECIPE}"

FURTHER_PLACE = "/opt"
FROM = "python:3.11-slim-bookworm"
_TOOLS = (
    "autoconf", "automake", "ca-certificates", "g++", "gcc", "git", "libc6-dev", "libgmock-dev", "libtool", "make",
    "bzip2", "curl", "file", "less", "media-types", "nodejs", "npm", "openssh-client", "patch", "procps", "unzip",
    "pkg-config", "xz-utils", "zip",
    "default-libmysqlclient-dev", "libffi-dev", "libjpeg-dev", "libpq-dev", "libxml2-dev", "libxslt1-dev",
)  # fmt: skip
"""What builds, also psycopg2 and mysqlclient, which have no wheels for Linux, and releases of lxml, Pillow and cffi of
before an interpreter's day; and what tests take for granted on a machine of a developer or of a CI service."""
_DEBIAN_PYTHON = ("netbase", "python-is-python3", "python3", "python3-dev", "python3-pip", "python3-venv", "tzdata")
"""What `FROM` has of its own: its Python, and the names of protocols, services and time zones."""
_PREPARE = (
    f"useradd --uid {USER_ID} --home-dir {HOME} --no-create-home --shell /bin/sh sandbox"
    f" && mkdir {WORKSPACE} {ENVIRONMENT} && chown {USER_ID}:{USER_ID} {WORKSPACE} {ENVIRONMENT}"
    ' && sed -i "s/^hosts:.*/hosts: files dns files/" /etc/nsswitch.conf'
)
"""No box has anyone to ask for a name: without the last line each would be one that is not known for now (EAI_AGAIN),
and tests of hosts that do not exist (ENOTFOUND) be red. What is looked up last says that a name does not exist; where
an image is built on top of this one, there is somebody to ask."""
_FURTHER = "".join(
    f"COPY --from=python:{python.version}-slim-bookworm /usr/local {FURTHER_PLACE}/{python.name}\n"
    for python in FURTHER
)
"""They start wherever they lie."""
_WITH_BACKPORTS = "sed -i 's/^Suites: bookworm /&bookworm-backports /' /etc/apt/sources.list.d/debian.sources && "
_BACKPORTS_HOOK = (
    '--setup-hook=sed -n "s/ bookworm / bookworm-backports /p" "$1/etc/apt/sources.list"'
    ' > "$1/etc/apt/sources.list.d/backports.list"'
)
_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Say = Callable[[str], None]
"""Takes one line of progress."""


def find_image(client: DockerClient, name: str | None = None) -> str:
    """The id of the base image: `name`, or the one that `build_image` makes. SandboxError with the remedy."""
    wanted = name or TAG
    remedy = "set AGENT_FIX_SANDBOX_IMAGE to one that is there" if name else "run `agent-fix sandbox build`"
    with engine_call(f"look up the image {wanted}"):
        try:
            return str(client.images.get(wanted).id)
        except ImageNotFound:
            pass
    raise SandboxError(f"the container engine does not have the sandbox image {wanted}: {remedy}")


def build_image(
    client: DockerClient, languages: Collection[str] = (), *, name: str = TAG, say: Say = lambda _: None
) -> str:
    """Make the base image, with these of `LANGUAGES`, under `name` and return its id: from a registry's Python image,
    else from Debian packages."""
    if can_pull(client, FROM, say):
        _build_from_dockerfile(client, name, dockerfile(languages), say)
    else:
        _build_from_packages(client, name, languages, say)
    image = find_image(client, name)
    say(f"built {name}, {image}")
    return image


def dockerfile(languages: Collection[str] = ()) -> str:
    return f"""\
FROM {FROM}
{_FURTHER}\
RUN {_WITH_BACKPORTS if wants_backports(languages) else ""}apt-get update \\
 && apt-get install -y --no-install-recommends {" ".join(_TOOLS + packages_of(languages))} \\
 && rm -rf /var/lib/apt/lists/*
RUN for each in /usr/local {FURTHER_PLACE}/python*; do \
    $each/bin/python3 {" ".join(COMPILED)} -x site-packages $each/lib/python3.*; done
RUN {_PREPARE}
"""


def can_pull(client: DockerClient, name: str, say: Say) -> bool:
    """Whether the engine has the image now."""
    say(f"pulling {name}")
    problem = pull(client, name)
    if problem:
        say(f"{name} cannot be pulled: {problem}")
    return not problem


def _build_from_dockerfile(client: DockerClient, name: str, text: str, say: Say) -> None:
    """With the classic builder, which every engine has."""
    with engine_call("build the sandbox image"):
        lines = client.api.build(
            fileobj=io.BytesIO(text.encode()), tag=name, rm=True, forcerm=True, decode=True,
            network_mode=_build_network(client),
        )  # fmt: skip
        for line in lines:
            if problem := line.get("error"):
                raise SandboxError(f"building the sandbox image failed: {problem}")
            if text := line.get("stream", "").strip():
                say(text)


def _build_network(client: DockerClient) -> str:
    """The engine's default network for the build's package downloads; the host's where it runs without a bridge."""
    return "default" if client.networks.list(names=["bridge"]) else "host"


def _build_from_packages(client: DockerClient, name: str, languages: Collection[str], say: Say) -> None:
    _find_mmdebstrap(name)
    with tempfile.TemporaryDirectory(prefix="agent-fix-image-") as folder:
        pythons = unpack_pythons(Path(folder), FURTHER_PLACE, say)
        copied = (f"--customize-hook=copy-in {' '.join(map(str, pythons))} {FURTHER_PLACE}",) if pythons else ()
        hooks = (_BACKPORTS_HOOK, *copied) if wants_backports(languages) else copied
        import_from_packages(client, name, _TOOLS + _DEBIAN_PYTHON + packages_of(languages), hooks, say)


def import_from_packages(
    client: DockerClient, name: str, packages: tuple[str, ...], hooks: tuple[str, ...], say: Say
) -> None:
    """Make the image `name` with mmdebstrap, on this machine; what it makes is imported only after it has ended well.
    `hooks`: further options of mmdebstrap."""
    _find_mmdebstrap(name)
    with tempfile.TemporaryFile(prefix="agent-fix-image-") as archive:
        _debootstrap(archive, packages, hooks, say)
        archive.seek(0)
        say("importing the image")
        with engine_call(f"import the image {name}"):
            client.api.import_image(archive, *name.split(":"), changes=[f"ENV {_PATH}"])


def _find_mmdebstrap(name: str) -> None:
    if shutil.which("mmdebstrap") is None:
        raise SandboxError(
            f"the image {name} can neither be pulled nor made from packages: give the container engine a way to a"
            " registry, install mmdebstrap (Debian, Ubuntu), or name an image that is there in the settings"
        )


def _debootstrap(archive: IO[bytes], packages: tuple[str, ...], hooks: tuple[str, ...], say: Say) -> None:
    say("making the image from Debian's packages")
    options = (
        "--variant=minbase", f"--include={','.join(packages)}", *hooks,
        f"--customize-hook=chroot \"$1\" sh -c '{_PREPARE}'", "--format=tar", "bookworm", "-",
    )  # fmt: skip
    try:
        mmdebstrap(*options, into=archive)
    except subprocess.CalledProcessError as error:
        raise SandboxError(f"mmdebstrap failed: {error.stderr[-2_000:]}") from error
