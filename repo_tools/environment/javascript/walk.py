"""Through the scripts of one package, from one of them: what tests, what builds, and what decides nothing. Pure.

Scripts are followed (``npm run x``), chains are cut into their parts, and what only lints, measures coverage or talks
to a service is left out.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from repo_tools.environment.javascript.chains import as_part, carried_out_in, in_shell, parts_of
from repo_tools.environment.javascript.elsewhere import by_itself, gone_to_test, is_away, is_test_script
from repo_tools.environment.javascript.found import Found, Step
from repo_tools.environment.javascript.groups import in_braces, is_choice
from repo_tools.environment.javascript.loops import branches_of
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.pipes import is_given_input
from repo_tools.environment.javascript.programs import is_in_installed_browser, needs_browser
from repo_tools.environment.javascript.script_calls import called_scripts, text_of
from repo_tools.environment.javascript.script_commands import (
    COVERAGE_SCRIPT,
    EVERYWHERE,
    IDLE_SCRIPT,
    INSTALLS_HERE,
    REMOVES_PACKAGES,
    SAYS_INSTALLED,
    Recognise,
    is_idle,
    is_idle_report,
    is_in_container,
    is_test_program,
    is_type_check,
    place_of,
    told_members,
    without_manager,
    words_of,
)
from repo_tools.environment.javascript.servers import Beside, aside, ends, started_beside
from repo_tools.environment.javascript.steps import steps_of_call, steps_of_group, steps_started_together
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import Pipeline, Script
from repo_tools.environment.shell.text import of_pipeline

_MOST_OPENED, _MOST_COMMANDS = 40, 500
"""Scripts and groups, and single commands."""
_NOTHING = Found()
_Words = tuple[str, ...]


@dataclass(frozen=True)
class _Here:
    """Where the walk stands. `following`: scripts that are under way; one that starts itself does so elsewhere."""

    script: str = ""
    before: Found = _NOTHING
    following: tuple[str, ...] = ()

    def after(self, found: Found) -> "_Here":
        return replace(self, before=self.before + found)

    def beside(self, found: Found) -> "_Here":
        """After it, but for its steps: what comes next may be carried out without them."""
        return self.after(found.with_steps(()))


def walk(name: str, package: Package, recognise: Recognise, *, measured: bool = False) -> Found:
    """What script `name` comes to. `measured`: what is called coverage is followed too."""
    return _Walk(package, recognise, measured=measured).script(name, (), _Here())


class _Walk:
    """`more`, in all of it: words that come after a script or a command, for the last command in it."""

    def __init__(self, package: Package, recognise: Recognise, *, measured: bool) -> None:
        self._measured = measured
        self._scripts = package.scripts
        self._installed = package.dependencies
        self._recognise = recognise
        self._opened = self._commands = 0

    def script(self, name: str, more: _Words, here: _Here) -> Found:
        self._opened += 1
        if self._opened > _MOST_OPENED:
            return _NOTHING
        before = self._chain(self._written(f"pre{name}"), (), replace(here, script=f"pre{name}"))
        # where that goes to holds for itself alone: what comes after it begins in the package's folder again
        before = before.with_steps(replace(step, is_before=True) for step in by_itself(before.steps))
        there = replace(here.after(before), script=name, following=(*here.following, name))
        return before + self._chain(self._written(name), more, there)

    def _written(self, name: str) -> Script:
        return parse(self._scripts.get(name, ""))

    def _chain(self, script: Script, more: _Words, here: _Here) -> Found:
        if branches := branches_of(script):
            return self._branches(script.text, branches, more, here)
        found, parts, at = _NOTHING, parts_of(script), 0
        texts = list(map(of_pipeline, parts))
        while at < len(parts):
            gone, taken = gone_to_test(texts[at:])
            if gone:
                found += _suite(ScriptCommand(("sh", "-c", gone)), here)
            else:
                found += self._part(parts[at], more if at == len(parts) - 1 else (), here.after(found))
            at += taken or 1
        return found

    def _branches(self, text: str, branches: list[str], more: _Words, here: _Here) -> Found:
        """What holds under a condition stands for itself where it tests; else it cannot be taken apart."""
        found = _NOTHING
        for branch in branches:
            found += self._command(branch, more, here.after(found))
        return found.with_steps(() if found.suites else (Step(text),))

    def _part(self, part: Pipeline, more: _Words, here: _Here) -> Found:
        is_whole = self._opened < _MOST_OPENED and bool(in_braces(part) or in_shell(part))
        return self._as_it_stands(part, more, here) if is_whole else self._command(of_pipeline(part), more, here)

    def _as_it_stands(self, part: Pipeline, more: _Words, here: _Here) -> Found:
        """What is not always carried out (``{ [ -n "$CI" ] || tsc ; }``), may fail, or happens elsewhere (``(cd a &&
        tsc)``): the first of it that tests, else as a whole."""
        self._opened += 1
        found, is_chosen = _NOTHING, is_choice(in_braces(part))
        for chain in carried_out_in(part):
            if found.suites and not is_chosen:
                break
            new = self._chain(chain, more, here.beside(found))
            found = replace(found + new, steps=new.steps if new.suites else found.steps + new.steps)
        return found.with_steps(steps_of_group(part, found))

    def _command(self, part: str, more: _Words, here: _Here) -> Found:
        self._commands += 1
        if self._commands > _MOST_COMMANDS:
            return _NOTHING
        variables, words = words_of(part, self._starts_scripts)
        if not words:
            return _NOTHING
        set_inside, words = without_manager(words, self._starts_scripts, self._recognise)
        variables = {**variables, **set_inside}
        text = " ".join(words)
        if EVERYWHERE.fullmatch(text):
            return _of_members(part, words, here)
        if beside := started_beside(words, [name for name, _ in self._called(text, (), here)], self._scripts):
            return self._beside(part, beside, variables, here)
        if called := self._called(text_of(words), more, here):
            return self._follow(part, called, variables, here)
        if is_in_installed_browser(words, self._installed):
            return Found(in_a_browser=True)
        return self._single(part, ScriptCommand(words, (), variables), more, here)

    def _starts_scripts(self, words: _Words) -> bool:
        return bool(EVERYWHERE.fullmatch(text := " ".join(words)) or called_scripts(text, self._scripts))

    def _called(self, text: str, more: _Words, here: _Here) -> list[tuple[str, _Words]]:
        """The package's own scripts that a command runs, where it is in the package's folder."""
        called = [] if is_away(here.before.texts) else called_scripts(text, self._scripts, more)
        return [(name, words) for name, words in called if name not in here.following]

    def _single(self, part: str, command: ScriptCommand, more: _Words, here: _Here) -> Found:
        """A command that starts no script of the package."""
        words, text, before = command.words, " ".join(command.words), here.before
        if is_idle((*words, *more)) or is_type_check(words) or is_idle_report(words):
            return Found(in_a_browser=needs_browser((*words, *more)))
        if SAYS_INSTALLED.fullmatch(text):
            return _NOTHING
        if (INSTALLS_HERE.fullmatch(text) or REMOVES_PACKAGES.fullmatch(text)) and not before.goes:
            return _NOTHING
        whole = replace(command, words=(*words, *more), before=before.builds)
        if (runner := self._recognise(whole)) and not is_given_input(part, words):
            source = f"{place_of(here.script)}: {part}"
            return Found((Suite(whole, runner, source),), used=frozenset((*whole.before, *before.programs)))
        in_container = is_in_container(part)
        is_program = is_test_program(words) and not in_container
        is_spare = in_container or is_program or (is_test_script(text) and before.goes)
        programs = {part: " && ".join((*whole.before, part))} if is_program else {}
        return Found(steps=(Step(part, is_spare=is_spare),), programs=programs)

    def _beside(self, part: str, beside: Beside, variables: dict[str, str], here: _Here) -> Found:
        """What is started at the same time: the tests, each with what else runs beside them; else as a whole."""
        found = _NOTHING
        for each in beside.tests:
            new = self._part(as_part(each), (), here.beside(found))
            found += new.with_steps(() if new.suites else new.steps)
        others = [step for step in found.steps if not step.is_spare]
        started = [step.text if step.text in beside.ended or ends(step) else aside(step.text) for step in others]
        suites = _with_variables(_after(found.suites, (*beside.before, *started)), variables, [])
        return replace(found, suites=suites).with_steps(steps_started_together(part, found))

    def _follow(self, part: str, called: list[tuple[str, _Words]], variables: dict[str, str], here: _Here) -> Found:
        found = _NOTHING
        for name, more in called:
            is_measured = self._measured and bool(COVERAGE_SCRIPT.match(name))
            if IDLE_SCRIPT.fullmatch(name.removeprefix("make ")) and not is_measured:
                continue
            now = here.after(found)
            new = self.script(name, more, now)
            if new.suites:  # where it goes to holds for itself alone
                suites = _with_variables(new.suites, variables, now.before.texts)
                found += replace(new, suites=suites, steps=by_itself(new.steps))
            else:
                call = part if len(called) == 1 else f"npm run {name}"
                found += new.with_steps(steps_of_call(call, name, new, is_measured=is_measured))
        return found


def _suite(command: ScriptCommand, here: _Here) -> Found:
    """Of members of the workspace, or of other projects of the repository."""
    return Found((Suite(command, "", place_of(here.script), everywhere=True),))


def _of_members(part: str, words: _Words, here: _Here) -> Found:
    if told := told_members(words):
        return Found(steps=(Step(part),) if told == "build" else ())
    return _suite(ScriptCommand(words), here)


def _after(suites: Iterable[Suite], before: _Words) -> Iterator[Suite]:
    for suite in suites:
        yield replace(suite, command=replace(suite.command, before=(*before, *suite.command.before)))


def _with_variables(suites: Iterable[Suite], variables: Mapping[str, str], earlier: list[str]) -> tuple[Suite, ...]:
    return tuple(replace(each, command=_setting(each.command, variables, earlier)) for each in suites)


def _setting(command: ScriptCommand, variables: Mapping[str, str], earlier: list[str]) -> ScriptCommand:
    """What is set where a script is started holds for what that builds too, and not for what came `earlier`."""
    rest = iter(earlier)  # taken off from its front: the commands before are those, in their order
    known = next((index for index, text in enumerate(command.before) if text not in rest), len(command.before))
    own = command.before[known:]
    told = [f"export {name}={shlex.quote(value)}" for name, value in variables.items() if own]
    before = (*command.before[:known], *told, *own)
    return replace(command, before=before, variables={**variables, **command.variables})
