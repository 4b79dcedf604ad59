"""karma, with settings of our own around the repository's (https://karma-runner.github.io/latest/config/), by itself or
as Angular's program starts it (https://angular.dev/cli/test).

Its tests run in a page: of a browser where the image has one, else of jsdom. Nobody tells in which file a test stands.
"""

import json
from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, start_of, without_options
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted
from repo_tools.sandbox.contract import ENVIRONMENT

PAGE = f"{ENVIRONMENT}/page"
"""Where set-up leaves a link to a browser, or installs jsdom."""
WITH_VALUE = frozenset(
    ("--browsers", "--reporters", "--log-level", "--port", "--capture-timeout", "--format-error", "--configuration")
)
_NOT_OURS = frozenset(
    (
        *("--single-run", "--singleRun", "--no-single-run", "-sr", "--auto-watch", "--no-auto-watch", "--watch"),
        *("--no-watch", "--browsers", "--reporters", "--progress", "--no-progress", "--config", "--karma-config"),
        *("--code-coverage", "--codeCoverage", "--no-code-coverage", "--coverage", "-cc"),  # a reporter's
    )
)
_SUFFIXES = (".js", ".cjs", ".ts", ".coffee")
_BY_ANGULAR = ("ng", "test")
_OLD, _NEW = "--config=", "--karma-config="
"""Before Angular's release 6, and since."""
_MOST_FOLDERS = 12
"""Above a project: the old release takes every path for one below it."""


class KarmaRunner(JavaScriptRunner):
    name = "karma"
    selects = False

    def starts(self, script: ScriptCommand) -> bool:
        words = script.words
        return bool(_by_angular(words) or _starts(words))

    def check_selector(self, selector: str) -> None:
        raise ValueError(f"{selector[:200]!r} cannot be run alone: karma loads all tests into one page.")

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        ours = reporter_path(self.name)
        if option := _by_angular(script.words):
            settings = next(word for word in script.words if word.startswith(option)).removeprefix(option)
            own = without_options(script.words[2:], _NOT_OURS, WITH_VALUE)
            once = "--single-run" if option == _OLD else "--watch=false"
            up = "../" * _MOST_FOLDERS if option == _OLD else ""
            words = (*_BY_ANGULAR, *own, once, "--progress=false", f"{option}{up}{ours}")
        else:
            start = start_of(script.words, self.name)
            settings = _settings(script.words[len(start) :])
            own = without_options(script.words[len(start) + 1 :], _NOT_OURS, WITH_VALUE)
            words = (*start, "start", ours, *(word for word in own if word != settings))
        told = {"settings": settings, "page": PAGE}
        variables = {**script.variables, "AGENT_FIX_KARMA": json.dumps(told), "NG_CLI_ANALYTICS": "false"}
        return launched(replace(script, words=words, variables=variables), reporter=self.name)


def _by_angular(words: tuple[str, ...]) -> str:
    """The option that names karma's settings to Angular's program; empty where that is not asked to use karma."""
    given = words[2:] if words[:2] == _BY_ANGULAR else ()
    return next((option for option in (_OLD, _NEW) if any(word.startswith(option) for word in given)), "")


def _starts(words: tuple[str, ...]) -> bool:
    start = start_of(words, KarmaRunner.name)
    return bool(start) and words[len(start) : len(start) + 1] == ("start",)


def _settings(words: tuple[str, ...]) -> str:
    """The file that is named right after ``start``, or behind all options; empty where none is."""
    named = [word for word in (*words[1:2], *words[-1:]) if not word.startswith("-")]
    return next((word for word in named if word in words[1:2] or word.endswith(_SUFFIXES)), "")
