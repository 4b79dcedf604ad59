"""What one command of a CI is for: installing, testing, building, or something else. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from repo_tools.environment.ci.programs import MANAGERS, name_of, plain_words, runs_tests
from repo_tools.environment.ci.wrappers import taken_apart

_INSTALLERS: Mapping[str, frozenset[str]] = {
    "pip": frozenset({"install"}),
    "uv": frozenset({"sync"}),
    **dict.fromkeys(("poetry", "pdm", "pipenv", "rye"), frozenset({"install", "sync"})),
    **dict.fromkeys(("npm", "pnpm", "bun", "yarn"), frozenset({"ci", "i", "install", "clean-install", ""})),
    **dict.fromkeys(("apt", "apt-get", "gem", "bundle", "conda", "mamba", "cargo"), frozenset({"install", "fetch"})),
    "go": frozenset({"mod", "get", "install"}),
    "composer": frozenset({"install", "i", "update", "u", "upgrade"}),
    "dotnet": frozenset({"restore"}),
    "mix": frozenset({"deps.get"}),
    "setup.py": frozenset({"install", "develop", "build_ext"}),
    "make": frozenset({"install", "deps", "setup", "bootstrap", "dev", "develop", "init"}),
}
_BUILDERS = frozenset(
    {"make", "gmake", "cmake", "ninja", "meson", "scons", "autoreconf", "configure"}
    | {"autogen.sh", "bootstrap", "bootstrap.sh", "buildconf", "buildconf.sh"}
)
MAKES = frozenset(("make", "gmake"))
_NO_BUILD = re.compile(
    r"(?!(?:\S*[_-])?(?:no|without)[_-])(?:\S*[_-])?"
    r"(?:lint(?:er|ing)?|format|fmt|style|docs?|flake8|pep8|mypy|cppcheck|bench(?:marks?)?|clean)(?:[_-]\S*)?"
)
"""A goal that makes nothing that tests need, or takes it away."""
_BUILD_SCRIPT = re.compile(
    r"(?:build|compile|transpile|bundle)"
    r"(?:[:._-](?!.*(?:doc|site|web|story|example|demo|bench|image|docker|e2e|release|debug|prod|watch|check|type)).*)?"
)
_VERSION_OR_ANEW = re.compile(r"\w\s*(?:[=<~!]=|<)\s*(?:\d|$)|^--(?:force-)?reinstall|^--no-binary")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class CommandEvidence:
    """One command of a workflow, in `directory` (root-relative), with the variables set in front of it, or exported
    before. `source` says where it stands: ``.github/workflows/ci.yml:34``. `in_part`: with words that only a run would
    know, so that it tells what the job is about, and is nothing to run. `is_beside`: nothing waits for it. `started`:
    the tests in the script, or the Makefile's goal, that it runs."""

    argv: tuple[str, ...]
    directory: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    source: str = ""
    in_part: bool = False
    is_beside: bool = False
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
        goals = [word for word in plain_words(self.program[1:]) if not ASSIGNMENT.fullmatch(word)]
        builds = self.name not in MAKES or not goals or not all(w.isdigit() or _NO_BUILD.fullmatch(w) for w in goals)
        return self.name in _BUILDERS and builds and not (self.is_install or self.is_test)

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
