"""Maven's Surefire and Failsafe, and Gradle: JUnit XML files below each module's output folder.

https://maven.apache.org/surefire/maven-surefire-plugin/, https://docs.gradle.org/current/userguide/java_testing.html
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from xml.etree import ElementTree

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import JUnitError, merged, parse_junit
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import FOLDER, Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.environment.runners.java_errors import first_error, uncompiled
from repo_tools.environment.selectors import split_selector
from repo_tools.sandbox.contract import ENVIRONMENT
from repo_tools.test_report import TestCase

GRADLE_HOME = f"{ENVIRONMENT}/gradle"
"""Where set-up's Gradle keeps what it fetches."""
EXAMPLE = "src/test/java/org/example/StackTest.java, src/test/java/org/example/StackTest.java::pops"

_MAVEN_FILES = ("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")
_GRADLE_FILES = ("**/build/test-results/**/TEST-*.xml",)
_FOLDERS = ("test", "integrationTest", "jvmTest", "commonTest")
_SOURCES = (
    *(f"src/{folder}/{language}" for folder in _FOLDERS for language in ("java", "kotlin", "groovy")),
    *("src/test", "common/test", "jvm/test", "test"),  # as builds may say
)
_OF_A_SET = re.compile(r"(?:.*?/)?src/\w+/(?:java|kotlin|groovy)/(.+)")
"""Any set of sources of Gradle's: a folder further down that is called ``test`` is of a package."""
_MAVEN_SETTINGS = (  # what a module does not have of the asked tests is no failure; what fails is one
    "-Dsurefire.failIfNoSpecifiedTests=false",
    "-DfailIfNoTests=false",
    "-Dmaven.test.failure.ignore=false",
)
_UNFORMATTED = tuple(f"-D{name}.skip=true" for name in ("formatter", "impsort", "fmt", "spotless.apply"))
"""Builds may write sources in the project's own style, and so a change's tests anew."""
_ON = "-Dmaven.test.failure.ignore=true"
_SKIPPED = re.compile(rb"^\[INFO\] [^\n]{1,300} SKIPPED\r?$", re.MULTILINE)
_RED = re.compile(rb"^(?:\[\w{1,9}\] )?Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])", re.MULTILINE)
"""Said by Maven itself, of a class or of all."""
_SETTINGS = f"{FOLDER}/settings.gradle"
_START = f"""
if test -d {GRADLE_HOME} && test -n "$GRADLE_USER_HOME" && test ! -e "$GRADLE_USER_HOME"; then
  cp -rs {GRADLE_HOME} "$GRADLE_USER_HOME"
  find "$GRADLE_USER_HOME" -type l \\( -name '*.bin' -o -name '*.properties' \\) \\
    -exec sh -c 'for link; do cp --remove-destination "$(readlink "$link")" "$link"; done' sh {{}} +
fi
echo 'allprojects {{ tasks.withType(Test) {{ filter.failOnNoMatchingTests = false }} }}' >{_SETTINGS}
exec "$@"
"""
"""What set-up fetched cannot be written, and Gradle before 6.2 takes no such cache (`GRADLE_RO_DEP_CACHE`).
So tests have a home of their own: files are links, and Gradle's records of them, which it opens to write, copies.
What a project does not have of the asked tests is no failure."""
_OLD_SUREFIRE = re.compile(rb"--- (?:maven-)?surefire(?:-plugin)?:(2\.\d+(?:\.\d+)*):test ")
_SUFFIXES = (".java", ".kt", ".groovy")
_MODULE = re.compile(r"(?P<module>.*?)/?(?:target|build)/[^/]*(?:reports|results)/.*")


class _JavaRunner(OneTry):
    """What both have in common."""

    name: str
    program: tuple[str, ...]
    files: tuple[str, ...]

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(argv) and argv[0].removeprefix("./") in self.program

    def check_selector(self, selector: str) -> None:
        path, _ = split_selector(selector, EXAMPLE)
        if not path.endswith(_SUFFIXES):
            raise ValueError(f"{selector[:200]!r} names no tests. Write a test class by its path: {EXAMPLE}.")

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        try:
            cases = merged(_cases(account, command.directory, is_file))
        except JUnitError as error:
            return Reading((), f"The test runner's result file cannot be read: {error}")
        output = account.output.decode("utf-8", "replace")
        broken = tuple(uncompiled(output)) if account.exit_code else ()
        why = f"{NOT_BUILT} {first_error(output)}".rstrip()
        none = f"No tests were run.{_old_surefire(account)}"
        reading = agreed(account, (*cases, *broken) if cases else (), found_none=none, failed_without_red=why)
        return reading if reading.cases else replace(reading, cases=broken)


class MavenRunner(_JavaRunner):
    name = "maven"
    selects = True
    program = ("mvn", "mvnw")
    files = _MAVEN_FILES

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        wanted = ",".join(sorted({name for selector in selectors for name in _java_tests(selector)}))
        settings = _MAVEN_SETTINGS[:-1] if _ON in command.argv else _MAVEN_SETTINGS
        options = ("--batch-mode", "--offline", "--fail-at-end", "-Dstyle.color=never", *_UNFORMATTED, *settings)
        return RunOrder((*command.argv, *options, *((f"-Dtest={wanted}",) if wanted else ())), files=self.files)

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """Past modules with red tests, where Maven passed over those that are built on them."""
        skipped = account.exit_code and _RED.search(account.output) and _SKIPPED.search(account.output)
        if not skipped or _ON in command.argv:
            return None
        return replace(
            command, argv=(*command.argv, _ON)
        ), "Modules that need one with red tests are tested all the same."

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        """By its exit code, or, where that is to be 0 whatever fails, by what it prints."""
        red = _ON in command.argv and _RED.search(account.output)
        told = replace(account, exit_code=account.exit_code or 1) if red else account
        return super().read(told, command, is_file)


class GradleRunner(_JavaRunner):
    name = "gradle"
    selects = True
    program = ("gradle", "gradlew")
    files = _GRADLE_FILES

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        wanted = [name.replace("#", ".") for selector in selectors for name in _java_tests(selector)]
        named = [word for name in wanted for word in ("--tests", name)]
        own = ("--no-build-cache", "--init-script", _SETTINGS)  # tests are run, not remembered
        options = ("--offline", "--continue", "--console=plain", "--no-daemon", *own)
        return RunOrder(("sh", "-c", _START, "sh", *command.argv, *options, *named), files=self.files)


def _old_surefire(account: Account) -> str:
    """Why, where that is likely: by itself it passes over tests that it does not know."""
    found = _OLD_SUREFIRE.search(account.output)
    if not found:
        return ""
    version = found[1].decode("ascii")
    return f" (Surefire {version} runs tests of JUnit 5 only from 2.22 on, and with junit-jupiter-engine beside them.)"


def _java_tests(selector: str) -> tuple[str, ...]:
    """``org.example.StackTest#pops``, as both take it; what stands in brackets is a parameter, part of the name
    for JUnit 4 and not for JUnit 5. Of a whole class, those nested in it too, which a filter by its name alone may pass
    over."""
    path, names = split_selector(selector, EXAMPLE)
    of_set = _OF_A_SET.fullmatch(path)
    below = (f"/{path}".partition(f"/{root}/")[2] for root in _SOURCES)
    inside = of_set[1] if of_set else next(filter(None, below), PurePosixPath(path).name)
    nested, separator, name = names.rpartition("::")
    plain = re.fullmatch(r"[\w$]+", nested) if separator else None
    dotted = inside.rpartition(".")[0].replace("/", ".") + (f"${nested}" if plain else "")
    method = re.split(r"[(\[{]", name)[0]
    if re.fullmatch(r"[\w$]+", method) and (plain or not separator):
        return (f"{dotted}#{method}{'' if method == name else '*'}",)
    return dotted, f"{dotted}$*"


def _cases(account: Account, directory: str, is_file: IsFile) -> Iterator[TestCase]:
    for place, xml in sorted(account.files.items()):
        found = _MODULE.fullmatch(place)
        module = PurePosixPath(directory, found["module"] if found else "")
        yield from parse_junit(xml, _addresses(module, is_file))


def _addresses(module: PurePosixPath, is_file: IsFile) -> Callable[[ElementTree.Element], tuple[str, tuple[str, ...]]]:
    def address(element: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
        classname, name = element.get("classname", ""), element.get("name", "")
        outer, _, inner = classname.partition("$")
        inside = outer.replace(".", "/")
        candidates = [str(module / root / f"{inside}{suffix}") for root in _SOURCES for suffix in _SUFFIXES]
        path = next((c for c in candidates if is_file(c)), candidates[0])
        return path, (*([inner] if inner else []), name)

    return address
