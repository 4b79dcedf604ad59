"""Lines of tox's settings that hold for some environments alone: https://tox.wiki/en/stable/config.html#conditional-settings

Pure.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from packaging.requirements import Requirement
from packaging.specifiers import Specifier
from packaging.version import InvalidVersion, Version

from repo_tools.environment.python.requirement import normal, read_requirement

_FACTOR = re.compile(r"([\w,{}.!-]+):\s+(.*)")
_NUMBERED = re.compile(r"(?<![A-Za-z_])([A-Za-z_]+)\{?\d")
_OF_THE_OLDEST = re.compile(
    r"[A-Za-z_]*(?:oldest|lowest|(?<!ad)min|minimum|minimal)_?(?:deps|reqs|requirements|versions?)?"
)
"""An environment of what the product still runs with (``min``, ``pytestmin``): a Python of today has mostly no builds
of it."""
_OF_NO_RELEASE = re.compile(r"[A-Za-z_]*(?:master|main|trunk|dev|devel|nightly|tip|head|git|pre)")
"""An environment of what is to come (``djangomaster``), which today is something else."""
_OF_ALL = re.compile(r"(?:with)?_?(?:all|full|complete|extras?|opt|optionals?)_?(?:deps?|extras?|reqs?|requirements)?")
"""What an environment is called for that has, beside what another one has, what the project can do without."""
_OF_A_SERVER = re.compile(
    r"pg|(?:postg|psql|pgsql|psycopg|mysql|mariadb|mssql|oracle|mongo|redis|rabbitmq|memcache)\w*"
)
"""An environment whose tests want a server, which mostly nobody has started."""
_OF_NO_TESTS = re.compile(
    r"lint(?:er|ers|ing)?|docs?|style|format|fmt|typing|types|mypy|flake8|pep8|isort|black|pylint"
)
_POSITIONAL = re.compile(r"\{(?:(?:pos)?args|env:\w+)(?::([^{}]*))?\}|(?<!\S)\[\](?!\S)")
_IN_ROOT = re.compile(r"\{(?:toxinidir|tox_root|root)\}(/?)")
"""The root of tox's and of hatch's: https://tox.wiki/en/stable/config.html#tox_root"""
_USUAL_FACTORS = frozenset(("py", "py3", "test", "tests", "unit", "unittest", "unittests", "pytest"))
_MOST_LISTED, _MOST_ALTERNATIVES = 20_000, 1_000
"""Of environments, and of those that one expression stands for; a condition stands for fewer."""
_MOST_OF_A_CONDITION = 100
_MOST_TESTED = 30
_INTERPRETERS = ("py", "pypy", "cp", "python", "jython")


def as_started(line: str, place: str = "") -> str:
    """A line of commands that is started in the root, or in a folder of it, where whoever starts it says nothing more:
    ``{posargs:tests}``, hatch's ``{args}``, and ``{env:NAME:value}``."""
    root = "/".join(".." for _ in place.split("/")) if place else ""
    line = _IN_ROOT.sub(
        lambda found: (root + found[1] if root else "") if found[1] else root or ".", line.replace("{/}", "/")
    )
    return _POSITIONAL.sub(lambda found: found[1] or "", line)


def own_factors(envlist: str, started: Iterable[str] = ()) -> frozenset[str]:
    """Those of the environment that runs the tests: the newest Python that tox lists, the usual words for a suite, and
    what stands beside a Python in the names that the CI has `started`, or else in the first of tests that tox lists for
    the newest that wants no server, if there is one (``py36-crypto``), or in the one with all that is optional beside:
    whoever types ``tox`` has it."""
    newest, tests, _ = _of_the_newest(envlist)
    beside = [factor for name in started for factor in factors_beside_python(name)]
    return _USUAL_FACTORS | {newest, *(beside or factors_beside_python("-".join(_fullest(_alone(tests)))))}


def _alone(environments: Sequence[list[str]]) -> Sequence[list[str]]:
    """Those that want no server; in the place of a first one that does stands none of an end, nor if nothing else is
    listed."""
    plain = [factors for factors in environments if not any(map(_OF_A_SERVER.fullmatch, factors))]
    if plain[:1] == environments[:1]:
        return plain
    return [factors for factors in plain if not is_of_an_end(factors)] or environments


def _fullest(environments: Sequence[list[str]]) -> list[str]:
    """The first, or one that has more of what is optional alone: it skips no test that the first does not."""
    first = environments[0] if environments else []
    own = set(first)
    fuller = (each for each in environments if own < set(each) and all(map(_OF_ALL.fullmatch, set(each) - own)))
    return next(fuller, first)


def environments_of_tests(envlist: str) -> tuple[frozenset[str], ...]:
    """The factors of each for the newest Python; of each that numbers something, where no Python of today is named."""
    _, newest, tests = _of_the_newest(envlist)
    numbered = [factors for factors in tests if any(re.search(r"\d", factor) for factor in factors)]
    return tuple(map(frozenset, (newest or numbered)[-_MOST_TESTED:]))


def is_of_an_end(factors: Iterable[str]) -> bool:
    """Whether an environment has what nobody released yet, or the oldest that the product still runs with."""
    return any(_OF_NO_RELEASE.fullmatch(factor) or _OF_THE_OLDEST.fullmatch(factor) for factor in factors)


def _of_the_newest(envlist: str) -> tuple[str, list[list[str]], list[list[str]]]:
    """(the factor of the newest Python, those of each environment of tests for it, and of each at all)."""
    every = (factors for line in envlist.splitlines() for factors in _alternatives(line, _MOST_ALTERNATIVES))
    listed = list(itertools.islice(every, _MOST_LISTED))
    minors = (int(each[3:]) for factors in listed for each in factors if re.fullmatch(r"py3\d{1,2}", each))
    newest = f"py3{max(minors, default='')}"
    tests = [factors for factors in listed if not any(map(_OF_NO_TESTS.fullmatch, factors))]
    return newest, [factors for factors in tests if newest in factors], tests


def factors_beside_python(name: str) -> list[str]:
    """Those of an environment that is called for a Python (``py311-core``), without the ones that number a version,
    which may be the oldest, or say so; none of another one, which lints, or the like."""
    factors = name.strip().split("-")
    is_of_python = any(re.fullmatch(r"(?:py|python)[\d.]*", factor) for factor in factors)
    plain = (factor for factor in factors if is_of_python and re.fullmatch(r"[A-Za-z_]+", factor))
    return [factor for factor in plain if not _OF_THE_OLDEST.fullmatch(factor)]


def conditioned(line: str, own: frozenset[str]) -> str:
    """A line without its condition, where that holds for an environment of these factors; empty where it does not."""
    found = _FACTOR.fullmatch(line)
    if found is None or found[1].endswith("+"):  # ``git+https: …`` is none
        return line
    return found[2] if any(all(_holds(f, own) for f in factors) for factors in _condition(found[1])) else ""


@lru_cache(maxsize=2_000)
def _condition(expression: str) -> tuple[list[str], ...]:
    return tuple(_alternatives(expression, _MOST_OF_A_CONDITION))


def _holds(factor: str, own: frozenset[str]) -> bool:
    return factor[1:] not in own if factor.startswith("!") else factor in own


def _alternatives(expression: str, most: int) -> Iterator[list[str]]:
    """The factors of each: ``py{36,37}-unit,docs`` has three. Of each that is written, at most so many."""
    for each in re.findall(r"(?:\{[^{}]*\}|[^,{}\s])+", expression):
        parts = [part.split(",") if i % 2 else [part] for i, part in enumerate(re.split(r"\{([^{}]*)\}", each))]
        for words in itertools.islice(itertools.product(*parts), most):
            yield "".join(word.strip() for word in words).split("-")


def limited_versions(lines: Iterable[str], environments: tuple[frozenset[str], ...] = ()) -> Iterator[str]:
    """Of each package that is asked for in a version a factor (``django41: Django>=4.1,<4.2``, ``django42: …``), or in
    each of the `environments`: it, below the end of the newest; without a beginning, since not every Python can have
    the newest. A factor with any version (``current: Django``) has no end."""
    asked: dict[str, list[Requirement]] = {}
    held = set()
    for line, requirement in _of_factors(lines):
        name = normal(requirement.name)
        asked.setdefault(name, []).append(requirement)
        held |= {name} if environments and all(conditioned(line, each) for each in environments) else set()
    for name, each in asked.items():
        if name in held or (len(each) > 1 and any(requirement.specifier for requirement in each)):
            yield f"{each[-1].name}{_newest_end(each)}"


def _of_factors(lines: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    """(line, what it asks for), of an index; a factor that numbers interpreters alone tells of no package's versions,
    and one without a number only where it takes any."""
    for line in lines:
        found = _FACTOR.fullmatch(line)
        if found is None:
            continue
        numbered = set(_NUMBERED.findall(found[1]))
        requirement = read_requirement(found[2])
        if requirement and not requirement.url and (numbered - set(_INTERPRETERS) or _takes_any(numbered, requirement)):
            yield line, requirement


def _takes_any(numbered: set[str], requirement: Requirement) -> bool:
    return not numbered and not requirement.specifier


def _newest_end(asked: Iterable[Requirement]) -> str:
    """As a specifier; empty where one of them has no end."""
    ends = [min(filter(None, map(_end, each.specifier)), default=None) for each in asked]
    known = [end for end in ends if end]
    if len(known) < len(ends):
        return ""
    version, is_one_of_them = max(known)
    return f"{'<=' if is_one_of_them else '<'}{version}"


def _end(specifier: Specifier) -> tuple[Version, bool] | None:
    """(version, whether that is taken, too) above which it takes none.
    https://packaging.python.org/en/latest/specifications/version-specifiers/"""
    try:
        version = Version(Version(specifier.version.removesuffix(".*")).public)  # no order takes ``+cpu``
    except InvalidVersion:
        return None
    if specifier.operator == "~=":
        return _after(version.release[:-1]), False
    if specifier.operator == "==" and specifier.version.endswith(".*"):
        return _after(version.release), False
    return (version, specifier.operator != "<") if specifier.operator in ("<", "<=", "==") else None


def _after(release: tuple[int, ...]) -> Version:
    return Version(".".join(map(str, (*release[:-1], release[-1] + 1))))
