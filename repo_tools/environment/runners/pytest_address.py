"""pytest's own ids, out of the JUnit XML that it writes (family ``xunit1``).

pytest writes ``classname`` as its node id with the slashes, the ``.py`` and the ``::`` turned into dots, and ``file``
as the place where the function is defined, which for an inherited test is another file. Both together give the id back.
"""

from xml.etree import ElementTree

from repo_tools.environment.runners.contract import IsFile

_INSTANCE = "()"
"""Of a class, which was a part of an id until pytest 4; it is left in where another class stands within that one."""


def pytest_address(element: ElementTree.Element, is_file: IsFile) -> tuple[str, tuple[str, ...]]:
    """The file and the names below it. A collection error has only a name: the dotted file; none at all where a
    ``conftest.py`` further down cannot be loaded, which is an error of the root."""
    classname, name = element.get("classname", ""), element.get("name", "")
    if not (classname or name):
        return ".", ()
    dotted = classname or name
    path = _path(dotted, element.get("file"), is_file)
    inside = f"{dotted}.".startswith(f"{_dotted(path)}.")
    below = dotted[len(_dotted(path)) + 1 :] if inside else classname  # a plug-in's own test is of no file
    names = tuple(part for part in below.split(".") if part != _INSTANCE) if below else ()
    return path, (*names, name) if classname or not inside else names


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _path(dotted: str, defined_in: str | None, is_file: IsFile) -> str:
    if defined_in and f"{dotted}.".startswith(f"{_dotted(defined_in)}."):
        return defined_in
    parts = dotted.split(".")
    candidates = ["/".join(parts[:end]) + ".py" for end in range(len(parts), 0, -1)]
    return next((path for path in candidates if is_file(path)), defined_in or candidates[0])
