"""What an installation runs of a package's own at its end: a person who types ``npm install`` has what it makes. Pure.

npm runs ``prepublish`` too (https://docs.npmjs.com/cli/using-npm/scripts#life-cycle-operation-order), yarn from release
2 on neither (https://yarnpkg.com/advanced/lifecycle-scripts).
"""

import re
from collections.abc import Iterator
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.folders import BENCHMARKS, DOCUMENTS, EXAMPLES, SITES
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.scripts import made_by

_OF_ITS_OWN = {
    **dict.fromkeys(("npm", "yarn"), ("prepublish", "prepare")),
    **dict.fromkeys(("pnpm", "bun"), ("prepare",)),
}
_INSTALLS = re.compile(
    r".*(?:\b(?:npm|yarn|pnpm|bun|typings|ts-patch)(?: -[\w-]+)* (?:install|i|ci|add)\b|\bpatch-package\b).*", re.DOTALL
)
_SHOWS = SITES | DOCUMENTS | BENCHMARKS | EXAMPLES


def script_at_installation(root: Package, manager: str) -> str:
    """The name of the script, where it installs more, or works on what is installed; empty where it does not, or only
    for what shows or documents the rest. What a script builds besides is built where tests need it."""
    return next((name for name in _OF_ITS_OWN.get(manager, ()) if _installs(root, name)), "")


def _installs(root: Package, name: str) -> bool:
    shows = not _SHOWS.isdisjoint(root.words_run_by(name))
    return not shows and any(map(_INSTALLS.fullmatch, made_by(name, root)))


def installed_folders(root: Package, name: str, tree: Tree) -> Iterator[str]:
    """Folders with a manifest that the script names: packages may be installed there too."""
    yield from sorted(folder for folder in map(normpath, root.words_run_by(name)) if f"{folder}/package.json" in tree)
