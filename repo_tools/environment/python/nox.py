"""What nox is told to install for tests: https://nox.thea.codes/en/stable/config.html. Its file is read, never
executed."""

import ast
from collections.abc import Iterator, Mapping

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.syntax import parsed, string_in
from repo_tools.environment.python.told import TEST_SESSION, Told, synced_words, told_in_words


def read_nox(tree: Tree, read: ReadFile) -> Iterator[Told]:
    """Of each session whose name says that tests run in it."""
    module = _module(tree, read)
    lists = {
        name: _strings(node.value) for node in module.body if isinstance(node, ast.Assign) for name in _names(node)
    }
    for name, calls in _sessions(module):
        yield told_in_words(f"noxfile.py {name}", [word for call in calls for word in _installed(call, lists)])


def nox_commands(tree: Tree, read: ReadFile) -> Iterator[list[str]]:
    """The words of each command that these sessions run, as far as they stand there."""
    for _, calls in _sessions(_module(tree, read)):
        for call in calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr == "run":
                yield [word for argument in call.args for word in _strings(argument)]


def _module(tree: Tree, read: ReadFile) -> ast.Module:
    found = parsed(read("noxfile.py")) if "noxfile.py" in tree else None
    return found or ast.Module([], [])


def _sessions(module: ast.Module) -> Iterator[tuple[str, list[ast.Call]]]:
    """(name of the function, what it calls) of each whose session is called after tests."""
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    for node in functions.values():
        if TEST_SESSION.fullmatch(_session(node)):
            yield node.name, [*_calls(node, functions)]


def _names(node: ast.Assign) -> Iterator[str]:
    return (target.id for target in node.targets if isinstance(target, ast.Name))


def _session(function: ast.FunctionDef) -> str:
    """Its name: the function's, if ``@nox.session(name=...)`` says no other."""
    decorators = (each for each in function.decorator_list if isinstance(each, ast.Call))
    named = (k.value for call in decorators for k in call.keywords if k.arg == "name")
    return next((text for text in map(string_in, named) if text is not None), function.name)


def _calls(function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]) -> Iterator[ast.Call]:
    """Its own, and those of the module's functions that it calls."""
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        yield call
        if isinstance(call.func, ast.Name) and call.func.id in functions:
            yield from (node for node in ast.walk(functions[call.func.id]) if isinstance(node, ast.Call))


def _installed(call: ast.Call, lists: Mapping[str, list[str]]) -> list[str]:
    """What ``session.install(...)`` installs, or ``session.run("pip", "install", ...)``, or ``("uv", "sync", ...)`` and
    its kin; `lists` are the module's."""
    words: list[str] = []
    for argument in call.args:
        starred = isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name) and argument.value.id
        words += lists.get(starred, []) if starred else _strings(argument)
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if called.startswith("run") and "pip" in words[:3]:
        after = words[words.index("pip") + 1 :]
        return after[1:] if after[:1] == ["install"] else []
    if called.startswith("run"):
        return synced_words(words)
    return words if called == "install" else []


def _strings(node: ast.expr) -> list[str]:
    """Of a literal: a string, or a list or tuple of some."""
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    return [text for text in map(string_in, parts) if text is not None]
