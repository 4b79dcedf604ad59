"""What is tried next where a set-up command fails among packages of an old commit's day. Pure."""

from collections.abc import Mapping

from repo_tools.environment.contract import SetupCommand
from repo_tools.environment.dated import NO_TIMES, VARIABLE
from repo_tools.environment.fitting_program import LATER


def needs_later(command: SetupCommand, variables: Mapping[str, str]) -> bool:
    """Whether it failed because packages of the day are too old, as far as that can be known: it has no alternative
    that asks the same program for less."""
    program = command.argv[0]
    asks_for_less = len(command.otherwise) == 1 and command.otherwise[0].argv[0] == program
    return program.endswith("/uv") and not asks_for_less and variables.get(LATER, "") > variables.get(VARIABLE, "")


def steps_of(command: SetupCommand, variables: Mapping[str, str], output: str) -> tuple[SetupCommand, ...]:
    """What `command`, which said `output`, is replaced by. pip knows no days, and would bring everything of today: what
    tests may do without is asked for one by one instead, wherever packages are of a day and the index tells theirs."""
    others = command.otherwise
    is_dated = VARIABLE in variables and NO_TIMES not in output
    if is_dated and not command.required and len(others) == 1 and others[0].argv[0] != command.argv[0]:
        singles = others[0].otherwise
        if singles and all(step.argv[0] == command.argv[0] for step in singles):
            return singles
    return others
