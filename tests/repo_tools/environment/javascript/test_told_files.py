"""Files of tests that a command tells when the tests are run, and values of variables that use others."""

from pathlib import Path

import pytest

from repo_tools.environment.box_programs.javascript.releases import with_files_of_old_mocha, with_folders_of_mocha
from repo_tools.environment.box_programs.javascript.words import (
    all_files,
    expanded,
    filled_in,
    told_by_commands,
    with_variables,
)


def test_what_a_command_prints_stands_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.js": "  it('is')", "b.js": "test('is')", "c.js": "it('is')"}.items():
        (tmp_path / name).write_text(text)
    words = ["mocha", "$(grep -l '^ *it(' *.js)", "$(exit 1)", "--grep", "a $(b)", "$HOME"]
    assert told_by_commands(words) == ["mocha", "a.js", "c.js", "--grep", "a $(b)", "$HOME"]


def test_a_file_that_several_patterns_name_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test/more").mkdir(parents=True)
    for name in ("test/a.js", "test/more/b.js"):
        (tmp_path / name).touch()
    all_files.cache_clear()
    words = ["vows", "-r", "test/a.js", "test/*.js", "test/**/*.js", "test/more/*.js", "x*.js"]
    found = expanded(words)
    all_files.cache_clear()
    assert found == ["vows", "-r", "test/a.js", "test/a.js", "test/more/b.js", "x*.js"]


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


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *(("$GONE", []), ("${GONE}", []), ("$@", []), ("$*", []), ("${GONE:-a b}", ["a", "b"]), ("$MORE", ["-t", "9"])),
        *(("$FILES", ["$FILES"]), ("a$", ["a$"]), ("$GONE$", ["$GONE$"]), ("says $MORE", ["says $MORE"]), ("", [""])),
    ],
)
def test_a_word_that_is_a_variable_is_what_the_shell_makes_of_it(word: str, meant: list[str]) -> None:
    found = with_variables(["mocha", word, "x.js"], {"MORE": "-t 9", "FILES": "b.js"}, ["tsc && FILES=$(ls)"])
    assert found == ["mocha", *meant, "x.js"]


@pytest.mark.parametrize("knows", [False, True])
def test_an_old_mocha_gets_files_where_a_pattern_stands_and_no_option_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("test", "node_modules/mocha/bin", "node_modules/mocha/lib"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "node_modules/mocha/lib/utils.js").write_text("exports.lookupFiles = glob.sync" if knows else "")
    program = tmp_path / "node_modules/mocha/bin/_mocha"
    for file in (program, tmp_path / "test/a.js", tmp_path / "test/b.js"):
        file.write_text("")
    options = ["-g", "[a-Z]", "--grep", "**/a.js", "-R", "*", "-r", str(tmp_path / "account.js"), "[a-Z]"]
    found = with_files_of_old_mocha(["node", str(program), *options, "test/*.js"])
    files = ["test/*.js"] if knows else ["test/a.js", "test/b.js"]
    load = str(tmp_path / "account.js") if knows else "account.js"
    assert found == ["node", str(program), *options[:-2], load, "[a-Z]", *files]


@pytest.mark.parametrize("program", ["mocha", "_mocha"])
@pytest.mark.parametrize(
    ("finds", "words", "meant"),
    [
        ("glob.sync(path)", ["test/**"], ["test/a.js", "test/deep"]),
        ("glob.sync(path)", ["-g", "test/**", "test/**/*.js"], ["-g", "test/**", "test/**/*.js"]),
        ("glob.sync(path)", ["-R", "dot", "test", "none/**", "test/**/**"], [
            *("-R", "dot", "test", "none/**", "test/deep/b.js", "test/deep/deeper"),
        ]),
        ("glob.sync(path, {nodir: true})", ["test/**"], ["test/**"]),
        ("", ["test/**"], ["test/**"]),
    ],
)  # fmt: skip
def test_a_pattern_that_names_folders_is_the_shells_where_mocha_would_load_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, finds: str, words: list[str], meant: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("test/deep/deeper", "node_modules/mocha/bin", "node_modules/mocha/lib"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "node_modules/mocha/lib/utils.js").write_text(finds)
    starts = tmp_path / "node_modules/mocha/bin" / program
    for file in (starts, *(tmp_path / "test" / name for name in ("a.js", "deep/b.js", "deep/deeper/c.js"))):
        file.write_text("")
    assert with_folders_of_mocha([str(starts), *words]) == [str(starts), *meant]
    assert with_folders_of_mocha(["node", str(starts), *words]) == ["node", str(starts), *meant]
