"""What configures a linter or a formatter of JavaScript. Pure."""

import re
from collections.abc import Mapping

_CONFIGURES = re.compile(
    r"(?:.*/)?(\.?(?:eslint|oxlint|xo|knip|prettier|stylelint|commitlint|lint-?staged|cspell)(?:rc|\.config)"
    r"|\.xo-config)\.[cm]?[jt]s"
)


def apart_from_linters(contents: Mapping[str, bytes]) -> list[str]:
    """The paths of `contents` but for such, which list tests by right: unless another of them names one, as what loads
    it would."""
    own = {path: match[1].encode() for path in contents if (match := _CONFIGURES.fullmatch(path))}
    product = [source for path, source in contents.items() if path not in own]
    return [path for path in contents if path not in own or any(own[path] in source for source in product)]
