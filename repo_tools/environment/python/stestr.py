"""Suites that stestr runs, or testr, which was before it: by unittest's own discovery, in the words of a settings file.
What lies elsewhere (functional tests, which want servers) is none of them. Pure.

https://stestr.readthedocs.io/en/latest/MANUAL.html#configuration,
https://testrepository.readthedocs.io/en/latest/MANUAL.html#configuration
"""

import re
from collections.abc import Iterable, Mapping
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.requirements import declared_requirements, names_of
from repo_tools.environment.python.test_programs import started_programs
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.settings_text import read_ini, read_toml, section, table
from repo_tools.environment.texts import text_at

_DISCOVERED = re.compile(r"\bdiscover[ \t]+(?:-t[ \t]+(?P<top>\S{1,200})[ \t]+)?(?P<place>[^\s-]\S{0,200})")
_MORE = re.compile(r"[ \t]+[^\s$;|&<>-]|[^\n]*[ \t]--?p")
"""A pattern for names of files."""
_VARIABLE = re.compile(r"\$\{(\w{1,80})(?::?-([^{}$]{0,200}))?\}|\$(\w{1,80})")
_OUTSIDE = re.compile(r"/|(?:\./+)*\.\.(?:/|$)")
_FUNCTION = re.compile(rb"^(?:async[ \t]+)?def test", re.MULTILINE)
_OTHERS = frozenset(("unittest", "nose2", "trial", "green", "testify", "ward"))
_MOST_FILES = 400
_OWN = frozenset(("stestr", "testrepository", "os-testr"))


def discovered_by_stestr(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> tuple[TestCommand, str] | None:
    """(the same discovery, what says so), where it finds some of `test_files`, and nothing speaks for another: settings
    stay for years in repositories that have long been tested otherwise."""
    source, place, top = _told(tree, read)
    if not source or _is_left_behind(tree, read):
        return None
    variables = {name: value for told in reversed(read_tools(tree, read)) for name, value in told.variables.items()}
    places = [_expanded(written, variables) for written in (place, top)]
    start, above = map(root_relative, places)
    loads = start == above or f"{start}/__init__.py" in tree  # unittest takes no other folder
    loads &= not any(map(_OUTSIDE.match, places)) and (not above or is_below(start, above))
    reached = [path for path in test_files if loads and _is_reached(path, start, tree)]
    if not reached or any(_is_without_classes(read(path)) for path in reached[:_MOST_FILES]):
        return None
    words = ("python", "-m", "unittest", "discover", "-s", start or ".", "-t", above or ".")
    return TestCommand("unittest", words), f"{source}: tests in {start or 'the root'}, found by unittest"


def _is_left_behind(tree: Tree, read: ReadFile) -> bool:
    """Whether pytest, nose or another is started for the suite, or pytest alone is wanted for it."""
    job = likeliest_python_job(tree, read)
    started = (each.name for command in (job.tests if job else ()) for each in (command, *command.started))
    if any(started_programs(tree, read)) or not _OTHERS.isdisjoint(started):
        return True
    wanted = names_of(declared_requirements(tree, read), read)
    return "pytest" in wanted and wanted.isdisjoint(_OWN)


def _is_without_classes(text: bytes) -> bool:
    """Whether all tests of a module are functions, which unittest leaves out: it is pytest's, or nose's."""
    return bool(_FUNCTION.search(text)) and b"\nclass " not in text


def _is_reached(path: str, start: str, tree: Tree) -> bool:
    """Whether discovery that starts there comes by it: through packages alone."""
    folder, name = dirname(path), basename(path)
    if not (name.startswith("test") and name.endswith(".py") and (not start or is_below(folder, start))):
        return False
    between = folder.removeprefix(start).strip("/")
    parts = between.split("/") if between else []
    above = f"{start}/" if start else ""
    return all(f"{above}{'/'.join(parts[:depth])}/__init__.py" in tree for depth in range(1, len(parts) + 1))


def _told(tree: Tree, read: ReadFile) -> tuple[str, str, str]:
    """(the file, the folder of the tests, the one that they are imported from); empty where none says so."""
    of_project = table(read_toml(text_at("pyproject.toml", tree, read)), "tool", "stestr")
    tables: tuple[tuple[str, Mapping[str, object]], ...] = (
        (".stestr.conf", dict(read_ini(text_at(".stestr.conf", tree, read)).defaults())),
        ("pyproject.toml [tool.stestr]", of_project),
        ("tox.ini [stestr]", section(read_ini(text_at("tox.ini", tree, read)), "stestr")),
    )
    for source, settings in tables:
        place, top = settings.get("test_path"), settings.get("top_dir")
        if isinstance(place, str) and place:
            return source, place, top if isinstance(top, str) else ""
    command = read_ini(text_at(".testr.conf", tree, read)).defaults().get("test_command") or ""
    found = _DISCOVERED.search(command := re.sub(r"\\\n[ \t]*", " ", command))
    if found is None or _MORE.match(command, found.end()):
        return "", "", ""
    return ".testr.conf", found["place"], found["top"] or found["place"]


def _expanded(written: str, variables: Mapping[str, str]) -> str:
    """As a shell has it, with what stands for a variable that nobody sets."""
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[3]) or found[2] or "$", written)
