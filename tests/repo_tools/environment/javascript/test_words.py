"""The words of a script's command."""

import pytest

from repo_tools.environment.javascript.words import words_in


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("A='b c' mocha -g \"x y\" 2>&1 > 'a log'", ("A=b c", "mocha", "-g", "x y")),
        ("mocha $FILES \"${MORE}\" '*.js'", ("mocha", "$FILES", "${MORE}", "*.js")),
        ("mocha $(find a -name '*.js' -o -name x.ts)", ("mocha", "a/**/*.js", "a/**/x.ts")),
        ("mocha \"$(find -name '*.js')\"", ("mocha", "./**/*.js")),
        ("mocha $(find test -newer x)", ("mocha", "$(find test -newer x)")),
        ("jest `find test -name '*.js'`", ("jest", "$(find test -name '*.js')")),
        ("mocha --grep=$(cat a b)", ("mocha", "--grep=$(cat a b)")),
        ("$(npm bin)/mocha `yarn bin jest`", ("node_modules/.bin/mocha", "node_modules/.bin/jest")),
        ("files=$(ls test)", ("export", "files=$(ls test)")),
        ("(cd a && mocha)", ("(cd a && mocha)",)),
        *(("mocha test/(a).js", ("mocha", "test/(a).js")), ("mocha 'a", ()), ("", ())),
    ],
)  # fmt: skip
def test_a_program_has_the_words_that_a_shell_would_give_it(part: str, words: tuple[str, ...]) -> None:
    assert words_in(part) == words
