"""Through the scripts of one package, from one of them: what tests, what builds, and what decides nothing. Pure.

Scripts are followed (``npm run x``), chains are cut into their parts, and what only lints, measures coverage or talks
to a service is left out.
"""

from collections.abc import Iterator
from dataclasses import replace

from repo_tools.environment.javascript.chains import carried_out_in, in_shell, split_chain
from repo_tools.environment.javascript.elsewhere import apart, gone_to_test, is_away, is_test_script, only_installs
from repo_tools.environment.javascript.groups import in_braces, is_beside, is_choice, strict
from repo_tools.environment.javascript.loops import branches_of, without_loops
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.pipes import MOCHA, is_given_input
from repo_tools.environment.javascript.programs import is_in_installed_browser, needs_browser
from repo_tools.environment.javascript.script_calls import called_scripts, text_of
from repo_tools.environment.javascript.script_commands import (
    COVERAGE_SCRIPT,
    EVERYWHERE,
    IDLE_SCRIPT,
    INSTALLS_HERE,
    REMOVES_PACKAGES,
    SAYS_INSTALLED,
    TESTS,
    Recognise,
    goes,
    heard_alone,
    is_build,
    is_idle,
    is_idle_report,
    is_in_container,
    is_question,
    is_task,
    is_test_program,
    is_type_check,
    may_test,
    place_of,
    told_members,
    without_manager,
    words_of,
)
from repo_tools.environment.javascript.script_variables import with_variables
from repo_tools.environment.javascript.servers import Beside, aside, ends, started_beside
from repo_tools.environment.javascript.suite import BY_EXIT_CODE, Scripted, Suite
from repo_tools.environment.runners.javascript_command import EACH_FILE, ScriptCommand

_MOST_STEPS, _MOST_COMMANDS = 40, 500


class Walk:
    """Through the scripts of one package, from one of them."""

    def __init__(self, package: Package, recognise: Recognise, *, measured: bool = False) -> None:
        """`measured`: what is called coverage is followed too."""
        self._measured = measured
        self._path = package.path
        self._scripts = package.scripts
        self._installed = package.dependencies
        self._recognise = recognise
        self._before: list[str] = []
        self._tests: set[str] = set()  # of those before, the ones that run a script of tests in a way that nobody knows
        self._others: set[str] = set()  # of those before, the ones that are called tests, and so build nothing
        self._removals: set[str] = set()  # of those before, the ones that remove packages that are then installed
        self._programs: dict[str, str] = {}  # of those before, the repository's own tests -> with their builds
        self._used: set[str] = set()  # of those before, the ones that are run before a suite
        self._prepares: set[str] = set()  # of those before, the ones of a script that is run before another one
        self._called: dict[str, list[str]] = {}  # of those before, calls of scripts -> what these come to
        self._in_a_browser = False  # whether anything was passed over that needs one
        self._following: list[str] = []  # one that starts itself does so elsewhere
        self._steps = self._commands = 0

    def scripted(self, name: str) -> Scripted:
        found = tuple(self._script(name, ()))
        unknown = [text for text in self._before if text in self._tests or may_test(text)]
        unknown = unknown or [text for text in self._before if is_task(text)]
        if self._in_a_browser and self._prepares.issuperset(text for text in unknown if not goes(text)):
            unknown = [text for text in unknown if text in self._tests | self._others or is_task(text)]
        if found:
            by_tap = any(suite.runner == "tap" for suite in found)
            heard = heard_alone(self._programs, self._scripts.get(name, "")) if by_tap else []
            found += tuple(self._by_tap(text, name) for text in heard)
            used = {text: whole for text, whole in self._programs.items() if text in self._used and text not in heard}
            found += tuple(self._by_exit_code(whole, name) for whole in used.values())
            self._used.update(heard)
        if found or not unknown or any(map(is_in_container, self._before)):  # of whose tests the rest tells nothing
            why = f"{place_of(name, self._path)}, what no known test runner runs"
            unused = dict.fromkeys(text for text in unknown if not self._is_used(text))
            return Scripted(found, tuple(f"{why}: {text}" for text in unused))
        asked = [text for text in unknown if is_choice(text)]
        decides = unknown if len(asked) == len(unknown) else [text for text in unknown if text not in asked]
        kept = [text for text in self._before if text in unknown or is_build(text)]
        told = (strict(text) if text in decides else text for text in kept)
        return Scripted((self._by_exit_code(" && ".join(told), name),))

    def _is_used(self, text: str) -> bool:
        """Whether it is run before a suite, by itself or as the script that it calls."""
        return text in self._used or self._used.issuperset(self._called.get(text, [text]))

    def others(self, name: str) -> tuple[str, ...]:
        """What a script comes to besides suites."""
        list(self._script(name, ()))
        return tuple(self._before)

    def comes_to_something(self, name: str) -> bool:
        return any([*self._script(name, ()), *self._before])

    def _by_exit_code(self, text: str, name: str) -> Suite:
        command = ScriptCommand(("sh", "-c", f"{BY_EXIT_CODE}{text}"))
        return Suite(command, "exit_code", place_of(name))

    def _by_tap(self, program: str, name: str) -> Suite:
        """Of a program beside one that prints TAP, what it prints, or else its exit code, is heard."""
        variables, words = words_of(program)
        build = self._programs[program].removesuffix(program).removesuffix(" && ")
        return Suite(ScriptCommand(words, (build,) if build else (), variables), "tap", f"{place_of(name)}: {program}")

    def _script(self, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """`more`: words that come after it, for the last command in it."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return
        if before := self._scripts.get(f"pre{name}"):
            yield from self._before_script(before, f"pre{name}")
        self._following.append(name)
        yield from self._chain(self._scripts.get(name, ""), name, more)
        self._following.pop()

    def _before_script(self, text: str, name: str) -> Iterator[Suite]:
        """Where it goes to holds for itself alone: what comes after it begins in the package's folder again."""
        known = len(self._before)
        found = list(self._chain(text, name, ()))
        self._before[known:] = self._by_itself(self._before[known:])
        self._prepares.update(self._before[known:])
        yield from found

    def _chain(self, text: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        plain = without_loops(text)
        told = plain if plain != text and self._runs_each(plain) else text
        if branches := branches_of(told):
            yield from self._branches(text, branches, name, more)
            return
        parts = split_chain(told)
        gone = 0
        for index, part in enumerate(parts):
            told, taken = gone_to_test(parts[index:]) if index >= gone else ("", 0)
            gone = max(gone, index + taken)
            last = more if index == len(parts) - 1 else ()
            if told:
                yield Suite(ScriptCommand(("sh", "-c", told)), "", place_of(name), everywhere=True)
            elif index >= gone:
                is_whole = self._steps < _MOST_STEPS and bool(in_braces(part) or in_shell(part))
                yield from self._as_it_stands(part, name, last) if is_whole else self._part(part, name, last)

    def _runs_each(self, text: str) -> bool:
        """Whether the commands of node in it are of a runner that takes file by file."""
        named = [words for part in split_chain(text) if (words := words_of(part)[1])[:1] == ("node",)]
        return all(self._recognise(ScriptCommand(words)) == "tap" for words in named)

    def _branches(self, text: str, branches: list[str], name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """What holds under a condition stands for itself where it tests; else it cannot be taken apart."""
        known = len(self._before)
        found = [suite for branch in branches for suite in self._part(branch, name, more)]
        del self._before[known:]
        if not found:
            self._before.append(text)
        yield from found

    def _as_it_stands(self, part: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        """What is not always carried out (``{ [ -n "$CI" ] || tsc ; }``), may fail, or happens elsewhere (``(cd a &&
        tsc)``): the first of it that tests, else as a whole; of two that a program decides between, the second."""
        self._steps += 1
        known = len(self._before)
        found, does, asks = list[Suite](), list[str](), False
        for chain in carried_out_in(part):
            suites = list(self._chain(chain, name, more)) if not found or is_choice(part) or asks else []
            does = self._before[known:] if suites else does + self._before[known:]
            del self._before[known:]
            found = suites if suites and asks else found + suites
            asks = bool(found) and any(map(is_question, does)) and not is_choice(part)
        alone = is_beside(part) and all(text in self._others | self._tests or self._ends(text) for text in does)
        plain = found or alone or all(map(goes, does))
        self._before += self._by_itself(does) if plain else [part]
        if not found and all(goes(text) or text in self._others for text in does):
            self._others.add(part)
            self._called[part] = [text for text in does if not goes(text)]
        if not (found or self._tests.isdisjoint(does)):
            self._tests.add(part)
        yield from found

    def _ends(self, text: str) -> bool:
        called = self._called.get(text, [text])
        return ends(" ".join([text, *called]), all(map(is_build, called)))

    def _beside(self, part: str, beside: Beside, name: str, variables: dict[str, str]) -> Iterator[Suite]:
        """What is started at the same time: the tests, each with what else runs beside them; else as a whole."""
        known, is_elsewhere = len(self._before), self._in_a_browser
        found, does = list[Suite](), list[str]()
        self._in_a_browser = False
        for each in beside.tests:
            suites = list((self._as_it_stands if in_shell(each) else self._part)(each, name, ()))
            does += [] if suites else self._before[known:]
            del self._before[known:]
            found += suites
        for_a_page = self._in_a_browser and self._others.isdisjoint(does)
        self._in_a_browser |= is_elsewhere
        ended = {*beside.ended, *filter(self._ends, does)}
        started = [text if text in ended else aside(text) for text in does if text not in self._others]
        for suite in found:
            command = replace(suite.command, before=(*beside.before, *started, *suite.command.before))
            yield replace(suite, command=with_variables(command, variables, []))
        if found:
            self._before += [text for text in does if text in self._others]
        elif does and not for_a_page:
            self._before.append(part)
            self._called[part] = does
            self._tests |= {part} if not self._tests.isdisjoint(does) else set()

    def _part(self, part: str, name: str, more: tuple[str, ...]) -> Iterator[Suite]:
        self._commands += 1
        variables, words = words_of(part, self._is_followed) if self._commands <= _MOST_COMMANDS else ({}, ())
        if not words:
            return
        if words[0] == EACH_FILE and words[1:2] not in MOCHA and part.startswith(f"{EACH_FILE} "):
            yield from self._part(part.removeprefix(f"{EACH_FILE} "), name, more)
            return
        set_inside, words = without_manager(words, self._is_followed, self._recognise)
        variables = {**variables, **set_inside}
        text = " ".join(words)
        if EVERYWHERE.fullmatch(text) and (told := told_members(words)):
            self._before += [part] if told == "build" else []
        elif EVERYWHERE.fullmatch(text):
            yield Suite(ScriptCommand(words), "", place_of(name), everywhere=True)
        elif beside := started_beside(words, [called for called, _ in self._followed(text)], self._scripts):
            yield from self._beside(part, beside, name, variables)
        elif names := self._followed(text_of(words), more):
            yield from self._follow(part, names, variables)
        elif is_in_installed_browser(words, self._installed):
            self._in_a_browser = True
        elif is_idle((*words, *more)) or is_type_check(words) or is_idle_report(words):
            self._in_a_browser |= needs_browser((*words, *more))
        elif INSTALLS_HERE.fullmatch(text) and not any(map(goes, self._before)):
            self._removals.update(filter(self._removes_packages, self._before))
        elif not SAYS_INSTALLED.fullmatch(text):
            self._others |= {part} if is_test_script(text) and any(map(goes, self._before)) else set()
            yield from self._command(part, name, ScriptCommand(words, (), variables), more)

    def _followed(self, text: str, more: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
        """The package's own scripts that a command runs, where it is in the package's folder."""
        called = [] if is_away(self._before) else called_scripts(text, self._scripts, more)
        return [(name, words) for name, words in called if name not in self._following]

    def _by_itself(self, does: list[str]) -> list[str]:
        if not any(map(goes, does)):
            return does
        builds, tests = apart(does, self._others)
        self._called.update({**builds, **tests})
        self._others.update(tests)
        return [*builds, *tests]

    def _command(self, part: str, name: str, bare: ScriptCommand, more: tuple[str, ...]) -> Iterator[Suite]:
        builds = self._builds()
        command = replace(bare, words=(*bare.words, *more), before=builds)
        if (runner := self._recognise(command)) and not is_given_input(part, bare.words):
            self._used.update((*builds, *self._programs))
            yield Suite(command, runner, f"{place_of(name)}: {part.removeprefix(f'{EACH_FILE} ')}")
            return
        self._before.append(part)
        if is_in_container(part):
            self._others.add(part)
        elif is_test_program(bare.words):
            self._others.add(part)
            self._programs[part] = " && ".join((*builds, part))

    def _builds(self) -> tuple[str, ...]:
        """What is run before a suite: no removal of packages, where nothing comes in their place that stays."""
        found = [text for text in self._before if text not in self._others]
        builds = found if any(map(goes, found)) else list(dict.fromkeys(found))  # in another folder it is another one
        kept = [text for text in builds if text not in self._removals]
        return tuple(builds if any("node_modules" in text for text in kept) else kept)

    def _removes_packages(self, text: str) -> bool:
        """Whether it does nothing else, by itself or as the script that it calls."""
        return all(map(REMOVES_PACKAGES.fullmatch, self._called.get(text, [text])))

    def _is_followed(self, words: tuple[str, ...]) -> bool:
        return bool(EVERYWHERE.fullmatch(text := " ".join(words)) or called_scripts(text, self._scripts))

    def _follow(
        self, part: str, names: list[tuple[str, tuple[str, ...]]], variables: dict[str, str]
    ) -> Iterator[Suite]:
        for name, more in names:
            is_measured = self._measured and COVERAGE_SCRIPT.match(name)
            if IDLE_SCRIPT.fullmatch(name.removeprefix("make ")) and not is_measured:
                continue
            known = len(self._before)
            before, self._in_a_browser = self._in_a_browser, False
            found = list(self._script(name, more))
            for suite in found:
                yield replace(suite, command=with_variables(suite.command, variables, self._before[:known]))
            of_it = self._before[known:]
            if found:  # where it goes to holds for itself alone
                self._before[known:] = self._by_itself(of_it)
            unused = self._in_a_browser and TESTS.match(name) and all(goes(text) or is_build(text) for text in of_it)
            self._in_a_browser |= before
            if not found and (unused or all(goes(text) or text in self._removals for text in of_it)):
                del self._before[known:]
            elif not found:  # it builds: as a whole, and as it is called
                called = part if len(names) == 1 else f"npm run {name}"
                self._called[called] = of_it
                if (is_measured or TESTS.match(name)) and not only_installs(of_it):
                    self._others.add(called)
                    self._tests |= {called} if any(map(may_test, of_it)) else set()
                del self._before[known:]
                self._before.append(called)
