"""Scripts as trees: blocks, lists, pipes, and what is no shell."""

import random
import time
from typing import Any

import pytest

from repo_tools.environment.shell.parse import MAX_CHARACTERS, parse
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Case,
    Command,
    Function,
    Group,
    If,
    Loop,
    Simple,
    Subshell,
    Unreadable,
)
from repo_tools.environment.shell.walk import programs_in
from tests.support.long import first_of


def of_body(body: Body) -> list[Any]:
    """As nested lists: ``[a] [&&, [b]]``, blocks by their names."""
    return [of_list(each) for each in body]


def of_list(each: AndOr) -> Any:
    told: list[Any] = []
    for operator, pipeline in each.items:
        commands = [of_command(command) for command in pipeline.commands]
        told += ([operator] if operator else []) + ["!"] * pipeline.is_negated
        told += [commands[0] if len(commands) == 1 else {"|": commands}]
    told += ["&"] if each.is_beside else []
    return told[0] if len(told) == 1 else told


def of_command(command: Command) -> Any:
    match command:
        case Simple():
            return command.text
        case Unreadable():
            return f"?{command.text}"
        case Subshell():
            return {"()": of_body(command.body)}
        case Group():
            return {"{}": of_body(command.body)}
        case Function():
            return {command.name: of_body(command.body)}
        case Loop():
            words = [word.text for word in command.words or ()]
            return {command.keyword: [command.name, words, of_body(command.condition), of_body(command.body)]}
        case Case():
            labels = [("|".join(word.text for word in labels), of_body(body)) for labels, body in command.branches]
            return {f"case {command.word.text}": labels}
        case If():
            branches = [(of_body(condition), of_body(body)) for condition, body in command.branches]
            return {"if": branches, "else": of_body(command.otherwise)}


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a; b\nc", ["a", "b", "c"]),
        ("a && b || ! c", [["a", "&&", "b", "||", "!", "c"]]),
        ("a &&\n\n  # why\n  b", [["a", "&&", "b"]]),
        ("a | b |& c", [{"|": ["a", "b", "c"]}]),
        ("a & b && c & wait", [["a", "&"], ["b", "&&", "c", "&"], "wait"]),
        ("a 2>&1 | b &", [[{"|": ["a 2>&1", "b"]}, "&"]]),
        ("(a && (b)) || c", [[{"()": [["a", "&&", {"()": ["b"]}]]}, "||", "c"]]),
        ("{ a; b; } && {c,d}", [[{"{}": ["a", "b"]}, "&&", "{c,d}"]]),
        ("if a; then b; elif c\nthen d; else e; fi; f", [{"if": [(["a"], ["b"]), (["c"], ["d"])], "else": ["e"]}, "f"]),
        ("if a; then (b) fi", [{"if": [(["a"], [{"()": ["b"]}])], "else": []}]),
        ("for f in *.js $x; do a $f; done", [{"for": ["f", ["*.js", "$x"], [], ["a $f"]]}]),
        ("for f; do a; done", [{"for": ["f", [], [], ["a"]]}]),
        ("for ((i=0; i<3; i++)); do a; done", [{"for": ["", [], [], ["a"]]}]),
        ("while read x; do a; done < f", [{"while": ["", [], ["read x"], ["a"]]}]),
        ("case $1 in\n a) b;;\n (c|d*) e;&\n *) f\nesac", [{"case $1": [("a", ["b"]), ("c|d*", ["e"]), ("*", ["f"])]}]),
        ("f() {\n a\n}\nfunction g { b; }\nh () (c)", [{"f": ["a"]}, {"g": ["b"]}, {"h": [{"()": ["c"]}]}]),
        ("[[ a == b && ( -f c || d =~ ^(e|f)$ ) ]] && g", [["[[ a == b && ( -f c || d =~ ^(e|f)$ ) ]]", "&&", "g"]]),
        ("((i++)); a=(b c) d+=(e)", ["((i++))", "a=(b c) d+=(e)"]),
        ("declare -a x=(a b); y", ["declare -a x=(a b)", "y"]),
        ("x=(a # don't (\n b)\ny # it's", ["x=(a # don't (\n b)", "y"]),
        ("a \\\n  b # c\nd", ["a \\\n  b", "d"]),
        ("python -c \"\nimport x; y\n\"\nz", ['python -c "\nimport x; y\n"', "z"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("fifi; done1; ifx", ["fifi", "done1", "ifx"]),
        ("time (a; b)\ntime -p { c; }; time d {", [{"()": ["a", "b"]}, {"{}": ["c"]}, "time d {"]),
        ("npm run x -- !(a|b)", ["npm run x -- !(a|b)"]),
    ],
)  # fmt: skip
def test_a_script_is_read_as_a_shell_reads_it(text: str, tree: list[Any]) -> None:
    script = parse(text)
    assert (of_body(script.body), script.problem) == (tree, "")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("echo don't\nb", ["?echo don't", "b"]),
        ('echo "a\nb', ['?echo "a', "b"]),
        ("a (b) c\nd", ["a (b) c", "d"]),
        ("a; fi\nb", ["a", "?fi", "b"]),
        ("a &&", ["?a &&"]),
        ("a | | b\nc", ["?a | | b", "c"]),
        ("a ${{ b\nc", ["?a ${{ b", "c"]),
        ("a\nif ($b -eq 1) { c }\nd", ["a", "?if ($b -eq 1) { c }\nd"]),
        ("a\nif b; then\n  c\n", ["a", "?if b; then\n  c"]),
        ("if a; then\n b (c)\n d\nfi\ne", [{"if": [(["a"], ["?b (c)", "d"])], "else": []}, "e"]),
    ],
)
def test_what_is_no_shell_costs_its_line_and_a_block_without_an_end_the_rest(text: str, tree: list[Any]) -> None:
    script = parse(text)
    assert [str(each).removeprefix("?") for each in of_body(script.body)] == [
        str(each).removeprefix("?") for each in tree
    ]
    assert script.problem


@pytest.mark.parametrize(
    "text",
    ["pytest $(ARGS)", "cd %CD% & npm test", "a ${{ matrix.x == 'y' && 'z' || '(' }} b"],
)
def test_what_others_put_in_derails_nothing(text: str) -> None:
    assert not parse(text).problem


def test_each_command_knows_its_line() -> None:
    found = parse("a\n\nb \\\n c\nif d; then\n  e\nfi", line=5).body
    assert [each.line for each in found] == [5, 7, 9]
    block = found[2].items[0][1].commands[0]
    assert isinstance(block, If)
    assert block.branches[0][1][0].line == 10


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("psql <<EOF\na $b\nEOF\nc", "a $b\n"),
        ("psql <<-'E.F' | x\n\ta\n\tE.F\nc", "\ta\n"),
        ("psql <<A 'two\nlines'\na\nA\nc", "a\n"),
        ("psql <<A # don't\na\nA\nc # it's\n", "a\n"),
    ],
)
def test_a_here_document_is_no_command(text: str, document: str) -> None:
    first, last = parse(text).body
    command = first.items[0][1].commands[0]
    assert isinstance(command, Simple)
    assert [each.document for each in command.redirections] == [document]
    assert last.text == "c"


def test_two_here_documents_follow_each_other() -> None:
    first, last = parse("a <<A <<B\n1\nA\n2\nB\nc").body
    command = first.items[0][1].commands[0]
    assert isinstance(command, Simple)
    assert [each.document for each in command.redirections] == ["1\n", "2\n"]
    assert last.text == "c"


def test_where_a_command_reads_and_writes_is_no_word_of_it() -> None:
    (command,) = parse("A=1 a b >c 2>&1 <<<d &>> e f").body[0].items[0][1].commands
    assert isinstance(command, Simple)
    assert [word.text for word in command.words] == ["a", "b", "f"]
    assert [(each.descriptor, each.operator, each.target.text) for each in command.redirections] == [
        ("", ">", "c"), ("2", ">&", "1"), ("", "<<<", "d"), ("", "&>>", "e"),
    ]  # fmt: skip
    assert [(each.name, each.value and each.value.value) for each in command.assignments] == [("A", "1")]


HOSTILE = (
    *(
        "(",
        ")",
        "fi\n",
        '"$(',
        "<<A",
        "${",
        "a ",
        "if ",
        "case x in ",
        "a\0",
        "`",
        "$((",
        ";",
        "a|",
        "f(){ ",
        "a=(",
        "[[ ",
        "<",
    ),
    *("$'(", 'a"${b:-$(c `', "a <<A\n", "x\n", "if a; then b; fi\n", "a (\n", "$((a # (\n))", "'\n", '"$(\n'),
    *(
        '"$(a <<A b)"\nA\n',
        '"$(a <<A (b)"\nA\n',
        "$(a\n",
        "a <<A '\nA\n",
        "\\\n",
        "a() ",
        "$(case a in",
        "((",
        "a ((",
        '"${a:-"',
        "a &&\n",
        "${{ ",
        "a <<'\n",
    ),
)


@pytest.mark.parametrize("text", first_of(HOSTILE, always=12))
def test_a_hostile_text_takes_a_moment(text: str) -> None:
    started = time.process_time()
    parse(text * (2 * MAX_CHARACTERS // len(text)))
    assert time.process_time() - started < 5.0  # one that is read again and again takes minutes


def test_no_mixture_of_marks_breaks_the_reading() -> None:
    marks = [
        *"(){}'\"`$&|;<>\n\\!#= a1\0",
        *["<<", "<<A\n", "A\n", "$(", "${", "${{", "}}", "((", "))", ";;", "&&", "f()", "x=("],
    ]
    marks += [
        f"{word} " for word in ["if", "then", "fi", "for", "in", "do", "done", "case", "esac", "function", "[[", "]]"]
    ]
    chance = random.Random(7)
    for _ in range(5_000):
        text = "".join(chance.choices(marks, k=14))
        assert all(command.text in text for command in programs_in(parse(text).body)), text
