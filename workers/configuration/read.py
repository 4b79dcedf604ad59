"""Read `.github/agent-fix.yml` of one commit, and hold it against what the operator allows."""

import re
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from repo_tools.changes import FileMode, Tree
from repo_tools.checkout import Checkout
from repo_tools.counted import counted
from repo_tools.environment.commands import (
    as_argv,
    commands_of,
    hidden_end,
    is_shell,
    moved,
    stopping,
    with_variables,
)
from repo_tools.environment.contract import Service, SetupCommand, TestCommand
from repo_tools.environment.declared import Declared
from repo_tools.environment.runners import recognise
from repo_tools.errors import ServiceError
from repo_tools.path_rules import EVERYWHERE, PathRules
from repo_tools.paths import PathRefusedError, check_writable, parents
from repo_tools.sandbox.service import check_room, check_service
from repo_tools.yaml_text import Document, Node, YamlError, parse_yaml
from workers.configuration.contract import PATH, Allowed, Configuration, ConfigurationError
from workers.configuration.problems import Problem, empty_values, line_of, schema_problems
from workers.configuration.schema import (
    CommandPart,
    ConfigurationFile,
    ServicePart,
    Surroundings,
    near_folder,
    no_such_folder,
)

MAX_BYTES = 64_000
MOST_PROBLEMS = 20
MOST_COMPARED = 500_000
"""Patterns times paths: of more nobody looks whether they match, which would take seconds."""
_MISNAMED = re.compile(r"(?:\.github/)?\.?agent[-_]?fix\.ya?ml", re.IGNORECASE)


def read_configuration(checkout: Checkout, allowed: Allowed) -> Configuration:
    """What the commit says; nothing where it has no such file. ConfigurationError holds every problem of it."""
    _check_names(checkout.tree)
    if PATH not in checkout.tree:
        return Configuration()
    document = _document(_text(checkout))
    root = document.root
    if root is None:
        return Configuration()
    folders = _folders(checkout.tree)
    file, problems = _validated(root, Surroundings(allowed, folders))
    problems += [*_service_problems(file, root), *_folder_problems(file, root, folders), *_pipe_problems(file, root)]
    problems += _rule_problems(file, root, checkout.tree)
    odd = {line: Problem(line, what) for line, what in document.oddities}
    _refuse([*odd.values(), *(problem for problem in problems if problem.line not in odd)])
    return _configuration(file, checkout.tree)


def _check_names(tree: Tree) -> None:
    """A file under a name that is nearly ours would silently mean nothing."""
    near = (path for path in tree if path != PATH and _MISNAMED.fullmatch(path))
    _refuse([Problem(0, f"`{path}` is not read: call it `{PATH}`") for path in near])


def _text(checkout: Checkout) -> str:
    if not checkout.tree[PATH].mode.is_file:
        _refuse([Problem(0, "it is a link, not a file: put the file itself there")])
    content = checkout.read(PATH)
    if len(content) > MAX_BYTES:
        _refuse([Problem(0, f"it holds {len(content):,} bytes; {MAX_BYTES:,} is the most")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _error([Problem(line, "is no UTF-8 text: save the file as UTF-8")]) from None


def _folders(tree: Tree) -> frozenset[str]:
    """Where a command may be run: what a link leads to is not looked at, and a submodule is an empty folder."""
    like_folders = (path for path, entry in tree.items() if entry.mode in (FileMode.SYMLINK, FileMode.SUBMODULE))
    return frozenset(["", *like_folders, *(folder for path in tree for folder in parents(path))])


def _document(text: str) -> Document:
    try:
        document = parse_yaml(text)
    except YamlError as error:
        raise _error([Problem(error.line, error.problem)]) from None
    if document.root is not None and not isinstance(document.root.value, dict):
        _refuse([Problem(document.root.line, "the file must be a mapping (`name: value`)")])
    return document


def _validated(root: Node, surroundings: Surroundings) -> tuple[ConfigurationFile, list[Problem]]:
    try:
        return ConfigurationFile.model_validate(root.data(), context=surroundings), empty_values(root)
    except ValidationError as error:
        return ConfigurationFile(), [*empty_values(root), *schema_problems(error, root)]


def _service_problems(file: ConfigurationFile, root: Node) -> list[Problem]:
    """Of those that cannot stand beside the ones before them."""
    found: list[Problem] = []
    services = [_service(part) for part in file.services]
    for number, service in enumerate(services):
        try:
            check_service(service)
            check_room(service, services[:number])
            _check_service_name(service, services[:number])
        except ServiceError as error:
            found.append(Problem(line_of(root, ("services", number)), f"`services[{number + 1}]`: {error}"))
    return found


def _check_service_name(service: Service, others: Sequence[Service]) -> None:
    if service.name and service.name.lower() in {other.name.lower() for other in others}:
        raise ServiceError(f"two services cannot both be called {service.name}: give one of them another name.")


def _pipe_problems(file: ConfigurationFile, root: Node) -> list[Problem]:
    """Of tests that are green whatever they say."""
    hidden = ((number, hidden_end(part.run)) for number, part in enumerate(file.tests or ()))
    what = "`tests[{0}].run` ends as `{1}` does, whatever its tests say: leave `{1}` out"
    return [Problem(line_of(root, ("tests", number)), what.format(number + 1, name)) for number, name in hidden if name]


def _folder_problems(file: ConfigurationFile, root: Node, folders: Set[str]) -> list[Problem]:
    """Of a ``cd`` to a folder that is not there, and that no command before it can be thought to make."""
    found: list[Problem] = []
    before = ""
    for key, parts in (("setup", file.setup or ()), ("tests", file.tests or ())):
        for number, part in enumerate(parts):
            folder = moved(part.run, part.directory)[1]
            if folder not in folders and not _may_be_made(folder, before, folders):
                what = f"`{key}[{number + 1}].run` goes to `{folder}`, but {no_such_folder(folder, folders)}"
                found.append(Problem(line_of(root, (key, number)), what))
            before += f"{part.run}\n"
    return found


def _rule_problems(file: ConfigurationFile, root: Node, tree: Tree) -> list[Problem]:
    """Of rules under which no file of the repository may be changed: no run could end well."""
    key, rules = ("scope" if file.scope else "protected"), _rules(file)
    if rules == EVERYWHERE or _comparisons(rules, tree) > MOST_COMPARED:
        return []
    if any(entry.mode.is_file and _may_be_changed(path, rules) for path, entry in tree.items()):
        return []
    if not any(entry.mode.is_file and _may_be_changed(path, EVERYWHERE) for path, entry in tree.items()):
        return []  # there is nothing but what is always refused
    what = "has no file in it that may be changed" if file.scope else "leaves no file that may be changed"
    return [Problem(line_of(root, (key,)), f"`{key}` {what}, so that no run could mend anything")]


def _may_be_changed(path: str, rules: PathRules) -> bool:
    try:
        return bool(check_writable(path, rules))
    except PathRefusedError:
        return False


def _rules(file: ConfigurationFile) -> PathRules:
    return PathRules(tuple(file.scope or ()), tuple(file.protected))


def _comparisons(rules: PathRules, tree: Tree) -> int:
    return len(tree) * (len(rules.scope) + len(rules.protected))


def _may_be_made(folder: str, before: str, folders: Set[str]) -> bool:
    """By the commands `before`, which need not name it, unless it is like one that is there: then it is misspelt."""
    parent, _, name = folder.rpartition("/")
    return name in before or bool(before and not (parent in folders and near_folder(folder, folders)))


def _configuration(file: ConfigurationFile, tree: Tree) -> Configuration:
    rules = _rules(file)
    idle = rules.without_effect(sorted(tree)) if _comparisons(rules, tree) <= MOST_COMPARED else ()
    return Configuration(
        Declared(
            source=PATH,
            setup=tuple(map(_setup_command, file.setup)) if file.setup else None,
            tests=tuple(command for part in file.tests for command in _test_commands(part)) if file.tests else None,
            services=tuple(map(_service, file.services)),
            variables=file.environment,
            notes=tuple(f"no path of the repository matches `{pattern}`" for pattern in idle),
        ),
        rules,
        _limits(file),
        file.model,
        file.image,
    )


def _limits(file: ConfigurationFile) -> dict[str, Any]:
    given = {name: value for name, value in file.budgets if value is not None}
    return {name: Decimal(str(value)) if name == "usd" else value for name, value in given.items()}


def _setup_command(part: CommandPart) -> SetupCommand:
    text, directory = moved(part.run, part.directory)
    argv = as_argv(text)
    return SetupCommand(stopping(argv), directory=directory, typed=text if is_shell(argv) else "")


def _test_commands(part: CommandPart) -> Iterator[TestCommand]:
    """A shell hides which runner it calls: only how it ends is known then."""
    script, directory = moved(part.run, part.directory)
    for line in commands_of(script):
        variables, text = with_variables(line)
        argv = as_argv(text)
        typed = text if is_shell(argv) else ""
        yield TestCommand(recognise(argv), stopping(argv), directory, tuple(variables.items()), typed)


def _service(part: ServicePart) -> Service:
    return Service(part.kind, part.version or "", part.port, part.variables, part.name or "", PATH)


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise _error(problems)


def _error(problems: list[Problem]) -> ConfigurationError:
    told = [str(problem) for problem in sorted(set(problems))]
    more = [f"and {counted(len(told) - MOST_PROBLEMS, 'more problem')}"] if len(told) > MOST_PROBLEMS else []
    return ConfigurationError((*told[:MOST_PROBLEMS], *more))
