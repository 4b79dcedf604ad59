"""The process around the test runner: no code of the repository ever runs in it, and nobody may look into it.

It takes its order from standard input, so that no argument and no variable of any process holds the key; and with it
the runner's variables, some of which would bring code of the repository in here (``LD_PRELOAD``).
"""

from __future__ import annotations

import ctypes
import glob
import hashlib
import hmac
import json
import os
import re
import selectors
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

READ_BYTES = 1 << 16
POLL_SECONDS = 0.2
PR_SET_DUMPABLE = 4  # prctl(2): 0 keeps other processes of the same user out of /proc/PID/mem and ptrace
CANNOT_START = 127  # as a shell says it


def main() -> None:
    order = json.loads(sys.stdin.buffer.read())
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.mkdir(order["folder"], 0o700)
    for path in matching(order["files"]):
        with suppress(OSError):
            os.unlink(path)
    code, said, results, silent = watch(order)
    files = read_files(order["files"], order["limit"])
    sign(order, {"code": code, "silent": silent, "said": len(said), "results": len(results)}, said + results, files)
    sys.exit(code)


def sign(order: dict[str, Any], facts: dict[str, Any], heard: bytes, files: dict[str, bytes]) -> None:
    head = {**facts, "files": [[path, len(content)] for path, content in files.items()]}
    body = json.dumps(head).encode() + b"\n" + heard + b"".join(files.values())
    mark = hmac.new(order["key"].encode(), body, hashlib.sha256).hexdigest().encode()
    with open(order["place"], "xb") as file:
        file.write(mark + body)


def watch(order: dict[str, Any]) -> tuple[int, bytes, bytes, float | None]:
    """The runner's exit code (128 + signal number), what it said live, its results; and, where it was ended because its
    time was over, for how long nothing had come."""
    said, to_say = os.pipe()
    results, to_write = os.pipe()
    argv = [a.replace("{said}", str(to_say)).replace("{results}", str(to_write)) for a in order["argv"]]
    output = subprocess.PIPE if order["hear_output"] else None
    variables = {**os.environ, **order["variables"]}
    variables["PATH"] = f"{order['programs']}:{variables['PATH']}"
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=output,
            pass_fds=(to_say, to_write),
            env=variables,
            start_new_session=True,  # tests may signal their whole process group
        )
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return CANNOT_START, b"", b"", None
    with child:
        os.close(to_say)
        os.close(to_write)
        hand_over(child, order["nonce"].encode() if order["hand_nonce"] else b"")
        clock = Clock(order["seconds"])
        heard = listen(child, (said, results), order["limit"], clock)
        shown = heard[child.stdout.fileno()] if child.stdout else heard[results]
        clock.await_end(child)
        code = child.wait()
    return (code if code >= 0 else 128 - code), heard[said], shown, clock.silent


class Clock:
    """Ends a child whose time is over: what descends from it ends with the box's command."""

    def __init__(self, seconds: float) -> None:
        self._heard = time.monotonic()
        self._deadline = self._heard + seconds
        self.silent: float | None = None

    def heard(self) -> None:
        self._heard = time.monotonic()

    def check(self, child: subprocess.Popen[bytes]) -> None:
        now = time.monotonic()
        if now >= self._deadline and self.silent is None:
            self.silent = now - self._heard
            child.kill()

    def await_end(self, child: subprocess.Popen[bytes]) -> None:
        while child.poll() is None:
            self.check(child)
            time.sleep(POLL_SECONDS / 10)


def hand_over(child: subprocess.Popen[bytes], nonce: bytes) -> None:
    if child.stdin is not None:
        with suppress(BrokenPipeError), child.stdin:
            child.stdin.write(nonce)


def listen(child: subprocess.Popen[bytes], readers: tuple[int, ...], limit: int, clock: Clock) -> dict[int, bytes]:
    """What comes through each pipe until `child` ends, whoever else holds it; little more than `limit` is kept. Its
    output, where that is heard, is passed on."""
    output = child.stdout.fileno() if child.stdout else None
    heard = {reader: bytearray() for reader in (*readers, *([] if output is None else [output]))}
    with selectors.DefaultSelector() as selector:
        for reader in heard:
            selector.register(reader, selectors.EVENT_READ)
        while selector.get_map():
            clock.check(child)
            ended = child.poll() is not None
            ready = selector.select(0 if ended else POLL_SECONDS)
            if ended and not ready:
                break
            for key, _ in ready:
                part = os.read(key.fd, READ_BYTES)
                if not part:
                    selector.unregister(key.fd)
                elif len(heard[key.fd]) <= limit:
                    heard[key.fd] += part
                if key.fd == output:
                    pass_on(part)
                clock.heard()
    return {reader: bytes(parts) for reader, parts in heard.items()}


def pass_on(part: bytes) -> None:
    while part:
        part = part[os.write(1, part) :]


def matching(patterns: list[str]) -> list[str]:
    found: set[str] = set()
    for pattern in patterns:
        top, deep, below = pattern.partition("**/")
        found.update(fitting(top or ".", below) if deep else glob.glob(pattern))
    return sorted(found)


def fitting(top: str, below: str) -> Iterator[str]:
    """The files anywhere under `top` whose path ends as `below` says. No link is followed: two that lead back would
    have more paths than can be walked."""
    middle = r"(?:/.+)?/".join(map(translated, below.split("/**/")))
    end = re.compile(rf"(?:.*/)?{middle}", re.DOTALL)
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if end.fullmatch(path):
                yield path


def translated(pattern: str) -> str:
    """As a regular expression, in which a star crosses no folder."""
    return "[^/]*".join(map(re.escape, pattern.split("*")))


def read_files(patterns: list[str], limit: int) -> dict[str, bytes]:
    """Regular files alone, no link among them; little more than `limit` bytes in all."""
    files: dict[str, bytes] = {}
    left = limit
    for path in matching(patterns):
        if left < 0:
            break
        with suppress(OSError):
            files[path] = read_file(path, left + 1)
            left -= len(files[path])
    return files


def read_file(path: str, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no regular file")
        return file.read(most)


if __name__ == "__main__":
    main()
