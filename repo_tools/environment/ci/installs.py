"""What a workflow installs before its tests and the project's own files do not tell of. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from posixpath import basename, dirname, join, normpath, relpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.contract import Environment, SetupCommand
from repo_tools.environment.python.install import PIP_INSTALL, UV_INSTALL, VENV
from repo_tools.environment.python.manifests import is_project

MOST_ADDED = 20
_MOST_FOLDERS = 50
"""Of one pattern."""

WITH_VALUE = frozenset((
    "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target",
    "--python", "--prefix", "--root", "--upgrade-strategy", "--only-binary", "--no-binary", "--trusted-host",
    "--group", "--extra", "-p", "--resolution", "--prerelease", "--index", "--default-index", "--index-strategy",
    "--overrides", "--override", "--exclude-newer", "-P", "--upgrade-package", "--reinstall-package", "-b",
    "-C", "--config-settings", "--config-setting", "--global-option", "--build-option", "--install-option",
    "--timeout", "--default-timeout", "--retries", "--proxy", "--cert", "--cache-dir", "--progress-bar", "--log",
    "--platform", "--python-version", "--python-platform", "--implementation", "--abi", "--exists-action",
    "--src", "--build-constraint", "--build-constraints", "--no-build-isolation-package", "--torch-backend",
    "--link-mode", "--keyring-provider", "--use-feature", "--use-deprecated", "--root-user-action", "--report",
))  # fmt: skip
"""Options whose value follows: it is no package."""
_FILE = frozenset(("-r", "--requirement", "--requirements"))
_IN_PLACE = frozenset(("-e", "--editable"))
_PROJECT = re.compile(r"(?P<place>[\w.][\w./-]*)\[(?P<extras>[\w., -]+)\]")
_ARCHIVE = re.compile(r".*\.(?:whl|zip|tar\.\w+|tgz)", re.IGNORECASE)
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w, .-]+\])?(?:[<>=!~][\w.,<>=!~* ]*)?")
_PUT_ON_PATH = """
import os, sys, sysconfig
with open(sysconfig.get_path("purelib") + "/zz_projects.pth", "w") as file:
    file.write("".join(os.path.abspath(folder) + chr(10) for folder in sys.argv[1:]))
"""
NOT_FOR_TESTS = re.compile(
    r"pip|setuptools|wheel|uv|poetry|pdm|hatch(?:ling)?|tox(?:-.+)?|nox(?:-.+)?|build|twine|virtualenv|pipenv|pipx"
    r"|codecov|coveralls|coverage|flake8(?:-.+)?|black|isort|mypy|pyright|pylint|ruff|bandit|safety|pre-commit"
    r"|docker-compose|flit|sphinx.*|mkdocs.*|furo|cibuildwheel|check-.+|interrogate|pip-audit|pip-tools|auditwheel"
    r"|pytest-azurepipelines"  # tells its service of results
    r"|docs?|lint|linting|typing|types|type-check|release|publish|packaging|benchmarks?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Wanted:
    """One thing to install with pip: the words for it, and how it is known where it is installed already. Steps that
    install the same thing make one."""

    words: tuple[str, ...]
    known_by: str
    directory: str
    source: str = field(compare=False)

    @property
    def shown(self) -> str:
        return f"{self.source}: pip install {' '.join(self.words)}"


def with_installs(environment: Environment, evidence: WorkflowEvidence, tree: Tree) -> Environment:
    """`environment` with the requirement files, extras and packages that the job installs and no other set-up command
    names; the job's packages of the system are named, because a box has what its image has."""
    if packages := evidence.system_packages:
        told = f"{evidence.source}: {', '.join(packages)} with apt"
        environment = replace(environment, system_packages=packages, evidence=(*environment.evidence, told))
    if environment.family != "python":
        return environment
    known = " ".join(_texts(environment))
    projects = sorted({dirname(path) for path in tree if basename(path) in ("pyproject.toml", "setup.py")})
    wanted = (each for command in evidence.installs for each in _wanted(command, tree, projects))
    added = [each for each in dict.fromkeys(wanted) if not _is_known(each.known_by, known)][:MOST_ADDED]
    return replace(
        environment,
        setup=(*environment.setup, *map(_command, added), *_on_path(added, tree)),
        evidence=(*environment.evidence, *(each.shown for each in added)),
    )


def _command(wanted: _Wanted) -> SetupCommand:
    """By uv, which keeps to the day of an old commit, or else by pip."""
    by_pip = SetupCommand((*PIP_INSTALL, *wanted.words), required=False, directory=wanted.directory)
    return replace(by_pip, argv=(*UV_INSTALL, *wanted.words), otherwise=(by_pip,))


def _on_path(added: Iterable[_Wanted], tree: Tree) -> tuple[SetupCommand, ...]:
    """Projects whose folders are called like the packages in them (``core/core/__init__.py``): with the root on the
    path, a folder without ``__init__.py`` is a package, too, and hides what an editable install would find."""
    places = dict.fromkeys(each.known_by for each in added)
    folders = [place for place in places if f"{place}/{basename(place)}/__init__.py" in tree]
    if not folders:
        return ()
    program = (f"{VENV}/bin/python", "-c", _PUT_ON_PATH, *folders)
    return (SetupCommand(program, required=False, typed=f"put on Python's path: {', '.join(folders)}"),)


def _texts(environment: Environment) -> Iterator[str]:
    yield from environment.evidence
    for command in environment.setup:
        for each in (command, *command.otherwise):
            yield from each.argv


def _is_known(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))


def _wanted(command: CommandEvidence, tree: Tree, projects: Sequence[str]) -> Iterator[_Wanted]:
    words = command.program
    if len(words) < 2 or words[0].rpartition("/")[2].rstrip("0123456789.") != "pip" or words[1] != "install":
        return
    for kind, value in _arguments(words[2:]):
        path = normpath(join(command.directory, value))
        if kind == "file" and path in tree:
            yield _Wanted(("-r", value), path, command.directory, command.source)
        elif kind == "project" and (found := _PROJECT.fullmatch(value)):
            yield from _extras(found, command)
        elif kind == "project" and value.strip("./") and (folders := _folders(path, tree, projects)):
            places = [value] if path in folders else (relpath(each, command.directory or ".") for each in folders)
            words = tuple(word for place in places for word in ("-e", place))
            yield _Wanted(words, path, command.directory, command.source)
        elif kind == "package" and path not in tree and (name := _package(value)) and not _is_own(name, tree):
            yield _Wanted((value,), name, "", command.source)


def _folders(path: str, tree: Tree, projects: Sequence[str]) -> list[str]:
    """The project there, or those that a pattern of the shell names (``packages/*``)."""
    if "*" not in path:
        return [path] if is_project(path, tree) else []
    as_deep = (each for each in projects if each.count("/") == path.count("/"))  # so that a star takes no slash
    return [each for each in as_deep if fnmatchcase(each, path)][:_MOST_FOLDERS]


def _is_own(name: str, tree: Tree) -> bool:
    """Whether it is what the repository makes: one of an index would stand in its place."""
    folder = name.replace("-", "_").lower()
    return any(f"{place}{folder}{end}" in tree for place in ("", "src/") for end in (".py", "/__init__.py"))


def _package(requirement: str) -> str:
    """Its name; empty where it is none (an archive that another step makes), or nothing that tests use."""
    found = None if _ARCHIVE.fullmatch(requirement) else _REQUIREMENT.fullmatch(requirement)
    return found["name"] if found and not NOT_FOR_TESTS.fullmatch(found["name"]) else ""


def _extras(found: re.Match[str], command: CommandEvidence) -> Iterator[_Wanted]:
    for extra in filter(None, (name.strip() for name in found["extras"].split(","))):
        if not NOT_FOR_TESTS.fullmatch(extra):
            place = normpath(join(command.directory, found["place"]))
            known_by = extra if place == "." else place
            yield _Wanted(("-e", f"{found['place']}[{extra}]"), known_by, command.directory, command.source)


def _arguments(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(``file``, ``project`` or ``package``; value) of each thing that is installed."""
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name in _FILE:
            yield "file", value or next(rest, "")
        elif name in _IN_PLACE:
            yield "project", value or next(rest, "")
        elif word.startswith("-r") and not word.startswith("--"):
            yield "file", word[2:]
        elif word in WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            is_path = word.startswith(".") or ("/" in word and ":" not in word)
            yield ("project" if is_path else "package"), word
