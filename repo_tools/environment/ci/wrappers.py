"""Programs that only start another one (``sudo``, ``uv run``, ``python -m``, ``npx c8``), and what they start. Pure."""

import re
from collections.abc import Callable
from functools import lru_cache

from repo_tools.environment.ci.programs import DJANGO, MANAGERS, TEST_PROGRAM, TEST_PROGRAMS, name_of, plain_words
from repo_tools.environment.runners.javascript_command import WRAPPERS, without_wrappers

Words = tuple[str, ...]
Inside = Callable[[Words], Words | None]
"""The words behind a wrapper's name -> those of what it starts; None where it starts nothing."""

_RUNS_A_PROGRAM = frozenset({"exec", "x", "dlx", "--bun"})
"""What a manager of JavaScript's is told where no script is meant."""
_OPTIONS_WITH_VALUE = frozenset(
    {"--extra", "--group", "--only-group", "--with", "--python", "-p", "--package", "--env", "-e", "-n", "--source"}
    | {"--from", "--with-editable", "--with-requirements", "--python-preference", "--index", "--name", "--cwd", "-np"}
    | {"--environment", "--manifest-path"}
)


@lru_cache(maxsize=2_000)
def taken_apart(words: Words) -> tuple[tuple[tuple[str, str], ...], Words]:
    """(variables that are set on the way, the program inside)."""
    variables: dict[str, str] = {}
    while words:
        inside = _started_by(words)
        if inside is None:
            on_the_way, inside = without_wrappers(words, _is_script_of_manager)
            variables |= on_the_way
            if inside[1:] == words[1:]:
                break
        words = inside
    return tuple(variables.items()), words


def _started_by(words: Words) -> Words | None:
    name, rest = name_of(words), words[1:]
    found = (inside(rest) for names, inside in _WRAPPERS if names.fullmatch(name))
    return next((started for started in found if started is not None), None)


def _is_script_of_manager(words: Words) -> bool:
    """``yarn cover`` is one; ``yarn nyc mocha`` is none."""
    told = next(iter(plain_words(words[1:])), "")
    names = {*_RUNS_A_PROGRAM.intersection(words[1:2]), *(TEST_PROGRAMS | WRAPPERS).intersection([told])}
    return name_of(words) in MANAGERS and not names


def _after_options(words: Words) -> Words:
    while words and words[0].startswith(("-", "+")) and words[0] != "-m":
        words = words[2:] if words[0] in _OPTIONS_WITH_VALUE else words[1:]
    return words[1:] if words[:1] == ("-m",) else words


def _after_one(words: Words) -> Words:
    """Behind a user, or a time."""
    return _after_options(words)[1:]


def _after_minutes(words: Words) -> Words:
    """Behind a number that need not be there."""
    return words[1:] if words and words[0].isdigit() else words


def _told(*verbs: str) -> Inside:
    return lambda words: _after_options(words[len(verbs) :]) if words[: len(verbs)] == verbs else None


def _behind(*marks: str) -> Inside:
    def inside(words: Words) -> Words | None:
        mark = next((mark for mark in marks if mark in words), None)
        return words[words.index(mark) + 1 :] if mark else None

    return inside


def _pip_of_uv(words: Words) -> Words | None:
    return words if words[:1] == ("pip",) else None


def _python_of_hatch(words: Words) -> Words | None:
    """What ``hatch run test:python -m pip …`` starts; None where it is a script of the project's:
    https://hatch.pypa.io/latest/environment/#command-execution"""
    environment, colon, program = words[1].rpartition(":") if words[:1] == ("run",) and words[1:] else ("", "", "")
    is_known = colon and environment and re.fullmatch(r"python[\d.]*|pip", program)
    return (program, *words[2:]) if is_known else None


_BY_MODULE = {"twisted.trial": "trial", "nose": "nosetests"}
"""Module -> the program that it is otherwise started by."""


def _of_python(words: Words) -> Words | None:
    """What an interpreter starts, behind its own options: a module and its arguments, or a file and its, be it an
    installed program's."""
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        words = words[2:] if words[0] in ("-W", "-X") else words[1:]
    if words[:1] == ("-m",):
        return (_BY_MODULE.get(words[1], words[1]), *words[2:]) if words[1:] else None
    name = name_of(words)
    known = words and (words[0].endswith(".py") or name in ("coverage", *DJANGO, *TEST_PROGRAMS))
    return words if known or TEST_PROGRAM.fullmatch(name) else None


_WRAPPERS: tuple[tuple[re.Pattern[str], Inside], ...] = tuple(
    (re.compile(names), inside)
    for names, inside in (
        ("sudo|time|command|exec|env|npx|uvx|xvfb-run|stdbuf|nice|travis_retry", _after_options),
        ("dbus-run-session|dbus-launch|unbuffer|catchsegv|fakeroot|chronic|mpirun|mpiexec", _after_options),
        ("ddtrace-run|opentelemetry-instrument", _after_options),
        ("hatch", _python_of_hatch),
        ("uv|poetry|pdm|pipenv|rye|hatch|pixi|pipx|coverage|conda|mamba|micromamba", _told("run")),
        ("bundle|pnpm|yarn|pyenv|asdf", _told("exec")),
        ("uv", _told("tool", "run")),
        ("uv", _pip_of_uv),
        (r"python[\d.]*", _of_python),
        ("timeout|gosu|su-exec", _after_one),
        ("travis_wait", _after_minutes),
        (r"wait[-_]?for[\w-]*(?:\.sh)?|runuser|doppler|aws-vault|mise|op|retry", _behind("--")),
        ("nix", _behind("-c", "--command")),
    )
)
"""Names of programs -> how they start another. What JavaScript's wrappers start, `without_wrappers` knows."""
