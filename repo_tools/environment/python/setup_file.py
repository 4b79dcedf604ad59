"""What a ``setup.py`` says, read and never executed."""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.syntax import last_name, parsed, string_in, written
from repo_tools.environment.texts import text_at

_MOST_STEPS = 50_000
_LONGEST = 1_000
_DEEPEST = 30
"""Lists that are put together of others, which are put together in turn."""
_COLLECTIONS = ("list", "tuple", "set", "sorted")
_TODAY = tuple((3, minor) for minor in range(8, 20))
"""The Pythons that a project may be set up with. What some of them run, and others do not, is not known here."""
_VERSION_INFO: Mapping[str, Sequence[Any]] = {
    **dict.fromkeys(("sys.version_info", "sys.version_info[:2]"), _TODAY),
    **dict.fromkeys(("sys.version_info[0]", "sys.version_info.major"), (3,)),
}
"""What a condition may ask for -> what Pythons of today have."""
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_BEGINS_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*\s*(?:$|[\[(<>=!~;])")


@lru_cache(maxsize=4)
def setup_arguments(text: str) -> Mapping[str, Any]:
    """The literal keyword arguments of ``setup(...)``, those of ``**arguments`` among them; names are looked up among
    the module's literal assignments."""
    module = parsed(text)
    if module is None:
        return {}
    body = [*_of_this_python(module.body)]
    names = {
        target.id: node.value
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    _add_entries(body, names)
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call) and last_name(node) == "setup")
    values = _Values(names)
    given: dict[str, Any] = {}
    for keyword in (keyword for call in calls for keyword in call.keywords):
        value = values.of(keyword.value)
        if keyword.arg:
            given[keyword.arg] = value
        elif isinstance(value, dict):
            given |= value
    return given


def _of_this_python(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Those that are run, of what stands on a condition only what some Pythons run."""
    waiting = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and (holds := _holds(node.test)) is not None:
            waiting += reversed(node.body if holds else node.orelse)
        else:
            yield node


def _holds(test: ast.expr) -> bool | None:
    """Of a comparison with ``sys.version_info``, or with its first part; None where it is another condition, or does
    not hold for all Pythons of today alike."""
    if not (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Attribute | ast.Subscript)
    ):
        return None
    asked, compared = _VERSION_INFO.get(written(test.left)), _COMPARED.get(type(test.ops[0]))
    try:
        version = ast.literal_eval(test.comparators[0]) if asked and compared else None
        found = {compared(each, version) for each in asked} if asked and compared else set()
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    return found.pop() if len(found) == 1 else None


def suite_named(tree: Tree, read: ReadFile) -> str:
    """What ``setup.py test`` loads: where that is a command of the project's own, the package of tests that the file
    imports; empty where that is not said."""
    text = text_at("setup.py", tree, read)
    given = setup_arguments(text)
    suite, commands = given.get("test_suite"), given.get("cmdclass")
    if isinstance(suite, str):
        return suite
    if not (isinstance(commands, dict) and "test" in commands):
        return ""
    return next((name for name in _imported(text) if "test" in name and f"{name}/__init__.py" in tree), "")


def required_words(text: str) -> frozenset[str]:
    """All that ``install_requires`` may list, in versions that are computed, too (``"core==%s" % own``, and
    ``f"core>={own}"`` as ``core>={}``), which makes them no requirements that can be read."""
    nodes = list(ast.walk(parsed(text) or ast.Module([], [])))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = [
        k.value for call in calls if last_name(call) == "setup" for k in call.keywords if k.arg == "install_requires"
    ]
    names = {node.id for node in given if isinstance(node, ast.Name)}
    lists = (*given, *(value for node in nodes for value in _put_into(node, names)))
    lines = (line.strip() for said in _texts_in(lists) for line in said.splitlines())
    return frozenset(filter(_BEGINS_REQUIREMENT.match, lines))


def _texts_in(values: Iterable[ast.AST]) -> Iterator[str]:
    """Each once, though values may stand within one another."""
    waiting, seen = list(values), set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ast.JoinedStr):
            yield "".join(string_in(part) or "{}" for part in node.values)
        else:
            yield string_in(node) or ""
            waiting += ast.iter_child_nodes(node)


def _put_into(node: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """What is assigned to a variable of `names`, or added to the list that it is."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from [node.value] if any(getattr(target, "id", "") in names for target in targets) else ()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        own = getattr(node.func.value, "id", "") in names and node.func.attr in ("append", "extend")
        yield from node.args if own else ()


def _imported(text: str) -> list[str]:
    module = parsed(text)
    nodes = (node for node in ast.walk(module) if isinstance(node, ast.Import)) if module else ()
    return [alias.name for node in nodes for alias in node.names]


def _add_entries(body: Iterable[ast.stmt], names: dict[str, ast.expr]) -> None:
    """``extras["test"] = [...]``, as if it stood in the dictionary."""
    own = set[str]()
    for node in body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            name = target.value.id
            known = names.get(name)
            if isinstance(known, ast.Dict):
                if name not in own:
                    names[name] = known = ast.Dict([*known.keys], [*known.values])
                    own.add(name)
                known.keys.append(target.slice)
                known.values.append(node.value)


class _Values:
    """Of literals. Names may stand for many of one another: there is an end to what is looked at."""

    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self._names = names
        self._steps = 0

    def of(self, node: ast.expr, depth: int = _DEEPEST) -> Any:
        """The parts that are none are left out of lists and dicts."""
        self._steps += 1
        if depth == 0 or self._steps > _MOST_STEPS:
            return None
        inner = depth - 1
        if isinstance(node, ast.Name):
            return self.of(self._names[node.id], inner) if node.id in self._names else None
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return {self.of(k, inner): self.of(v, inner) for k, v in pairs if isinstance(k, ast.Constant)}
        if isinstance(node, ast.Call) and last_name(node) == "dict":
            return {k.arg: self.of(k.value, inner) for k in node.keywords if k.arg}
        if isinstance(node, ast.Call) and last_name(node) in _COLLECTIONS and len(node.args) == 1:
            return self.of(node.args[0], inner)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [each for item in node.elts for each in self._items(item, inner)]
        if isinstance(node, ast.Subscript):
            entry = self._entry(node)
            return self.of(entry, inner) if entry else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return _sum(self.of(node.left, inner), self.of(node.right, inner))
        if isinstance(node, ast.JoinedStr):
            return _text([self.of(p.value if isinstance(p, ast.FormattedValue) else p, inner) for p in node.values])
        return node.value if isinstance(node, ast.Constant) else None

    def _items(self, node: ast.expr, depth: int) -> list[Any]:
        """What stands in a list where `node` does."""
        value = self.of(node.value if isinstance(node, ast.Starred) else node, depth)
        return value if isinstance(node, ast.Starred) and isinstance(value, list) else [value]

    def _entry(self, node: ast.Subscript) -> ast.expr | None:
        """The last value for a key, of those that a dictionary had before `node`."""
        known = self._names.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if not (isinstance(known, ast.Dict) and isinstance(node.slice, ast.Constant)):
            return None
        self._steps += len(known.keys)
        said = [v for k, v in zip(known.keys, known.values, strict=True) if _is_constant(k, node.slice.value)]
        before = [value for value in said if (value.end_lineno or 0) < node.lineno]
        return next(reversed(before or said), None)


def _is_constant(node: ast.expr | None, value: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _sum(left: Any, right: Any) -> Any:
    """None stands for what of a list is not known."""
    if isinstance(left, str) or isinstance(right, str):
        return _text([left, right])
    lists = [value if isinstance(value, list) else [value] for value in (left, right)]
    return [*lists[0], *lists[1]] if isinstance(left, list) or isinstance(right, list) else None


def _text(parts: list[Any]) -> str | None:
    if not all(isinstance(part, str) for part in parts) or sum(map(len, parts)) > _LONGEST:
        return None
    return "".join(parts)
