"""What conda's environment files say that tests need: https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html

Files are read, never executed.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.distributions import well_known
from repo_tools.environment.python.requirement import read_requirement
from repo_tools.environment.texts import read_text
from repo_tools.yaml_text import Node, YamlError, parse_yaml

_USUAL = ("environment.yml", "environment.yaml", "environment-dev.yml", "conda.yml")
_MAKES = re.compile(r"(?:conda|mamba|micromamba)\n(?:env\n)?(?:create|update)")
_PART = re.compile(r"-(?:base|core)$")
"""Of a package without what its users may do without, which an index has as one."""
_NAME = re.compile(r"(?:[\w-]+::)?([\w.-]+)")
_MOST_FILES = 5


def read_conda(tree: Tree, read: ReadFile) -> Iterator[tuple[str, list[str]]]:
    """(where it stands, requirements): pip's, and of an environment that the likeliest job of the CI makes for its
    tests those of conda's that are well known. Other names of conda's need not be an index's."""
    made = list(dict.fromkeys(_made_by_ci(tree, read)))[:_MOST_FILES]
    for path in dict.fromkeys((*_USUAL, *made)):
        if path in tree and tree[path].mode.is_file:
            listed = _dependencies(read_text(read, path))
            yield (
                f"{path} pip",
                [str(line.value) for each in listed for line in _of_pip(each) if line.value is not None],
            )
            yield path, [known for each in listed if path in made and (known := _known(each))]


def _made_by_ci(tree: Tree, read: ReadFile) -> Iterator[str]:
    job = likeliest_python_job(tree, read)
    for command in job.prepared if job else ():
        if _MAKES.match("\n".join(command.program)):
            yield from (root_relative(path, command.directory) for path in _files(command))


def _files(command: CommandEvidence) -> Iterator[str]:
    for word, value in pairwise((*command.program, "")):
        option, is_joined, own = word.partition("=")
        if option in ("-f", "--file"):
            yield own if is_joined else value


def _dependencies(text: str) -> tuple[Node, ...]:
    try:
        root = parse_yaml(text).root
    except YamlError:
        return ()
    listed = root.mapping.get("dependencies") if root else None
    return tuple(listed.items) if listed else ()


def _of_pip(dependency: Node) -> tuple[Node, ...]:
    listed = dependency.mapping.get("pip")
    return tuple(listed.items) if listed else ()


def _known(dependency: Node) -> str:
    return of_an_index(dependency.value) if isinstance(dependency.value, str) else ""


def of_an_index(text: str) -> str:
    """What conda is asked for, within its bounds, where an index has them written so, but in no certain version, which
    is of a day, of a Python, or the oldest of all that are tested. Empty where it is not well known."""
    text = text.strip("'\"")
    found = _NAME.match(text)
    distribution = well_known(_PART.sub("", found[1])) if found else ""
    asked = read_requirement(text)
    bounds = asked.specifier if asked and "==" not in text else ""
    return f"{distribution}{bounds}" if distribution else ""
