"""Which programs a box has, and which of them a repository asks for."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from repo_tools.environment.contract import Tool
from repo_tools.errors import RepoError, SandboxError
from repo_tools.sandbox.contract import ENVIRONMENT, Sandbox
from repo_tools.sandbox.languages import LANGUAGE_OF
from repo_tools.sandbox.pythons import FURTHER

PYTHON = "python"
PYTHON_VARIABLE = "AGENT_FIX_PYTHON"
"""In set-up: the interpreter that the repository asks for, where it asks for one."""
_BESIDE = {
    "node": ("npm", "npx", "corepack", "yarn", "yarnpkg", "pnpm", "pnpx"),
    "cargo": ("rustc", "rustdoc"),
    "ruby": ("bundle", "bundler", "gem", "rake"),
}
"""What comes with a program, in the same folder, and has to be of the same version."""
_LINK = """
mkdir -p "$1" && cd "$1" && ln -sf "$3" "$2" && shift 3
for beside; do test ! -x "$beside" || ln -sf "$beside" .; done
"""
_NAME_PYTHON = """
command -v python || { mkdir -p "$1" && ln -s "$(command -v python3)" "$1/python"; }
"""
"""Native modules, builds and tests of before 2020 start Python by that name, which Debian gives to no program by itself
(https://packages.debian.org/bookworm/python-is-python3)."""
_PROBE_SECONDS = 60.0


class ToolMissingError(RepoError):
    """The image does not have what the repository asks for. The text names program, versions, where they are asked for,
    what there is instead, and what to do."""


@dataclass(frozen=True)
class Program:
    """One program of a box. `version` empty: it does not tell."""

    path: str
    version: str
    is_default: bool  # what the bare name starts


REMEDY = (
    "On Docker, `image: NAME` in .github/agent-fix.yml names an image that has it, one that the operator allows"
    " (AGENT_FIX_ALLOWED_IMAGES), or AGENT_FIX_SANDBOX_IMAGE is one; on bubblewrap the worker's own machine has to"
    " have it, below /usr."
)
_BY_COMMAND = "There `agent-fix sandbox pythons` puts Python {version} beside its own."
_BY_UV = "There `uv python install VERSION --install-dir /usr/local/pythons` puts a Python beside its own."
Offer = Mapping[str, tuple[Program, ...]]
"""Of each program that was asked about, all that there are, the default first."""


def offered(box: Sandbox, tools: Iterable[Tool]) -> Offer:
    """What `box` has of them."""
    names = sorted({tool.program for tool in tools})
    if not names:
        return {}
    probe = (files("repo_tools.environment") / "tools_probe.py").read_text("utf-8")
    result = box.exec(("python3", "-I", "-S", "-c", probe, *names), timeout_seconds=_PROBE_SECONDS)
    try:
        return {name: _programs(found) for name, found in json.loads(result.output).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise SandboxError(f"a box does not say which programs it has: {result.output[:500]!r}") from error


def _programs(found: Any) -> tuple[Program, ...]:
    return tuple(Program(str(path), str(version), bool(default)) for path, version, default in found)


def choose(tools: Sequence[Tool], offer: Offer) -> dict[str, Program]:
    """For each program one that fits all who ask for it: one that they prefer, or else the nearest to that; of several
    the default, or else the newest. ToolMissingError names every tool that the box does not have."""
    chosen: dict[str, Program] = {}
    lacking: list[str] = []
    for name, asked in _by_program(tools).items():
        programs = offer.get(name, ())
        fitting = [program for program in programs if all(_fits(program, tool.versions) for tool in asked)]
        if fitting:
            chosen[name] = min(fitting, key=lambda program: _worse(program, asked))
        else:
            lacking.append(_lack(asked, programs))
    if lacking:
        absent = [name for name in _by_program(tools) if not offer.get(name)]
        remedies = (REMEDY, *_remedy_of_python(tools, chosen), *_remedy_of_languages(absent))
        raise ToolMissingError(" ".join(("The sandbox lacks what the repository asks for.", *lacking, *remedies)))
    return chosen


def _remedy_of_python(tools: Iterable[Tool], chosen: Mapping[str, Program]) -> tuple[str, ...]:
    """How a machine gets one that fits; nothing where there is one."""
    asked = [tool for tool in tools if tool.program == PYTHON]
    if not asked or PYTHON in chosen:
        return ()
    further = (Program("", python.version, False) for python in FURTHER)
    fitting = [program.version for program in further if all(_fits(program, tool.versions) for tool in asked)]
    return (_BY_COMMAND.format(version=fitting[0]) if fitting else _BY_UV,)


def _remedy_of_languages(absent: Iterable[str]) -> tuple[str, ...]:
    names = sorted({LANGUAGE_OF[program] for program in absent if program in LANGUAGE_OF})
    if not names:
        return ()
    command = f"`agent-fix sandbox build --languages {','.join(names)}`"
    return (f"For Docker, {command} makes an image with it, as Debian has it: name what is in it already, too.",)


def python_note(tools: Iterable[Tool], chosen: Mapping[str, Program]) -> tuple[str, ...]:
    """Which Python it is, and what to say where it is another one than the repository knows: what it dropped since
    makes tests red."""
    if PYTHON not in chosen:
        return ()
    named = [tool.preferred for tool in tools if tool.program == PYTHON and tool.preferred]
    if all(_fits(chosen[PYTHON], span) for span in named):
        return (f"the sandbox's Python is {chosen[PYTHON].version}",)
    known = ", ".join(dict.fromkeys(span.replace(".999", "") for span in named))
    return (f"the sandbox's Python is {chosen[PYTHON].version}; the repository names {known}",)


def nearer_python_note(tools: Iterable[Tool], chosen: Mapping[str, Program], offer: Offer) -> tuple[str, ...]:
    """What to say where a Python that can be put beside those of `offer` would be nearer to what `tools` prefer."""
    asked = [tool for tool in tools if tool.program == PYTHON]
    if PYTHON not in chosen:
        return ()
    there = {".".join(program.version.split(".")[:2]) for program in offer.get(PYTHON, ())}
    further = [Program("", python.version, False) for python in FURTHER if python.version not in there]
    fitting = [program for program in further if all(_fits(program, tool.versions) for tool in asked)]
    best = min((chosen[PYTHON], *fitting), key=lambda program: _worse(program, asked))
    if best is chosen[PYTHON]:
        return ()
    return (
        f"Python {best.version} is nearer to what it was written for: `agent-fix sandbox pythons` puts it on a machine"
        " whose sandbox is bubblewrap, and the image of `agent-fix sandbox build` has it",
    )


def hand_over(box: Sandbox, chosen: Mapping[str, Program]) -> dict[str, str]:
    """Make set-up and tests find what was chosen instead of the default, and a ``python``; variables for set-up."""
    for name, program in chosen.items():
        if name != PYTHON and not program.is_default:
            folder = program.path.rpartition("/")[0]
            beside = [f"{folder}/{other}" for other in _BESIDE.get(name, ())]
            argv = ("sh", "-c", _LINK, "sh", f"{ENVIRONMENT}/bin", name, program.path, *beside)
            box.exec(argv, timeout_seconds=_PROBE_SECONDS)
    if chosen:
        box.exec(("sh", "-c", _NAME_PYTHON, "sh", f"{ENVIRONMENT}/bin"), timeout_seconds=_PROBE_SECONDS)
    return {PYTHON_VARIABLE: chosen[PYTHON].path} if PYTHON in chosen else {}


def _by_program(tools: Iterable[Tool]) -> dict[str, list[Tool]]:
    asked: dict[str, list[Tool]] = {}
    for tool in tools:
        asked.setdefault(tool.program, []).append(tool)
    return asked


def _worse(program: Program, asked: list[Tool]) -> tuple[int, int, bool, tuple[int, ...]]:
    """Orders programs, the best first: of two that are as far from what is preferred the newer, which has the syntax
    of the older one."""
    unloved = [tool.preferred for tool in asked if not _fits(program, tool.preferred)]
    far = sum(_releases_between(program, preferred) for preferred in unloved)
    return len(unloved), far, not program.is_default and not far, _newest_first(program)


def _releases_between(program: Program, preferred: str) -> int:
    """How far off it is: an old commit runs on the oldest that is there sooner than on the newest."""
    ends = [Version(span.version.removesuffix(".*")) for span in SpecifierSet(preferred)]
    own = Version(program.version)
    return min(abs((own.major - end.major) * 100 + own.minor - end.minor) for end in ends)


def _fits(program: Program, versions: str) -> bool:
    """What cannot be read is not judged: set-up itself will say."""
    try:
        return SpecifierSet(versions).contains(Version(program.version), prereleases=True)
    except ValueError:
        return True


def _newest_first(program: Program) -> tuple[int, ...]:
    try:
        return tuple(-number for number in Version(program.version).release)
    except InvalidVersion:
        return (0,)


def _lack(asked: list[Tool], programs: tuple[Program, ...]) -> str:
    wanted = " and ".join(f"{tool.program}{tool.versions and ' '}{tool.versions}{_source(tool)}" for tool in asked)
    there = ", ".join(dict.fromkeys(program.version or "an unknown version" for program in programs))
    return f"Wanted: {wanted}; " + (f"the image has {there}." if there else "the image has none.")


def _source(tool: Tool) -> str:
    return f" ({tool.source})" if tool.source else ""
