"""The embedded broker: private, one a folder, dead with its parent."""

import os
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from repo_tools.errors import ConfigError
from tests.support.brokers import answered
from tests.support.celery_apps import closed_celery
from tests.support.processes import children_of, command_of, eventually, is_alive
from workers.broker import EmbeddedBroker, embedded_broker, running_broker
from workers.queue import broker_answers, ring, waiting_messages


def socket_of(broker: EmbeddedBroker) -> Path:
    return Path(urlsplit(broker.url).path)


def test_messages_wait_in_the_broker(broker: EmbeddedBroker) -> None:
    with closed_celery(broker.url) as celery:
        assert answered(lambda: waiting_messages(celery)) == 0
        ring(celery, "aaaaaaaaaaaa")
        ring(celery, "bbbbbbbbbbbb")
        assert answered(lambda: waiting_messages(celery)) == 2
        eventually(lambda: broker_answers(celery))


def test_only_this_user_reaches_the_socket_and_no_port_is_open(broker: EmbeddedBroker) -> None:
    path = socket_of(broker)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    (server,) = [pid for pid in children_of(os.getpid()) if "valkey" in command_of(pid)]
    inodes = sockets_of(server)
    assert inodes
    listening = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert not [row for row in listening if f"socket:[{row[9]}]" in inodes]


def sockets_of(pid: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found.add(link.readlink().name)
    return {name for name in found if name.startswith("socket:")}


def test_a_second_broker_in_one_folder_is_refused(tmp_path: Path) -> None:
    with embedded_broker(tmp_path), pytest.raises(ConfigError, match="in use"), embedded_broker(tmp_path):
        pass
    with embedded_broker(tmp_path):
        pass  # free again


def test_a_folder_whose_path_is_too_long_for_a_socket_still_works() -> None:
    with tempfile.TemporaryDirectory() as name:
        deep = Path(name) / ("x" * 100)
        with running_broker(deep) as broker:
            eventually(broker.ready)
            assert stat.S_IMODE(socket_of(broker).parent.stat().st_mode) == 0o700
            assert not socket_of(broker).is_relative_to(deep)
        assert not socket_of(broker).parent.exists()


def test_a_broker_that_went_leaves_a_folder_in_which_the_next_one_starts(tmp_path: Path) -> None:
    for _ in range(2):
        with running_broker(tmp_path) as broker:
            eventually(broker.ready)
        assert not broker.ready()


def test_the_broker_dies_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time, pathlib\n"
        "from workers.broker import running_broker\n"
        "with running_broker(pathlib.Path(sys.argv[1])):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    (server,) = children_of(parent.pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    eventually(lambda: not is_alive(server))
    with running_broker(tmp_path) as broker:  # the lock went with the process
        eventually(broker.ready)
