"""What Maven, javac and Kotlin's compiler say of files that do not compile."""

from repo_tools.environment.runners.java_errors import first_error, uncompiled

MAVEN = """[INFO] --- compiler:3.10.1:testCompile (default-testCompile) @ till ---
[ERROR] COMPILATION ERROR :
[ERROR] /workspace/src/test/java/a/ATest.java:[12,9] cannot find symbol
  symbol:   method digits(java.lang.String)
  location: class a.Till
[ERROR] /workspace/src/test/java/a/BTest.java:[3,1] package a.b does not exist
[INFO] 2 errors
[ERROR] Failed to execute goal on project till: Compilation failure: Compilation failure:
[ERROR] /workspace/src/test/java/a/ATest.java:[12,9] cannot find symbol
[ERROR]   symbol:   method digits(java.lang.String)
[ERROR]   location: class a.Till
[ERROR] /workspace/src/test/java/a/BTest.java:[3,1] package a.b does not exist
[ERROR] -> [Help 1]
"""
GRADLE = """> Task :compileTestJava FAILED
/workspace/core/src/test/java/a/ATest.java:3: error: cannot find symbol
        assertEquals(1, new Till().digits("1a"));
                                  ^
  symbol:   method digits(String)
  location: class Till
/workspace/core/src/test/java/a/ATest.java:9: error: incompatible types: String cannot be converted to int
        int x = new Till().name();
                               ^
2 errors
"""
KOTLIN = "e: file:///workspace/src/test/kotlin/ATest.kt:12:9 Unresolved reference: digits\n"


def test_each_file_that_does_not_compile_is_a_case_with_what_maven_says_of_it_once() -> None:
    assert {case.id: case.message for case in uncompiled(MAVEN)} == {
        "src/test/java/a/ATest.java": (
            "src/test/java/a/ATest.java:[12,9] cannot find symbol\n"
            "  symbol:   method digits(java.lang.String)\n  location: class a.Till"
        ),
        "src/test/java/a/BTest.java": "src/test/java/a/BTest.java:[3,1] package a.b does not exist",
    }
    assert first_error(MAVEN) == "src/test/java/a/ATest.java:[12,9] cannot find symbol"


def test_what_javac_says_is_told_with_the_lines_that_it_shows() -> None:
    (case,) = uncompiled(GRADLE)
    assert case.path == "core/src/test/java/a/ATest.java"
    assert case.message.splitlines()[0] == "core/src/test/java/a/ATest.java:3: cannot find symbol"
    assert "  symbol:   method digits(String)" in case.message.splitlines()
    assert "core/src/test/java/a/ATest.java:9: incompatible types" in case.message
    assert "2 errors" not in case.message


def test_what_kotlins_compiler_says_is_told() -> None:
    (case,) = uncompiled(KOTLIN)
    assert case.message == "src/test/kotlin/ATest.kt:12:9 Unresolved reference: digits"


def test_where_all_compiles_there_is_none() -> None:
    assert (list(uncompiled("[INFO] BUILD SUCCESS\n")), first_error("")) == ([], "")


def test_older_compilers_of_kotlin_and_that_of_groovy_are_read_too() -> None:
    kotlin = "e: /workspace/src/A.kt: (3, 5): Unresolved reference: foo"
    groovy = "/workspace/src/AS.groovy: 3: unable to resolve class Foo"
    assert [case.message for case in uncompiled(f"{kotlin}\n{groovy}\n")] == [
        "src/A.kt:(3, 5): Unresolved reference: foo",
        "src/AS.groovy:3: unable to resolve class Foo",
    ]


def test_warnings_and_what_tests_say_of_files_elsewhere_are_no_errors() -> None:
    said = "/workspace/src/A.java:3: warning: [unchecked] unchecked call\n/tmp/x/Gen.java:12: error: no\n"
    assert list(uncompiled(said)) == []
