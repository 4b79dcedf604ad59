"""Java, Kotlin and Groovy: Maven and Gradle."""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.runners.surefire import GRADLE_HOME
from repo_tools.sandbox.contract import ENVIRONMENT

MAVEN_REPOSITORY = f"{ENVIRONMENT}/m2"
_TEST = re.compile(r"(?:.*/)?src/(?:test|integrationTest)/(?:java|kotlin|groovy)/.*\.(?:java|kt|groovy)")
_MULTIPLATFORM_TEST = re.compile(r"(?:.*/)?src/(?:jvm|common)Test/(?:java|kotlin)/.*\.(?:java|kt)")
_MAVEN_MANIFEST = re.compile(r"(?:.*/)?pom\.xml|\.mvn/.*")
_GRADLE_MANIFEST = re.compile(
    r"(?:.*/)?(?:[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|gradle\.lockfile|libs\.versions\.toml)|gradle/.*|buildSrc/.*"
)
_RELEASE = re.compile(r"<(?:maven\.compiler\.(?:release|source)|java\.version|release)>\s*(?:1\.)?(\d+)\s*<")
_TOOLCHAIN = re.compile(
    r"JavaLanguageVersion\.of\((\d+)\)"
    r"|(?:source|target)Compatibility[ \t=]{0,20}(?:JavaVersion\.VERSION_|['\"]?)(?:1[._])?(\d+)"
)


class MavenDetector:
    name = "maven/2"
    looked_for = "Java, Kotlin or Groovy tests (src/test/) with a pom.xml"
    suffixes = (".java", ".kt", ".groovy")

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        if "pom.xml" not in tree or not any(_TEST.fullmatch(path) for path in tree):
            return None
        program = "./mvnw" if "mvnw" in tree and ".mvn/wrapper/maven-wrapper.properties" in tree else "mvn"
        maven = (program, f"-Dmaven.repo.local={MAVEN_REPOSITORY}")
        return Environment(
            detector=self.name,
            evidence=("pom.xml", *((program,) if program == "./mvnw" else ())),
            setup=(
                SetupCommand((*maven, "--batch-mode", "test-compile")),
                SetupCommand((*maven, "--batch-mode", *_NO_TEST, "test"), required=False),
                SetupCommand(_without_builds("target", "pom.xml"), required=False),
            ),
            tests=(TestCommand("maven", (*maven, "test")),),
            manifests=tuple(sorted(path for path in tree if _MAVEN_MANIFEST.fullmatch(path))),
            variables={"MAVEN_USER_HOME": f"{ENVIRONMENT}/maven"},
            tools=(
                _java(_RELEASE, read("pom.xml"), "pom.xml"),
                *(() if program == "./mvnw" else (Tool("mvn", "", "pom.xml"),)),
            ),
        )


_NO_TEST = ("-Dtest=*#noSuchTest", "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false")
"""Surefire fetches what runs a module's tests once it has a class to run: every class will do, and no method."""


class GradleDetector:
    name = "gradle/4"
    looked_for = "Java, Kotlin or Groovy tests (src/test/, src/jvmTest/, src/commonTest/) with a build.gradle"
    suffixes = (".java", ".kt", ".groovy")

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        build = next((name for name in _BUILD_FILES if name in tree), None)
        tasks = tuple(task for task, test in _TASKS.items() if any(map(test.fullmatch, tree)))
        if build is None or not tasks:
            return None
        program = "./gradlew" if "gradlew" in tree and "gradle/wrapper/gradle-wrapper.jar" in tree else "gradle"
        home = GRADLE_HOME
        gradle = ("env", f"GRADLE_USER_HOME={home}", program, "--no-daemon", "--console=plain")
        return Environment(
            detector=self.name,
            evidence=(build, *((program,) if program == "./gradlew" else ())),
            setup=(
                SetupCommand((*gradle, *(f"{task}Classes" for task in tasks))),
                # What tests need beside what they are compiled with is fetched once they are run: so run none.
                *(SetupCommand((*gradle, "--continue", t, "--tests", "NoSuchTest"), required=False) for t in tasks),
                *((SetupCommand(("sh", "-c", _UNWRAP.format(home=home))),) if program == "./gradlew" else ()),
                SetupCommand(("sh", "-c", _WITHOUT_LOCKS.format(home=home)), required=False),
                SetupCommand(_without_builds("build", *_BUILD_FILES), required=False),
                SetupCommand(("rm", "-rf", ".gradle", "buildSrc/.gradle"), required=False),
            ),
            tests=tuple(TestCommand("gradle", ("gradle", task)) for task in tasks),
            manifests=tuple(sorted(path for path in tree if _GRADLE_MANIFEST.fullmatch(path))),
            # https://docs.gradle.org/current/userguide/dependency_caching.html: a cache that cannot be written
            test_variables={"GRADLE_RO_DEP_CACHE": f"{home}/caches", "GRADLE_USER_HOME": "/tmp/gradle"},  # noqa: S108
            tools=(
                _java(_TOOLCHAIN, read(build), build),
                *(() if program == "./gradlew" else (Tool("gradle", "", build),)),
            ),
        )


_TASKS = {"test": _TEST, "jvmTest": _MULTIPLATFORM_TEST}
"""What runs the tests on a JVM, by where they stand: of several platforms, that one alone can be had here."""
_UNWRAP = f"mkdir -p {ENVIRONMENT}/bin && ln -sf {{home}}/wrapper/dists/*/*/*/bin/gradle {ENVIRONMENT}/bin/"
"""The wrapper keeps what it fetched below the home that tests cannot write to: they start it without the wrapper."""
_WITHOUT_LOCKS = "find {home}/caches \\( -name '*.lock' -o -name gc.properties \\) -delete"
"""As the page on a cache that cannot be written asks for."""
_BUILD_FILES = ("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")


def _without_builds(output: str, *manifests: str) -> tuple[str, ...]:
    """What was compiled stays out of the layer, which then fits other commits with the same manifests as well."""
    named = [word for name in manifests for word in ("-o", "-name", name)][1:]
    each = 'for file; do rm -rf "${file%/*}"/' + output + "; done"
    return ("find", ".", "-type", "f", "(", *named, ")", "-exec", "sh", "-c", each, "sh", "{}", "+")


def _java(pattern: re.Pattern[str], manifest: bytes, source: str) -> Tool:
    found = pattern.search(manifest.decode("utf-8", "replace"))
    version = next((group for group in found.groups() if group), "") if found else ""
    return Tool("java", f">={version}" if version else "", source)
