"""Which JavaScript tests to run: a path, or a path and a test's name, and nothing else. Pure."""

import re
from dataclasses import dataclass

from repo_tools.environment.runners.javascript_account import SEPARATOR
from repo_tools.environment.selectors import MAX_SELECTOR_CHARACTERS, below, check_stays

_PATH = r"[\w.@(\[][\w. +@,=()\[\]$~-]*(?:/[\w.@(\[_$][\w. +@,=()\[\]$~-]*)*/?"
_SELECTOR = re.compile(rf"(?P<path>{_PATH})(?:::(?P<name>[^\x00-\x1f\x7f-\x9f\u2028\u2029]+))?")
_FOR_A_PATTERN = re.compile(r"[\\^$.*+?()\[\]{}|/]")


@dataclass(frozen=True)
class Wanted:
    """What a run is narrowed to. `places` as the runner's folder has them; empty: all that its command names, as where
    nobody knows a test's file. `names` empty: everything in them."""

    places: tuple[str, ...]
    names: tuple[str, ...]


def check_javascript_selector(selector: str) -> None:
    """ValueError, with a sentence for whoever wrote it, for all but a root-relative path, with ``::name`` after it or
    not: options, absolute paths, ways out of the repository, control characters."""
    match = _SELECTOR.fullmatch(selector) if len(selector) <= MAX_SELECTOR_CHARACTERS else None
    if match is None:
        raise ValueError(
            f"{selector[:200]!r} names no tests. Write a path from the repository's root, with ::name after it if you "
            f"want: test/cart.test.js, test/cart.test.js::cart{SEPARATOR}sums every price."
        )
    check_stays(match["path"], selector)


def wanted_of(selectors: tuple[str, ...], directory: str) -> Wanted:
    """One file that is wanted whole makes all of them wanted whole: runners take one pattern for all."""
    parts = [selector.partition("::") for selector in selectors]
    paths = tuple(dict.fromkeys(below(path, directory) for path, _, _ in parts))
    names = tuple(name for _, _, name in parts)
    return Wanted(() if "." in paths else paths, names if names and all(names) and "(file)" not in names else ())


def narrowed(wanted: Wanted) -> dict[str, str]:
    """The variable that tells a reporter that tests are skipped because they are not wanted."""
    return {"AGENT_FIX_NARROWED": "1"} if wanted.names else {}


def name_pattern(names: tuple[str, ...]) -> str:
    """A regular expression for exactly these tests, and what is in them. Runners join the names of suites with a space
    where ids have `SEPARATOR`."""
    return "|".join(f"^{pattern_of(name)}" for name in names)


def pattern_of(name: str) -> str:
    """`name` as a regular expression of JavaScript. What ids show as a space may have been any white space."""
    escaped = _FOR_A_PATTERN.sub(r"\\\g<0>", name)
    spaced = re.sub(r" +", r"\\s+", escaped.replace(SEPARATOR, " (?:> )?"))
    return re.sub(r"\\s\+#(\d+)$", r"(?:\\s+#\1)?", spaced)  # one of several tests of the same name
