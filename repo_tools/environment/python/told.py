"""What a tool that tests are started with is told to install for them: tox, nox, hatch, and the CI."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import basename, join, normpath
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.installs import WITH_VALUE
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.sync import EVERY, named_by_sync
from repo_tools.sandbox.contract import WORKSPACE

_OPTION_FILE = re.compile(r"(-r|--requirement|-c|--constraint)[ =]?\s*(.+)")
_BUNDLED = re.compile(r"^-[IUqv]+(?=[cer](?:\S*\.txt)?$)")
"""Options of pip's before one with a value (``-Ur``)."""
_FOLDER = re.compile(
    r"(?P<option>(?:-e|--editable)[ =]?)?[ ]*(?P<root>\{(?:toxinidir|tox_root)\}(?:/|\{/\})?|\./?)?"
    r"(?P<folder>\w[\w./-]*)?(?P<extras>\[[\w., -]+\])?"
)
"""The project itself, or a folder of the repository, with extras; without an option or the root it is an index's."""
_AT_ROOT = re.compile(r"^\{(?:toxinidir|tox_root)\}/")
_PATH = "PYTHONPATH"
_WITHIN = re.compile(r"(?!\.\.(?:/|$))[\w.][\w./-]*")
_BEFORE = re.compile(r"\{env:PYTHONPATH:?\}")
_PASSED_ON = re.compile(r"PATH|HOME|PIP_.*|UV_.*|TOX_.*|VIRTUALENV_.*|COVERAGE_.*|PYTHONWARNINGS|CI|TERM|LD_.*")
TEST_SESSION = re.compile(r"tests?|pytest|unit(?:_?tests?)?|testing|py(?:thon)?\d*", re.IGNORECASE)
"""A name of a session, or of an environment, that runs tests."""


@dataclass(frozen=True)
class Told:
    """By one place: requirements, files of requirements and of constraints, extras and groups of the project itself,
    variables."""

    source: str
    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def told_by(
    source: str, lines: Iterable[str], extras: Iterable[Any], groups: Iterable[Any], variables: Mapping[str, str]
) -> Told:
    """`lines`: requirements, or options with files or folders, as a list of requirements may hold them."""
    requirements: list[str] = []
    files: dict[str, list[str]] = {"r": [], "c": []}
    extras = list(extras)
    for line in lines:
        option = _OPTION_FILE.fullmatch(line)
        place = _FOLDER.fullmatch(line)
        if place and (place["option"] or place["root"]):
            named = (place["extras"] or "").strip("[]")
            if place["folder"]:
                requirements.append(_in_place(place["folder"].rstrip("/"), named))
            else:
                extras += map(str.strip, named.split(","))
        elif option is None:
            requirements.append(line)
        else:
            path = _AT_ROOT.sub("", option[2].strip().replace("{/}", "/")).removeprefix("./")
            if re.fullmatch(r"[\w./-]+", path) and ".." not in path:
                files[option[1].lstrip("-")[0]].append(path)
    told = {k: _python_path(v) if k == _PATH else v for k, v in variables.items()}
    plain = {k: v for k, v in told.items() if "{" not in v and not _PASSED_ON.fullmatch(k) and (v or k != _PATH)}
    return Told(
        source,
        tuple(requirements),
        tuple(files["r"]),
        tuple(files["c"]),
        _names_among(extras),
        _names_among(groups),
        plain,
    )


def _python_path(value: str) -> str:
    """Its places within the repository, from wherever a test may start Python; empty where none is told. What was on it
    before is nothing."""
    written = _BEFORE.sub("", value.replace("{:}", ":").replace("{/}", "/")).split(":")
    places = (normpath(_AT_ROOT.sub("", f"{place}/")) for place in written if place)
    return ":".join(normpath(join(WORKSPACE, place)) for place in places if _WITHIN.fullmatch(place))


def _in_place(folder: str, extras: str) -> str:
    return f"{basename(folder)}{f'[{extras}]' if extras else ''} @ ./{folder}"


def _names_among(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(v for v in values if isinstance(v, str) and (v == EVERY or re.fullmatch(r"[\w.-]+", v)))


def told_in_words(source: str, words: list[str]) -> Told:
    """Behind a ``pip install``; extras and groups of the project as `synced_words` has them."""
    lines: list[str] = []
    extras: list[str] = []
    groups: list[str] = []
    waiting = iter(words)
    for word in (_BUNDLED.sub("-", each) for each in waiting):
        if word in ("-e", "--editable"):
            lines.append(f"-e {next(waiting, '')}")
        elif word in ("-r", "--requirement", "-c", "--constraint"):
            lines.append(f"{word} {next(waiting, '')}")
        elif word in ("--group", "--extra"):
            (groups if word == "--group" else extras).append(next(waiting, ""))
        elif word in WITH_VALUE:
            next(waiting, "")
        elif not word.startswith("-") or _FOLDER.fullmatch(word) or _OPTION_FILE.fullmatch(word):
            lines.append(word)
    return told_by(source, lines, extras, groups, {})


def synced_words(words: list[str]) -> list[str]:
    """The extras and groups that ``uv sync`` and its kin are told, as `told_in_words` takes them."""
    extras, groups = named_by_sync(words)
    return [*(w for name in extras for w in ("--extra", name)), *(w for name in groups for w in ("--group", name))]


def read_ci(tree: Tree, read: ReadFile) -> Iterator[Told]:
    """What the likeliest job of the CI has the project's package manager install of extras and groups, by each command
    in the root."""
    job = likeliest_python_job(tree, read)
    for command in (*job.installs, *job.tests) if job else ():
        extras, groups = _named(command)
        if (extras or groups) and not command.directory:
            yield Told(command.source, extras=extras, groups=groups)


def _named(command: CommandEvidence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """``uv run`` installs before it starts a program; of every other, only the program itself counts."""
    return named_by_sync(command.program if command.is_install else command.argv)
