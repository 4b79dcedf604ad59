import re

import pytest

from repo_tools.environment.selectors import check_selector


@pytest.mark.parametrize(
    "selector",
    [
        "tests",
        "tests/",
        "tests/test_a.py",
        "tests/test_a.py::test_b",
        "tests/test_a.py::TestB::test_c",
        "src/shop.py::shop.Till.total",
        "tests/test_a.py::TestB::test_c[1-two words-é]",
        "tests/test_a.py::test_d[https://example.org/x?y=1]",
        "test.d/größe_test.py",
        "src/a b/test_x.py",
    ],
)
def test_paths_and_names_below_them_are_taken(selector: str) -> None:
    check_selector(selector)


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "-k",
        "--rootdir=/",
        "-p evil",
        "--collect-only",
        " --co",
        "@arguments.txt",
        "/etc/passwd",
        "../x",
        "tests/../../x",
        "tests/..",
        "~/x",
        "tests/test_a.py; curl example.org",
        "tests/$(id)",
        "`id`",
        "tests/test_a.py::test_b[$(id)]",
        "tests/test_a.py::test_b[a\nb]",
        "tests/test_a.py::test_b -p evil",
        "tests/test_a.py::",
        "tests//test_a.py",
        "a\0b",
        "a\n-p",
        "x" * 5000,
    ],
)
def test_everything_else_is_refused_in_a_sentence(selector: str) -> None:
    """F10."""
    with pytest.raises(ValueError, match=r"(names no tests|leads out of the repository).*\."):
        check_selector(selector)


@pytest.mark.parametrize("parameters", ["a|b", "<lambda>", "C:\\x", "a;b", "x\ny"])
def test_who_names_parameters_that_cannot_be_named_is_told_the_way_out(parameters: str) -> None:
    with pytest.raises(ValueError, match=re.escape("leave [...] out, which runs all of them")):
        check_selector(f"tests/test_a.py::test_a[{parameters}]")
    check_selector("tests/test_a.py::test_a")
