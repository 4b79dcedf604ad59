"""What the shell lines of a workflow's steps are for: installing, testing, or something else. Nothing is run."""

import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from posixpath import basename

from repo_tools.environment.ci.values import UNKNOWN
from repo_tools.environment.commands import root_relative
from repo_tools.environment.runners.javascript_command import WRAPPERS, program_name, without_wrappers
from repo_tools.sandbox.contract import WORKSPACE

MOST_LINES = 200
MOST_PARTS = 1_000
"""Between ``&&`` and ``;``, in one script."""
MAX_LINE_CHARACTERS = 1_000

_PREFIXES = frozenset({"sudo", "time", "command", "exec", "env", "npx", "xvfb-run", "stdbuf", "nice", "travis_retry"})
_RUNS_A_PROGRAM = frozenset({"exec", "x", "dlx", "--bun"})
"""What a manager of JavaScript's is told where no script is meant."""
_RUNNERS_OF_PROGRAMS = {
    **dict.fromkeys(("uv", "poetry", "pdm", "pipenv", "rye", "hatch", "pixi", "pipx", "coverage", "micromamba"), "run"),
    **dict.fromkeys(("bundle", "pnpm", "yarn"), "exec"),
}
_OPTIONS_WITH_VALUE = frozenset(
    {"--extra", "--group", "--only-group", "--with", "--python", "-p", "--package", "--env", "-e", "-n", "--source"}
)
_TEST_PROGRAMS = frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "nose2", "nosetests", "trial", "stestr", "green", "ctest"}
    | {"jest", "mocha", "_mocha", "vitest", "ava", "tape", "tap", "karma", "jasmine", "lab", "qunit", "uvu"}
    | {"gotestsum", "rspec", "phpunit", "prove"}
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
_TEST_MODULE = re.compile(r"(?:\w+\.)*(?:(?:run_?)?(?:all_?)?tests?(?:_?(?:runner|suite))?)")
_INSTALLERS: Mapping[str, frozenset[str]] = {
    "pip": frozenset({"install"}),
    "uv": frozenset({"sync"}),
    **dict.fromkeys(("poetry", "pdm", "pipenv", "rye"), frozenset({"install", "sync"})),
    **dict.fromkeys(("npm", "pnpm", "bun", "yarn"), frozenset({"ci", "i", "install", "clean-install", ""})),
    **dict.fromkeys(("apt", "apt-get", "gem", "bundle", "conda", "mamba", "cargo"), frozenset({"install", "fetch"})),
    "go": frozenset({"mod", "get", "install"}),
    "composer": frozenset({"install", "i", "update", "u", "upgrade"}),
    "dotnet": frozenset({"restore"}),
    "setup.py": frozenset({"install", "develop", "build_ext"}),
    "make": frozenset({"install", "deps", "setup", "bootstrap", "dev", "develop", "init"}),
}
_BUILDERS = frozenset(
    {"make", "gmake", "cmake", "ninja", "meson", "scons", "autoreconf", "configure"}
    | {"autogen.sh", "bootstrap", "bootstrap.sh", "buildconf", "buildconf.sh"}
)
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""They run the scripts of a ``package.json``."""
_BUILD_SCRIPT = re.compile(
    r"(?:build|compile|transpile|bundle)"
    r"(?:[:._-](?!.*(?:doc|site|web|story|example|demo|bench|image|docker|e2e|release|debug|prod|watch|check|type)).*)?"
)
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NO_COMMAND = frozenset({"set", "echo", "source", ".", "true", ":", "mkdir", "printf", "exit", "cat", "ls"})
_TOKEN = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|&&|;|[^'"&;]+|.""")
_HERE_DOCUMENT = re.compile(r"(?<!<)<<-?[ \t]{0,9}['\"]?(\w+)")
_TAKEN_AS_IT_IS = re.compile(r"'[^']*'")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*\"""")
_CONDITIONS = ("[ ", "[[ ", "test ", "! ")
_BLOCK_BEGINS = re.compile(r"^\s*(?:if|for|while|case|until)\b")
_BLOCK_ENDS = re.compile(r"(?:^|;)\s*(?:fi|done|esac)\b")
_EXPANSION = re.compile(r"""'[^']*'|\$\{(\w+|@)\}|\$(\w+|@)|\$\((pwd|nproc)\)""")
NOT_KNOWN = "?"
"""Stands in a command for a word that is not known."""
_STARTERS = frozenset({"docker", "docker-compose"})
_HIDDEN = re.compile(rf"""'[^']*[|<>][^']*'|"[^"]*[|<>$`][^"]*"|\$\([^()]*\)|`[^`]*`|\$\S*|{UNKNOWN}""")
"""What only a shell, or a run, makes a word of; and words that are not to be taken for its pipes."""
_PIPED = re.compile(r"\d?[|<>].*", re.DOTALL)
_ENVIRONMENTS: Mapping[str, tuple[str, ...]] = {"tox": ("-e", "-f"), "nox": ("-s", "-e", "-k", "-t")}
_NO_SUITE = re.compile(
    r"(?:py\w*-)?(?:(?:build-?)?docs?|lint(?:ers?|ing)?|style|typ(?:es?|ing)|typecheck|mypy|pyright|qa|format|flake8|black"
    r"|isort|ruff|pylint|pep8|pycodestyle|pre-commit|build|package|packaging|release|manifest|report|clean)"
    r"(?:[-_]\w+)?",
    re.IGNORECASE,
)
"""An environment of tox or nox that runs no tests."""
_NOTHING_BESIDE = re.compile(r":+(?=$|\s|\")|(?<==):+")
_ALWAYS = {
    **{"@": "", "PYTHONPATH": "", "nproc": "2"},
    **dict.fromkeys(("pwd", "PWD", "GITHUB_WORKSPACE", "TRAVIS_BUILD_DIR"), WORKSPACE),
}
"""What a script that is called without arguments, in the root of the work tree, finds."""
_NONE: Mapping[str, str] = {}
_RUNNERS_OF_SCRIPTS = frozenset({"hatch", "pdm", "rye", "pixi"})


@dataclass(frozen=True)
class CommandEvidence:
    """One command of a workflow, in `directory` (root-relative), with the variables set in front of it, or exported
    before. `source` says where it stands: ``.github/workflows/ci.yml:34``. `in_part`: with words that only a run would
    know, so that it tells what the job is about, and is nothing to run. `started`: the tests in the script, or the
    Makefile's goal, that it runs."""

    argv: tuple[str, ...]
    directory: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    source: str = ""
    in_part: bool = False
    started: tuple["CommandEvidence", ...] = ()

    @property
    def program(self) -> tuple[str, ...]:
        """Its words without those that only start another program (``sudo``, ``uv run``, ``python -m``, ``npx c8``)."""
        return _taken_apart(self.argv)[1]

    @property
    def is_install(self) -> bool:
        name, goal = _name(self.program), next(iter(_plain(self.program[1:])), "")
        return goal in _INSTALLERS.get(name, ())

    @property
    def is_test(self) -> bool:
        if self.is_install or not self.program or "--collect-only" in self.argv:
            return False
        named = _name(self.argv) in _RUNNERS_OF_SCRIPTS and _GOAL.fullmatch(self.program[0])
        module = "-m" in self.argv and _TEST_MODULE.fullmatch(self.program[0])
        return bool(named or module) or _tests(self.program)

    @property
    def is_build(self) -> bool:
        """Of a program in C, or the like, that tests start."""
        return not (self.is_install or self.is_test) and _name(self.program) in _BUILDERS

    @property
    def built_script(self) -> str:
        """The script of a ``package.json`` that it builds with; empty where it does something else."""
        words = [word for word in _plain(self.program[1:]) if word not in ("run", "run-script")]
        script = next(iter(words), "") if _name(self.program) in MANAGERS else ""
        return script if _BUILD_SCRIPT.fullmatch(script) else ""

    @property
    def system_packages(self) -> tuple[str, ...]:
        """What an ``apt-get install`` names."""
        if not self.is_install or _name(self.program) not in ("apt", "apt-get"):
            return ()
        return tuple(word for word in _plain(self.program[1:])[1:] if _PACKAGE.fullmatch(word))


def commands_of(
    script: str, directory: str, path: str, line: int, known: Mapping[str, str] = _NONE
) -> Iterator[CommandEvidence]:
    """The single commands of a step's `run` that begins in `line`, which finds the variables `known` set; what a
    shell's own language surrounds is left out, and so is what only a shell understands: of a command that tests, just
    the words in question."""
    inside, parts, assigned, exported = 0, 0, {**_ALWAYS, **known}, dict[str, str]()
    for offset, text in _lines(script):
        begins, ends = len(_BLOCK_BEGINS.findall(text)), len(_BLOCK_ENDS.findall(text))
        inside += begins - ends
        if begins or ends or inside > 0:
            continue
        sometimes = False
        for part in _parts(text):
            parts += 1
            if parts > MOST_PARTS:
                return
            command, directory = _step(part, directory)
            expanded = _expanded(command, assigned)
            variables, argv = _words(expanded)
            sometimes |= part.startswith(_CONDITIONS)
            if argv[:1] == ("export",):
                exported |= {} if sometimes else _assignments(argv[1:])
                assigned |= exported
            elif not argv:
                assigned |= variables
                yield from _in_part(expanded, directory, f"{path}:{line + offset}", exported)
            elif argv[0] not in _NO_COMMAND:
                set_for_it = tuple((exported | dict(variables) | dict(_taken_apart(argv)[0])).items())
                yield CommandEvidence(argv, directory, set_for_it, f"{path}:{line + offset}")


def _in_part(text: str, directory: str, source: str, exported: dict[str, str]) -> Iterator[CommandEvidence]:
    """A command that tests, or starts a server, with `NOT_KNOWN` for each word that it takes a shell or a run to
    know."""
    variables, argv = _words(_PIPED.sub("", _HIDDEN.sub(NOT_KNOWN, text)))
    known = tuple((name, value) for name, value in (exported | dict(variables)).items() if NOT_KNOWN not in value)
    command = CommandEvidence(argv, directory, known, source, in_part=True)
    if argv and NOT_KNOWN not in argv[0] and (command.is_test or _name(command.program) in _STARTERS):
        yield command


def _expanded(text: str, assigned: Mapping[str, str]) -> str:
    """With what is known put in; a path to which nothing is added has no empty part."""

    def value(found: re.Match[str]) -> str:
        return assigned.get(found[1] or found[2] or found[3] or "", found[0])

    expanded = _EXPANSION.sub(value, text)
    return _NOTHING_BESIDE.sub("", expanded) if "PYTHONPATH" in text else expanded


def _assignments(words: Iterable[str]) -> dict[str, str]:
    return {found[1]: found[2] for word in words if (found := _ASSIGNMENT.fullmatch(word))}


def _lines(script: str) -> Iterator[tuple[int, str]]:
    """(number from 0, line), with those that a backslash carries on put together; comments, here-documents and monsters
    left out."""
    kept, start, document_ends = "", 0, ""
    for number, line in enumerate(script.split("\n")[:MOST_LINES]):
        if document_ends:
            document_ends = "" if line.strip() == document_ends else document_ends
            continue
        start = start if kept else number
        text = kept + line.strip()
        carries_on = text.endswith("\\")
        kept = text[:-1].rstrip() + " " if carries_on else ""
        if not carries_on and text and not text.startswith("#") and len(text) <= MAX_LINE_CHARACTERS:
            yield start, text
            opened = _HERE_DOCUMENT.search(text)
            document_ends = opened[1] if opened else ""


def _parts(line: str) -> Iterator[str]:
    """What stands between ``&&`` and ``;`` outside of quotes."""
    part = ""
    for token in [*_TOKEN.findall(line), ";"]:
        if token not in ("&&", ";"):
            part += token
            continue
        yield part.strip()
        part = ""


def _step(text: str, directory: str) -> tuple[str, str]:
    """(command, directory): a ``cd`` is no command, but moves what follows it."""
    found = re.fullmatch(r"(?:cd|pushd) ([\w./-]+)", text)
    if found and len(directory) < MAX_LINE_CHARACTERS:
        return "", root_relative(found[1], directory)
    return text, directory


def _words(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """(assignments in front, words); no words where they would not mean the same without a shell."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return (), ()
    if (
        UNKNOWN in text
        or re.search(r"[|<>]", _QUOTED.sub("", text))
        or re.search(r"[`$]", _TAKEN_AS_IT_IS.sub("", text))
    ):
        return (), ()
    variables = []
    while words and (found := _ASSIGNMENT.fullmatch(words[0])):
        variables.append((found[1], found[2]))
        words.pop(0)
    return tuple(variables), tuple(words)


@lru_cache(maxsize=2_000)
def _taken_apart(words: tuple[str, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """(variables that are set on the way, the program inside)."""
    variables: dict[str, str] = {}
    while words:
        name, rest = _name(words), words[1:]
        runs = _RUNNERS_OF_PROGRAMS.get(name)
        if name in _PREFIXES:
            words = _after_options(rest)
        elif name == "hatch" and rest[:1] == ("run",) and (own := _of_hatch(rest[1:])):
            words = own
        elif runs and rest[:1] == (runs,):
            words = _after_options(rest[1:])
        elif name == "uv" and rest[:1] == ("pip",):
            words = rest
        elif re.fullmatch(r"python[\d.]*", name) and (started := _started(rest)):
            words = started
        elif name == "timeout":
            words = _after_options(rest)[1:]
        else:
            on_the_way, inside = without_wrappers(words, _is_script_of_manager)
            variables |= on_the_way
            if inside[1:] == rest:
                break
            words = inside
    return tuple(variables.items()), words


def _is_script_of_manager(words: tuple[str, ...]) -> bool:
    """``yarn cover`` is one; ``yarn nyc mocha`` is none."""
    told = next(iter(_plain(words[1:])), "")
    names = {*_RUNS_A_PROGRAM.intersection(words[1:2]), *(_TEST_PROGRAMS | WRAPPERS).intersection([told])}
    return _name(words) in MANAGERS and not names


def _of_hatch(words: tuple[str, ...]) -> tuple[str, ...]:
    """What ``hatch run test:python -m pip …`` starts; none where it is a script of the project's:
    https://hatch.pypa.io/latest/environment/#command-execution"""
    environment, colon, program = words[0].rpartition(":") if words else ("", "", "")
    return (program, *words[1:]) if colon and environment and re.fullmatch(r"python[\d.]*|pip", program) else ()


def _started(words: tuple[str, ...]) -> tuple[str, ...]:
    """What an interpreter starts, behind its own options: a module and its arguments, or a file and its; else none."""
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        words = words[2:] if words[0] in ("-W", "-X") else words[1:]
    if words[:1] == ("-m",):
        return words[1:]
    return words if words and words[0].endswith(".py") else ()


def _after_options(words: tuple[str, ...]) -> tuple[str, ...]:
    while words and words[0].startswith(("-", "+")) and words[0] != "-m":
        words = words[2:] if words[0] in _OPTIONS_WITH_VALUE else words[1:]
    return words[1:] if words[:1] == ("-m",) else words


def _tests(words: tuple[str, ...]) -> bool:
    name, plain = _name(words), _plain(words[1:])
    if name in _TEST_PROGRAMS:
        asked = _environments(words)
        return not asked or not all(map(_NO_SUITE.fullmatch, asked))
    if name in ("setup.py", "manage.py"):
        return plain[:1] == ["test"]
    if name in ("node", "tsx"):
        started = (program_name(word) for word in words[1:] if "/" in word)
        return "--test" in words or not _TEST_PROGRAMS.isdisjoint(started)
    if name in ("cargo", "go"):
        return _tests_code(name, [word for word in plain if not word.startswith("+")])
    if name in _OF_JAVA:
        return _tests_java(words[1:])
    if name in _RUNNERS_OF_GOALS:
        goals = [word for word in plain if word not in ("run", "exec")]
        return any(map(_GOAL.fullmatch, goals[:4])) or (name == "rake" and not goals)
    starts = "/" in words[0] or words[0].endswith(".py") or name in ("sh", "bash")
    script = plain[0] if name in ("sh", "bash") and plain else name
    return bool(starts and _TEST_SCRIPT.fullmatch(basename(script)))


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
    goals = [word for word in _plain(words) if word not in left_out]
    skipped = any(_SKIPS_TESTS.fullmatch(word) for word in words) or "test" in left_out
    return not skipped and any(_JAVA_GOAL.fullmatch(goal) for goal in goals)


def _environments(words: tuple[str, ...]) -> list[str]:
    """The environments of tox, or the sessions of nox, that a command names."""
    options = _ENVIRONMENTS.get(_name(words), ())
    named = [value for word, value in itertools.pairwise(words) if word in options]
    return [name for value in named for name in re.split(r"[\s,]+", value) if name and not value.startswith("-")]


def _name(words: tuple[str, ...]) -> str:
    name = basename(words[0]) if words else ""
    return "pip" if re.fullmatch(r"pip[\d.]+", name) else name


def _plain(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if not word.startswith("-")]
