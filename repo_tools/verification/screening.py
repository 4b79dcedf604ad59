"""What a change's own text shows before anything is run: that it does nothing, or tampers with the proof. Pure."""

import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.python_source import mentions_of_tests, same_code
from repo_tools.verification.reach import reaches
from repo_tools.verification.sides import Sides

_GENERATED = re.compile(
    r"(?:.*/)?(?:__pycache__|htmlcov|node_modules)/.*|.*\.(?:py[co]|orig|rej|log)|(?:.*/)?\.coverage"
)


def screen(change: ChangeSet, sides: Sides, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """Why `change` cannot be proved, in sentences; empty where only running it can tell."""
    if not change:
        return ("The change is empty.",)
    if all(_does_nothing(path, sides.product, base, read) for path in sides.product):
        return ("No product file was changed in a way that makes a difference: there is nothing to prove.",)
    return (*_tampering(sides, base, read), *_reaching(sides, base, read))


def _does_nothing(path: str, change: ChangeSet, base: Tree, read: ReadFile) -> bool:
    new, old = change.files[path], base.get(path)
    if new is None or old is None:
        return (new is None and old is None) or bool(_GENERATED.fullmatch(path))
    if new.entry == old or _GENERATED.fullmatch(path):
        return True
    return new.mode is old.mode and path.endswith(".py") and same_code(read(path), new.content)


def _tampering(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    for path in sides.product:
        new = sides.product.files[path]
        if new is None or not path.endswith(".py"):
            continue
        before = read(path) if path in base else b""
        if added := sorted(mentions_of_tests(new.content) - mentions_of_tests(before)):
            yield (
                f"{path} is product code and now mentions the tests or their runner ({', '.join(added)}): product code "
                "must not know whether it is being tested."
            )
        if hidden := _hides(path, base):
            yield f"{path} would hide the module `{hidden}` from the tests. Give it another name."


def _reaching(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """What the change as a whole has more of than the base: code that only moves to another file brings nothing new."""
    python = [path for path in sides.product if path.endswith(".py")]
    old = {path: read(path) if path in base else b"" for path in python}
    new = {path: state.content if (state := sides.product.files[path]) else b"" for path in python}
    if unknown := [path for path in python if reaches(new[path]) is None]:
        yield (
            f"These changed product files cannot be checked, because they cannot be parsed; a person must look: "
            f"{', '.join(unknown)}."
        )
    more = _uses(new.values()) - _uses(old.values())
    if not more:
        return
    where = [place for path in python for place in _places(path, old[path], new[path], more)]
    yield (
        f"Product code that newly reaches into the interpreter cannot be proved by tests in the same interpreter; a "
        f"person must look: {'; '.join(where or sorted(more))}."
    )


def _uses(sources: Iterable[bytes]) -> Counter[str]:
    return Counter(reach.what for source in sources for reach in reaches(source) or ())


def _places(path: str, old: bytes, new: bytes, wanted: Container[str]) -> Iterator[str]:
    """Of the wanted uses, those on lines that the base does not have."""
    known, lines = set(old.splitlines()), new.splitlines()
    for reach in reaches(new) or ():
        if reach.what in wanted and lines[reach.line - 1] not in known:
            yield f"{path}, line {reach.line}: {reach.what}"


def _hides(path: str, base: Tree) -> str | None:
    """The module of Python's own library whose name a new module at an import root takes."""
    place = "src/" if path.startswith("src/") else ""
    name = path.removeprefix(place).split("/")[0]
    if any(other == place + name or other.startswith(f"{place}{name}/") for other in base):
        return None
    module = name.removesuffix(".py")
    return module if module in sys.stdlib_module_names else None
