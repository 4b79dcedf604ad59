"""A runner that reports, started once for each file of its suite: a loop of the script's shell did so."""

from __future__ import annotations

import ctypes
import json
import os
import sys

from repo_tools.environment.box_programs.javascript.each_file import NO_FILES, wanted_files
from repo_tools.environment.box_programs.javascript.releases import as_its_release_knows

PR_SET_DUMPABLE = 4  # prctl(2): 0 keeps what is started here out of this program's memory and descriptors


def run_each_that_reports(argv: list[str], patterns: list[str], results: int) -> int:
    """The worst exit code. Each process is handed the nonce and the pipe as the only one of a suite would be."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    nonce = sys.stdin.buffer.read()
    paths = wanted_files(patterns)
    argv = as_its_release_knows(argv)
    write_all(results, nonce + json.dumps(["runs", len(paths)]).encode() + b"\n")
    worst = 0 if paths else NO_FILES
    for path in paths:
        worst = max(worst, run_one([*argv, path], nonce, results))
        pass_on(os.environ["AGENT_FIX_RESULTS_FILE"], results)
    return worst


def run_one(argv: list[str], nonce: bytes, results: int) -> int:
    to_read, to_write = os.pipe()
    write_all(to_write, nonce)
    os.close(to_write)
    child = os.fork()
    if not child:
        start(argv, to_read, results)
    os.close(to_read)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def start(argv: list[str], to_read: int, results: int) -> None:
    try:
        os.dup2(to_read, 0)
        os.set_inheritable(results, True)
        os.environ["AGENT_FIX_RESULTS"] = f"{os.getpid()}:{results}"
        os.execvp(argv[0], argv)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
    finally:
        os._exit(127)


def pass_on(file: str, results: int) -> None:
    """What one that starts itself anew, and so lost the pipe, wrote."""
    if os.path.exists(file):
        with open(file, "rb") as written:
            write_all(results, written.read())
        os.unlink(file)


def write_all(descriptor: int, rest: bytes) -> None:
    while rest:
        rest = rest[os.write(descriptor, rest) :]
