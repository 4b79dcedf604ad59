"""Programs by their names, and which of them run tests when they are told what. Pure."""

import itertools
import re
from collections.abc import Callable, Mapping
from posixpath import basename

from repo_tools.environment.runners.javascript_command import JAVASCRIPT_RUNNERS, program_name

TEST_PROGRAMS = JAVASCRIPT_RUNNERS | frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "nose2", "nosetests", "trial", "stestr", "green", "ctest"}
    | {"gotestsum", "rspec", "prove", "phpunit", "simple-phpunit", "paratest", "pest", "phpspec"}
)
DJANGO = ("django-admin", "django-admin.py", "django")
"""Its commands, the last as a module."""
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""They run the scripts of a ``package.json``."""
SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_RUNNERS_OF_GOALS = MANAGERS | frozenset(
    {"make", "just", "task", "invoke", "inv", "poe", "hatch", "pdm", "rye", "deno", "grunt", "gulp", "jake", "nx"}
    | {"turbo", "lerna", "rake", "rails", "dotnet", "sbt", "ant", "composer", "mix"}
)
_GOAL = re.compile(r"(?:\S*[:._-])?(?:tests?|t|check|verify|spec|unit|nextest)(?:[:._-]\S*)?")
_CHECK_WITHOUT_TESTS = re.compile(
    r"(?!(?:.*[:._-])?(?:tests?|t|spec|unit)(?:[:._-]|$))(?:.*[:._-])?"
    r"(?:lint\w*|fmt|format\w*|style|types?|typing|mypy|docs?|links|spelling|(?:re)?build|wheels?|packag(?:e|ing)"
    r"|manifest|licen[cs]es?)(?:[:._-].*)?"
)
"""A goal that looks at the sources alone (``check-format``, ``type-check``), or at what is published."""
_CHECKS_ALL = re.compile(r"(?:npm|pnpm|yarn|bun) (?:run|run-script) ci")
"""A script called ``ci``; ``npm ci`` is an installation."""
_NO_SCRIPT = re.compile(r"(?:npm|pnpm|yarn|bun) (?:config|set|get|cache|pack|pkg|publish|link)")
"""Own commands of managers, whose words may be called like tests (``npm set verify-store-integrity false``)."""
_ONLY_COMPILES = frozenset(("build", "b", "check", "c", "clippy", "doc", "fmt", "install", "publish", "semver-checks"))
_CARGO_GOAL = re.compile(r"t|nextest|tarpaulin|llvm-cov|tests?(?:[-_].*)?")
_JAVA_GOAL = re.compile(r"(?:\S*:)?(?:\w*[tT]ests?|check|build)|verify|package|install|integration-test")
_SKIPS_TESTS = re.compile(r"-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-P?skipTests")
_TEST_SCRIPT = re.compile(
    r"(?:run[-_]?)?(?:all[-_]?)?(?:unit[-_]?)?tests?(?:[-_]?(?:runner|suite|all))?(?:\.(?:sh|py|pl))?", re.IGNORECASE
)
TEST_PROGRAM = re.compile(r"(?:[a-z0-9]+[-_])*(?:unit|self)?tests?(?:[-_]?(?:cases?|runner|suite|all))?", re.IGNORECASE)
"""A file without an ending that an interpreter is given."""
_INTERPRETER = re.compile(r"python[\d.]*|coverage")
_RUN_OF_TESTS = re.compile(r"(?:.*/)?(?:u|unit[-_]?)?tests?/run(?:ner)?\.(?:sh|py)")
_TEST_MODULE = re.compile(r"(?:\w+\.)*(?:(?:run_?)?(?:all_?)?tests?(?:_?(?:runner|suite))?)")
_ENVIRONMENTS: Mapping[str, tuple[str, ...]] = {"tox": ("-e", "-f"), "nox": ("-s", "-e", "-k", "-t")}
_NO_SUITE = re.compile(
    r"(?:py\w*-)?(?:(?:build-?)?docs?|lint(?:ers?|ing)?|style|ty(?:p(?:es?|ing))?|typecheck|mypy|pyright|qa|format|flake8|black"
    r"|isort|ruff|pylint|pep8|pycodestyle|pre-commit|build|package|packaging|release|manifest|report|clean)"
    r"(?:[-_]\w+)?",
    re.IGNORECASE,
)
"""An environment of tox or nox that runs no tests."""
_MIGRATES = re.compile(r"alembic (?:.* )?upgrade .*|flask (?:.* )?db upgrade(?: .*)?|aerich (?:.* )?upgrade(?: .*)?")
"""https://alembic.sqlalchemy.org/en/latest/tutorial.html#running-our-first-migration,
https://flask-migrate.readthedocs.io/, https://github.com/tortoise/aerich"""
_PASSES_TO_PYTEST = frozenset({"pytest", "py.test", "tox", "nox"})
_PART_OF_PYTEST = re.compile(r"[^\s-]\S*\.py(?:::.*)?|-[km]=? ?(?!not )[\w(].*")
_PART_OF_SCRIPTS = re.compile(
    r"tests?[:_-](?:ui|dom|ssr|browsers?|bun|deno|workers?|types?|typings|dts|smoke|examples?|docs?|perf|bench\w*)"
    r"|(?:workspace|--filter|-F|--workspace|-w|--scope)[ =][\w@/-]+"
)
_RUNNERS_OF_SCRIPTS = frozenset({"hatch", "pdm", "rye", "pixi", "pipenv"})


def name_of(words: tuple[str, ...]) -> str:
    """Of the program that they start, whatever folder it is in; every ``pip3.11`` is pip."""
    name = basename(words[0]) if words else ""
    return "pip" if re.fullmatch(r"pip[\d.]+", name) else name


def plain_words(words: tuple[str, ...]) -> list[str]:
    """All that are no options."""
    return [word for word in words if not word.startswith("-")]


def runs_tests(argv: tuple[str, ...], program: tuple[str, ...]) -> bool:
    """Whether `argv`, which starts `program` in the end, does."""
    named = name_of(argv) in _RUNNERS_OF_SCRIPTS and _GOAL.fullmatch(program[0])
    module = "-m" in argv and _TEST_MODULE.fullmatch(program[0])
    starters = argv[: -len(program)]
    by_interpreter = "-m" not in starters and any(map(_INTERPRETER.fullmatch, map(basename, starters)))
    measured = "coverage" in map(basename, starters) and program[0].endswith(".py") and name_of(program) not in _RULES
    file = measured or (by_interpreter and TEST_PROGRAM.fullmatch(name_of(program)))
    return bool(named or module or file) or _RULES.get(name_of(program), _is_test_script)(program)


def migrates(program: tuple[str, ...]) -> bool:
    """Whether it makes the tables of a Python program's database. Django's tests make their own."""
    words = (name_of(program), *program[1:])
    return "--sql" not in words and bool(_MIGRATES.fullmatch(" ".join(words)))


def tests_a_part(program: tuple[str, ...]) -> bool:
    """Whether it has pytest run files that it names, or what a marker or a word chooses, rather than the suite, or runs
    a script of one member, or that is called after a part."""
    if name_of(program) in MANAGERS:
        return any(map(_PART_OF_SCRIPTS.fullmatch, (*program[1:], " ".join(program[1:3]))))
    words = (*program[1:], *map(" ".join, itertools.pairwise(program)))
    return name_of(program) in _PASSES_TO_PYTEST and any(map(_PART_OF_PYTEST.fullmatch, words))


def _runs_a_suite(words: tuple[str, ...]) -> bool:
    """Unless all environments of tox, or sessions of nox, that it names are for other work."""
    options = _ENVIRONMENTS.get(name_of(words), ())
    named = [value for word, value in itertools.pairwise(words) if word in options and not value.startswith("-")]
    asked = [name for value in named for name in re.split(r"[\s,]+", value) if name]
    return not asked or not all(map(_NO_SUITE.fullmatch, asked))


def _has_command_test(words: tuple[str, ...]) -> bool:
    return plain_words(words[1:])[:1] == ["test"]


def _node_tests(words: tuple[str, ...]) -> bool:
    started = (program_name(word) for word in words[1:] if "/" in word)
    return "--test" in words or not TEST_PROGRAMS.isdisjoint(started)


def _go_tests(words: tuple[str, ...]) -> bool:
    plain = plain_words(words[1:])
    return plain[:1] == ["test"] or "gotestsum" in " ".join(plain[:2])


def _cargo_tests(words: tuple[str, ...]) -> bool:
    """What checks, builds or installs code runs none of it."""
    plain = [word for word in plain_words(words[1:]) if not word.startswith("+")]
    return _ONLY_COMPILES.isdisjoint(plain[:1]) and any(map(_CARGO_GOAL.fullmatch, plain[:4]))


def _java_tests(words: tuple[str, ...]) -> bool:
    """Each phase of Maven behind ``test``, and Gradle's ``build``, has the tests in it, unless they are left out."""
    left_out = {after for word, after in itertools.pairwise(words) if word in ("-x", "--exclude-task")}
    goals = [word for word in plain_words(words[1:]) if word not in left_out]
    skipped = any(map(_SKIPS_TESTS.fullmatch, words)) or "test" in left_out
    return not skipped and any(map(_JAVA_GOAL.fullmatch, goals))


def _has_goal_of_tests(words: tuple[str, ...]) -> bool:
    name, plain = name_of(words), plain_words(words[1:])
    goals = [word for word in plain if word not in ("run", "exec")]
    named = [goal for goal in goals if not goal.startswith("db:")]  # ``db:test:prepare`` runs none
    told = [word for before, word in itertools.pairwise(plain) if before == "run"]  # behind options with values
    if _NO_SCRIPT.fullmatch(" ".join((name, *plain[:1]))):
        return False
    checks_all = _CHECKS_ALL.fullmatch(" ".join((name, *plain[:2])))
    tests = (_GOAL.fullmatch(goal) and not _CHECK_WITHOUT_TESTS.fullmatch(goal) for goal in (*named[:4], *told))
    return bool(checks_all) or any(tests) or (name == "rake" and not goals)


def _is_test_script(words: tuple[str, ...]) -> bool:
    """By its name, where a file is started, or a shell is given one."""
    by_shell = name_of(words) in SHELLS
    script = next(iter(plain_words(words[1:])), words[0]) if by_shell else words[0]
    starts = by_shell or "/" in words[0] or words[0].endswith(".py")
    return bool(starts and (_TEST_SCRIPT.fullmatch(basename(script)) or _RUN_OF_TESTS.fullmatch(script)))


_RULES: Mapping[str, Callable[[tuple[str, ...]], bool]] = {
    **dict.fromkeys(_RUNNERS_OF_GOALS, _has_goal_of_tests),
    **dict.fromkeys(TEST_PROGRAMS, _runs_a_suite),
    **dict.fromkeys(("setup.py", "manage.py", *DJANGO), _has_command_test),
    **dict.fromkeys(("node", "tsx"), _node_tests),
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew"), _java_tests),
    "cargo": _cargo_tests,
    "go": _go_tests,
}
"""Program -> whether the words that begin with it run tests; any other may be a script."""
