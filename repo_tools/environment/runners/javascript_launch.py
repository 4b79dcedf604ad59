"""How a JavaScript runner is started: through a small program that builds first and then hands the pipe over."""

import json
from importlib.resources import files

from repo_tools.environment.javascript.layer import PLACE
from repo_tools.environment.runners.contract import FOLDER, RESULTS, SAID, RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.sandbox.source import as_one_program

RESULTS_FILE = f"{FOLDER}/results"
"""For a runner that starts itself anew, and so loses the pipe."""

_TEXTS = files("repo_tools.environment.box_programs")
_PACKAGE = "repo_tools.environment.box_programs.javascript"
_MODULES = ("before", "words", "releases", "each_file", "start")
_SOURCES = {f"{_PACKAGE}.{name}": (files(_PACKAGE) / f"{name}.py").read_text("utf-8") for name in _MODULES}
_LAUNCH = as_one_program(_SOURCES, f"{_PACKAGE}.start")
_ACCOUNT = (_TEXTS / "account.js").read_text("utf-8")


def reporter_text(name: str) -> str:
    """The source of one of our reporters, complete."""
    return _ACCOUNT + (_TEXTS / f"{name}_reporter.js").read_text("utf-8")


def reporter_path(name: str) -> str:
    return f"{FOLDER}/{name}_reporter.cjs"


def launched(
    script: ScriptCommand, *, reporter: str = "", expand: bool = False, instead_of: tuple[str, ...] = ()
) -> RunOrder:
    """`script` with the reporter of that name in place; `expand`: its patterns, as a shell would have; `instead_of`:
    as of a `RunOrder`."""
    texts = {f"{reporter}_reporter.cjs": reporter_text(reporter)} if reporter else {}
    return _order(script, texts, None, instead_of, expand=expand)


def launched_file_by_file(script: ScriptCommand, patterns: tuple[str, ...], instead_of: tuple[str, ...]) -> RunOrder:
    """`script` once for each file that `patterns` name, each heard alone."""
    return _order(script, {}, patterns, instead_of, expand=False)


def launched_as_one(script: ScriptCommand, instead_of: tuple[str, ...]) -> RunOrder:
    """`script` once, with its patterns as a shell would have them, and heard as a whole."""
    return _order(script, {}, None, instead_of, expand=True, heard=True)


def _order(
    script: ScriptCommand,
    texts: dict[str, str],
    patterns: tuple[str, ...] | None,
    instead_of: tuple[str, ...],
    *,
    expand: bool,
    heard: bool = False,
) -> RunOrder:
    own = patterns is None and not heard
    variables = {**script.variables}
    if own:
        variables["AGENT_FIX_RESULTS_FILE"] = RESULTS_FILE
    order = {
        "folder": FOLDER,
        "files": texts,
        "variables": variables,
        "before": script.before,
        "installed": PLACE,
        "argv": script.words,
        "each": patterns,
        "own": instead_of,
        "expand": expand,
        "heard": heard,
    }
    argv = ("python3", "-I", "-S", "-c", _LAUNCH, SAID, RESULTS, json.dumps(order))
    return RunOrder(argv, files=(RESULTS_FILE,), instead_of=instead_of, hand_nonce=own)
