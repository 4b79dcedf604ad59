"""Options of a Meson build that have to be set for its tests to be built. Pure: texts are read, nothing is run.

https://mesonbuild.com/Build-options.html
"""

import re
from itertools import pairwise

_OPTION = re.compile(r"^[ \t]*option[ \t]*\(\s{0,99}'([\w.-]{1,100})'", re.MULTILINE)
_OF_TESTS = re.compile(
    r"(?:(?:build|enable|with|run)[_-]?)?(?:unit[_-]?)?test(?:s|ing)?(?:[_-]enabled)?", re.IGNORECASE
)
_TYPE = re.compile(r"\btype\s{0,9}:\s{0,9}'(\w+)'")
_VALUE = re.compile(r"\bvalue\s{0,9}:\s{0,9}(?:'(\w+)'|(\w+))")
_ON = {("boolean", "false"): "true", ("feature", "disabled"): "enabled"}


def test_switches(text: str) -> tuple[str, ...]:
    """``name=true`` or ``name=enabled`` for each option that is called like tests and off where nobody sets it."""
    switches: dict[str, str] = {}
    for option, after in pairwise((*_OPTION.finditer(text), None)):
        if option is None:
            continue
        body = text[option.end() : after.start() if after else len(text)]
        kind, value = _TYPE.search(body), _VALUE.search(body)
        on = _ON.get((kind[1], value[1] or value[2])) if kind and value else None
        if on and _OF_TESTS.fullmatch(option[1]):
            switches[option[1]] = on
    return tuple(f"{name}={on}" for name, on in switches.items())
