"""Guarded imports that a test file cannot be loaded without after all: its decorators, classes or plain statements use
what they would have brought, and nothing else brings it. Pure."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from repo_tools.environment.python.syntax import written

_MAY_NOT_RUN = (ast.If, ast.Try, ast.For, ast.While, ast.With, ast.Match)
_MAY_DO_WITHOUT = (ast.IfExp, ast.BoolOp, ast.Lambda)
_Defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class AtOnce:
    """What `module` does as it is loaded."""

    def __init__(self, module: ast.AST) -> None:
        self._module = module

    def needs(self, guarded: ast.Try) -> bool:
        """Whether it fails where an import in `guarded`, which stands at its left edge, does; no handler that calls
        something counts, as that may skip the rest, and nothing where the module may end early."""
        if id(guarded) not in self._own or any(isinstance(node, ast.Call) for node in _within(guarded.handlers)):
            return False
        if self._may_end or self._bound["*"]:
            return False
        bound = Counter(_bound(_within(guarded.body)))
        return any(name in self._used and self._bound[name] == count for name, count in bound.items())

    @cached_property
    def _own(self) -> frozenset[int]:
        return frozenset(map(id, getattr(self._module, "body", ())))

    @cached_property
    def _may_end(self) -> bool:
        """Whether it skips what follows on a condition (``if np is None: raise SkipTest``)."""
        conditional = (node for node in getattr(self._module, "body", ()) if isinstance(node, ast.If))
        return any(
            isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and "skip" in written(node.func).lower())
            for node in _within(conditional)
        )

    @cached_property
    def _bound(self) -> Counter[str]:
        return Counter(_bound(ast.walk(self._module)))

    @cached_property
    def _used(self) -> frozenset[str]:
        waiting: list[ast.AST] = list(getattr(self._module, "body", ()))
        used = set[str]()
        while waiting:
            node = waiting.pop()
            if isinstance(node, _Defined):
                waiting += node.decorator_list
                waiting += [*node.bases, *node.body] if isinstance(node, ast.ClassDef) else node.args.defaults
            elif isinstance(node, ast.AnnAssign):  # what it is annotated with may not be looked at
                waiting += [node.value] if node.value else []
            elif not isinstance(node, (*_MAY_NOT_RUN, *_MAY_DO_WITHOUT)):
                used |= {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else set()
                waiting += ast.iter_child_nodes(node)
        return frozenset(used)


def _within(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    return (inner for node in nodes for inner in ast.walk(node))


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names that are given something, as often as they are; ``*`` for any."""
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, _Defined):
            yield node.name
