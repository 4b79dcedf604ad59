"""What test suites take for granted of the machine that they run on, on every engine."""

import pytest

from repo_tools.sandbox.contract import SHARED_MEMORY_BYTES, BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import LIMITS, python, sh
from tests.support.engine import ENGINES_WITH_GVISOR

ENGINES = ENGINES_WITH_GVISOR


def test_the_machines_own_name_stands_for_an_address_of_its_own(box: Sandbox) -> None:
    program = """
import socket
name = socket.gethostname()
with socket.create_server((name, 0)) as server:
    socket.create_connection((name, server.getsockname()[1]), 5).close()
print(socket.gethostbyname(name), socket.getfqdn() == name)
"""
    assert python(box, program).output.decode() == "127.0.1.1 True\n"


@pytest.mark.parametrize("folder", ["/tmp", "/var/tmp", "/dev/shm"])
def test_folders_for_temporary_files_are_everybodys(box: Sandbox, folder: str) -> None:
    done = sh(box, f"touch {folder}/x && rm {folder}/x && stat -c %a {folder}")
    assert done.output == b"1777\n"


def test_shared_memory_is_of_one_size_everywhere(box: Sandbox) -> None:
    program = "import os\nroom = os.statvfs('/dev/shm')\nprint(room.f_blocks * room.f_frsize)"
    assert python(box, program).output == b"%d\n" % SHARED_MEMORY_BYTES


def test_folders_that_every_system_has_are_there(box: Sandbox) -> None:
    assert sh(box, "ls -d /home /mnt /opt /root /run /srv /var/cache /var/lib /var/log").exit_code == 0


def test_the_user_is_the_same_by_every_way_of_asking(box: Sandbox) -> None:
    program = """
import getpass, os, pwd
entry = pwd.getpwuid(os.getuid())
print({entry.pw_name, getpass.getuser(), os.environ["USER"], os.environ["LOGNAME"]} == {entry.pw_name})
print({entry.pw_dir, os.environ["HOME"], os.path.expanduser("~"), os.path.expanduser("~" + entry.pw_name)})
"""
    assert python(box, program).output == b"True\n{'/box'}\n"


def test_a_name_that_a_suite_gives_its_user_is_the_one(box: Sandbox) -> None:
    assert sh(box, 'echo "$USER"', environment={"USER": "somebody"}).output == b"somebody\n"


def test_the_names_that_hold_on_every_system_are_known(box: Sandbox) -> None:
    program = """
import grp, mimetypes, platform, pwd, socket
print(pwd.getpwnam("nobody").pw_uid, grp.getgrnam("nogroup").gr_gid, pwd.getpwnam("root").pw_dir)
print(socket.getservbyname("https"), mimetypes.guess_type("x.webp")[0], platform.freedesktop_os_release()["ID"] != "")
"""
    assert python(box, program).output == b"65534 65534 /root\n443 image/webp True\n"


def test_suites_can_commit_with_git_and_name_somebody_else(box: Sandbox) -> None:
    script = """
        git init --quiet repository && cd repository && git commit --quiet --allow-empty -m one
        git config user.name Somebody && git commit --quiet --allow-empty -m two
        HOME=/tmp git config --get user.email || echo nobody
        git log --format=%an
    """
    assert sh(box, script).output == b"nobody\nSomebody\nsandbox\n"


LISTEN = """
import socket, time
servers = [socket.create_server(("0.0.0.0", 7_000))]
if socket.has_dualstack_ipv6():
    servers.append(socket.create_server(("::", 7_001), family=socket.AF_INET6))
print("listens", flush=True)
time.sleep(600)
"""
REACH = """
import socket
for place in (("127.0.0.1", 7_000), ("127.0.1.1", 7_000), ("::1", 7_001), ("fd00:616e:6fff::1", 7_001)):
    try:
        socket.create_connection(place, 5).close()
        print("reached", place)
    except OSError:
        pass
print("done")
"""


def test_the_same_addresses_of_two_boxes_are_not_the_same_place(engine: SandboxEngine) -> None:
    """S06."""
    spec = BoxSpec(limits=LIMITS)
    with engine.start(spec) as one, engine.start(spec) as other:
        listening = one.open_process(["python3", "-c", LISTEN])
        assert listening.receive(timeout_seconds=60) == b"listens\n"
        assert b"reached ('127.0.1.1', 7000)" in python(one, REACH).output
        assert python(other, REACH).output == b"done\n"
