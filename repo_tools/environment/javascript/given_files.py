"""mocha that is started without files, where it would find none by itself. Pure."""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.javascript.files import test_files
from repo_tools.environment.javascript.package_json import Package

_FOUND = re.compile(r"test/.*|test\.[cm]?js|\.mocharc(?:\.\w+)?")
"""Where it looks, and its settings (https://mochajs.org/#configuring-mocha-nodejs)."""
_ALONE = (("mocha",), ("_mocha",))
_OF_TESTS = re.compile(r"(?P<folder>(?:tests|specs?|__tests__)(?P<below>/[^/]+(?=/))?)/.*(?P<ending>\.[cm]?js)")


def with_given_files(words: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """`words`, which start mocha, with all that its users would give it one by one: folders of tests in a folder that
    it does not look into."""
    own = [path.removeprefix(package.start) for path in tree if path.startswith(package.start)]
    if words not in _ALONE or "mocha" in package.content or any(map(_FOUND.fullmatch, own)):
        return words
    tests = test_files([TestCommand("mocha", words, package.folder)], tree, read)
    places = filter(None, (_OF_TESTS.fullmatch(path.removeprefix(package.start)) for path in tests))
    patterns = {f"{place['folder']}{'/**' if place['below'] else ''}/*{place['ending']}" for place in places}
    return (*words, *sorted(patterns))
