"""What a single command of a script is: a build, a check that decides nothing about tests, one that may test. Pure."""

import re
from collections.abc import Callable
from itertools import pairwise

from repo_tools.environment.javascript.chains import (
    every_command,
    in_shell,
    parts_of,
)
from repo_tools.environment.javascript.groups import in_braces, is_beside
from repo_tools.environment.javascript.pipes import taken_from_pipe
from repo_tools.environment.javascript.programs import BUILDERS, CONTAINERS, IDLE, TASKS, is_download, needs_browser
from repo_tools.environment.javascript.script_calls import calls_script
from repo_tools.environment.javascript.words import words_in
from repo_tools.environment.runners.javascript_command import (
    ScriptCommand,
    is_script,
    program_name,
    split_operands,
    without_wrappers,
)
from repo_tools.environment.runners.jest import FRAMEWORKS
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE
from repo_tools.environment.shell.syntax import Pipeline, Script
from repo_tools.environment.shell.text import of_pipeline, only_pipeline

Recognise = Callable[[ScriptCommand], str | None]
"""The name of the runner that understands a command; None where it is no test command."""
TESTS = re.compile(
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
IDLE_SCRIPT = re.compile(
    r"(?!(?=.*\band\b).*test)(?:[\w:.-]*lint|(?:pre|post)?(?:lint|format|prettier|typecheck|type-check|types:check"
    r"|check[:-]types|coverage|audit|size)(?:[:_-].*)?)"
)
"""Not ``lint-and-test``."""
_OF_MEMBERS = ("lerna", "turbo", "nx", "wsrun", "ultra", "rush", "bun")
_REMOVES_BUILDS = re.compile(r"clean(?:[:_-].*)?")
"""Of members, as a script: often with their packages, which nothing brings back in the tests' box."""
_START_FOR_MEMBERS = frozenset(
    (
        *("run", "run-script", "run-many", "affected", "exec", "recursive", "multi", "m", "workspace", "workspaces"),
        *("foreach", "npx", "npm", "yarn", "pnpm", *_OF_MEMBERS),
    )
)
_TARGETS = ("-t", "--target", "--targets")
_BUILDS_OF_MEMBERS = re.compile(
    r"(?:build|compile|transpile|bundle|tsc|prepare|prepack|prepublish(?:Only)?|dist|codegen)(?:[:_-].*)?"
)
COVERAGE_SCRIPT = re.compile(r"coverage(?![a-z])")
_RUNS_NOTHING = frozenset(("--clearCache", "--clear-cache", "--showConfig", "--listTests"))
"""Options with which jest cleans up, or tells of itself (https://jestjs.io/docs/cli)."""
_IDLE_OF_A_MANAGER = frozenset(("link", "ls", "list", "outdated", "audit", "prune", "dedupe", "ddp", "shrinkwrap"))
"""Those that change anything change packages, which stand where the tests' box cannot write."""
_CHECKS = re.compile(
    r"(?!(?=.*\band\b).*test)[\w:.-]{0,60}(?:jshint|lint|jscs|standard|prettier)(?:[:.-]\w{1,60}){0,3}"
)
"""Tasks."""
EVERYWHERE = re.compile(
    r"(?:(?:npx|pnpm|yarn|npm exec) )?(?:lerna(?! (?:bootstrap|link|clean)\b)|turbo|nx|wsrun|ultra|rush|wireit)\b.*"
    r"|yarn workspaces? .*"
    r"|npm (?:.* )?(?:--workspaces?|-ws?)\b.*"
    r"|(?:npm|pnpm|yarn|bun) (?=.*(?:--prefix|-C|--dir|--cwd)[ =])(?=(?:.* )?(?:t|tst|test)(?:[ :]|$)).*"
    r"|bun (?:run )?(?:--filter|-F)[ =].*"  # https://bun.com/docs/pm/filter
    r"|pnpm(?: run| test| -[\w-]+(?:=\S+)?)*? (?:-r|--recursive|-F|--filter|recursive|multi|m)(?:[ =].*)?"
)
"""What starts scripts in members of a workspace."""
INSTALLS_HERE = re.compile(
    r"(?:npm|pnpm|bun) (?:install|i|ci|add)(?:\s(?!.*(?:--prefix|-C|--dir|--cwd)\b).*)?"
    r"|yarn(?:\s(?=install|add|--)(?!--silent (?!-|install|add))(?!.*--cwd\b).*)?"
    r"|(?:npx )?lerna (?:bootstrap|link|clean)\b.*"
)
"""Set-up has installed before tests are run, and these have no network."""
SAYS_INSTALLED = re.compile(r"touch (?:\S*/)?node_modules")
REMOVES_PACKAGES = re.compile(
    r"(?:npx )?(?:rimraf|(?:shx )?rm)(?: -\w{1,9})*(?: (?:\./)?node_modules(?:/[\w@{][\w@{},./-]*)?)+"
)
"""For other releases of them, which cannot be installed: without these nothing would be there."""
_OF_COVERAGE = (("report",), ("check-coverage",), ("merge",), ("instrument",))


def words_of(
    part: str, is_inside: Callable[[tuple[str, ...]], bool] = lambda _: False
) -> tuple[dict[str, str], tuple[str, ...]]:
    """`is_inside`: as `without_wrappers` takes it."""
    words = words_in(taken_from_pipe(part))
    if calls_script(" ".join(words)):
        return {}, words
    return without_wrappers(words, is_inside)


def without_manager(
    words: tuple[str, ...], is_followed: Callable[[tuple[str, ...]], bool], recognise: Recognise
) -> tuple[dict[str, str], tuple[str, ...]]:
    """(variables that are set, the command): what a manager starts (``pnpm eslint .``), where that is known and no
    script."""
    if words[0] not in ("yarn", "pnpm", "bun") or is_followed(words) or recognise(ScriptCommand(words)):
        return {}, words
    variables, inside = without_wrappers(words)
    known = inside and (is_idle(inside) or is_type_check(inside) or recognise(ScriptCommand(inside)))
    return (variables, inside) if known else ({}, words)


def is_in_container(part: str) -> bool:
    """Whether it carries something out in one, which may be the tests: no box has any."""
    words = part.split()
    told = next((words[at:] for at, word in enumerate(words) if word in CONTAINERS), [])
    return not {"run", "exec"}.isdisjoint(told) and {"-d", "--detach"}.isdisjoint(told)


def is_idle(words: tuple[str, ...]) -> bool:
    """Also where node starts its file, or a script of the repository: ``node bin/with-settings.js eslint .``"""
    if words[0] == "node" and words[1:] and program_name(words[1]) in IDLE - {words[1]}:
        return True
    if words[0] == "node" and len(words) > 2 and is_script(words[1]):
        return is_idle(without_wrappers(words[2:])[1] or ("node",))
    if words[0] == "make" and len(words) > 1:
        return all(map(IDLE_SCRIPT.fullmatch, words[1:]))
    if words[0] in ("npm", "yarn", "pnpm") and words[1:2] and words[1] in _IDLE_OF_A_MANAGER:
        return True
    if words[0] in ("grunt", "gulp", "jake") and len(words) > 1:
        return all(map(_CHECKS.fullmatch, words[1:]))
    if not _RUNS_NOTHING.isdisjoint(words):
        return True
    if words[0] in FRAMEWORKS and len(words) > 1:
        return bool(IDLE_SCRIPT.fullmatch(words[1]))
    if words[0] in CONTAINERS:
        return not is_in_container(" ".join(words))
    return words[0] in IDLE or is_download(words) or needs_browser(words)


def is_type_check(words: tuple[str, ...]) -> bool:
    return words[0] in ("tsc", "tsgo", "vue-tsc") and any(word.lower() in ("--noemit", "-noemit") for word in words)


def is_idle_report(words: tuple[str, ...]) -> bool:
    """``nyc report``, ``c8 check-coverage``: taken apart they begin with the command of the wrapper."""
    coverage = words[1:] if words[0] == "istanbul" else words
    return coverage[:1] in _OF_COVERAGE


def may_test(text: str) -> bool:
    """What only builds does not; a runner of tasks does where its task is called so, or has no name."""
    if group := in_braces(only_pipeline(text)):
        return not is_beside(group) and any(map(may_test, every_command(text)))
    _, words = words_of(text)
    if not is_build(text):
        return True
    tasks = [word for word in words[1:] if not word.startswith("-")]
    return program_name(words[0]) in TASKS and (not tasks or any(map(TESTS.match, tasks))) if words else False


def is_task(text: str) -> bool:
    """A task that a script of tests comes to, whatever it is called (``grunt execSpecsInNode``), and no build."""
    if in_braces(only_pipeline(text)):
        return any(map(is_task, every_command(text)))
    words = words_of(text)[1]
    tasks = [word for word in words[1:] if not word.startswith("-")]
    return words[:1] in (("grunt",), ("gulp",), ("jake",)) and not any(map(_NO_TASK_OF_TESTS.search, tasks))


def is_test_program(words: tuple[str, ...]) -> bool:
    """``node test/compress.js``: it stands among the tests, and is called after nothing that they only need."""
    file = next(iter(split_operands(words[1:], NODE_WITH_VALUE)[1]), "")
    return words[0] == "node" and bool(_TEST_PROGRAM.fullmatch(file))


def goes(text: str) -> bool:
    return text.startswith("cd ")


def is_build(text: str) -> bool:
    whole = only_pipeline(text)
    if inside := in_shell(whole):
        return all(goes(of_pipeline(part)) or _only_builds(part) for part in parts_of(Script("", inside)))
    if group := in_braces(whole):
        return is_beside(group) or all(goes(part) or is_build(part) for part in every_command(text))
    _, words = words_of(text)
    if words[:1] and program_name(words[0]) in _OF_MEMBERS:
        return told_members(words) == "build"
    return not words or bool(BUILDERS.fullmatch(program_name(words[0])))


def _only_builds(part: Pipeline) -> bool:
    """Elsewhere, where nobody knows what scripts come to."""
    words = words_of(told := of_pipeline(part))[1]
    if calls_script(text := " ".join(words)):
        return bool(INSTALLS_HERE.fullmatch(text) or told_members(words))
    return not (in_shell(part) or may_test(told))


def told_members(words: tuple[str, ...]) -> str:
    """``build`` or ``check``, where a command for a workspace's members (``lerna run build``, ``turbo lint``) names
    nothing but such scripts of theirs."""
    if any(TESTS.match(name) or "test" in name for word in words[1:] for name in re.split(r"[,=]", word)):
        return ""
    named: list[str] = []
    for before, word in pairwise(words):
        option, _, value = word.partition("=")
        names = (value if option in _TARGETS else word).split(",")
        is_one_of_theirs = before == "workspace" or (words[0] == "nx" and named)
        if word in _START_FOR_MEMBERS or is_one_of_theirs or (word.startswith("-") and option not in _TARGETS):
            continue
        if word not in _TARGETS and not (before.startswith("-") and not any(map(_decides_nothing, names))):
            named += names  # but for what is the value of an option
    if not named or not all(map(_decides_nothing, named)):
        return ""
    return "build" if any(map(_BUILDS_OF_MEMBERS.fullmatch, named)) else "check"


def _decides_nothing(name: str) -> bool:
    return any(known.fullmatch(name) for known in (_BUILDS_OF_MEMBERS, _REMOVES_BUILDS, IDLE_SCRIPT))


def place_of(name: str, path: str = "package.json") -> str:
    """Where a script stands, for a person; what a target of make does is known by its call."""
    target = name.removeprefix("make ")
    return f"{path} scripts.{name}" if target == name else f"{path.removesuffix('package.json')}Makefile {target}"
