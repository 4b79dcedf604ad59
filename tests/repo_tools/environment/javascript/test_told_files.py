"""Files of tests that a command tells when the tests are run, and values of variables that use others."""

from pathlib import Path

import pytest

from repo_tools.environment.runner.javascript.words import filled_in, told_by_commands


def test_what_a_command_prints_stands_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.js": "  it('is')", "b.js": "test('is')", "c.js": "it('is')"}.items():
        (tmp_path / name).write_text(text)
    words = ["mocha", "$(grep -l '^ *it(' *.js)", "$(exit 1)", "--grep", "a $(b)", "$HOME"]
    assert told_by_commands(words) == ["mocha", "a.js", "c.js", "--grep", "a $(b)", "$HOME"]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("$NODE_OPTIONS --import tsx", "--max-http-header-size=9 --import tsx"),
        ("${NODE_OPTIONS} --import tsx", "--max-http-header-size=9 --import tsx"),
        *(("$GONE --import tsx", " --import tsx"), ("${GONE:-sqlite}", "sqlite"), ("${GONE-}x", "x")),
        *(("^a$", "^a$"), ("$(pwd)", "$(pwd)"), ("${NODE_OPTIONS%x}", "${NODE_OPTIONS%x}"), ("$1", "$1")),
    ],
)
def test_a_variable_that_uses_another_one_has_its_value(value: str, meant: str) -> None:
    assert filled_in(value, {"NODE_OPTIONS": "--max-http-header-size=9"}) == meant
