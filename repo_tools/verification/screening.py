"""What a change's own text shows before anything is run: that it does nothing, or tampers with the proof. Pure."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from posixpath import basename, dirname

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.verification.dependencies import of_development
from repo_tools.verification.javascript_source import (
    doubtful_in,
    mentions_of_tests_in,
    newly_reached,
    same_javascript,
)
from repo_tools.verification.linters import apart_from_linters
from repo_tools.verification.loaded_first import files_named
from repo_tools.verification.mixed import is_mixed
from repo_tools.verification.plain_source import SUFFIXES as PLAIN
from repo_tools.verification.plain_source import knows_of_tests
from repo_tools.verification.python_source import has_fixtures, hooks_of_tests, mentions_of_tests, same_code
from repo_tools.verification.reach import Reach, reaches
from repo_tools.verification.read_as_text import read_as_text
from repo_tools.verification.replaced import replaced
from repo_tools.verification.rust_items import is_readable, without_tests
from repo_tools.verification.rust_modules import is_declared_for_tests
from repo_tools.verification.rust_seams import asks_for_tests, taken_places
from repo_tools.verification.shadows import files_beside
from repo_tools.verification.sides import Sides
from repo_tools.verification.special_cases import special_cases
from repo_tools.verification.test_names import CONFIGURATION_FILE, PROSE, stands_in_product
from repo_tools.verification.where_it_runs import asks_where_it_runs

_GENERATED = re.compile(
    r"(?:.*/)?(?:__pycache__|htmlcov|node_modules)/.*|.*\.(?:py[co]|orig|rej|log)|(?:.*/)?\.coverage"
)

_BESIDE = re.compile(
    r"\b(?:entry|root|dir)\s*:\s*(?:[\w.]{1,50}\([^()\n]{0,200}\)|['\"`][^'\"`\n]{1,200}['\"`])"
    r"|['\"`](\.{1,2}/[^'\"`\n]{1,200}?)(?:\.[cm]?js)?['\"`]"
)
"""Without its ending, in TypeScript that of what it is compiled to. An `entry` is built for users; `dir` loads none."""
_PLUGINS = re.compile(
    r"(?<![\w-])-p[\s='\",]*([\w.]+)|\bpytest_plugins\b[^=\n]{0,100}=\s*(\[[^\]]{0,2000}\]|\([^)]{0,2000}\)|['\"][^'\"]+)"
    r"|(?:\bDJANGO_SETTINGS_MODULE|--ds|--settings)[\s='\":,]+([\w.]+)"
)
"""Modules that pytest or Django is told to load, as settings and ``conftest.py`` write it."""
_MOST_NAMED = 10
_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
"""Plug-ins of pytest's say so: https://docs.pytest.org/en/stable/how-to/writing_plugins.html#pip-installable-plugins"""


def screen(change: ChangeSet, sides: Sides, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """Why `change` cannot be proved, in sentences; empty where only running it can tell."""
    if not change:
        return ("The change is empty.",)
    if all(_does_nothing(path, sides.product, base, read) for path in sides.product):
        nothing = "No product file was changed in a way that makes a difference: there is nothing to prove."
        return (f"{nothing}{_counted_as_tests(sides)}",)
    of_python = (*_tampering(sides, base, read), *_reaching(sides, base, read), *_over_others(change, sides, base))
    of_others = (
        *_in_javascript(sides, base, read),
        *_in_plain(sides, base, read),
        *replaced(sides.product, base, read),
    )
    return (*of_python, *of_others, *_in_rust(change, sides, base, read))


def _counted_as_tests(sides: Sides) -> str:
    """Which is not always to be seen: a script that builds and tests may be the suite itself."""
    return "" if sides.product or not sides.tests else f" As tests, or what supports them, count: {_few(sides.tests)}."


def _few(paths: Iterable[str]) -> str:
    names = sorted(paths)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def _does_nothing(path: str, change: ChangeSet, base: Tree, read: ReadFile) -> bool:
    new, old = change.files[path], base.get(path)
    if new is None or old is None:
        return (new is None and old is None) or bool(_GENERATED.fullmatch(path))
    if new.entry == old or _GENERATED.fullmatch(path):
        return True
    if new.mode is not old.mode:
        return False
    if path.endswith(JAVASCRIPT):
        return same_javascript(read(path), new.content)
    return path.endswith(".py") and same_code(read(path), new.content)


def _tampering(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    is_plugin = any(b"pytest11" in _old(path, base, read) for path in _MANIFESTS)
    for path in sides.product:
        new = sides.product.files[path]
        if new is None or not path.endswith(".py"):
            continue
        if added := sorted(_known_of_tests(new.content, _old(path, base, read), is_plugin)):
            yield (
                f"{path} is product code and now mentions the tests or their runner ({', '.join(added)}): product code "
                "must not know whether it is being tested."
            )
        if hidden := _hides(path, base):
            yield f"{path} would hide the module `{hidden}` from the tests. Give it another name."


def _known_of_tests(new: bytes, before: bytes, is_plugin: bool) -> frozenset[str]:
    """Hooks count where the base's file has none: of a plug-in of pytest's they are the product."""
    known = is_plugin or hooks_of_tests(before)
    return mentions_of_tests(new) - mentions_of_tests(before) | (frozenset() if known else hooks_of_tests(new))


def _in_javascript(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """What the change's JavaScript as a whole has more of than the base's."""
    paths, old, new = _javascript_of(sides, base, read)
    if added := _sum(mentions_of_tests_in, new) - _sum(mentions_of_tests_in, old):
        yield (
            f"Product code now mentions the tests or their runner ({', '.join(sorted(added))}): product code must not "
            f"know whether it is being tested. Look at {', '.join(paths)}."
        )
    if added := newly_reached(old, new):
        yield (
            f"Product code newly reaches for {', '.join(sorted(added))}, which tests in the same process stand on; a "
            f"person must look at {', '.join(paths)}."
        )


def _javascript_of(sides: Sides, base: Tree, read: ReadFile) -> tuple[list[str], list[bytes], list[bytes]]:
    """Paths of the product, and their contents before and after."""
    paths = apart_from_linters({path: _content(path, sides) for path in sides.product if path.endswith(JAVASCRIPT)})
    return paths, [_old(path, base, read) for path in paths], [_content(path, sides) for path in paths]


def _in_plain(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """What the change's files have, and none of them had on the base: products about tests speak of them anyway."""
    paths = [path for path in sides.product if path.endswith(PLAIN)]
    old = {word for path in paths if path in base for word in knows_of_tests(path, read(path))}
    if added := {word for path in paths for word in knows_of_tests(path, _content(path, sides))} - old:
        yield (
            f"Product code now mentions the tests, their runner or what tells of them ({', '.join(sorted(added))}); a "
            f"person must look at {', '.join(paths)}."
        )


def _old(path: str, base: Tree, read: ReadFile) -> bytes:
    return read(path) if path in base else b""


def _in_rust(change: ChangeSet, sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """Files whose tests cannot be told from the product, and what the product is to its tests alone."""
    mixed = filter(stands_in_product, (*sides.product, *sides.tests))
    paths = [path for path in mixed if not is_declared_for_tests(path, change, base, read)]
    old = {path: read(path) if path in base else b"" for path in paths}
    new = {path: state.content if (state := sides.counted.files[path]) else b"" for path in paths}
    if unknown := [path for path in old if not (is_readable(old[path]) and is_readable(new[path]))]:
        yield _unknown(unknown)
        return
    if added := _sum(asks_for_tests, new.values()) - _sum(asks_for_tests, old.values()):
        yield (
            f"Product code now asks whether it is compiled for its tests ({', '.join(sorted(added))}); a person must "
            f"look at {', '.join(new)}."
        )
    product = b"\n".join(map(without_tests, new.values()))
    if taken := frozenset().union(*(taken_places(old[path], new[path], product) for path in new)):
        yield (
            "These are compiled for tests alone, outside of the tests' modules, and product code uses their names, so "
            f"that tests may run something else than users do: {', '.join(sorted(taken))}. Put them into a module of "
            f"the tests, under names of their own, or let a person look at {', '.join(new)}."
        )


def _sum(count: Callable[[bytes], Counter[str]], sources: Iterable[bytes]) -> Counter[str]:
    return sum(map(count, sources), Counter[str]())


def notes(sides: Sides, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """What a reviewer of a proved change should look at: uses that have honest reasons as often as not, and files that
    were left behind."""
    places = (
        f"{path} newly asks where it runs, or speaks of tests; see that tests and users get the same."
        for path in _placed(sides, base, read)
    )
    hiding = (f"{path} may hide files from what GitHub shows of a change; look." for path in _attributes(sides))
    loaded = (*of_development(sides.product, base, read), *_loaded_by_tests(sides, base, read))
    set_up = (*_loaded_by_settings(sides, base, read), *_loaded_instead(sides, base), *_left_behind(sides, base))
    narrow = (*read_as_text(sides, base, read), *special_cases(sides, base, read))
    return (*_doubtful(sides, base, read), *loaded, *set_up, *places, *hiding, *narrow)


def _placed(sides: Sides, base: Tree, read: ReadFile) -> list[str]:
    paths, asks = [path for path in sides.product if not path.endswith(PROSE)], asks_where_it_runs
    return [path for path in paths if asks(path, _content(path, sides)) - asks(path, _old(path, base, read))]


def _attributes(sides: Sides) -> list[str]:
    """``linguist-generated`` folds a file, ``-diff`` shows it as binary."""
    return sorted(path for path in sides.product if path.rpartition("/")[2] == ".gitattributes")


def _doubtful(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    if found := "; ".join(f"{reach.what} ({place})" for place, reach in _newly(sides, base, read, weak=True)):
        yield f"Product code newly uses {found}: tests in the same interpreter could be told apart by it; look."
    paths, old, new = _javascript_of(sides, base, read)
    if added := _sum(doubtful_in, new) - _sum(doubtful_in, old):
        yield (
            f"Product code newly asks {', '.join(sorted(added))}: tests could be told apart by it; look at "
            f"{_few(paths)}."
        )


def _loaded_by_tests(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    changed = {path: new.content for path, new in sides.product.files.items() if new and path.endswith(".py")}
    if found := [path for path in changed if has_fixtures(_old(path, base, read)) or has_fixtures(changed[path])]:
        yield (
            f"Fixtures, hooks or a runner of tests stand in {', '.join(sorted(found))}: see that the change mends the "
            "product and not what tests alone see of it."
        )


def _loaded_by_settings(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """It may be what tests are about (a plug-in that is tried out, Django's settings), or where they find modules."""
    changed = {path for path in sides.product if path.endswith((".py", *JAVASCRIPT)) and path in base}
    settings = [path for path in base if changed and (CONFIGURATION_FILE.fullmatch(basename(path)) or is_mixed(path))]
    named = ((path, read(path).decode("utf-8", "replace")) for path in settings if _is_read(path))
    if found := changed.intersection(chain.from_iterable(_loaded(path, text, changed, base) for path, text in named)):
        yield (
            f"Settings of the tests load {_few(found)}: see that the change mends the product and not how tests "
            "find or see it."
        )


def _loaded_instead(sides: Sides, base: Tree) -> Iterator[str]:
    for path, other, surely in files_beside(sides.product, base):
        if not surely:
            yield f"A module's name may lead to {path} instead of {other}: see that tests and users load the same."


def _is_read(path: str) -> bool:
    return path.endswith((".py", ".cfg", ".ini", ".toml", *JAVASCRIPT))


def _loaded(path: str, text: str, changed: Iterable[str], base: Tree) -> Iterable[str]:
    if path.endswith(JAVASCRIPT):
        return files_named(filter(None, _BESIDE.findall(text)), dirname(path), base)
    words = re.findall(r"[\w.]+", " ".join(chain.from_iterable(_PLUGINS.findall(text))))
    ends = tuple(f"/{word.replace('.', '/')}{end}" for word in words for end in (".py", "/__init__.py"))
    return (each for each in changed if f"/{each}".endswith(ends))


def _left_behind(sides: Sides, base: Tree) -> Iterator[str]:
    if new := [path for path in sides.product if path not in base and _GENERATED.fullmatch(path)]:
        yield f"These new files look like what tools leave behind: {_few(new)}."


def _reaching(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    python = [path for path in sides.product if path.endswith(".py")]
    if unknown := [path for path in python if reaches(_content(path, sides)) is None]:
        yield _unknown(unknown)
    if found := "; ".join(f"{place}: {reach.what}" for place, reach in _newly(sides, base, read, weak=False)):
        yield (
            f"Product code that newly reaches into the interpreter cannot be proved by tests in the same interpreter; "
            f"a person must look: {found}."
        )


def _unknown(paths: list[str]) -> str:
    return (
        f"These changed product files cannot be checked, because they cannot be parsed; a person must look: "
        f"{', '.join(paths)}."
    )


def _newly(sides: Sides, base: Tree, read: ReadFile, *, weak: bool) -> Iterator[tuple[str, Reach]]:
    """What the change as a whole has more of than the base, each with its place: code that only moves to another file
    brings nothing new. Lines that the base has too are left out unless nothing else is left. Some encodings
    (``utf-7``) make more lines than a file's bytes show."""
    python = [path for path in sides.product if path.endswith(".py")]
    old = {path: read(path) if path in base else b"" for path in python}
    new = {path: _content(path, sides) for path in python}
    more = _uses(new.values(), weak) - _uses(old.values(), weak)
    uses = [(path, reach) for path in python for reach in _of(new[path], weak) if reach.what in more]
    known = {path: set(old[path].splitlines()) for path in python}
    lines = {path: new[path].splitlines() for path in python}
    fresh = [(path, reach) for path, reach in uses if known[path].isdisjoint(lines[path][reach.line - 1 : reach.line])]
    yield from ((f"{path}, line {reach.line}", reach) for path, reach in fresh or uses)


def _content(path: str, sides: Sides) -> bytes:
    state = sides.product.files[path]
    return state.content if state else b""


def _of(source: bytes, weak: bool) -> list[Reach]:
    return [reach for reach in reaches(source) or () if reach.weak is weak]


def _uses(sources: Iterable[bytes], weak: bool) -> Counter[str]:
    return Counter(reach.what for source in sources for reach in _of(source, weak))


def _over_others(change: ChangeSet, sides: Sides, base: Tree) -> Iterator[str]:
    """In JavaScript's tests, what resolves names is tried out with such; the base commit's never load them."""
    for path, other, surely in files_beside(change, base):
        if surely and (path in sides.product.files or path.endswith(".py")):
            yield f"{path} would hide {other}. Give it another name."


def _hides(path: str, base: Tree) -> str | None:
    """The module of Python's own library whose name a new module at an import root takes."""
    place = "src/" if path.startswith("src/") else ""
    name = path.removeprefix(place).split("/")[0]
    if any(other == place + name or other.startswith(f"{place}{name}/") for other in base):
        return None
    module = name.removesuffix(".py")
    return module if module in sys.stdlib_module_names else None
