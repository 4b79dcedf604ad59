"""Which kinds of journal entries the product's code writes, read from the code itself."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "workers", "app")
WRITERS = frozenset({"append_step", "append_after_end", "record", "_record", "_record_step", "tell"})
"""What functions are called that take the kind of an entry."""


@dataclass(frozen=True)
class Written:
    """One call that writes an entry. `kind` is None where it passes on what its own caller chose."""

    place: str  # file and name of the called function
    kind: str | None


def writes() -> Iterator[Written]:
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in WRITERS:
                yield Written(f"{path.relative_to(ROOT)}: {_name(node.func)}", _kind(node, module))


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _kind(call: ast.Call, module: str) -> str | None:
    """The first argument that is a text, or the name of one in capitals."""
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return argument.value
        if isinstance(argument, ast.Name) and argument.id.isupper():
            return str(getattr(import_module(module), argument.id))
    return None
