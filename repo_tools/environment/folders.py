"""What folders are called that hold something else than the project itself, by convention. Pure."""

from collections.abc import Iterable

VENDORED = frozenset(
    ("node_modules", "vendor", "third_party", "third-party", "extern", "external", "deps", "subprojects")
)
"""Somebody else's work, kept here."""
TESTS = frozenset(("test", "tests", "testing", "test_utils", "testutils"))
TEST_DATA = frozenset(("fixtures", "testdata", "test_data"))
READ_BY_TESTS = TEST_DATA | {"__fixtures__", "__snapshots__", "corpus", "fixture", "snapshots", "specs", "test-data"}
"""What stands in them may be in any language."""
EXAMPLES = frozenset(
    ("examples", "example", "samples", "sample", "demos", "demo", "tutorials", "tutorial", "templates")
)
DOCUMENTS = frozenset(("docs", "doc"))
BENCHMARKS = frozenset(("benchmarks", "benchmark", "bench"))
SITES = frozenset(("www", "website", "site", "playground", "playgrounds"))


def is_within(path: str, names: Iterable[str]) -> bool:
    """Whether a folder above `path`, or `path` itself as one, has one of `names`."""
    return not frozenset(names).isdisjoint(path.split("/"))


def is_below(path: str, place: str) -> bool:
    """Whether `path` is `place`, or stands in it."""
    return path == place or path.startswith(f"{place}/")


def is_template(path: str) -> bool:
    """Whether a part of `path` is called by what a template fills in, of Cookiecutter or Copier: what stands there is
    text before, and no code."""
    return "{{" in path or "{%" in path


def is_hidden(path: str) -> bool:
    """Whether a folder above `path`, or `path` itself, is hidden: what stands in ``.github`` serves the repository, and
    is no part of what that is about."""
    return path.startswith(".") or "/." in path
