"""Text that every database can hold and every reader can encode.

PostgreSQL refuses NUL, in text and in JSON; a lone surrogate can be encoded by nobody. Both are replaced by a visible
sign rather than dropped, so that a reader sees that something stood there.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_NUL_SIGN = "\N{SYMBOL FOR NULL}"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates made visible."""
    return _UNSTORABLE.sub(lambda match: _NUL_SIGN if match[0] == "\0" else _REPLACEMENT, text)


def storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


def dump_json(data: Mapping[str, Any]) -> str:
    """JSON text of `data`, storable at every depth; numbers that JSON does not have become their names."""
    return json.dumps(_storable_value(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def load_json(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    return value


def _storable_value(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(key)): _storable_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
