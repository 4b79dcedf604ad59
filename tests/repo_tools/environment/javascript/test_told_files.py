"""Files of tests that a command tells when the tests are run."""

from pathlib import Path

import pytest

from repo_tools.environment.runner.javascript import told_by_commands


def test_what_a_command_prints_stands_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.js": "  it('is')", "b.js": "test('is')", "c.js": "it('is')"}.items():
        (tmp_path / name).write_text(text)
    words = ["mocha", "$(grep -l '^ *it(' *.js)", "$(exit 1)", "--grep", "a $(b)", "$HOME"]
    assert told_by_commands(words) == ["mocha", "a.js", "c.js", "--grep", "a $(b)", "$HOME"]
