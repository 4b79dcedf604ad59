"""Tests of a script that no known runner runs: for their exit codes, or told. Pure."""

from collections.abc import Iterator

from repo_tools.environment.javascript.found import Found, Step
from repo_tools.environment.javascript.groups import in_braces, is_choice, strict
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_commands import (
    is_build,
    is_in_container,
    is_task,
    may_test,
    place_of,
)
from repo_tools.environment.javascript.suite import BY_EXIT_CODE, Scripted, Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.shell.text import only_pipeline


def with_unknown_runners(found: Found, name: str, package: Package) -> Scripted:
    """The suites that script `name` comes to. Without any, it is run as it is, of which only the exit code is known;
    beside some, programs that are tests are, and what else may test is told."""
    unknown = _unknown(found)
    if not (found.suites or not unknown or any(map(is_in_container, found.texts))):  # whose tests the rest is not
        return Scripted((_by_exit_code(_strict(found.steps, unknown), name),))
    programs = [_by_exit_code(text, name) for text in _programs(found)] if found.suites else []
    left_out = dict.fromkeys(step.text for step in unknown if not _is_used(step, found.used))
    why = f"{place_of(name, package.path)}, what no known test runner runs"
    return Scripted((*found.suites, *programs), tuple(f"{why}: {text}" for text in left_out))


def _unknown(found: Found) -> list[Step]:
    """What may test. Where tests in a browser were passed over, what is only carried out before them may not."""
    unknown = [step for step in found.steps if step.is_test or may_test(step.text)]
    unknown = unknown or [step for step in found.steps if is_task(step.text)]
    if found.in_a_browser and all(step.is_before for step in unknown if not step.goes):
        return [step for step in unknown if step.is_test or step.is_spare or is_task(step.text)]
    return unknown


def _is_used(step: Step, used: frozenset[str]) -> bool:
    """Whether it is run before a suite, by itself or as the script that it calls."""
    return step.text in used or used.issuperset(step.commands)


def _programs(found: Found) -> Iterator[str]:
    """Those that are run before a suite, each behind what builds it."""
    return (whole for program, whole in found.programs.items() if program in found.used)


def _by_exit_code(text: str, name: str) -> Suite:
    return Suite(ScriptCommand(("sh", "-c", f"{BY_EXIT_CODE}{text}")), "exit_code", place_of(name))


def _strict(steps: tuple[Step, ...], unknown: list[Step]) -> str:
    """What tests or builds, with each that tests deciding; what a condition chooses decides where nothing else
    does."""
    plain = [step for step in unknown if not is_choice(in_braces(only_pipeline(step.text)))]
    decides = plain or unknown
    kept = [step for step in steps if step in unknown or is_build(step.text)]
    return " && ".join(strict(step.text) if step in decides else step.text for step in kept)
