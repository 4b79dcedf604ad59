"""What the words of a command start, and whether that runs tests. Pure."""

import itertools
import re
from collections.abc import Mapping
from functools import lru_cache
from posixpath import basename

from repo_tools.environment.runners.javascript_command import WRAPPERS, program_name, without_wrappers

_PREFIXES = frozenset(
    {"sudo", "time", "command", "exec", "env", "npx", "uvx", "xvfb-run", "stdbuf", "nice", "travis_retry"}
    | {"dbus-run-session", "dbus-launch", "unbuffer", "catchsegv", "fakeroot", "chronic", "mpirun", "mpiexec"}
    | {"ddtrace-run", "opentelemetry-instrument"}
)
_BEHIND_DASHES = re.compile(r"wait[-_]?for[\w-]*(?:\.sh)?|runuser|doppler|aws-vault|mise|op|retry")
"""They start what stands behind ``--``."""
_AS_USER = frozenset({"gosu", "su-exec"})
_IN_SHELL = {"nix": ("-c", "--command")}
"""The option behind which the program stands."""
_RUNS_A_PROGRAM = frozenset({"exec", "x", "dlx", "--bun"})
"""What a manager of JavaScript's is told where no script is meant."""
_RUNNERS_OF_PROGRAMS = {
    **dict.fromkeys(("uv", "poetry", "pdm", "pipenv", "rye", "hatch", "pixi", "pipx", "coverage", "micromamba"), "run"),
    **dict.fromkeys(("conda", "mamba"), "run"),
    **dict.fromkeys(("bundle", "pnpm", "yarn", "pyenv", "asdf"), "exec"),
}
_OPTIONS_WITH_VALUE = frozenset(
    {"--extra", "--group", "--only-group", "--with", "--python", "-p", "--package", "--env", "-e", "-n", "--source"}
    | {"--from", "--with-editable", "--with-requirements", "--python-preference", "--index", "--name", "--cwd", "-np"}
    | {"--environment", "--manifest-path"}
)
JAVASCRIPT_RUNNERS = frozenset(
    {"jest", "mocha", "_mocha", "vitest", "ava", "tape", "tap", "karma", "jasmine", "lab", "nodeunit", "qunit", "uvu"}
    | {"brittle", "brittle-node", "jasmine-node", "vows", "qunit-cli", "jasmine-ts", "mochapack", "mocha-webpack"}
    | {"rc-test", "umi-test"}
)
_TEST_PROGRAMS = JAVASCRIPT_RUNNERS | frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "nose2", "nosetests", "trial", "stestr", "green", "ctest"}
    | {"gotestsum", "rspec", "prove", "phpunit", "simple-phpunit", "paratest", "pest", "phpspec"}
)
_RUNNERS_OF_GOALS = frozenset(
    {"make", "just", "task", "invoke", "inv", "poe", "hatch", "pdm", "rye", "npm", "yarn", "pnpm", "bun", "deno"}
    | {"grunt", "gulp", "jake", "nx", "turbo", "lerna"}
    | {"rake", "rails", "mvn", "mvnw", "gradle", "gradlew", "go", "cargo", "dotnet", "sbt", "ant", "composer", "mix"}
)
_GOAL = re.compile(r"(?:\S*[:._-])?(?:tests?|t|check|verify|spec|unit|nextest)(?:[:._-]\S*)?")
_ONLY_COMPILES = frozenset(("build", "b", "check", "c", "clippy", "doc", "fmt", "install", "publish", "semver-checks"))
_CARGO_GOAL = re.compile(r"t|nextest|tarpaulin|llvm-cov|tests?(?:[-_].*)?")
_OF_JAVA = frozenset(("mvn", "mvnw", "gradle", "gradlew"))
_JAVA_GOAL = re.compile(r"(?:\S*:)?(?:\w*[tT]ests?|check|build)|verify|package|install|integration-test")
_SKIPS_TESTS = re.compile(r"-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-P?skipTests")
_TEST_SCRIPT = re.compile(
    r"(?:run[-_]?)?(?:all[-_]?)?(?:unit[-_]?)?tests?(?:[-_]?(?:runner|suite|all))?(?:\.(?:sh|py|pl))?", re.IGNORECASE
)
_TEST_PROGRAM = re.compile(
    r"(?:[a-z0-9]+[-_])*(?:unit|self)?tests?(?:[-_]?(?:cases?|runner|suite|all))?", re.IGNORECASE
)
"""A file without an ending that an interpreter is given."""
_INTERPRETER = re.compile(r"python[\d.]*|coverage")
_RUN_OF_TESTS = re.compile(r"(?:.*/)?(?:u|unit[-_]?)?tests?/run(?:ner)?\.(?:sh|py)")
_TEST_MODULE = re.compile(r"(?:\w+\.)*(?:(?:run_?)?(?:all_?)?tests?(?:_?(?:runner|suite))?)")
DJANGO = ("django-admin", "django-admin.py", "django")
"""Its commands, the last as a module."""
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""They run the scripts of a ``package.json``."""
SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_CHECKS_ALL = re.compile(r"(?:npm|pnpm|yarn|bun) (?:run|run-script) ci")
"""A script called ``ci``; ``npm ci`` is an installation."""
_ENVIRONMENTS: Mapping[str, tuple[str, ...]] = {"tox": ("-e", "-f"), "nox": ("-s", "-e", "-k", "-t")}
_NO_SUITE = re.compile(
    r"(?:py\w*-)?(?:(?:build-?)?docs?|lint(?:ers?|ing)?|style|ty(?:p(?:es?|ing))?|typecheck|mypy|pyright|qa|format|flake8|black"
    r"|isort|ruff|pylint|pep8|pycodestyle|pre-commit|build|package|packaging|release|manifest|report|clean)"
    r"(?:[-_]\w+)?",
    re.IGNORECASE,
)
"""An environment of tox or nox that runs no tests."""
_PASSES_TO_PYTEST = frozenset({"pytest", "py.test", "tox", "nox"})
_PART_OF_PYTEST = re.compile(r"[^\s-]\S*\.py(?:::.*)?|-[km]=? ?(?!not )[\w(].*")
_RUNNERS_OF_SCRIPTS = frozenset({"hatch", "pdm", "rye", "pixi", "pipenv"})


@lru_cache(maxsize=2_000)
def taken_apart(words: tuple[str, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """(variables that are set on the way, the program inside)."""
    variables: dict[str, str] = {}
    while words:
        name, rest = name_of(words), words[1:]
        runs = _RUNNERS_OF_PROGRAMS.get(name)
        if name in _PREFIXES:
            words = _after_options(rest)
        elif name == "hatch" and rest[:1] == ("run",) and (own := _of_hatch(rest[1:])):
            words = own
        elif runs and rest[:1] == (runs,):
            words = _after_options(rest[1:])
        elif name == "uv" and rest[:1] == ("pip",):
            words = rest
        elif name == "uv" and rest[:2] == ("tool", "run"):
            words = _after_options(rest[2:])
        elif re.fullmatch(r"python[\d.]*", name) and (started := _started(rest)):
            words = started
        elif name == "timeout" or name in _AS_USER:
            words = _after_options(rest)[1:]
        elif "--" in rest and _BEHIND_DASHES.fullmatch(name):
            words = rest[rest.index("--") + 1 :]
        elif option := next((word for word in _IN_SHELL.get(name, ()) if word in rest), ""):
            words = rest[rest.index(option) + 1 :]
        else:
            on_the_way, inside = without_wrappers(words, _is_script_of_manager)
            variables |= on_the_way
            if inside[1:] == rest:
                break
            words = inside
    return tuple(variables.items()), words


def _is_script_of_manager(words: tuple[str, ...]) -> bool:
    """``yarn cover`` is one; ``yarn nyc mocha`` is none."""
    told = next(iter(plain_words(words[1:])), "")
    names = {*_RUNS_A_PROGRAM.intersection(words[1:2]), *(_TEST_PROGRAMS | WRAPPERS).intersection([told])}
    return name_of(words) in MANAGERS and not names


def _of_hatch(words: tuple[str, ...]) -> tuple[str, ...]:
    """What ``hatch run test:python -m pip …`` starts; none where it is a script of the project's:
    https://hatch.pypa.io/latest/environment/#command-execution"""
    environment, colon, program = words[0].rpartition(":") if words else ("", "", "")
    return (program, *words[1:]) if colon and environment and re.fullmatch(r"python[\d.]*|pip", program) else ()


def _started(words: tuple[str, ...]) -> tuple[str, ...]:
    """What an interpreter starts, behind its own options: a module and its arguments, or a file and its, be it an
    installed program's; else none."""
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        words = words[2:] if words[0] in ("-W", "-X") else words[1:]
    if words[:1] == ("-m",):
        return words[1:]
    known = words and (words[0].endswith(".py") or name_of(words) in ("coverage", *DJANGO, *_TEST_PROGRAMS))
    return words if known or (words and _TEST_PROGRAM.fullmatch(name_of(words))) else ()


def _after_options(words: tuple[str, ...]) -> tuple[str, ...]:
    while words and words[0].startswith(("-", "+")) and words[0] != "-m":
        words = words[2:] if words[0] in _OPTIONS_WITH_VALUE else words[1:]
    return words[1:] if words[:1] == ("-m",) else words


def runs_tests(argv: tuple[str, ...], program: tuple[str, ...]) -> bool:
    """Whether `argv`, which starts `program` in the end, does."""
    named = name_of(argv) in _RUNNERS_OF_SCRIPTS and _GOAL.fullmatch(program[0])
    module = "-m" in argv and _TEST_MODULE.fullmatch(program[0])
    starters = argv[: -len(program)]
    by_interpreter = "-m" not in starters and any(map(_INTERPRETER.fullmatch, map(basename, starters)))
    file = by_interpreter and _TEST_PROGRAM.fullmatch(name_of(program))
    return bool(named or module or file) or _tests(program)


def tests_a_part(program: tuple[str, ...]) -> bool:
    """Whether it has pytest run files that it names, or what a marker or a word chooses, rather than the suite."""
    words = (*program[1:], *map(" ".join, itertools.pairwise(program)))
    return name_of(program) in _PASSES_TO_PYTEST and any(map(_PART_OF_PYTEST.fullmatch, words))


def _tests(words: tuple[str, ...]) -> bool:
    name, plain = name_of(words), plain_words(words[1:])
    if name in _TEST_PROGRAMS:
        asked = _environments(words)
        return not asked or not all(map(_NO_SUITE.fullmatch, asked))
    if name in ("setup.py", "manage.py", *DJANGO):
        return plain[:1] == ["test"]
    if name in ("node", "tsx"):
        started = (program_name(word) for word in words[1:] if "/" in word)
        return "--test" in words or not _TEST_PROGRAMS.isdisjoint(started)
    if name in ("cargo", "go"):
        return _tests_code(name, [word for word in plain if not word.startswith("+")])
    if name in _OF_JAVA:
        return _tests_java(words[1:])
    if _CHECKS_ALL.fullmatch(" ".join((name, *plain[:2]))):
        return True
    if name in _RUNNERS_OF_GOALS:
        goals = [word for word in plain if word not in ("run", "exec")]
        own = [goal for goal in goals if not goal.startswith("db:")]  # ``db:test:prepare`` runs none
        return any(map(_GOAL.fullmatch, own[:4])) or (name == "rake" and not goals)
    starts = "/" in words[0] or words[0].endswith(".py") or name in SHELLS
    script = plain[0] if name in SHELLS and plain else words[0]
    return bool(starts and (_TEST_SCRIPT.fullmatch(basename(script)) or _RUN_OF_TESTS.fullmatch(script)))


def _tests_code(name: str, plain: list[str]) -> bool:
    """What checks, builds or installs code runs none of it."""
    if name == "go":
        return plain[:1] == ["test"] or "gotestsum" in " ".join(plain[:2])
    if plain[:1] and plain[0] in _ONLY_COMPILES:
        return False
    return any(_CARGO_GOAL.fullmatch(word) for word in plain[:4])


def _tests_java(words: tuple[str, ...]) -> bool:
    """Each phase of Maven behind ``test``, and Gradle's ``build``, has the tests in it, unless they are left out."""
    left_out = {after for word, after in itertools.pairwise(words) if word in ("-x", "--exclude-task")}
    goals = [word for word in plain_words(words) if word not in left_out]
    skipped = any(_SKIPS_TESTS.fullmatch(word) for word in words) or "test" in left_out
    return not skipped and any(_JAVA_GOAL.fullmatch(goal) for goal in goals)


def _environments(words: tuple[str, ...]) -> list[str]:
    """The environments of tox, or the sessions of nox, that a command names."""
    options = _ENVIRONMENTS.get(name_of(words), ())
    named = [value for word, value in itertools.pairwise(words) if word in options]
    return [name for value in named for name in re.split(r"[\s,]+", value) if name and not value.startswith("-")]


def name_of(words: tuple[str, ...]) -> str:
    """Of the program that they start, whatever folder it is in; every ``pip3.11`` is pip."""
    name = basename(words[0]) if words else ""
    return "pip" if re.fullmatch(r"pip[\d.]+", name) else name


def plain_words(words: tuple[str, ...]) -> list[str]:
    """All that are no options."""
    return [word for word in words if not word.startswith("-")]
