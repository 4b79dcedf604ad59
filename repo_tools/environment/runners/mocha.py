"""mocha, with a reporter of our own (https://mochajs.org/#command-line-usage)."""

from repo_tools.environment.runners import aegir
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import COMPILERS, ScriptCommand, own_runner, parted, start_of
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_program import launched_in_program
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern

_PROGRAMS = ("mocha", "_mocha", "ts-mocha", "esmocha", "lb-mocha")
"""lb-mocha with settings of its own (https://www.npmjs.com/package/@loopback/build)."""
_EGG_BIN = {("egg-bin", "test"), ("egg-bin", "cov")}
"""mocha with what a project of its family needs around it, and mocha's options (https://github.com/eggjs/egg-bin)."""
_WITH_VALUE = frozenset((
    "-r", "--require", "-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-t", "--timeout",
    "--timeouts", "-u", "--ui", "-s", "--slow", "-g", "--grep", "-f", "--fgrep", "--file", "--extension",
    "--ignore", "--exclude", "-j", "--jobs", "--config", "--package", "--opts", "--retries", "--spec",
    "--import", "--loader", "--experimental-loader", "--watch-files", "--watch-ignore", "--compilers",
    "--globals", "--global", "-n", "--node-option", "--watch-extensions",
))  # fmt: skip
_NOT_OURS = frozenset((
    "-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-w", "--watch", "--watch-files",
    "--watch-ignore", "-b", "--bail", "-c", "--color", "--colors", "-p", "--parallel", "-j", "--jobs",
))  # fmt: skip


class MochaRunner(JavaScriptRunner):
    name = "mocha"

    def starts(self, script: ScriptCommand) -> bool:
        return bool(_start(script.words))

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start = _start(script.words)
        if not start:
            return launched_in_program(script, wanted, reporter=self.name)
        reporter = reporter_path(self.name)  # loaded before any test, because it is asked for twice
        ours = ["--require", reporter, "--reporter", reporter]
        if wanted.names:
            ours += ["--grep", name_pattern(wanted.names)]
        if start == aegir.START:
            words = aegir.aegir_words(script.words, tuple(ours), wanted.places)
            return self.reporting(script, words, wanted, instead_of=aegir.aegir_files(script.words))
        options, operands = parted(script.words[len(start) :], _NOT_OURS, _WITH_VALUE)
        words = (*start, *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _start(words: tuple[str, ...]) -> tuple[str, ...]:
    """What starts mocha; empty where something else is started."""
    if words[:2] == aegir.START:
        return aegir.START
    if words[:2] in _EGG_BIN:
        return ("egg-bin", "test")
    if own_runner(words, "mocha"):
        return words[:2]
    if words[:1] and words[0] in COMPILERS:
        return start_of(words, *_PROGRAMS)
    return words[:1] if words[:1] and words[0] in _PROGRAMS else ()
