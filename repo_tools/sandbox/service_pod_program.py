"""Runs as the user of a bubblewrap box, outside of it, in the network namespace that the box shares with its services:
starts them and the box, and ends with the box. Given to a Python as text, with its plan as one argument in JSON.

``services``: [argv, descriptor of a file for its log] of each; ``box``: argv, whose word `HOSTS` becomes a descriptor
from which ``hosts`` is read; ``processes``, ``open_files``: limits of a service.
"""

import json
import os
import resource
import subprocess
import sys
import threading
from typing import Any

HOSTS = "<hosts>"
LOG_BYTES = 65536
ENDED = b"\n[the server has ended with %d]\n"


def restrict(processes: int, open_files: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))


def keep_beginning(process: "subprocess.Popen[bytes]", said: int, log: int) -> None:
    """Of what a server says; all the rest is read and dropped."""
    room = LOG_BYTES
    while data := os.read(said, LOG_BYTES):
        os.write(log, data[:room])
        room -= min(room, len(data))
    os.write(log, ENDED % process.wait())


def start_service(argv: "list[str]", plan: "dict[str, Any]") -> "tuple[subprocess.Popen[bytes], int]":
    """The process, and where to read what it says."""
    said, says = os.pipe()
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=says,
        stderr=says,
        preexec_fn=lambda: restrict(plan["processes"], plan["open_files"]),  # noqa: PLW1509 - no thread runs yet
    )
    os.close(says)
    return process, said


def start_box(argv: "list[str]", hosts: str) -> "subprocess.Popen[bytes]":
    reader, writer = os.pipe()
    os.write(writer, hosts.encode())
    os.close(writer)
    return subprocess.Popen([str(reader) if word == HOSTS else word for word in argv], pass_fds=[reader])


def main(plan: "dict[str, Any]") -> None:
    box = start_box(plan["box"], plan["hosts"])
    started = [(*start_service(argv, plan), log) for argv, log in plan["services"]]
    for arguments in started:
        threading.Thread(target=keep_beginning, args=arguments, daemon=True).start()
    box.wait()
    os._exit(0)  # the services die with their parent


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
