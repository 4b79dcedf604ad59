"""What remains, as steps, of several commands in one that are no suites: of a group, of a script that is called, of
programs that are started together. Pure."""

from collections.abc import Iterator

from repo_tools.environment.javascript.elsewhere import by_itself, only_installs
from repo_tools.environment.javascript.found import Found, Step
from repo_tools.environment.javascript.groups import in_braces, is_beside
from repo_tools.environment.javascript.script_commands import TESTS, may_test
from repo_tools.environment.javascript.servers import ends
from repo_tools.environment.shell.syntax import Pipeline
from repo_tools.environment.shell.text import of_pipeline


def steps_of_group(part: Pipeline, found: Found) -> tuple[Step, ...]:
    """Each by itself, where a suite is among them, where they run beside the rest and come to an end, and where they
    only lead elsewhere. Else nobody knows which of them are carried out: the group as it is written."""
    steps = found.steps
    alone = is_beside(in_braces(part)) and all(step.is_spare or step.is_test or ends(step) for step in steps)
    if found.suites or alone or all(step.goes for step in steps):
        return by_itself(steps)
    is_spare = all(step.goes or step.is_spare for step in steps)
    called = tuple(step.text for step in steps if not step.goes) if is_spare else ()
    return (Step(of_pipeline(part), called, is_test=any(step.is_test for step in steps), is_spare=is_spare),)


def steps_of_call(call: str, name: str, found: Found, *, is_measured: bool) -> Iterator[Step]:
    """Of a script without a suite its call; nothing where only a browser would need it."""
    steps = found.steps
    is_of_tests = bool(TESTS.match(name.removeprefix("make ")))
    for_a_page = found.in_a_browser and is_of_tests and all(step.goes or not may_test(step.text) for step in steps)
    if not (for_a_page or all(step.goes for step in steps)):
        is_spare = (is_measured or is_of_tests) and not only_installs(found.texts)
        is_test = is_spare and any(map(may_test, found.texts))
        yield Step(call, tuple(found.texts), is_test=is_test, is_spare=is_spare)


def steps_started_together(part: str, found: Found) -> Iterator[Step]:
    """Beside a suite, or what was passed over for its browser, those that are called tests; else all of them as they
    are started."""
    if found.suites or found.in_a_browser:
        yield from (step for step in found.steps if step.is_spare)
    elif found.steps:
        yield Step(part, tuple(found.texts), is_test=any(step.is_test for step in found.steps))
