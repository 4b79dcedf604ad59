"""Java, Kotlin and Groovy: Maven and Gradle."""

import re
from posixpath import basename, dirname, join, normpath

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.java_releases import WRAPPER, compiles_level, gradle_runs_on, maven_level
from repo_tools.environment.runners.surefire import GRADLE_HOME
from repo_tools.environment.texts import as_text, text_at
from repo_tools.sandbox.contract import ENVIRONMENT

KEPT_BY_MAVEN = f"-Dmaven.repo.local={ENVIRONMENT}/m2"
"""In each of its commands: what it fetches is of the layer."""
_TEST = re.compile(r"(?:.*/)?src/(?:test|integrationTest)/(?:java|kotlin|groovy)/.*\.(?:java|kt|groovy)")
_MULTIPLATFORM_TEST = re.compile(r"(?:.*/)?src/(?:jvm|common)Test/(?:java|kotlin)/.*\.(?:java|kt)")
_TEST_FOLDER = re.compile(r"<testSourceDirectory>\s{0,99}(?:\$\{(?:project\.)?basedir\}/)?([\w./-]{1,200}?)/?\s{0,99}<")
_MAVEN_MANIFEST = re.compile(r"(?:.*/)?pom\.xml|\.mvn/.*")
_GRADLE_MANIFEST = re.compile(
    r"(?:.*/)?(?:[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|gradle\.lockfile|[\w.-]*versions\.toml|versions\.properties)"
    r"|gradle/.*|(?:buildSrc|build-logic)/.*"
)
_MOST_READ = 200
_TOOLCHAIN = re.compile(
    r"JavaLanguageVersion\.of\((\d+)\)"
    r"|(?:source|target)Compatibility[ \t=]{0,20}(?:JavaVersion\.VERSION_|['\"]?)(?:1[._])?(\d+)"
)


class MavenDetector:
    name = "maven/5"
    looked_for = "Java, Kotlin or Groovy tests (src/test/) with a pom.xml"
    suffixes = (".java", ".kt", ".groovy")

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        if "pom.xml" not in tree or not (any(map(_TEST.fullmatch, tree)) or _tests_in_own_folder(tree, read)):
            return None
        wrapper = _wrapper(tree, "mvnw", ".mvn/wrapper/maven-wrapper.properties")
        maven = (*(wrapper or ("mvn",)), KEPT_BY_MAVEN)
        return Environment(
            detector=self.name,
            evidence=("pom.xml", *(("./mvnw",) if wrapper else ())),
            setup=(
                SetupCommand((*maven, "--batch-mode", "test-compile")),
                SetupCommand((*maven, "--batch-mode", *_NO_TEST, "test"), required=False),
                SetupCommand(_without_builds("target", "pom.xml"), required=False, typed="remove every target/"),
            ),
            tests=(TestCommand("maven", (*maven, "test")),),
            manifests=tuple(sorted(path for path in tree if _MAVEN_MANIFEST.fullmatch(path))),
            variables={"MAVEN_USER_HOME": f"{ENVIRONMENT}/maven"},
            tools=(_of_maven(read("pom.xml")), *(() if wrapper else (Tool("mvn", "", "pom.xml"),))),
        )


_NO_TEST = ("-Dtest=*#noSuchTest", "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false")
"""Surefire fetches what runs a module's tests once it has a class to run: every class will do, and no method."""


class GradleDetector:
    name = "gradle/7"
    looked_for = "Java, Kotlin or Groovy tests (src/test/, src/jvmTest/, src/commonTest/) with a build.gradle"
    suffixes = (".java", ".kt", ".groovy")

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        build = next((name for name in _BUILD_FILES if name in tree), None)
        tasks = tuple(task for task, test in _TASKS.items() if any(map(test.fullmatch, tree)))
        if build is None or not tasks:
            return None
        wrapper = _wrapper(tree, "gradlew", "gradle/wrapper/gradle-wrapper.jar")
        home = GRADLE_HOME
        gradle = ("env", f"GRADLE_USER_HOME={home}", *(wrapper or ("gradle",)), "--no-daemon", "--console=plain")
        return Environment(
            detector=self.name,
            evidence=(build, *(("./gradlew",) if wrapper else ())),
            setup=(
                SetupCommand((*gradle, *(f"{task}Classes" for task in tasks))),
                # What tests need beside what they are compiled with is fetched once they are run: so run none.
                *(SetupCommand((*gradle, "--continue", t, "--tests", "NoSuchTest"), required=False) for t in tasks),
                *((SetupCommand(("sh", "-c", _UNWRAP.format(home=home))),) if wrapper else ()),
                SetupCommand(("sh", "-c", _WITHOUT_LOCKS.format(home=home)), required=False),
                SetupCommand(_without_builds("build", *_BUILD_FILES), required=False, typed="remove every build/"),
                SetupCommand(("rm", "-rf", ".gradle", "buildSrc/.gradle"), required=False),
            ),
            tests=tuple(TestCommand("gradle", ("gradle", task)) for task in tasks),
            manifests=tuple(sorted(path for path in tree if _GRADLE_MANIFEST.fullmatch(path))),
            # https://docs.gradle.org/current/userguide/dependency_caching.html: a cache that cannot be written
            test_variables={"GRADLE_RO_DEP_CACHE": f"{home}/caches", "GRADLE_USER_HOME": "/tmp/gradle"},  # noqa: S108
            tools=(
                _of_gradle(read(build), build),
                *(_running_the_wrapper(tree, read) if wrapper else (Tool("gradle", "", build),)),
            ),
        )


_TASKS = {"test": _TEST, "jvmTest": _MULTIPLATFORM_TEST}
"""What runs the tests on a JVM, by where they stand: of several platforms, that one alone can be had here."""
_UNWRAP = f"mkdir -p {ENVIRONMENT}/bin && ln -sf {{home}}/wrapper/dists/*/*/*/bin/gradle {ENVIRONMENT}/bin/"
"""The wrapper keeps what it fetched below the home that tests cannot write to: they start it without the wrapper."""
_WITHOUT_LOCKS = "find {home}/caches \\( -name '*.lock' -o -name gc.properties \\) -delete"
"""As the page on a cache that cannot be written asks for."""
_BUILD_FILES = ("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")


def _tests_in_own_folder(tree: Tree, read: ReadFile) -> bool:
    """https://maven.apache.org/pom.html#Directories"""
    poms = sorted((path for path in tree if basename(path) == "pom.xml"), key=lambda path: (path.count("/"), path))
    for pom in poms[:_MOST_READ]:
        named = _TEST_FOLDER.search(as_text(read(pom)))
        start = f"{normpath(join(dirname(pom), named[1]))}/" if named else ""
        if start and any(path.startswith(start) and path.endswith(MavenDetector.suffixes) for path in tree):
            return True
    return False


def _without_builds(output: str, *manifests: str) -> tuple[str, ...]:
    """What was compiled stays out of the layer, which then fits other commits with the same manifests as well."""
    named = [word for name in manifests for word in ("-o", "-name", name)][1:]
    each = 'for file; do rm -rf "${file%/*}"/' + output + "; done"
    return ("find", ".", "-type", "f", "(", *named, ")", "-exec", "sh", "-c", each, "sh", "{}", "+")


def _wrapper(tree: Tree, script: str, beside: str) -> tuple[str, ...]:
    """How it is started; nothing where what it needs is not there. The CI makes some executable first."""
    if script not in tree or beside not in tree:
        return ()
    return (f"./{script}",) if tree[script].mode is FileMode.EXECUTABLE else ("sh", script)


def _of_maven(pom: bytes) -> Tool:
    level = maven_level(as_text(pom))
    return Tool("java", f">={level}" if level else "", "pom.xml", preferred=compiles_level(level))


def _of_gradle(build: bytes, source: str) -> Tool:
    found = _TOOLCHAIN.search(as_text(build))
    version = next((group for group in found.groups() if group), "") if found else ""
    return Tool("java", f">={version}" if version else "", source)


def _running_the_wrapper(tree: Tree, read: ReadFile) -> tuple[Tool, ...]:
    versions = gradle_runs_on(text_at(WRAPPER, tree, read))
    return (Tool("java", versions, WRAPPER),) if versions else ()
