"""Suites that only print: one file after the other, each heard to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from repo_tools.environment.box_programs.javascript.before import WORKSPACE
from repo_tools.environment.box_programs.javascript.words import files_of, matching

READ_BYTES = 1 << 16
MOST_KEPT_BYTES = 4 << 20  # of one file's output
MOST_SAID_BYTES = 4096  # of one file's errors, the last
MOST_HEARD_BYTES = 24 << 20  # of all files' at once
NO_FILES = 125


def run_each(argv: list[str], patterns: list[str], results: int) -> int:
    """Run every file alone, and write what it printed and how it ended, one JSON line each."""
    paths = _wanted_files(patterns)
    worst = 0 if paths else NO_FILES
    for path in paths:
        worst = max(worst, tell(results, path, run_file([*argv, path])))
    return worst


def _wanted_files(patterns: list[str]) -> list[str]:
    left_out = {path for pattern in patterns if pattern.startswith("!") for path in matching(pattern[1:])}
    asked = [pattern for pattern in patterns if not pattern.startswith("!")]
    wanted = [path for pattern in asked for path in files_of(pattern)] or asked[:1]
    return [path for path in dict.fromkeys(wanted) if path not in left_out]


def tell(results: int, path: str, run: dict[str, Any]) -> int:
    """Its exit code."""
    line = {"path": os.path.relpath(os.path.abspath(path), WORKSPACE), **run}
    rest = json.dumps(line).encode() + b"\n"
    while rest:
        rest = rest[os.write(results, rest) :]
    code: int = run["code"]
    return code


def run_file(argv: list[str], most: int = MOST_KEPT_BYTES) -> dict[str, Any]:
    """How it ended: its exit code, standard output, whether that is all of it, and the end of its standard error."""
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return {"code": 127, "text": "", "whole": True}
    kept, errors = bytearray(), bytearray()
    lost: list[int] = []
    ways: list[tuple[Any, ...]] = [(child.stdout, 1, kept, lost, most), (child.stderr, 2, errors, [], most)]
    readers = [threading.Thread(target=hear, args=way, daemon=True) for way in ways]
    for reader in readers:
        reader.start()
    code = child.wait()
    for reader in readers:
        reader.join(2.0)  # what it left running may hold its output for ever
    text, said = (bytes(each).decode("utf-8", "replace") for each in (kept, errors[-MOST_SAID_BYTES:]))
    return {"code": code if code >= 0 else 128 - code, "text": text, "whole": not lost, "errors": said}


def hear(stream: Any, place: int, kept: bytearray, lost: list[int], most: int) -> None:
    while part := os.read(stream.fileno(), READ_BYTES):
        if len(kept) < most:
            kept += part
        else:
            lost.append(len(part))
        with suppress(OSError):
            os.write(place, part)
