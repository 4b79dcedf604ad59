"""What Maven, javac and Kotlin's compiler say of files that do not compile.

https://maven.apache.org/plugins/maven-compiler-plugin/
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from repo_tools.environment.junit import shorten_message
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

_PATH = r"[^\s:]{1,300}\.(?:java|kt|groovy)"
_ERROR = re.compile(
    rf"^(?:\[ERROR\] {WORKSPACE}/(?P<maven>{_PATH}):(?P<at>\[\d+,\d+\]) "
    rf"|{WORKSPACE}/(?P<javac>{_PATH}):(?P<line>\d+:) error: "
    rf"|e: (?:file://)?{WORKSPACE}/(?P<kotlin>{_PATH}): ?(?P<place>\d+:\d+|\(\d+, \d+\):) "
    rf"|{WORKSPACE}/(?P<groovy>{_PATH}): (?P<row>\d+:) )(?P<words>[^\n]{{1,300}})"
    r"(?P<more>(?:\n(?:\[ERROR\] )?[ \t][^\n]{0,300}|\n[^/\n]{0,300}\n[ \t]*\^)*)",
    re.MULTILINE,
)
"""With the lines below that belong to it: indented, or the source with a mark."""

_MOST = 500


def first_error(output: str) -> str:
    """``a/ATest.java:[3,45] cannot find symbol``; empty where nothing did not compile."""
    found = _ERROR.search(output)
    return f"{_path(found)}:{_place(found)} {found['words']}" if found else ""


def uncompiled(output: str) -> Iterator[TestCase]:
    """One case for each file with errors, each of which Maven says twice."""
    errors = defaultdict[str, dict[str, None]](dict)
    for found in islice(_ERROR.finditer(output), _MOST):
        more = found["more"].replace("\n[ERROR] ", "\n")
        errors[_path(found)][f"{_place(found)} {found['words']}{more}"] = None
    for path, said in errors.items():
        message = "\n".join(f"{path}:{each}" for each in said)
        yield TestCase(path, path, TestOutcome.ERROR, 0.0, shorten_message(message))


def _path(found: re.Match[str]) -> str:
    return found["maven"] or found["javac"] or found["kotlin"] or found["groovy"]


def _place(found: re.Match[str]) -> str:
    return found["at"] or found["line"] or found["place"] or found["row"]
