"""The base image; it is made by `make test`, not here, because making it takes half a minute."""

from collections.abc import Iterator

import pytest
from docker import DockerClient

from repo_tools.environment.contract import Tool
from repo_tools.environment.tools import choose, offered
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, Sandbox
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.image import FURTHER_PLACE, TAG, dockerfile, find_image
from repo_tools.sandbox.pythons import FURTHER, FurtherPython
from tests.support.engine import require_docker
from tests.support.long import first_of

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    engine = DockerEngine(docker_host=require_docker())
    with engine.start(BoxSpec(writable_environment=True)) as box:
        yield box
    engine.close()


def test_the_image_is_found_by_its_tag_and_named_by_its_id(client: DockerClient) -> None:
    assert find_image(client) == find_image(client, TAG)
    assert find_image(client).startswith("sha256:")


def test_a_missing_image_names_the_remedy(client: DockerClient) -> None:
    with pytest.raises(
        SandboxError, match="does not have the sandbox image nobody/nothing:1: set AGENT_FIX_SANDBOX_IMAGE"
    ):
        find_image(client, "nobody/nothing:1")


def test_the_image_names_no_certificate_proxy_or_key(client: DockerClient) -> None:
    history = client.api.history(find_image(client))
    text = " ".join(f"{step['CreatedBy']} {step['Comment']}" for step in history).lower()
    assert not any(word in text for word in ("proxy", "cert=", "token", ".pem"))
    variables = client.api.inspect_image(find_image(client))["Config"]["Env"]
    assert {entry.split("=")[0] for entry in variables} <= {
        "PATH",
        "LANG",
        "GPG_KEY",
        "PYTHON_VERSION",
        "PYTHON_SHA256",
    }


@pytest.mark.parametrize(
    "command",
    [
        "python3 --version",
        "git --version",
        "gcc --version",
        "g++ --version",
        "make --version",
        "npm --version",
        "ls /etc/ssl/certs/ca-certificates.crt",
        "getent protocols tcp",
        "getent services https",
        "ls /usr/share/zoneinfo/Europe/Berlin",
        "pg_config --includedir",
        "mysql_config --cflags",
        "xslt-config --cflags",
        "pkg-config --exists libffi libjpeg",
    ],
)
def test_the_image_has_what_set_up_needs(box: Sandbox, command: str) -> None:
    assert box.exec(command.split(), timeout_seconds=20).exit_code == 0


@pytest.mark.parametrize("program", ["python", "ps", "less", "file", "patch", "unzip", "xz", "curl", "ssh-keygen"])
def test_the_image_has_the_programs_that_tests_take_for_granted(box: Sandbox, program: str) -> None:
    assert box.exec(["sh", "-c", f"command -v {program}"], timeout_seconds=20).exit_code == 0


def test_a_python_environment_can_be_made_and_c_code_be_built(box: Sandbox) -> None:
    made = box.exec(["python3", "-m", "venv", "/env/venv"], timeout_seconds=60)
    assert made.exit_code == 0, made.output
    box.write("/workspace/module.c", b"#include <Python.h>\nint main(void) { return 0; }\n")
    flags = box.exec(["python3", "-c", "import sysconfig; print(sysconfig.get_path('include'))"], timeout_seconds=20)
    include = flags.output.decode().strip()
    built = box.exec(["gcc", f"-I{include}", "-c", "module.c", "-o", "module.o"], timeout_seconds=60)
    assert built.exit_code == 0, built.output


EXTENSION = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "spam", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_spam(void) { return PyModule_Create(&module); }
"""
BUILD = """
set -e
"$1" -m venv --copies "$2"
cd "$2" && printf '%s' "$3" > spam.c && bin/python -c "import pip"
ask() { bin/python -c "import sysconfig; print(sysconfig.$1)"; }
gcc -shared -fPIC -I"$(ask "get_path('include')")" spam.c -o "spam$(ask "get_config_var('EXT_SUFFIX')")"
bin/python -c "
import bz2, ctypes, curses, hashlib, lzma, readline, sqlite3, ssl, sys, spam
print(*sys.version_info[:2], sep='.')"
"""


@pytest.mark.parametrize("python", first_of(FURTHER), ids=lambda python: python.version)
def test_a_further_python_is_whole_and_builds_extensions_and_environments(box: Sandbox, python: FurtherPython) -> None:
    own = f"{FURTHER_PLACE}/{python.name}/bin/{python.name}"
    done = box.exec(["sh", "-c", BUILD, "sh", own, f"/env/{python.name}", EXTENSION], timeout_seconds=120)
    assert done.output.decode().split() == [python.version]


@pytest.mark.parametrize("python", ["python3", *(f"{FURTHER_PLACE}/{each.name}/bin/{each.name}" for each in FURTHER)])
def test_what_a_python_has_of_its_own_is_compiled(box: Sandbox, python: str) -> None:
    text = "import email, os, sys, unittest; sys.exit(not all(os.path.isfile(m.__cached__) for m in (email, unittest)))"
    assert box.exec([python, "-c", text], timeout_seconds=20).exit_code == 0


@pytest.mark.parametrize(("asked", "taken"), [("<3.10", "3.9"), ("", "3.11"), (">=3.12", "3.13")])
def test_of_the_images_pythons_the_one_that_is_asked_for_is_taken(box: Sandbox, asked: str, taken: str) -> None:
    tools = (Tool("python", asked, "pyproject.toml"),)
    assert choose(tools, offered(box, tools))["python"].version.startswith(f"{taken}.")


def test_the_box_user_has_a_name(box: Sandbox) -> None:
    assert box.exec(["id", "-un"], timeout_seconds=20).output == b"sandbox\n"


def test_the_dockerfile_starts_from_a_named_release_and_cleans_up() -> None:
    text = dockerfile()
    assert text.startswith("FROM python:3.11-slim-bookworm\n")
    assert "\nCOPY --from=python:3.13-slim-bookworm /usr/local /opt/python3.13\nRUN " in text
    assert "rm -rf /var/lib/apt/lists/*" in text
    assert "for each in /usr/local /opt/python*; do" in text
    assert "/hosts: files dns files/" in text  # an image on top of it downloads packages
