"""Text that every database can hold and every reader can encode.

PostgreSQL refuses NUL; a lone surrogate can be encoded by nobody. In a column that people read both are replaced by a
visible sign rather than dropped, so that a reader sees that something stood there. In JSON they stand as escapes, which
are plain ASCII to any column of text, and are read back as they were.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_NUL_SIGN = "\N{SYMBOL FOR NULL}"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates made visible."""
    return _UNSTORABLE.sub(lambda match: _NUL_SIGN if match[0] == "\0" else _REPLACEMENT, text)


def storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


def visible_json(value: Any) -> Any:
    """A JSON value as people are shown it: `storable` at every depth, keys too."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(key)): visible_json(item) for key, item in value.items()}
    return [visible_json(item) for item in value] if isinstance(value, list | tuple) else value


def dump_json(data: Mapping[str, Any]) -> str:
    """JSON text of `data` for a column of text (PostgreSQL's `jsonb` would refuse NUL in any form). `load_json` gives
    every string back as it was; numbers that JSON does not have become their names."""
    text = json.dumps(_with_finite_numbers(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)  # NUL was escaped already, as JSON wants it


def load_json(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    return value


def _with_finite_numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _with_finite_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_finite_numbers(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
