"""The commands that install a Python project and what its tests need, and what is tried where that cannot be had."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.specifiers import Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from repo_tools.environment.compiled import after_installs, before_installs
from repo_tools.environment.contract import SetupCommand
from repo_tools.environment.python.cythonized import cythonize
from repo_tools.environment.python.extras import OWN
from repo_tools.environment.python.install import (
    LOCKED,
    PIP_INSTALL,
    UV_INSTALL,
    among_its_own,
    extras_one_by_one,
    install,
    locked_versions,
    own_develop,
    packages_before_folders,
    plainly,
    without_copies,
    without_tests_of_others,
    working_pytest,
)
from repo_tools.environment.python.requirement import name_of, read_requirement
from repo_tools.environment.python.requirements import RequirementSource
from repo_tools.environment.python.rewritten_build import begin, end

_NEVER_TESTED = re.compile(
    r"autoflake|autopep8|bandit|black|build|bump2?version|check-manifest|codecov|codespell|coveralls|flake8.*|furo"
    r"|ipdb|ipython|isort|m2r2?|mkautodoc|mkdocs.*|mypy|nox|pep8-naming|pre-commit|pydocstyle|pylint.*|pyright|pyroma"
    r"|pyupgrade|ruff|sphinx.*|towncrier|tox.*|twine|types-.*|.*-stubs|vulture|wheel"
)
"""Tools of whoever writes the code: left out where everything together cannot be had."""
_SLOWLY_BUILT = frozenset(("matplotlib", "numpy", "opencv-python", "pandas", "scikit-image", "scikit-learn", "scipy"))


@dataclass(frozen=True)
class InstallPlan:
    """What a project's files come to: itself, and what is declared, named and imported for its tests.

    - `packaged`: the file by which pip installs it, `built_with` these; None where it cannot be built
    - `loosely`: its `runtime` requirements will do without it
    - `rebuilds`: its name, where it is built again whenever it is imported
    - `develops`: it has a command of its own for that
    - `cythonized`: its sources that are made first
    - `compiles`: whether setuptools compiles anything of it
    - `lies`: what makes it importable where building it fails
    - `sources`: what is declared for its tests; `lines`: what the files among it hold; `extras`: what ``.[test]`` in
      them comes to
    - `plugins`: those that pytest's configuration names; `guessed`: what tests import without a word in any manifest
    - `limits`: files of constraints; `lock`: the file whose versions are wanted
    """

    packaged: str | None
    loosely: bool = False
    built_with: tuple[str, ...] = ()
    rebuilds: str = ""
    runtime: tuple[str, ...] = ()
    sources: tuple[RequirementSource, ...] = ()
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    lock: str = ""
    may_pin_old_pytest: bool = False
    develops: bool = False
    cythonized: tuple[str, ...] = ()
    compiles: bool = False
    lies: SetupCommand | None = None
    has_tests: bool = False
    """A package of that name in the root."""
    rewritten: str = ""
    """How it is built instead of what its ``[build-system]`` says."""

    @property
    def evidence(self) -> tuple[str, ...]:
        told = [source.evidence for source in self.sources]
        told += [f"imports, fixtures and markers of the tests: {', '.join(self.guessed)}"] if self.guessed else []
        told += [f"{path}: limits what is installed" for path in (*self.limits, self.lock) if path]
        return tuple(told)

    def places(self) -> Iterator[str]:
        """Words that may name what of the repository itself is installed from: lists of requirements, whatever they are
        called, and folders."""
        yield from (*self.runtime, *(word for source in self.sources for word in source.arguments))
        yield from (*self.limits, self.lock)

    def commands(self) -> Iterator[SetupCommand]:
        """In the order in which they are run."""
        if self.compiles:
            yield before_installs()
        if self.lock:
            yield locked_versions(self.lock)
        yield from cythonize(self.cythonized, next(self.asked_for("cython"), "cython"))
        if self.rebuilds:
            yield from _of_any_version((*self.built_with, "ninja"))
        yield from (begin(self.rewritten), *self._installs(), end()) if self.rewritten else self._installs()
        yield from self._corrections()
        if self.compiles:
            named = "setuptools" in map(name_of, self.built_with)
            wanted = self.built_with if named else (*self.built_with, "setuptools")
            yield after_installs(_ready_made(wanted), UV_INSTALL, self.cythonized)

    def _installs(self) -> tuple[SetupCommand, ...]:
        """Everything at once, because each call of pip costs seconds; without what tests hardly need, and one by one,
        only where that cannot be had."""
        singles = tuple(self._singles())
        words = _once(word for command in singles for word in command.argv[len(UV_INSTALL) :])
        trimmed, everything = self._asked(_is_wanted), self._asked(lambda _: True)
        attempts = [(*words, "-c", LOCKED)] if self.lock else []
        if len(singles) > 1:
            attempts.append(words)
        if self.loosely or (len(singles) > 1 and trimmed != everything):
            attempts.append(trimmed)
        limits = tuple(word for path in self.limits for word in ("-c", path))
        after = (without_copies(),) if self.packaged and not self.loosely and len(singles) > 1 else ()
        return _in_turn([(*attempt, *limits) for attempt in attempts], (*singles, *after))

    def _corrections(self) -> Iterator[SetupCommand]:
        """Of what the installs leave in a way that would mislead the tests."""
        if any(word.startswith("./") for source in self.sources for word in source.arguments):
            yield packages_before_folders()
        if self.develops:
            yield own_develop()
        if self.loosely:
            yield without_copies()
        if self.has_tests and "pytest-django" in map(name_of, (*self.asked(), *self.plugins, *self.guessed)):
            yield without_tests_of_others()
        if self.may_pin_old_pytest:
            yield working_pytest()

    def _singles(self) -> Iterator[SetupCommand]:
        if self.packaged:
            needed = tuple(_optional(self.runtime))
            last = plainly((self.lies, *needed) if self.lies else ())
            if self.loosely:
                yield install(*self._itself(), required=False, otherwise=needed or last)
            else:
                without = among_its_own(tuple(_of_any_version(("wheel", *self.built_with))), last)
                held = any(map(_is_held, self.runtime))
                yield install(*self._itself(), before_pip=needed, loosened=held, otherwise=without)
        elif self.runtime:
            yield install(*self.runtime, required=False, otherwise=tuple(_optional(self.runtime)))
        for source in self.sources:
            yield self._single(source)
        yield install("pytest")
        for more in (self.plugins, self.guessed):
            if more:
                alone = tuple(SetupCommand((*UV_INSTALL, *_ready_made((word,))), required=False) for word in more)
                yield install(*_ready_made(more), required=False, otherwise=alone)

    def _single(self, source: RequirementSource) -> SetupCommand:
        if self._is_required(source):
            return install(*source.arguments, otherwise=tuple(_as_held_or_later(self._lines(source))))
        wanted = tuple(filter(_is_wanted, self._lines(source)))
        alone = tuple(_optional(wanted, self.extras))
        parts = alone if len(alone) != 1 else alone[0].otherwise
        if not wanted or wanted == self._lines(source):
            return install(*source.arguments, required=False, otherwise=parts)
        less = install(*wanted, required=False, otherwise=parts)
        return SetupCommand((*UV_INSTALL, *source.arguments), required=False, otherwise=(less,))

    def _asked(self, wanted: Callable[[str], bool]) -> tuple[str, ...]:
        """The words of one command that asks for what is `wanted` of what need not be there."""
        words = list(self.runtime) if self.loosely or not self.packaged else [*self._itself()]
        for source in self.sources:
            words += source.arguments if self._is_required(source) else filter(wanted, self._lines(source))
        return _once((*words, "pytest", *self.plugins, *_ready_made(self.guessed)))

    def _itself(self) -> tuple[str, ...]:
        among_it = (f"--no-build-isolation-package={self.rebuilds}",) if self.rebuilds else ()
        return ("--editable", ".", *among_it, *_only_ready_made(self.built_with))

    def _lines(self, source: RequirementSource) -> tuple[str, ...]:
        return self.lines.get(source.path, ()) if source.path else source.arguments

    def asked(self) -> Iterator[str]:
        return (word for source in self.sources for word in self._lines(source))

    def asked_for(self, name: str) -> Iterator[str]:
        return (word for word in self.asked() if name_of(word) == name)

    def _is_required(self, source: RequirementSource) -> bool:
        return source.evidence.lower() == "requirements.txt" and not self.packaged


def _in_turn(attempts: list[tuple[str, ...]], last: tuple[SetupCommand, ...]) -> tuple[SetupCommand, ...]:
    """The first that can be had."""
    for words in reversed(attempts):
        last = (SetupCommand((*UV_INSTALL, *words), otherwise=last),)
    return last


def _is_wanted(word: str) -> bool:
    """By tests: no tool, and nothing that is no index's."""
    return " @ " not in word and not _NEVER_TESTED.fullmatch(name_of(word))


def _ready_made(words: tuple[str, ...]) -> tuple[str, ...]:
    """With the options that keep what takes long from being built: without it most of a suite runs as well."""
    return (*words, *_only_ready_made(words))


def _only_ready_made(words: tuple[str, ...]) -> tuple[str, ...]:
    names = dict.fromkeys(map(name_of, words))
    return tuple(f"--only-binary={name}" for name in names if name in _SLOWLY_BUILT)


def _of_any_version(words: tuple[str, ...]) -> Iterator[SetupCommand]:
    """Each alone, none fatal; where the versions that are asked for cannot be had, another: a project may pin the
    oldest of each Python that it knew (https://pypi.org/project/oldest-supported-numpy/)."""
    for word in dict.fromkeys(words):
        yield install(*_ready_made((word,)), required=False, otherwise=_in_another_version(word))


def _optional(words: Iterable[str], extras: Mapping[str, tuple[str, ...]] | None = None) -> Iterator[SetupCommand]:
    """Each alone, none fatal; of an extra that cannot be had as a whole, what can. What is held to a version that this
    Python cannot have is one that tests are the poorer without: they fail at its import, all of them perhaps."""
    for pair in _pairs(words):
        own = OWN.fullmatch(pair[-1])
        parts = tuple(_optional((extras or {}).get(pair[-1], ())))
        computed = (extras_one_by_one(own[1]),) if own and not parts else ()
        if _is_held(pair[-1]):
            yield install(*pair, required=False, otherwise=_in_another_version(pair[-1]))
        else:
            yield SetupCommand((*UV_INSTALL, *pair), required=False, otherwise=parts + computed)


def _is_held(word: str) -> bool:
    """Whether it says what is too new, or the one version."""
    asked = read_requirement(word)
    return asked is not None and not asked.url and any(each.operator[0] in "=<~" for each in asked.specifier)


def _in_another_version(word: str) -> tuple[SetupCommand, ...]:
    """Empty for what is asked for in any, or is no index's."""
    asked = read_requirement(word)
    if asked is None or asked.url or not asked.specifier:
        return ()
    asked.specifier = SpecifierSet(",".join(f"!={each.version}" for each in asked.specifier if each.operator == "=="))
    return (SetupCommand((*UV_INSTALL, *_ready_made((str(asked),))), required=False),)


def _as_held_or_later(words: Sequence[str]) -> Iterator[SetupCommand]:
    """Each alone, all fatal; in the place of a release that cannot be had, a later one. An application is frozen with
    releases of its own time, of which nobody has built some for a Python of today (``psycopg2==2.7``); an earlier one
    would lack what it uses. Empty where none is held: then there is nothing else to try."""
    for pair in _pairs(words) if any(map(_in_later_versions, words)) else ():
        by_pip = SetupCommand((*PIP_INSTALL, *pair))
        later = _in_later_versions(pair[-1])
        others = (SetupCommand((*UV_INSTALL, *_ready_made((later,))), otherwise=(by_pip,)),) if later else (by_pip,)
        yield SetupCommand((*UV_INSTALL, *pair), otherwise=others)


def _in_later_versions(word: str) -> str:
    """Empty for what is held below nothing, or is no index's."""
    asked = read_requirement(word)
    if asked is None or not _is_held(word):
        return ""
    try:
        asked.specifier = SpecifierSet(",".join(_above(each) for each in asked.specifier))
    except InvalidVersion:  # ``===`` takes any text
        return ""
    return str(asked)


def _above(specifier: Specifier) -> str:
    """Itself, where it holds nothing down; else what comes after it."""
    if specifier.operator[0] not in "=<~":
        return str(specifier)
    version = Version(specifier.version.removesuffix(".*")).public  # no order takes ``+cpu``
    return f"{'>=' if specifier.operator == '<' else '>'}{version}"


def _once(words: Iterable[str]) -> tuple[str, ...]:
    pairs = dict.fromkeys(_pairs(words))
    return tuple(word for pair in pairs for word in pair)


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Options with their values."""
    waiting = iter(words)
    for word in waiting:
        yield (word, next(waiting)) if word in ("-r", "--editable") else (word,)
