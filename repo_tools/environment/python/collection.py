"""Ansible collections: their plug-ins, and tests, know each other by where a collection is once it is installed
(``ansible_collections.<namespace>.<name>``), wherever its repository lies. Pure.

https://docs.ansible.com/ansible/latest/dev_guide/developing_collections_structure.html,
https://docs.ansible.com/ansible/latest/dev_guide/testing_units.html
"""

import re
from collections.abc import Iterable, Iterator, Set
from itertools import islice
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, SetupCommand
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.install import VENV
from repo_tools.environment.python.requirement import name_of
from repo_tools.environment.python.requirements import RequirementSource, names_of
from repo_tools.environment.texts import text_at
from repo_tools.yaml_text import YamlError, parse_yaml

MANIFEST = "galaxy.yml"
_WHOLE = "tests/integration"
"""Run by Ansible on machines of their own; some of their files are called like tests of pytest's."""
_TWIN = "collections"
"""Where pytest-ansible links the whole to once more, as soon as it is loaded."""
_LISTS = ("tests/unit/requirements.txt", "tests/units/requirements.txt")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")
_IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+ansible_collections\.(\w{1,100})\.(\w{1,100})", re.MULTILINE)
_RELATIVE = re.compile(rb"^[ \t]*from[ \t]+\.", re.MULTILINE)
_NOT_IN_ANSIBLE = frozenset((b"ansible.builtin", b"ansible.legacy", b"community.internal_test_tools"))
"""Part of its core, or of no release of Ansible."""
_ANSIBLES = frozenset(("ansible", "ansible-core", "ansible-base"))
_MOST_READ = 2_000
_LINKED = """
import os, shutil, sys, sysconfig
place = os.path.join(sysconfig.get_path("purelib"), "ansible_collections", *sys.argv[1:])
os.makedirs(os.path.dirname(place), exist_ok=True)
if os.path.isdir(place) and not os.path.islink(place):
    shutil.rmtree(place)
if not os.path.islink(place):
    os.symlink(os.getcwd(), place)
"""
"""In the place of a release of it that came with Ansible."""


def collection(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """(namespace, name) of the one that lies here; empty for anything else."""
    try:
        root = parse_yaml(text_at(MANIFEST, tree, read)).root
    except YamlError:
        return ()
    known = root.mapping if root else {}
    found = tuple(str(known[key].value) for key in ("namespace", "name") if key in known)
    return found if len(found) == 2 and all(map(_NAME.fullmatch, found)) else ()


def requirements_of_collection(
    tree: Tree, read: ReadFile, declared: Iterable[RequirementSource]
) -> Iterator[RequirementSource]:
    """What its unit tests list for ``ansible-test``, and the Ansible that this brings along: with all the collections
    of a release where it imports others."""
    own = collection(tree, read)
    if not own:
        return
    listed = [RequirementSource(path, ("-r", path)) for path in _LISTS if path in tree]
    yield from listed
    if _ANSIBLES.isdisjoint(map(name_of, names_of((*declared, *listed), read))):
        others = _others(".".join(own).encode(), tree, read)
        yield RequirementSource(MANIFEST, ("ansible",) if others else ("ansible-core",))


def collection_in_place(tree: Tree, read: ReadFile) -> tuple[SetupCommand, ...]:
    """What lets it be imported as if it were installed; nothing for what is no collection."""
    if not (own := collection(tree, read)):
        return ()
    program = (f"{VENV}/bin/python", "-c", _LINKED, *own)
    return (SetupCommand(program, typed=f"put the repository where Ansible has its collection {'.'.join(own)}"),)


def options_of_collection(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> tuple[str, ...]:
    """For pytest: without tests of the whole, or any twice, and each file by the name that its folders give it where
    they are no packages, as ``ansible-test`` has it."""
    if not collection(tree, read):
        return ()
    ignored = [path for path in test_files if is_below(path, _WHOLE)]
    units = [path for path in test_files if path not in frozenset(ignored)]
    by_name = ("--import-mode=importlib",) if _need_folders(units, tree, read) else ()
    return (*by_name, f"--ignore={_TWIN}", *((f"--ignore={_WHOLE}",) if ignored else ()))


def _need_folders(units: list[str], tree: Tree, read: ReadFile) -> bool:
    bare = [path for path in units if f"{dirname(path)}/__init__.py" not in tree]
    names = {basename(path) for path in bare}
    return len(names) < len(bare) or any(_RELATIVE.search(read(path)) for path in bare[:_MOST_READ])


def _others(own: bytes, tree: Tree, read: ReadFile) -> Set[bytes]:
    """Collections that its plug-ins, and their unit tests, import."""
    files = (path for path in tree if path.endswith(".py") and not is_below(path, _WHOLE))
    texts = map(read, islice(files, _MOST_READ))
    found = {b".".join(each) for text in texts for each in _IMPORTED.findall(text)}
    return found - _NOT_IN_ANSIBLE - {own}
