"""Runs in a box: imports what is installed, and raises what this Python cannot run, because it relies on names that the
standard library no longer has, or pytest, which is newer than the rest, to a release of a later day; a plug-in of
pytest, and what it needs, for whatever reason: one that cannot be loaded ends each run.

What a repository pins to a release that was old even then is raised to the last one of the commit's day, if that runs;
what its project takes below a version, to the last below that. Arguments: uv, and what is raised already (with
`OF_THE_DAY`: to that one). No import but the standard library's: it is sent as text.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, NoReturn

SAID = "raised to a later release, because this Python cannot run the one of the day: "
LATER = "AGENT_FIX_LATER_PACKAGES"
"""In set-up: the day to go on with where packages of the commit's own day cannot be installed."""
OF_THE_DAY = "="
"""Before a name: it is raised as far as packages of the day go."""
DAY = "UV_EXCLUDE_NEWER"
MOST_RAISED, MOST_SECONDS, MOST_FILES, MAX_BYTES = 12, 30, 5_000, 300_000
PART = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*(?:\.\w+)+)", re.MULTILINE)
NEVER = ("pip", "setuptools", "pkg_resources", "wheel", "distutils", "test", "tests", "antigravity", "this")
GONE = ("asynchat", "asyncore", "cgi", "distutils", "imp", "smtpd", "symbol", "formatter", "parser", "binhex", "pipes")
OF_A_MODULE = re.compile(r"module '([\w.]+)' has no attribute ")
AT_LEAST = "pytest>="
VERSION = re.compile(r"[0-9][\w.+!]*")
BOUND = re.compile(r"([\w.-]+)[^<;@]*(<=?[\w.]+)[^<;@]*")  # of a requirement without a marker
LAST_PYTEST = {"_pytest.store": "pytest<7"}
"""Module of its insides that the sources use -> the last that had it:
https://docs.pytest.org/en/stable/changelog.html#pytest-7-0-0rc1-2021-12-06"""
LAST_DJANGO = "Django<4"
"""The last that takes what was written for 2."""
ON_SQLITE = {(2, 0): (2, 0, 10), (2, 1): (2, 1, 5)}
"""Django's series -> the first of it whose migrations keep what SQLite of 3.26 and later refers to:
https://docs.djangoproject.com/en/stable/releases/2.0.10/"""
OLD = {"hypothesis": re.compile(r"[0-3]\.|4\.(1?\d|2[0-2])\.|4\.23\.[0-3]")}
"""Distribution -> those that make functions in a way that Python takes no more since 3.8: only a test would show it."""


def owners(library: Path) -> dict[str, str]:
    """Top folder or module file in `library` -> the distribution that it is of."""
    found: dict[str, str] = {}
    for distribution in importlib.metadata.distributions(path=[str(library)]):
        for file in distribution.files or ():
            if file.suffix in (".py", ".so") and ".." not in file.parts:
                found[file.parts[0]] = distribution.metadata["Name"]
    return found


def modules(tops: dict[str, str]) -> Iterator[str]:
    for top in sorted(tops):
        name = top.partition(".")[0]
        if name.isidentifier() and name not in NEVER and not name.startswith("_"):
            yield name


def named_in(sources: Path) -> set[str]:
    """The modules within packages that they import."""
    every = (Path(folder, name) for folder, _, names in os.walk(sources) for name in names if name.endswith(".py"))
    files = (file for file in islice(every, MOST_FILES) if file.is_file() and file.stat().st_size < MAX_BYTES)
    return {name.decode() for file in files for name in PART.findall(file.read_bytes())}


class Plugin(NamedTuple):
    """Of pytest: https://docs.pytest.org/en/stable/how-to/writing_plugins.html#making-your-plugin-installable-by-others"""

    name: str
    module: str
    distribution: str


def plugins(library: Path) -> list[Plugin]:
    """What pytest loads before it does anything."""
    return sorted(
        Plugin(each.name, each.value.partition(":")[0].strip(), str(found.metadata["Name"]))
        for found in importlib.metadata.distributions(path=[str(library)])
        for each in found.entry_points
        if each.group == "pytest11"
    )


def to_blame(error: BaseException, library: Path, tops: dict[str, str], raised: frozenset[str]) -> str:
    """The distribution that asks for what is not there any more, if only before it asked for what was never there, or,
    where that is `raised` already, the one that needs it; empty where it is another kind of error."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if given := handed_over(error, frames, library, tops):
        return "" if given in raised else given
    lacking = asked(error).partition(".")[0]
    known = lacking in (*GONE, "pytest", "_pytest") or is_of_python(lacking)
    # since 3.11 flags of a pattern have to stand first: https://docs.python.org/3/whatsnew/3.11.html#re
    closed = isinstance(error, (SyntaxError, re.error)) or "of immutable type" in str(error)  # as `socket.timeout` is
    if not (known or closed or owner(library / lacking, library, tops) in raised):
        return to_blame(error.__context__, library, tops, raised) if error.__context__ else ""
    return deepest(error, library, tops, raised)


def asked(error: BaseException) -> str:
    """The module that has not got what was asked of it; 3.9 tells of an attribute in words alone."""
    if isinstance(error, ImportError):
        return error.name or ""
    told = OF_A_MODULE.match(str(error)) if isinstance(error, AttributeError) else None
    return told[1] if told else str(getattr(getattr(error, "obj", None), "__name__", ""))


def is_of_python(name: str) -> bool:
    """Whether it is a module of the standard library, of which 3.9 has no list."""
    if hasattr(sys, "stdlib_module_names"):
        return name in sys.stdlib_module_names
    files = (f"{name}.py", f"{name}/__init__.py")
    library = Path(sysconfig.get_path("stdlib"))
    return name in sys.builtin_module_names or any((library / file).is_file() for file in files if name)


def deepest(error: BaseException, library: Path, tops: dict[str, str], raised: frozenset[str]) -> str:
    """The distribution whose code was run last, of those that are not `raised`."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    frames += [error.filename or ""] if isinstance(error, SyntaxError) else []
    found = (owner(Path(path), library, tops) for path in reversed(frames))
    return next((name for name in found if name and name not in raised), "")


def handed_over(error: BaseException, frames: list[str], library: Path, tops: dict[str, str]) -> str:
    """The distribution of an object that the standard library asks for what only newer ones have (importlib_metadata's
    in the place of its own); empty where that is not what happened."""
    last = frames[-1] if frames else ""
    in_files = Path(sysconfig.get_path("stdlib")) in Path(last).parents and library not in Path(last).parents
    in_stdlib = in_files or last.startswith("<frozen importlib")
    if not (in_stdlib and isinstance(error, AttributeError)):
        return ""
    top = str(type(getattr(error, "obj", None)).__module__).partition(".")[0]
    return owner(library / top, library, tops)


def owner(path: Path, library: Path, tops: dict[str, str]) -> str:
    """Of a file, or of a module by its name alone."""
    if library not in path.parents:
        return ""
    top = path.relative_to(library).parts[0]
    return tops.get(top) or tops.get(f"{top}.py", "")


def unusable_django(tops: dict[str, str]) -> set[str]:
    """Where it is one of before 3.2 that this Python cannot run, which only shows when it is set up (names of 1 are no
    longer in ``collections``), or when it translates: since 3.11 gettext takes no ``codeset``
    (https://docs.python.org/3/whatsnew/3.11.html#removed); or one that loses tables on a SQLite of today."""
    version = importlib.import_module("django").VERSION if "django" in modules(tops) else (3, 2)
    series = version[:2]
    if series >= (3, 2):
        return set()
    if version < ON_SQLITE.get(series, series) and importlib.import_module("sqlite3").sqlite_version_info >= (3, 26):
        return {f"Django<{series[0]}.{series[1] + 1}"}
    try:
        importlib.import_module("django.conf").settings.configure()
        importlib.import_module("django").setup()
        importlib.import_module("django.utils.translation").gettext("Yes")
    except (ImportError, AttributeError, TypeError):
        return {LAST_DJANGO}
    except Exception:  # noqa: BLE001, S110 - a package may have configured it in its own way
        pass
    return set()


def unusable_traceback(library: Path, tops: dict[str, str]) -> set[str]:
    """The distribution that tells exceptions in the standard library's place, in a way that this one can no longer ask
    for (trio's, before 0.22): pytest would end at the first error that it has to show."""
    try:
        traceback.format_exception(ValueError())
    except TypeError:
        top = traceback.TracebackException.__init__.__module__.partition(".")[0]
        return {owner(library / top, library, tops)}
    return set()


def unusable_pytest(tops: dict[str, str], named: set[str]) -> set[str]:
    """Where the sources, which name these modules, use insides of an older one."""
    if "pytest" not in modules(tops):
        return set()
    return {last for name, last in LAST_PYTEST.items() if name in named and not importlib.util.find_spec(name)}


def unusable_pip() -> set[str]:
    """Lists for development pin one of their day: neither set-up nor a test that calls it could use that."""
    return set() if not importlib.util.find_spec("pip") or starts("-m", "pip", "--version") else {"pip"}


def unusable_plugin(loaded: list[Plugin], raised: frozenset[str]) -> set[str]:
    """The one without which pytest runs the plainest test, beside another module, where it does not run it with all of
    them: it makes tests in a way that pytest no longer takes. Or those that need what is `raised`, whose versions an
    old pytest insists on."""
    if not loaded or runs_a_test():
        return set()
    blamed = {next((each.distribution for each in loaded if runs_a_test("-p", f"no:{each.name}")), "")}
    return blamed - {""} or {each.distribution for each in loaded if needs(each.distribution, raised)}


def needs(distribution: str, raised: frozenset[str]) -> bool:
    named = (re.split(r"[^\w.-]", each)[0] for each in importlib.metadata.requires(distribution) or ())
    return not set(map(plain, raised)).isdisjoint(map(plain, named))


def runs_a_test(*options: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text("def test_it():\n    pass\n")  # some plug-ins check how it is formatted
        Path(folder, "plain.py").write_text('SECRET_KEY = "x"\n')  # some plug-ins make tests of what is not called so
        return starts("-m", "pytest", "-q", "-p", "no:cacheprovider", *options, ".", folder=folder)


def starts(*words: str, folder: str | None = None) -> bool:
    """Whether Python ends well with these."""
    of_django = "DJANGO_SETTINGS_MODULE=plain"  # some plug-ins ask for settings wherever Django is installed
    command = ("/usr/bin/env", of_django, sys.executable, *words)
    return not subprocess.run(command, cwd=folder, timeout=MOST_SECONDS, capture_output=True, check=False).returncode


def misfits(library: Path, raised: frozenset[str]) -> set[str]:
    tops, found, until = owners(library), set(), time.monotonic() + MOST_SECONDS
    signal.alarm(2 * MOST_SECONDS)  # a package that never ends its import ends this program
    loaded = plugins(library)
    first, named = [plugin.module for plugin in loaded], named_in(Path.cwd())
    own = list(modules(tops))
    # a package may begin well, and need more further down
    for name in chain(first, own, sorted(each for each in named if each.partition(".")[0] in own)):
        if time.monotonic() > until:
            break
        try:
            importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 - whatever a package does when it is imported
            blamed = to_blame(error, library, tops, raised)
            found.add(blamed or (deepest(error, library, tops, raised) if name in first else ""))
    found |= {each for each in OLD.keys() & tops.values() if OLD[each].match(importlib.metadata.version(each))}
    found |= unusable_django(tops) | unusable_pytest(tops, named) | unusable_pip() | unusable_traceback(library, tops)
    signal.alarm(0)
    return found - {"", *raised} or unusable_plugin(loaded, raised) - {"", *raised}


def kept(library: Path) -> Iterator[str]:
    """Constraints by which what is installed from the work tree stays: a release in its place would be tested; and by
    which no plug-in that is raised brings a pytest of its own day; and, with ``<``, what the former take."""
    for distribution in importlib.metadata.distributions(path=[str(library)]):
        name, version = str(distribution.metadata["Name"]), str(distribution.metadata["Version"])
        if '"file://' in (distribution.read_text("direct_url.json") or "") and VERSION.fullmatch(version):
            yield f"{name}=={version}"
            found = map(BOUND.fullmatch, distribution.requires or ())
            yield from (plain(each[1]) + each[2] for each in found if each)
        elif name == "pytest" and VERSION.fullmatch(version):
            yield f"{AT_LEAST}{version}"


def plain(name: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def raise_all(uv: str, found: list[str], limits: list[str], day: str) -> bool:
    """All at once, to releases of before `day`, or else each that can be; whether any was."""
    lower = not set(found).isdisjoint(LAST_PYTEST.values())
    constraints = (each for each in limits if "<" not in each and not (lower and each.startswith(AT_LEAST)))
    install = (uv, "pip", "install", "--python", sys.executable)

    def is_raised(names: list[str]) -> bool:
        words = [word for name in names for word in ("--upgrade-package", name.partition("<")[0], name)]
        return subprocess.run([*install, *words], env=variables, check=False).returncode == 0

    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        Path(file.name).write_text("\n".join(constraints))
        variables = {**os.environ, DAY: day, "UV_CONSTRAINT": file.name}
        return is_raised(found) or (len(found) > 1 and sum(is_raised([name]) for name in found) > 0)


def main() -> None:
    uv, *done = sys.argv[1:]
    known = [name for name in done if not name.startswith(OF_THE_DAY)]
    warnings.simplefilter("ignore")
    library = Path(sysconfig.get_path("purelib"))
    limits = list(kept(library))  # before anything is imported: what that puts in the import system's place may fail
    own = {each.partition("==")[0] for each in limits if "==" in each}
    found = sorted(misfits(library, frozenset(known)) - own)[:MOST_RAISED]
    if not found:
        os._exit(0)  # whatever the packages would do when they are left
    within = [each for each in limits if each.partition("<")[0] in map(plain, found) and each not in done]
    sys.stdout.write(f"{SAID}{', '.join(within or found)}\n")
    sys.stdout.flush()
    if within:
        raise_all(uv, within, limits, os.environ[LATER])
        again(*within)
    day = os.environ.get(DAY, os.environ[LATER])
    names = found if day < os.environ[LATER] else []
    if first := [name for name in names if "<" not in name and OF_THE_DAY + name not in done]:
        raise_all(uv, first, limits, day)
        again(*(OF_THE_DAY + name for name in first))
    is_raised = raise_all(uv, found, limits, os.environ[LATER])
    if not is_raised or len(known) + len(found) >= MOST_RAISED:
        os._exit(not is_raised)
    again(*found)


def again(*done: str) -> NoReturn:
    """What an interpreter has imported it does not forget."""
    own = Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]  # `sys.orig_argv` is there since 3.10
    os.execv(sys.executable, [*map(os.fsdecode, own), *done])  # noqa: S606


if __name__ == "__main__":
    main()
