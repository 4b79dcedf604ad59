"""Write the configuration table of README.md from the settings models. `--check` only compares."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from app.settings import WebSettings
from workers.settings import PREFIX, StoreSettings, WorkerSettings

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN = "<!-- configuration: written by scripts/configuration_table.py -->\n"
END = "<!-- /configuration -->"


def table() -> str:
    """Name, who reads it, default and meaning of every setting, as Markdown."""
    rows = ["| variable | read by | default | meaning |", "|---|---|---|---|"]
    shared = StoreSettings.model_fields
    for kind, reader in ((StoreSettings, "both"), (WebSettings, "web"), (WorkerSettings, "worker")):
        own = {name: field for name, field in kind.model_fields.items() if kind is StoreSettings or name not in shared}
        for name, field in own.items():
            rows += (f"| `{n}` | {reader} | {d} | {m} |" for n, d, m in _rows(name, field, PREFIX))
    return "\n".join(rows) + "\n"


def _rows(name: str, field: Any, prefix: str) -> Iterator[tuple[str, str, str]]:
    variable = field.validation_alias if isinstance(field.validation_alias, str) else prefix + name.upper()
    nested = [t for t in (field.annotation, *get_args(field.annotation)) if _is_model(t)]
    for model in nested:
        for inner, inner_field in model.model_fields.items():
            for row in _rows(inner, inner_field, variable + "__"):
                yield row if field.default is not None else (row[0], "", row[2])  # a group that may be left out
    if not nested:
        yield variable, _default(name, field), field.description or ""


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _default(name: str, field: Any) -> str:
    if name == "data_dir":
        return "`~/.local/share/agent-fix`"  # the factory's value would be this machine's
    value = field.default
    if value is PydanticUndefined:
        return "required" if field.is_required() else ""
    if isinstance(value, tuple):
        return f"`{','.join(value)}`" if value else ""
    if isinstance(value, frozenset):
        return f"`{','.join(sorted(value))}`" if value else ""
    return "" if value is None else f"`{value}`"


def with_table(readme: str) -> str:
    """`readme` with the table between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        sys.exit(text != with_table(text) and "README.md: run `python -m scripts.configuration_table`")
    README.write_text(with_table(text), encoding="utf-8")
