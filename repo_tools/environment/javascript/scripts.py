"""What a package's scripts come to: which commands run its tests, and which build what the tests need. Pure.

Scripts are followed (``npm run x``), chains are cut into their parts, and what only lints, measures coverage or talks
to a service is left out: it decides nothing about whether a test passes.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from repo_tools.environment.javascript.chains import (
    branches_of,
    split_chain,
    started_together,
    unless,
    with_patterns,
    without_loops,
    without_redirections,
)
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.programs import BUILDERS, IDLE, TASKS, needs_browser
from repo_tools.environment.runners.javascript_command import (
    ScriptCommand,
    is_script,
    program_name,
    split_operands,
    without_wrappers,
)
from repo_tools.environment.runners.jest import FRAMEWORKS
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE

NAMES = (
    *("test", "tests-only", "test:unit", "test:node", "test-unit", "unit", "unit-test", "unit-tests", "test-node"),
    *("test:js", "test:ci", "test-ci", "test:run", "tests", "tests:unit", "tests:only", "test:only", "mocha", "jest"),
    *("vitest", "tape", "tap"),
)
"""Scripts that may run tests, the likeliest first."""
PARTS_OF_TESTS = re.compile(
    r"(?:tests?|unit)[:_-](?!.*(?:e2e|browser|watch|update|debug|perf|bench|smoke|fuzz|type|ecosystem|integration)).*"
)
"""Scripts that run some of the tests, where the whole is a program of its own."""

_NO_TESTS = re.compile(r"no test|(?<!\|\| )exit 1|^\s*(?:true|exit 0|:)\s*$")
_IDLE_SCRIPT = re.compile(
    r"(?:pre|post)?(?:lint|format|prettier|typecheck|type-check|types:check|coverage|audit|size)(?:[:_-].*)?"
)
_RUN = re.compile(
    r"(?:npm|pnpm|yarn|bun) (?:run|run-script|rum) (?:-s |--silent |--if-present )*(?P<name>[\w:./-]+)(?P<rest>.*)"
)
_SHORT = re.compile(
    r"npm (?P<name>t|tst|test|it)(?P<rest>(?: .*)?)|(?:yarn|pnpm) (?:--silent )?(?P<other>[\w:./-]+)(?P<more>.*)"
)
_MAKE = re.compile(r"make (?:-s |--silent |--no-print-directory )*(?P<target>[\w.-]+)")
_ALL = re.compile(r"(?:run-s|run-p|npm-run-all|run-z)\s+(?P<names>.*)")
_ALIKE = re.compile(r"pnpm (?:run )?/(?P<names>.+)/")  # https://pnpm.io/cli/run#running-multiple-scripts
_EVERYWHERE = re.compile(
    r"(?:(?:npx|pnpm|yarn|npm exec) )?(?:lerna|turbo|nx|wsrun|ultra|rush|wireit)\b.*|yarn workspaces? .*"
    r"|npm (?:.* )?(?:--workspaces?|-ws?)\b.*"
    r"|(?:npm|pnpm|yarn|bun) (?=.*(?:--prefix|-C|--dir|--cwd)[ =])(?=(?:.* )?(?:t|tst|test)(?:[ :]|$)).*"
    r"|bun (?:run )?(?:--filter|-F)[ =].*"  # https://bun.com/docs/pm/filter
    r"|pnpm(?: run| test| -[\w-]+(?:=\S+)?)*? (?:-r|--recursive|-F|--filter|recursive|multi|m)(?:[ =].*)?"
)
_ELSEWHERE = re.compile(
    r"cd (?!\.\.|-|/)\S+ && (?:(?:npm|yarn|pnpm) (?:install|ci|i) && )?"
    r"(?:npm|yarn|pnpm) (?:run |run-script )?(?:t|tst|test)(?:[ :][^&]*)?"
)
"""A script of the one member that is gone to."""
_INSTALLS_HERE = re.compile(
    r"(?:npm|pnpm|bun) (?:install|i|ci|add)(?:\s(?!.*(?:--prefix|-C|--dir|--cwd)\b).*)?"
    r"|yarn(?:\s(?=install|add|--)(?!.*--cwd\b).*)?"
)
"""Set-up has installed before tests are run, and these have no network."""
_TESTS = re.compile(
    r"(?:run[-_:])?(?:tests?|specs?|unit)(?![a-z])"
    r"(?!.*(?:build|compile|transpile|bundle|prepare|setup|generate|clean|install|fixtures?))"
)
_NO_TASK_OF_TESTS = re.compile(
    r"(?i:build|compil|dist|bundl|pack|lint|jshint|jscs|style|format|clean|prepar|generat|install|doc|serve|watch|all$)"
)
_TEST_PROGRAM = re.compile(
    r"(?:\./)?(?:tests?|specs?)/(?!.*(?:build|compil|bundl|creat|generat|make|mk|prepar|setup|set-up|fixture|download"
    r"|fetch|install|init|server|clean|copy|update|helper|util|start|stop))[\w.-]+\.[cm]?js"
)
_NPM_BIN = re.compile(r"(?:\$\((?:npm|yarn) bin\)|`(?:npm|yarn) bin`)/")
_INSTALLS = frozenset(("install", "install-deps", "verify", "cache", "serve"))
"""What programs of tests in a browser do besides."""
_OF_COVERAGE = (("report",), ("check-coverage",), ("merge",), ("instrument",))
_MOST_STEPS = 40
_MOST_COMMANDS = 500
_MOST_PARTS = 50
_MOST_WILDCARDS = 2
_MOST_REPEATED = 1
_REPEATED_GROUP = re.compile(r"\)[*+?{]")

BY_EXIT_CODE = "PATH=$PWD/node_modules/.bin:$PATH; "
"""What stands before a script of which only the exit code is known."""

Recognise = Callable[[ScriptCommand], str | None]
"""The name of the runner that understands a command; None where it is no test command."""


@dataclass(frozen=True)
class Suite:
    """One test command of a package. `everywhere`: it runs the scripts of a workspace's members."""

    command: ScriptCommand
    runner: str
    source: str
    everywhere: bool = False


@dataclass(frozen=True)
class Scripted:
    """What scripts come to. `left_out`: what belongs to the tests and is not run, and why, for a person."""

    suites: tuple[Suite, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def has_runner(self) -> bool:
        """Whether more than an exit code will be known."""
        return any(suite.runner != "exit_code" for suite in self.suites)


def scripts_everywhere(suites: tuple[Suite, ...], packages: tuple[Package, ...]) -> tuple[str, ...]:
    """Scripts of tests that the root starts in the members of its workspace, as far as these have them
    (``nx affected --targets=test:lib,build``, ``turbo run test``)."""
    said = (" ".join(suite.command.words) for suite in suites if suite.everywhere)
    named = dict.fromkeys(word for text in said for word in re.split(r"[\s,='\"]+", text))
    theirs = {name for package in packages for name in package.scripts}
    return tuple(name for name in named if name in theirs and (name in NAMES or PARTS_OF_TESTS.fullmatch(name)))


def scripted_by(names: tuple[str, ...], package: Package, recognise: Recognise) -> Scripted:
    """The commands that these scripts of `package` come to."""
    found = [_of_script(name, package, recognise) for name in names]
    known = [each for each in found if each.has_runner] or found
    suites = tuple(suite for each in known for suite in each.suites)
    return Scripted(suites, tuple(dict.fromkeys(text for each in known for text in each.left_out)))


def scripted(package: Package, recognise: Recognise, of_ci: tuple[str, str] = ("", "")) -> Scripted:
    """The commands that test `package`: those of the first script that comes to any, or, where no runner of these is
    known, of the first one with a runner that is. `of_ci`: a script that goes before all, and where it is run in the
    place of ``test``."""
    if of_ci[0] and (found := _of_script(of_ci[0], package, recognise)).has_runner:
        told = f"{package.path} scripts.test, which no workflow runs: {of_ci[1]} runs {of_ci[0]}"
        return replace(found, left_out=(told, *found.left_out)) if of_ci[1] else found
    whole = next((found for name in NAMES if (found := _of_script(name, package, recognise)).suites), Scripted())
    if not whole.suites or whole.has_runner:
        return whole
    others = (*NAMES, *sorted(filter(PARTS_OF_TESTS.fullmatch, package.scripts))[:_MOST_PARTS])
    part = next((found for name in others if (found := _of_script(name, package, recognise)).has_runner), None)
    if part is None:
        return whole
    stands = part.suites[0].source
    told = f"{whole.suites[0].source}, of which only the exit code would be known, but for {stands}"
    return replace(part, left_out=(told, *part.left_out))


def made_by(name: str, package: Package) -> tuple[str, ...]:
    """Commands that a script comes to, without what decides nothing about tests; as they are written."""
    return _Walk(package, lambda _: None).others(name)


def _of_script(name: str, package: Package, recognise: Recognise) -> Scripted:
    text = package.scripts.get(name, "")
    return _Walk(package, recognise).scripted(name) if text and not _NO_TESTS.search(text) else Scripted()


def browser_tests(package: Package) -> str:
    """What of its scripts runs tests in a browser, for a person; empty where none does."""
    for name in sorted(package.scripts, key=lambda name: (name not in NAMES, name)):
        for part in split_chain(package.scripts[name]):
            words = _words(part)[1]
            if needs_browser(words) and not _INSTALLS.intersection(words[1:2]):
                return f"{package.path} scripts.{name} (`{part[:100]}`)"
    return ""


class _Walk:
    """Through the scripts of one package, from one of them."""

    def __init__(self, package: Package, recognise: Recognise) -> None:
        self._path = package.path
        self._scripts = package.scripts
        self._recognise = recognise
        self._before: list[str] = []
        self._tests: set[str] = set()  # of those before, the ones that run a script of tests in a way that nobody knows
        self._others: set[str] = set()  # of those before, the ones that are called tests, and so build nothing
        self._programs: dict[str, str] = {}  # of those before, the repository's own tests -> with their builds
        self._used: set[str] = set()  # of those before, the ones that are run before a suite
        self._in_a_browser = False  # whether anything was passed over that needs one
        self._steps = 0
        self._commands = 0

    def scripted(self, name: str) -> Scripted:
        found = tuple(self._script(name, ()))
        unknown = [text for text in self._before if text in self._tests or _may_test(text)]
        unknown = unknown or [text for text in self._before if _is_task(text)]
        if found:
            found += tuple(
                self._by_exit_code(whole, name) for text, whole in self._programs.items() if text in self._used
            )
        if found or not unknown:
            why = f"{self._path} scripts.{name}, what no known test runner runs"
            unused = dict.fromkeys(text for text in unknown if text not in self._used)
            return Scripted(found, tuple(f"{why}: {text}" for text in unused))
        kept = [text for text in self._before if text in unknown or _is_build(text)]
        return Scripted((self._by_exit_code(" && ".join(kept), name),))

    def others(self, name: str) -> tuple[str, ...]:
        """What a script comes to besides suites."""
        for _ in self._script(name, ()):
            pass
        return tuple(self._before)

    def _by_exit_code(self, text: str, name: str) -> Suite:
        command = ScriptCommand(("sh", "-c", f"{BY_EXIT_CODE}{text}"))
        return Suite(command, "exit_code", f"package.json scripts.{name}")

    def _script(self, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """`more`: words that come after it, for the last command in it."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return
        if before := self._scripts.get(f"pre{name}"):
            yield from self._before_script(before, f"pre{name}")
        yield from self._chain(self._scripts.get(name, ""), name, more)

    def _before_script(self, text: str, name: str) -> Iterator[Suite]:
        """Where it goes to holds for itself alone: what comes after it begins in the package's folder again."""
        known = len(self._before)
        found = list(self._chain(text, name, ()))
        if not found and any(map(_goes, self._before[known:])):
            does = not all(map(_goes, self._before[known:]))
            self._before[known:] = [f"({' && '.join(self._before[known:])})"] if does else []
        yield from found

    def _chain(self, text: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        parts = split_chain(text)
        if (plain := without_loops(text)) != text and self._runs_each(plain):
            parts = split_chain(plain)
        if (branches := branches_of(parts)) != parts:
            yield from self._branches(text, branches, name, more)
            return
        for index, part in enumerate(parts):
            if _ELSEWHERE.fullmatch(" && ".join(parts[index:])):
                yield Suite(ScriptCommand(("sh", "-c", text)), "", f"package.json scripts.{name}", everywhere=True)
                return
            last = more if index == len(parts) - 1 else ()
            yield from self._under_condition(part, name, last) if unless(part) else self._part(part, name, last)

    def _runs_each(self, text: str) -> bool:
        """Whether the commands of node in it are of a runner that takes file by file."""
        named = [words for part in split_chain(text) if (words := _words(part)[1])[:1] == ("node",)]
        return all(self._recognise(ScriptCommand(words)) == "tap" for words in named)

    def _branches(self, text: str, branches: list[str], name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """What holds under a condition stands for itself where it tests; else it cannot be taken apart."""
        known = len(self._before)
        found = [suite for branch in branches for suite in self._part(branch, name, more)]
        del self._before[known:]
        if not found:
            self._before.append(text)
        yield from found

    def _under_condition(self, part: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """A build that is not always wanted (``[ -n "$CI" ] || npm run build``) stays as it is written."""
        known = len(self._before)
        yield from self._part(unless(part), name, more)
        if self._before[known:]:
            self._before[known:] = [part]

    def _part(self, part: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        self._commands += 1
        variables, words = _words(part, self._is_followed) if self._commands <= _MOST_COMMANDS else ({}, ())
        if not words:
            return
        set_inside, words = self._without_manager(words)
        variables = {**variables, **set_inside}
        text = " ".join(words)
        if _EVERYWHERE.fullmatch(text):
            yield Suite(ScriptCommand(words), "", f"package.json scripts.{name}", everywhere=True)
        elif together := started_together(words):
            for each in together:
                yield from self._part(each, name, ())
        elif names := self._followed(text):
            yield from self._follow(part, names, variables)
        elif _is_idle((*words, *more)) or _is_type_check(words) or _is_idle_report(words):
            self._in_a_browser |= needs_browser((*words, *more))
        elif not _INSTALLS_HERE.fullmatch(text) or any(map(_goes, self._before)):
            builds = dict.fromkeys(text for text in self._before if text not in self._others)
            command = ScriptCommand((*words, *more), tuple(builds), variables)
            runner = self._recognise(command)
            if runner:
                self._used.update((*builds, *self._programs))
                yield Suite(command, runner, f"package.json scripts.{name}: {part}")
            else:
                self._before.append(part)
                if _is_test_program(words):
                    self._others.add(part)
                    self._programs[part] = " && ".join((*builds, part))

    def _without_manager(self, words: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
        """(variables that are set, the command): what a manager starts (``pnpm eslint .``), where that is known and no
        script."""
        if words[0] not in ("yarn", "pnpm") or self._is_followed(words) or self._recognise(ScriptCommand(words)):
            return {}, words
        variables, inside = without_wrappers(words)
        known = inside and (_is_idle(inside) or _is_type_check(inside) or self._recognise(ScriptCommand(inside)))
        return (variables, inside) if known else ({}, words)

    def _is_followed(self, words: tuple[str, ...]) -> bool:
        text = " ".join(words)
        return bool(_EVERYWHERE.fullmatch(text) or self._followed(text))

    def _followed(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """The scripts that a command runs, each with further words."""
        if found := _ALL.fullmatch(text):
            wanted = [word.strip("'\"") for word in found["names"].split() if not word.startswith("-")]
            return [(name, ()) for word in wanted for name in self._named(word)]
        if found := _ALIKE.fullmatch(text):
            return [(name, ()) for name in self._alike(found["names"])]
        if found := _RUN.fullmatch(text):
            return [(found["name"], _further(found["rest"]))] if found["name"] in self._scripts else []
        if found := _MAKE.fullmatch(text):
            name = f"make {found['target']}"  # as `recipes` names it
            return [(name, ())] if name in self._scripts else []
        if found := _SHORT.fullmatch(text):
            name = found["other"] or "test"
            return [(name, _further(found["more"] or found["rest"] or ""))] if name in self._scripts else []
        return []

    def _named(self, word: str) -> list[str]:
        """``test:*`` stands for several; one that would take too long to match, for none."""
        if len(re.findall(r"\*+", word)) > _MOST_WILDCARDS:
            return []
        pattern = re.compile(re.escape(word).replace(r"\*\*", ".*").replace(r"\*", "[^:]*"))
        return [name for name in self._scripts if pattern.fullmatch(name)]

    def _alike(self, expression: str) -> list[str]:
        """None where the expression may take longer than anybody waits."""
        if _REPEATED_GROUP.search(expression) or len(re.findall(r"[*+?{(]", expression)) > _MOST_REPEATED:
            return []
        try:
            return [name for name in self._scripts if re.search(expression, name)]
        except re.error:
            return []

    def _follow(
        self, part: str, names: list[tuple[str, tuple[str, ...]]], variables: dict[str, str]
    ) -> Iterator[Suite]:
        for name, more in names:
            if _IDLE_SCRIPT.fullmatch(name):
                continue
            known = len(self._before)
            before, self._in_a_browser = self._in_a_browser, False
            found = list(self._script(name, more))
            for suite in found:
                yield replace(suite, command=_with_variables(suite.command, variables, self._before[:known]))
            of_it = self._before[known:]
            unused = self._in_a_browser and _TESTS.match(name) and all(_goes(text) or _is_build(text) for text in of_it)
            self._in_a_browser |= before
            if not found and (unused or all(map(_goes, of_it))):
                del self._before[known:]
            elif not found:  # it builds: as a whole, and as it is called
                called = part if len(names) == 1 else f"npm run {name}"
                if _TESTS.match(name):
                    self._others.add(called)
                    self._tests |= set() if all(map(_is_build, of_it)) else {called}
                del self._before[known:]
                self._before.append(called)


def _with_variables(command: ScriptCommand, variables: dict[str, str], earlier: list[str]) -> ScriptCommand:
    """What is set where a script is started holds for what that builds too, and not for what came `earlier`."""
    own = [text for text in command.before if text not in earlier]
    told = [f"export {name}={shlex.quote(value)}" for name, value in variables.items() if own]
    before = (*(text for text in command.before if text in earlier), *told, *own)
    return replace(command, before=before, variables={**variables, **command.variables})


def _words(
    part: str, is_inside: Callable[[tuple[str, ...]], bool] = lambda _: False
) -> tuple[dict[str, str], tuple[str, ...]]:
    """`is_inside`: as `without_wrappers` takes it."""
    try:
        words = tuple(shlex.split(_NPM_BIN.sub("node_modules/.bin/", without_redirections(with_patterns(part)))))
    except ValueError:
        return {}, ()
    if (words[:1] and _RUN.fullmatch(" ".join(words))) or _SHORT.fullmatch(" ".join(words)):
        return {}, words
    return without_wrappers(words, is_inside)


def _further(rest: str) -> tuple[str, ...]:
    words = tuple(rest.split())
    return words[1:] if words[:1] == ("--",) else words


def _is_idle(words: tuple[str, ...]) -> bool:
    """Also where a script of the repository only starts it: ``node bin/with-settings.js eslint .``"""
    if words[0] == "node" and len(words) > 2 and is_script(words[1]):
        return _is_idle(without_wrappers(words[2:])[1] or ("node",))
    if words[0] == "make" and len(words) > 1:
        return all(map(_IDLE_SCRIPT.fullmatch, words[1:]))
    if words[0] in ("npm", "yarn", "pnpm") and words[1:2] == ("link",):  # of nothing that the tests' box could write
        return True
    if words[0] in FRAMEWORKS and len(words) > 1:
        return bool(_IDLE_SCRIPT.fullmatch(words[1]))
    return words[0] in IDLE or needs_browser(words)


def _is_type_check(words: tuple[str, ...]) -> bool:
    return words[0] in ("tsc", "vue-tsc") and any(word.lower() in ("--noemit", "-noemit") for word in words)


def _is_idle_report(words: tuple[str, ...]) -> bool:
    """``nyc report``, ``c8 check-coverage``: taken apart they begin with the command of the wrapper."""
    coverage = words[1:] if words[0] == "istanbul" else words
    return coverage[:1] in _OF_COVERAGE or words[:2] == ("npm", "audit")


def _may_test(text: str) -> bool:
    """What only builds does not; a runner of tasks does where its task is called so, or has no name."""
    _, words = _words(text)
    if not _is_build(text):
        return True
    tasks = [word for word in words[1:] if not word.startswith("-")]
    return program_name(words[0]) in TASKS and (not tasks or any(map(_TESTS.match, tasks))) if words else False


def _is_task(text: str) -> bool:
    """A task that a script of tests comes to, whatever it is called (``grunt execSpecsInNode``), and no build."""
    words = _words(text)[1]
    tasks = [word for word in words[1:] if not word.startswith("-")]
    return words[:1] in (("grunt",), ("gulp",), ("jake",)) and not any(map(_NO_TASK_OF_TESTS.search, tasks))


def _is_test_program(words: tuple[str, ...]) -> bool:
    """``node test/compress.js``: it stands among the tests, and is called after nothing that they only need."""
    file = next(iter(split_operands(words[1:], NODE_WITH_VALUE)[1]), "")
    return words[0] == "node" and bool(_TEST_PROGRAM.fullmatch(file))


def _goes(text: str) -> bool:
    return text.startswith("cd ")


def _is_build(text: str) -> bool:
    _, words = _words(unless(text) or text)
    return not words or bool(BUILDERS.fullmatch(program_name(words[0])))
