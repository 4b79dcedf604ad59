"""What stands between the watcher and a JavaScript test runner: its beginning.

Builds what the tests need first, and hands the results' pipe to the runner alone, which takes it through its reporter.
Suites that only print (TAP) are run file by file here, and never hold the pipe at all.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from repo_tools.environment.box_programs.javascript.before import carried_out_twice, programs
from repo_tools.environment.box_programs.javascript.each_file import MOST_HEARD_BYTES, run_each, run_file, tell
from repo_tools.environment.box_programs.javascript.releases import as_its_release_knows, without_old_options
from repo_tools.environment.box_programs.javascript.words import (
    as_compiled,
    expanded,
    filled_in,
    moved,
    told_by_commands,
    with_variables,
)


def main() -> None:
    said, results, order = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    for descriptor in (said, results):
        os.set_inheritable(descriptor, False)
    os.environ["PATH"] = ":".join([*programs(os.getcwd()), os.environ.get("PATH", "")])
    write(order["folder"], order["files"])
    began_in = os.getcwd()
    variables = {name: filled_in(value, {**os.environ, "PWD": began_in}) for name, value in order["variables"].items()}
    for name in ("argv", "each", "own"):
        order[name] = order[name] and with_variables(order[name], dict(os.environ), order["before"])
    for command in order["before"]:
        if code := carried_out_twice(command, os.path.join(order["folder"], "state"), order["installed"]):
            os.write(said, json.dumps(["before", command, code]).encode() + b"\n")
            sys.exit(1)
    os.environ.update(variables)
    sys.exit(run(order, began_in, results))


def write(folder: str, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        with open(os.path.join(folder, name), "x") as file:
            file.write(text)


def run(order: dict[str, Any], began_in: str, results: int) -> int:
    """The exit code; the runner that takes the pipe comes in the place of this program, and ends with its own."""
    first, *words = order["argv"]
    words = told_by_commands([first, *as_compiled([moved(word, began_in) for word in words], order["own"])])
    argv = without_old_options(expanded(words) if order["expand"] else words)
    if order["each"] is not None:
        patterns = as_compiled([moved(pattern, began_in) for pattern in order["each"]], order["own"])
        return run_each(argv, told_by_commands(patterns), results)
    if order["heard"]:
        return tell(results, ".", run_file(argv, MOST_HEARD_BYTES))
    os.set_inheritable(results, True)
    os.environ["AGENT_FIX_RESULTS"] = f"{os.getpid()}:{results}"
    argv = as_its_release_knows(argv)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return 127
