"""What a failing test says in pytest's report, without what tells nothing of the failure."""

import re
from xml.etree import ElementTree

MOST_LINES = 10
"""Of decorators, that are left as they are."""
_DECORATOR = "    @"  # pytest sets off the source of a function by as much, see `_pytest._code`
_DEFINITION = re.compile(r"    (?:async def|def|class) ")


def shorten_failures(root: ElementTree.Element) -> None:
    """In all of a JUnit report: see `without_decorators`."""
    for tag in ("failure", "error"):
        for element in root.iter(tag):
            element.text = without_decorators(element.text or "")


def without_decorators(message: str) -> str:
    """`message` with long decorators cut. pytest shows a function's source up to the line that failed: the parameters
    of a test may be hundreds of lines, of which all that counts stands above, with their values."""
    lines, kept = message.split("\n"), list[str]()
    at = 0
    while at < len(lines):
        kept.append(lines[at])
        at += 1
        if lines[at - 1].startswith(_DECORATOR):
            end = next((n for n in range(at, len(lines)) if _DEFINITION.match(lines[n])), at)
            if end - at > MOST_LINES:
                kept.append(f"    [… {end - at} lines of decorators left out …]")
                at = end
    return "\n".join(kept)
