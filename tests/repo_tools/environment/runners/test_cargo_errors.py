"""What cargo says of test programs that do not compile, as cases."""

from repo_tools.environment.runners.cargo_errors import uncompiled

ROOTS = ("src/lib.rs", "tests/till.rs", "tests/total.rs")


def _error(path: str, words: str = "expected expression") -> str:
    return f"error[E0425]: {words}\n  --> {path}:3:5\n   |\n3  |     two()\n   |     ^^^\n\n"


def test_each_crate_with_errors_is_one_case_with_all_of_them() -> None:
    said = f"{_error('src/parse.rs', 'one')}warning: unused\n\n{_error('src/lib.rs', 'two')}{_error('tests/till.rs')}"
    told = {case.path: case.message for case in uncompiled(said, ROOTS, ".")}
    assert set(told) == {"src/lib.rs", "tests/till.rs"}
    assert "one" in told["src/lib.rs"]
    assert "two" in told["src/lib.rs"]


def test_of_programs_in_one_folder_the_one_that_is_named_is_red() -> None:
    for path in ROOTS[1:]:
        assert [case.path for case in uncompiled(_error(path), ROOTS, ".")] == [path]


def test_a_file_of_no_crate_that_is_known_is_red_itself() -> None:
    assert [case.path for case in uncompiled(_error("build.rs"), ROOTS, "engine")] == ["engine/build.rs"]
