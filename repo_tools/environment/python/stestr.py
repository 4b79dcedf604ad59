"""Suites that stestr runs, or testr, which was before it: by unittest's own discovery, in the words of a settings file.
What lies elsewhere (functional tests, which want servers) is none of them. Pure.

https://stestr.readthedocs.io/en/latest/MANUAL.html#configuration,
https://testrepository.readthedocs.io/en/latest/MANUAL.html#configuration
"""

import re
from collections.abc import Iterable, Mapping

from repo_tools.changes import Tree
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.test_programs import started_programs
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.settings_text import read_ini, read_toml, section, table
from repo_tools.environment.texts import text_at

_DISCOVERED = re.compile(r"\bdiscover[ \t]+(?:-t[ \t]+(?P<top>\S{1,200})[ \t]+)?(?P<place>[^\s-]\S{0,200})")
_VARIABLE = re.compile(r"\$\{(\w{1,80})(?::?-([^{}$]{0,200}))?\}|\$(\w{1,80})")


def discovered_by_stestr(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> tuple[TestCommand, str] | None:
    """(the same discovery, what says so), where it finds some of `test_files`, and nothing starts pytest or nose."""
    source, place, top = _told(tree, read)
    if not source or any(started_programs(tree, read)):
        return None
    variables = {name: value for told in reversed(read_tools(tree, read)) for name, value in told.variables.items()}
    start, above = (root_relative(_expanded(written, variables)) for written in (place, top))
    loads = start == above or f"{start}/__init__.py" in tree  # unittest takes no other folder
    if not (loads and any(not start or is_below(path, start) for path in test_files)):
        return None
    words = ("python", "-m", "unittest", "discover", "-s", start or ".", "-t", above or ".")
    return TestCommand("unittest", words), f"{source}: tests in {start or 'the root'}, found by unittest"


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
    found = _DISCOVERED.search(command)
    return (".testr.conf", found["place"], found["top"] or "") if found else ("", "", "")


def _expanded(written: str, variables: Mapping[str, str]) -> str:
    """As a shell has it, with what stands for a variable that nobody sets."""
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[3]) or found[2] or "$", written)
