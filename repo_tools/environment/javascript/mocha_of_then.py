"""mocha as of an old commit's day, where any release of it will do and its options stand in ``test/mocha.opts``: from
release 8 on it does not read that file (https://github.com/mochajs/mocha/blob/main/CHANGELOG.md). Pure."""

import re
from collections.abc import Iterator
from posixpath import join

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, SetupCommand
from repo_tools.environment.javascript.install import takes_any
from repo_tools.environment.javascript.manager import PackageManager
from repo_tools.environment.javascript.manager_commands import INSTALL
from repo_tools.environment.javascript.package_json import Package

_OPTIONS = "test/mocha.opts"
_OWN_SETTINGS = re.compile(r"\.mocharc(?:\.\w+)?")
_FIRST_DAYS = {"20200105": 6, "20190218": 5, "20180117": 4, "20171002": 3, "20160731": 2, "20141021": 1}
"""Of releases 7 to 2 -> the one of the days before."""
_EARLIER = "; ".join(f'test "$day" -ge {day} || release={release}' for day, release in _FIRST_DAYS.items())
_TEXT = (
    'day=$(date -u -r package.json +%Y%m%d); test "$day" -lt 20200610 && test -e node_modules/mocha || exit 0; '
    """node -e 'process.exit(parseInt(require("./node_modules/mocha/package.json").version) < 8 ? 0 : 1)' && exit 0; """
    f"release=7; {_EARLIER}; npm install {INSTALL} --no-save --no-package-lock --legacy-peer-deps --force"
    f' mocha@$release && echo "{NOTE}mocha $release as when the commit was made: later ones read no {_OPTIONS}"'
)


def mocha_of_then(manager: PackageManager, root: Package, tree: Tree) -> Iterator[SetupCommand]:
    """For a registry that tells no days; where it does, the packages are of that day already."""
    own = any(_OWN_SETTINGS.fullmatch(path.removeprefix(root.start)) for path in tree) or "mocha" in root.content
    is_read = join(root.folder, _OPTIONS) in tree and not own
    if is_read and manager.name == "npm" and not manager.lock and takes_any(root, "mocha"):
        yield SetupCommand(("sh", "-c", _TEXT), required=False, typed="npm install mocha of the commit's day")
