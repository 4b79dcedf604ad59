"""Lines of Node's releases as files and workflows write them: by number, or by a name. Pure."""

import re

LTS = "lts"
CURRENT = "current"

_EXACT = re.compile(r"v?(\d{1,9})(?:\.(?:\d+|x|\*))*")
_NAMES = {
    **{"argon": 4, "boron": 6, "carbon": 8, "dubnium": 10, "erbium": 12, "fermium": 14, "gallium": 16, "hydrogen": 18},
    **{"iron": 20, "jod": 22, "krypton": 24},
}
"""Of the lines with long support (https://nodejs.org/en/about/previous-releases), as ``lts/iron``."""
_OF_THE_DAY = {**dict.fromkeys((LTS, "lts/*"), LTS), **dict.fromkeys(("node", "latest", "stable", CURRENT), CURRENT)}
"""https://github.com/nvm-sh/nvm#usage, https://github.com/actions/setup-node#supported-version-syntax"""


def numbered_line(text: str) -> int | None:
    """The line's number: of ``20``, ``v20.x``, ``lts/iron``, ``lts-iron``."""
    text = text.strip().lower()
    if found := _EXACT.fullmatch(text):
        return int(found[1])
    return _NAMES.get(re.sub(r"^lts[/-]", "", text))


def line_of_the_day(text: str) -> str:
    """`LTS` or `CURRENT` where a line is asked for whose number depends on the day; else empty. One before the newest
    (``lts/-1``) is taken for the newest: Node keeps old programs running."""
    text = text.strip().lower()
    return LTS if re.fullmatch(r"lts/-\d", text) else _OF_THE_DAY.get(text, "")
