"""`agent-fix` as a person types it, each time in a process of its own: forked by one that has imported every command,
because that takes longer than most of what they are asked here."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from app.cli.commands import COMMANDS
from app.cli.main import main

OWN = ("AGENT_FIX_", "ANTHROPIC_")
"""Variables of whoever runs the tests that no command may see."""


class CommandLine:
    """Runs one command after the other; what it says is read from files in `folder`."""

    def __init__(self, server: subprocess.Popen[str], folder: Path) -> None:
        self._server = server
        self._folder = folder

    def __call__(
        self, *arguments: object, cwd: str | Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        argv = ["agent-fix", *map(str, arguments)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        asked = {"argv": argv, "environment": {**kept, **environment}, "cwd": str(cwd or Path.cwd())}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(f"{json.dumps(asked)}\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        said = [(self._folder / name).read_text() for name in ("out", "err")]
        return subprocess.CompletedProcess(argv, code, *said)


@contextmanager
def command_line() -> Iterator[CommandLine]:
    with TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "tests.support.command_line", folder]
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            yield CommandLine(server, Path(folder))


def serve(folder: Path) -> None:
    """A line of JSON asks for a command, its exit code is the answer; till the end of the input."""
    for found in COMMANDS.values():
        import_module(found.partition(":")[0])
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            run(json.loads(line), folder)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def run(asked: Mapping[str, Any], folder: Path) -> NoReturn:
    """This process becomes the command."""
    for descriptor, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["cwd"])
    sys.argv = asked["argv"]
    main()
    sys.exit()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
