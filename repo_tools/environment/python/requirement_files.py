"""Lists of requirements in files of their own (``requirements-dev.txt``): which there are, and what they list."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.requirement import is_requirement, lines_of, without_options_behind
from repo_tools.environment.texts import read_text

_FILE_FOR_TESTS = re.compile(r"(?:.*[/_.-])?(?:tests?|testing|ci)(?:[/_.-].*)?")
_FILE_FOR_ALL_WORK = re.compile(r"(?:.*[/_.-])?(?:dev|devel|develop|development)(?:[/_.-].*)?|requirements/local\.\w+")

_FILE_OF_ANOTHER_KIND = re.compile(r".*[/_.-](?:py(?:thon)?2\d?|win(?:dows|32|64)?|mac(?:os)?|osx|darwin)\.(?:txt|in)")
"""Of Python 2, or of a system that no sandbox has."""
_FILE_AT_LAST = re.compile(r".*[/_.-](?:min(?:imal|imum)?|lowest|oldest|release)\.(?:txt|in)")
"""Of the oldest that the project still runs with, or for its releases: of use where nothing else lists what tests need,
as ``minimal`` may say that there is no more."""
_WORDS = "dev|devel|develop|development|test|tests|testing|ci"
_REQUIREMENTS_FILE = re.compile(
    rf"requirements[-_.]?(?:(?:for[-_.])?(?:{_WORDS}))?\.(?:txt|in)"
    r"|(?:dev|devel|develop|development)\.txt"
    rf"|(?:{_WORDS})[-_.]requirements\.(?:txt|in)"
    rf"|requirements/(?:[\w-]*[-_.])?(?:{_WORDS})(?:[-_.][\w-]*)?\.(?:txt|in)"
    r"|requirements/(?:base|common|default|local|main|requirements)\.(?:txt|in)"
    r"|tests?/requirements\.(?:txt|in)"
    rf"|(?:env|\.?ci)/requirements[-_.](?:{_WORDS})\.(?:txt|in)",
    re.IGNORECASE,
)
_OPTION_BEHIND = re.compile(r"\w.*\s--(?:no-binary|only-binary|install-option|global-option)\b")
_OF_PYPI = re.compile(
    r"(?:-i|--(?:extra-)?index-url)[ =]\s*https?://(?:pypi\.python\.org|pypi\.(?:douban|doubanio)\.com"
    r"|mirrors\.(?:aliyun|cloud\.tencent)\.com|repo\.huaweicloud\.com|(?:pypi\.|mirrors\.)[\w.]+\.edu\.cn)/.*"
)
"""PyPI by its former name, or a public mirror of the whole of it, which set-up does not reach: it has the same
packages. A name of any other index may be anybody's on PyPI."""
_PLACE_OF_PACKAGES = re.compile(r"-[if][ =]|--(?:index-url|extra-index-url|find-links)[ =]")


def requirement_files(tree: Tree) -> Iterator[str]:
    """Those for development and tests, by their names; of a compiled one and its source, the compiled one."""
    found = [path for path in tree if _REQUIREMENTS_FILE.fullmatch(path)]
    found = [path for path in found if not _FILE_OF_ANOTHER_KIND.fullmatch(path)]
    usual = [path for path in found if not _FILE_AT_LAST.fullmatch(path)]
    found = usual if any(_FILE_FOR_TESTS.fullmatch(p) or _FILE_FOR_ALL_WORK.fullmatch(p) for p in usual) else found
    if any(map(_FILE_FOR_TESTS.fullmatch, found)):
        found = [path for path in found if not _FILE_FOR_ALL_WORK.fullmatch(path)]
    compiled = {path for path in found if path.endswith(".txt")}
    for path in sorted(found, key=lambda p: (p.lower() != "requirements.txt", p)):
        if path in compiled or str(PurePosixPath(path).with_suffix(".txt")) not in compiled:
            yield path


def requirements_in(path: str, tree: Tree, read: ReadFile, seen: set[str] | None = None) -> tuple[str, ...]:
    """What a requirements file lists, as words for pip, with those of the files that it names in turn, each once;
    without its other options."""
    seen = set() if seen is None else seen
    if path not in tree or path in seen:
        return ()
    seen.add(path)
    words: list[str] = []
    for raw in lines_of(read_text(read, path)):
        line = without_options_behind(raw)
        if other := re.fullmatch(r"(?:-r|--requirement)[ =]?\s*(\S+)", raw):
            words += requirements_in(_beside(path, other[1]), tree, read, seen)
        elif own := re.fullmatch(r"(?:(?:-e|--editable)[ =])?\s*(\.(?:\[[\w.,\s-]+\])?)", raw):
            words += ["--editable", own[1]]
        elif is_requirement(line):
            words.append(line)
    return tuple(words)


def has_options_to_leave_out(path: str, tree: Tree, read: ReadFile) -> bool:
    """Whether a requirement in it, or in the files that it names in turn, has options behind it, or one of them names
    PyPI otherwise, and none a place of packages beside it."""
    files: set[str] = set()
    requirements_in(path, tree, read, files)
    lines = [line for file in files for line in lines_of(read_text(read, file))]
    of_pypi = [line for line in lines if _OF_PYPI.fullmatch(line)]
    others = [line for line in lines if _PLACE_OF_PACKAGES.match(line) and line not in of_pypi]
    return any(map(_OPTION_BEHIND.match, lines)) or bool(of_pypi and not others)


def _beside(path: str, other: str) -> str:
    parts: list[str] = []
    for part in (*PurePosixPath(path).parts[:-1], *PurePosixPath(other).parts):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
