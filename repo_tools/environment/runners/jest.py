"""jest, with a reporter of our own (https://jestjs.io/docs/cli)."""

import re
from collections.abc import Iterator

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import COMPILERS, ScriptCommand, own_runner, parted, start_of
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern, pattern_of

_INSTALLED = re.compile(r"node_modules/(?:\.bin/jest$|jest/|jest-cli/)")
FRAMEWORKS = {
    "craco": "test",
    "dts": "test",
    "father": "test",
    "kcd-scripts": "test",
    "razzle": "test",
    "react-app-rewired": "test",
    "react-scripts": "test",
    "tsdx": "test",
    "vue-cli-service": "test:unit",
    "wp-scripts": "test-unit-js",
}
"""Programs around jest, each with its command that hands what it is told on to jest."""
_ALONE = ("jest", "rc-test", "umi-test")
"""jest, and programs around it that do nothing else (https://umijs.org, https://github.com/react-component)."""
_LOOSE = (*_ALONE[1:], "father")
"""They take what they are told for texts (``--coverage=false`` for a true one), and hand that on."""
_WITH_VALUE = frozenset((
    "-c", "--config", "-t", "--testNamePattern", "-w", "--maxWorkers", "--rootDir", "--env", "--testTimeout",
    "--testEnvironment", "--testPathPattern", "--testPathPatterns", "--coverageDirectory", "--coverageProvider",
    "--shard", "--outputFile", "--testRegex", "--moduleNameMapper", "--seed",
))  # fmt: skip
_WITH_VALUES = frozenset((
    "--projects", "--selectProjects", "--ignoreProjects", "--roots", "--setupFiles", "--setupFilesAfterEnv",
    "--reporters", "--coverageReporters", "--collectCoverageFrom", "--coveragePathIgnorePatterns",
    "--testMatch", "--testPathIgnorePatterns", "--modulePathIgnorePatterns", "--watchPathIgnorePatterns",
    "--transformIgnorePatterns", "--moduleFileExtensions", "--moduleDirectories", "--snapshotSerializers",
))  # fmt: skip
"""All words that follow, up to the next option, are theirs."""
_NOT_OURS = frozenset((
    "--watch", "--watchAll", "--coverage", "--collectCoverage", "--collect-coverage", "--coverageReporters",
    "--coverageDirectory", "--collectCoverageFrom", "--reporters", "--json", "--outputFile", "--color",
    "--colors", "--bail", "-b", "-u", "--updateSnapshot", "-o", "--onlyChanged", "--changedSince", "--silent",
    "--verbose", "--notify", "--ci",
))  # fmt: skip


class JestRunner(JavaScriptRunner):
    name = "jest"

    def starts(self, script: ScriptCommand) -> bool:
        return _is_jest(script.words)

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start, own = _start(script.words)
        options, operands = parted(tuple(_each_with_its_value(own)), _NOT_OURS, _WITH_VALUE)
        uncovered = "--no-coverage" if start[0] in _LOOSE else "--coverage=false"
        ours = [f"--reporters={reporter_path(self.name)}", "--reporters=default", "--ci", uncovered]
        ours.append("--no-bail")  # which settings may ask for, too
        if wanted.names:
            ours.append(f"--testNamePattern={name_pattern(wanted.names)}")
        named = tuple(f"/{pattern_of(path)}{'$' if _is_file_name(path) else '/'}" for path in wanted.places)
        words = (*start, *options, *ours, *(named or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _is_jest(words: tuple[str, ...]) -> bool:
    """By itself, through a framework, or as ``node --experimental-vm-modules node_modules/jest/bin/jest.js``, in whose
    place something that compiles may stand."""
    if (words and words[0] in _ALONE) or (words and words[1:2] == (FRAMEWORKS.get(words[0]),)):
        return True
    if words[:1] and words[0] in COMPILERS:
        return bool(start_of(words, "jest"))
    return words[:1] == ("node",) and (own_runner(words, "jest") or any(map(_INSTALLED.search, words)))


def _start(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what starts jest, its own arguments)."""
    if words[0] in COMPILERS:
        own = start_of(words, "jest")
        return own, words[len(own) :]
    if words[0] != "node":
        start = 1 if words[0] in _ALONE else 2
        return words[:start], words[start:]
    end = 2 if own_runner(words, "jest") else 1 + next(i for i, word in enumerate(words) if _INSTALLED.search(word))
    return words[:end], words[end:]


def _each_with_its_value(words: tuple[str, ...]) -> Iterator[str]:
    """``--projects a b`` as ``--projects=a --projects=b``."""
    option = ""
    for word in words:
        if word in _WITH_VALUES:
            option = word
        elif word.startswith("-"):
            option = ""
            yield word
        else:
            yield f"{option}={word}" if option else word


def _is_file_name(path: str) -> bool:
    return bool(re.search(r"\.[cm]?[jt]sx?$", path))
