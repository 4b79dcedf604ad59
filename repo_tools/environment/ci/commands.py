"""What the shell lines of a workflow's steps are for: installing, testing, or something else. Nothing is run."""

import re
import shlex
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from repo_tools.environment.ci.programs import MANAGERS, SHELLS, name_of, plain_words, runs_tests, taken_apart
from repo_tools.environment.ci.script_text import MAX_LINE_CHARACTERS, SQL_CLIENTS, Bracket, lines_of, parts_of
from repo_tools.environment.ci.values import MAX_CHARACTERS, UNKNOWN
from repo_tools.environment.commands import root_relative
from repo_tools.sandbox.contract import WORKSPACE

MOST_PARTS = 1_000
"""Between ``&&`` and ``;``, in one script."""

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
_MAKES = frozenset(("make", "gmake"))
_NO_BUILD = re.compile(
    r"(?!(?:\S*[_-])?(?:no|without)[_-])(?:\S*[_-])?"
    r"(?:lint(?:er|ing)?|format|fmt|style|docs?|flake8|pep8|mypy|cppcheck|bench(?:marks?)?|clean)(?:[_-]\S*)?"
)
"""A goal that makes nothing that tests need, or takes it away."""
_BUILD_SCRIPT = re.compile(
    r"(?:build|compile|transpile|bundle)"
    r"(?:[:._-](?!.*(?:doc|site|web|story|example|demo|bench|image|docker|e2e|release|debug|prod|watch|check|type)).*)?"
)
_VERSION_OR_ANEW = re.compile(r"\w\s*(?:[=<~!]=|<)\s*\d|^--(?:force-)?reinstall|^--no-binary")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NO_COMMAND = frozenset({"set", "echo", "source", ".", "true", ":", "mkdir", "printf", "exit", "cat", "ls"})
_TAKEN_AS_IT_IS = re.compile(r"'[^']*'")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*\"""")
_COMMENT = re.compile(r"(?<!\S)#")
_PATTERN = re.compile(r"[*?\[]")
_MOVES = (("cd",), ("pushd",), ("popd",))
_GOES = re.compile(r"\s*+(?:cd|pushd)\s")
_OTHERWISE = re.compile(r"\s*\|\|.*", re.DOTALL)
_CONDITIONS = ("[ ", "[[ ", "test ", "! ")
BLOCK_BEGINS = re.compile(r"^\s*(?:if|for|while|case|until)\b")
BLOCK_ENDS = re.compile(r"(?:^|;)\s*(?:fi|done|esac)\b")
_IF_THERE = re.compile(r"if (?:\[{1,2}|test) -[efr] [^\s;|&]+(?: \]{1,2})?(?=\s*(?:;|$))")
_THEN = re.compile(r"\s*;\s*then\s+")
_ENDS = re.compile(r";\s*(?:el(?:se|if)|fi)\b")
_OTHERWISE_THEN = re.compile(r"el(?:se|if)\b")
_EXPANSION = re.compile(
    r"""'[^']*'|\$\{(\w+|@)\}|\$(\w+|@)|\$\((pwd|nproc)\)|\$\{(?P<name>\w+):?-(?P<default>[^{}$`'"]*)\}"""
    r"|(?:\$\(|`)(?:which|command -v) (?P<program>[\w.-]+)[)`]"
)
NOT_KNOWN = "?"
"""Stands in a command for a word that is not known."""
_STARTERS = frozenset({"docker", "docker-compose"})
_INTO_CLIENT = re.compile(
    r"""(?:cat\s+(?P<path>[\w./-]+)|(?:echo|printf)\s+(?P<said>'[^']*'|"[^"$`\\]*"))\s*"""
    r"\|\s*(?P<client>[^|<>]*)"
)
_HIDDEN = re.compile(rf"""'[^']*[|<>][^']*'|"[^"]*[|<>$`][^"]*"|\$\([^()]*\)|`[^`]*`|\$\S*|{UNKNOWN}""")
"""What only a shell, or a run, makes a word of; and words that are not to be taken for its pipes."""
_PIPED = re.compile(r"\d?[|<>].*", re.DOTALL)
_NOTHING_BESIDE = re.compile(r":+(?=$|\s|\")|(?<==):+")
_ALWAYS = {
    **{"@": "", "PYTHONPATH": "", "nproc": "2"},
    **dict.fromkeys(("pwd", "PWD", "GITHUB_WORKSPACE", "TRAVIS_BUILD_DIR", "CIRCLE_WORKING_DIRECTORY"), WORKSPACE),
    **dict.fromkeys(("BUILD_SOURCESDIRECTORY", "SYSTEM_DEFAULTWORKINGDIRECTORY", "CI_PROJECT_DIR"), WORKSPACE),
}
"""What a script that is called without arguments, in the root of the work tree, finds."""
_NONE: Mapping[str, str] = {}


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
        return taken_apart(self.argv)[1]

    @property
    def name(self) -> str:
        """Its program's, as `name_of` has it; empty where it has none."""
        return name_of(self.program)

    @property
    def is_install(self) -> bool:
        goal = next(iter(plain_words(self.program[1:])), "")
        return goal in _INSTALLERS.get(self.name, ())

    @property
    def is_test(self) -> bool:
        if self.is_install or not self.program or "--collect-only" in self.argv:
            return False
        return runs_tests(self.argv, self.program)

    @property
    def keeps_to_a_version(self) -> bool:
        """Whether it installs a certain version, or anew what is there, rather than only what is lacking."""
        return self.is_install and any(_VERSION_OR_ANEW.search(word) for word in self.argv)

    @property
    def is_build(self) -> bool:
        """Of a program in C, or the like, that tests start."""
        goals = [word for word in plain_words(self.program[1:]) if not _ASSIGNMENT.fullmatch(word)]
        only_looks = goals and all(word.isdigit() or _NO_BUILD.fullmatch(word) for word in goals)
        if self.name in _MAKES and only_looks:
            return False
        return self.name in _BUILDERS and not (self.is_install or self.is_test)

    @property
    def built_script(self) -> str:
        """The script of a ``package.json`` that it builds with; empty where it does something else."""
        words = [word for word in plain_words(self.program[1:]) if word not in ("run", "run-script")]
        script = next(iter(words), "") if self.name in MANAGERS else ""
        return script if _BUILD_SCRIPT.fullmatch(script) else ""

    @property
    def system_packages(self) -> tuple[str, ...]:
        """What an ``apt-get install`` names."""
        if not self.is_install or self.name not in ("apt", "apt-get"):
            return ()
        return tuple(word for word in plain_words(self.program[1:])[1:] if _PACKAGE.fullmatch(word))


def commands_of(
    script: str, directory: str, path: str, line: int, known: Mapping[str, str] = _NONE
) -> Generator[CommandEvidence, None, str]:
    """The single commands of a step's `run` that begins in `line`, which finds the variables `known` set; what a
    shell's own language surrounds is left out, and so is what only a shell understands: of a command that tests, just
    the words in question. It returns the directory that the script ends in; none (empty) where that is not sure."""
    inside, read, there = 0, 0, False
    here, outer = _Shell(directory, {**_ALWAYS, **known}), list[_Shell]()
    for offset, text in lines_of(script):
        begins, ends = len(BLOCK_BEGINS.findall(text)), len(BLOCK_ENDS.findall(text))
        for guarded in _if_it_is_there(text, there and inside == 1):
            yield from here.within().run_pip(guarded, f"{path}:{line + offset}")
        there = bool(_IF_THERE.match(text)) if begins > ends else there and not _OTHERWISE_THEN.match(text)
        inside += begins - ends
        if begins or ends or inside > 0:
            continue
        sometimes = False
        for part in parts_of(text, len(outer)):
            read += 1
            if read > MOST_PARTS:
                return ""
            if part is Bracket.OPENS:
                outer.append(here)
                here = here.within()
            elif part is Bracket.CLOSES:
                here = outer.pop()
            else:
                sometimes |= part.startswith(_CONDITIONS)
                yield from here.run(part, f"{path}:{line + offset}", sometimes)
    return "" if here.strayed or outer else here.directory or ""


def _if_it_is_there(text: str, is_inside: bool) -> Iterator[str]:
    """What is done where a file is there: the line, if it `is_inside` of such a block, or what a whole block on one
    line holds. Whether a list of requirements is there is asked again where it is to be installed."""
    begun = _IF_THERE.match(text)
    then = _THEN.match(text, begun.end()) if begun else None
    ended = _ENDS.search(text, then.end()) if then else None
    inner = text[then.end() : ended.start()] if then and ended else text if is_inside else ""
    yield from (part for part in parts_of(inner) if isinstance(part, str)) if inner else ()


@dataclass
class _Shell:
    """What a shell knows between two commands. `directory` is root-relative, or none of the work tree's that
    is known (`None`)."""

    directory: str | None
    assigned: dict[str, str]
    exported: dict[str, str] = field(default_factory=dict)
    left: list[str | None] = field(default_factory=list)
    """The directories that ``popd`` and ``cd -`` go back to."""
    strayed: bool = False
    """Whether it went somewhere on a condition, or nobody knows where."""

    def run_pip(self, part: str, source: str) -> Iterator[CommandEvidence]:
        return (each for each in self.run(part, source, True) if each.is_install and each.name == "pip")

    def within(self) -> "_Shell":
        """A shell in brackets: nothing that it does is known behind them."""
        return _Shell(self.directory, {**self.assigned}, {**self.exported}, [*self.left])

    def run(self, part: str, source: str, sometimes: bool) -> Iterator[CommandEvidence]:
        """`sometimes`: on a condition that nobody knows."""
        expanded = _with_file(_expanded(part, self.assigned))
        variables, argv = _words(expanded)
        moves = _words(_OTHERWISE.sub("", expanded))[1]
        if moves[:1] in _MOVES:
            self.strayed |= sometimes
            self._move(moves)
        elif argv[:1] == ("export",):
            self.exported |= {} if sometimes else _assignments(argv[1:])
            self.assigned |= self.exported
        elif not argv:
            self.strayed |= bool(_GOES.match(expanded))
            self.assigned |= variables
            if self.directory is not None:
                yield from _in_part(expanded, self.directory, source, self.exported)
        elif argv[0] not in _NO_COMMAND and self.directory is not None:
            set_for_it = tuple((self.exported | dict(variables) | dict(taken_apart(argv)[0])).items())
            yield CommandEvidence(argv, self.directory, set_for_it, source)

    def _move(self, argv: tuple[str, ...]) -> None:
        if argv[0] == "popd" or argv[1:] == ("-",):
            self.directory = self.left.pop() if self.left else self.directory
            return
        self.left.append(self.directory)
        to = next(iter(plain_words(argv[1:])), "~")
        if to == WORKSPACE or to.startswith(f"{WORKSPACE}/"):
            self.directory = root_relative(to.removeprefix(WORKSPACE))
        elif to.startswith(("/", "~")) or _PATTERN.search(to):
            self.directory = None
        elif self.directory is not None and len(self.directory) < MAX_LINE_CHARACTERS:
            self.directory = root_relative(to, self.directory)


def _with_file(text: str) -> str:
    """``psql app < made.sql``, ``cat made.sql | psql app`` or ``echo 'select 1' | psql app``, as it could be said
    without a shell."""
    client, _, path = text.rpartition("<")
    piped = _INTO_CLIENT.fullmatch(text)
    if piped and _is_client(piped["client"]):
        client, path, said = piped["client"], piped["path"] or "", piped["said"] or ""
        return f"{client} --file={path}" if path else f"{client} {said}"
    plain = re.fullmatch(r"[\w./-]+", path.strip()) and not re.search(r"[|<>]", client)
    return f"{client} --file={path.strip()}" if plain and not SQL_CLIENTS.isdisjoint(client.split()) else text


def _is_client(text: str) -> bool:
    """Whether it starts a client of a database, by itself or in another user's name or a container."""
    words = [word for word in text.split() if not _ASSIGNMENT.fullmatch(word)]
    return not SQL_CLIENTS.isdisjoint(words if words[:1] and words[0] in _STARTERS | {"sudo"} else words[:1])


def _in_part(text: str, directory: str, source: str, exported: dict[str, str]) -> Iterator[CommandEvidence]:
    """A command that tests, or starts a server or a script, with `NOT_KNOWN` for each word that it takes a shell or a
    run to know; and a make, without the variables that it takes one to know: they tell of the CI's machine."""
    variables, argv = _words(_PIPED.sub("", _HIDDEN.sub(NOT_KNOWN, text)))
    known = tuple((name, value) for name, value in (exported | dict(variables)).items() if NOT_KNOWN not in value)
    command = CommandEvidence(argv, directory, known, source, in_part=True)
    if not argv or NOT_KNOWN in argv[0]:
        return
    if command.is_build:
        kept = tuple(word for word in argv if NOT_KNOWN not in word or not _ASSIGNMENT.fullmatch(word))
        if command.name in _MAKES and not variables and NOT_KNOWN not in "".join(kept):
            yield CommandEvidence(kept, directory, known, source)
        return
    if command.is_test or command.name in _STARTERS | SHELLS or argv[0].endswith(".sh"):
        yield command


def _expanded(text: str, assigned: Mapping[str, str]) -> str:
    """With what is known put in; a path to which nothing is added has no empty part. Variables that double one another
    line by line have no end: what comes to too much stays as it is written."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2] or found[3] or found["name"] or ""
        return found["program"] or assigned.get(name, found[0] if found["default"] is None else found["default"])

    expanded = _EXPANSION.sub(value, text)
    if len(expanded) > MAX_CHARACTERS:
        return text
    return _NOTHING_BESIDE.sub("", expanded) if "PYTHONPATH" in text else expanded


def _assignments(words: Iterable[str]) -> dict[str, str]:
    return {found[1]: found[2] for word in words if (found := _ASSIGNMENT.fullmatch(word))}


def _words(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """(assignments in front, words); no words where they would not mean the same without a shell. A comment begins
    with a word, not within one (``.#dev``, ``#egg=``), as `shlex` has it."""
    comment = _COMMENT.search(_QUOTED.sub(lambda quoted: "x" * len(quoted[0]), text))
    text = text[: comment.start()] if comment else text
    try:
        words = shlex.split(text)
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
