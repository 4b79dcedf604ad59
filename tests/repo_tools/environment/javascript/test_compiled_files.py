"""A test that is compiled before it is run, named as it is written."""

from pathlib import Path

import pytest

from repo_tools.environment.box_programs.javascript.words import all_files, as_compiled

FILES = (
    *("src/test/a.test.ts", "src/test/sub/a.test.ts", "dist/test/a.test.js", "dist/test/sub/a.test.js"),
    *("test/plain.js", "spec/b.ts", "spec/c.ts", "spec/c.js", "out/b.mjs"),
    *("test/a/index.ts", "test/b/index.ts", "dist/test/b/index.js"),
)


@pytest.mark.parametrize(
    ("word", "own", "run"),
    [
        ("src/test/a.test.ts", ["dist/test/**/*.test.js"], "dist/test/a.test.js"),
        ("src/test/sub/a.test.ts", ["./dist/test"], "dist/test/sub/a.test.js"),
        ("spec/b.ts", ["./out/b.mjs"], "out/b.mjs"),
        ("spec/b.ts", ["spec/*.ts", "out/b.mjs"], "spec/b.ts"),
        ("spec/b.ts", ["spec"], "spec/b.ts"),
        ("test/b/index.ts", ["dist/test"], "dist/test/b/index.js"),
        ("test/a/index.ts", ["dist/test"], "test/a/index.ts"),
        ("spec/gone.ts", ["out"], "spec/gone.ts"),
        ("test/plain.js", ["dist"], "test/plain.js"),
        ("src/test/a.test.ts", [], "src/test/a.test.ts"),
        ("--timeout", ["dist"], "--timeout"),
    ],
)
def test_it_is_run_as_what_it_is_compiled_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, own: list[str], run: str
) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    all_files.cache_clear()
    for option in ("--require", "--config"):
        assert as_compiled([option, "spec/b.ts", "-A", word], own) == [option, "spec/b.ts", "-A", run]
    all_files.cache_clear()
