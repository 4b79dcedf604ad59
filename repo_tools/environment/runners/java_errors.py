"""What Maven, javac and Kotlin's compiler say of files that do not compile.

https://maven.apache.org/plugins/maven-compiler-plugin/
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from repo_tools.environment.junit import shorten_message
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

_ERROR = re.compile(
    r"^(?:\[ERROR\] |e: (?:file://)?)?(?P<path>/\S{1,300}\.(?:java|kt|groovy)):(?P<place>\[\d+,\d+\]|\d+:(?:\d+:?)?)"
    r" (?P<words>[^\n]{1,300})(?P<more>(?:\n(?:\[ERROR\] )?[ \t][^\n]{0,300}|\n[^/\n]{0,300}\n[ \t]*\^)*)",
    re.MULTILINE,
)
"""With the lines below that belong to it: indented, or the source with a mark."""


def first_error(output: str) -> str:
    """``a/ATest.java:[3,45] cannot find symbol``; empty where nothing did not compile."""
    found = _ERROR.search(output)
    return f"{_inside(found['path'])}:{found['place']} {found['words']}" if found else ""


def uncompiled(output: str) -> Iterator[TestCase]:
    """One case for each file with errors, each of which Maven says twice."""
    errors = defaultdict[str, dict[str, None]](dict)
    for found in _ERROR.finditer(output):
        more = found["more"].replace("\n[ERROR] ", "\n")
        errors[_inside(found["path"])][f"{found['place']} {found['words']}{more}"] = None
    for path, said in errors.items():
        yield TestCase(
            path, path, TestOutcome.ERROR, 0.0, shorten_message("\n".join(f"{path}:{each}" for each in said))
        )


def _inside(path: str) -> str:
    return path.removeprefix(f"{WORKSPACE}/")
