"""jasmine-node, which runs jasmine 1.3's suites, with a reporter of our own that starts it
(https://github.com/mhevery/jasmine-node)."""

from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted, start_of
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern, narrowed

_PROGRAM = "jasmine-node"
_PLACE = "--test-dir"
_WITH_VALUE = frozenset(("-m", "--match", "--output", "--requireJsSetup", _PLACE, "--watch"))
_NOT_OURS = frozenset(("--autotest", "--watch", "--growl", "--junitreport", "--output", "--teamcity"))


class JasmineNodeRunner(JavaScriptRunner):
    name = "jasmine_node"

    def starts(self, script: ScriptCommand) -> bool:
        return bool(start_of(script.words, _PROGRAM))

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start = start_of(script.words, _PROGRAM)
        not_ours = _NOT_OURS | {_PLACE} if wanted.places else _NOT_OURS
        words, settings = _settings_of(script.words[len(start) :])
        options, operands = parted(words, not_ours, _WITH_VALUE)
        words = ("node", *start[1:-1], reporter_path(self.name), *options, *(wanted.places or operands))
        asked = {"AGENT_FIX_PATTERN": name_pattern(wanted.names)} if wanted.names else {}
        variables = {**script.variables, **settings, **narrowed(wanted), **asked}
        told = replace(script, words=words, variables=variables)
        return launched(told, reporter=self.name, expand=True, instead_of=operands)


def _settings_of(words: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words without each ``--config NAME VALUE``, and the variables that these set."""
    rest, settings, left = list[str](), dict[str, str](), list(words)
    while left:
        if left[0] == "--config" and len(left) > 2:
            settings[left[1]] = left[2]
            del left[:3]
        else:
            rest.append(left.pop(0))
    return tuple(rest), settings
