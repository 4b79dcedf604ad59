"""Shell scripts of a repository that its package's scripts start, as if each were a script of the package. Pure.

Only plain ones: commands in a row, conditions and loops, with variables that hold text. What a function, a trap, a
here-document or another program's answer decides is left to the shell, and then the exit code alone is known.
"""

import re
import shlex
from collections.abc import Mapping
from posixpath import dirname, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Command,
    Group,
    If,
    Loop,
    Part,
    Script,
    Simple,
    Subshell,
    Variable,
    Word,
)
from repo_tools.environment.shell.text import of_body, of_list
from repo_tools.environment.shell.walk import commands_of, is_condition, programs_in
from repo_tools.environment.texts import as_text

_SHEBANG = re.compile(r"#!.{0,99}\b(?:ba|da|z|k)?sh\b")
_STARTS_RUNNER = re.compile(
    r"\b(?:_?mocha|jest|vitest|tape|tap|ava|jasmine|jasmine-node|lab|nodeunit|vows|uvu|qunit"
    r"|node (?:\S+ ){0,5}--test)\b"
)
"""Worth to be read: else only the exit code would be known all the same."""
_NOT_PLAIN = frozenset(
    (
        *("trap", "shift", "source", ".", "eval", "local", "getopts", "read", "wait", "alias", "readonly"),
        *("pushd", "popd", "declare", "typeset", "let", "mapfile"),
    )
)
_MOVES = frozenset(("", "export", "unset", "cd"))
"""What is to hold for the commands after it."""
_PLAIN_TEXT = re.compile(r"[^\"'$`\\;&|()<>#]*")
_STRICT = re.compile(r"(?m)^#!.*\s-\w*e|^[ \t]*set (?:-\w*e|.*-o errexit\b)")
_OWN_FOLDER = re.compile(
    r"""(?P<quote>"?)(?:\$\(dirname (?P<inner>"?)\$(?:0|\{?BASH_SOURCE(?:\[0\]\})?)(?P=inner)\)|`dirname "?\$0"?`)"""
    r"""(?P<below>(?:/[\w.-]+)*)/?(?P=quote)"""
)
_ARGUMENTS = re.compile(r"""\s{0,9}(?:"\$[@*]"|\$[@*]|"?\$\{@\}"?)""")
_POSITIONAL = re.compile(r"\$\{?[\d#@*]")
_OF_BASH = re.compile(
    r"\[\[|&>|[<>]\(|\+=|==|\$\{\w+(?:[/^,@]|:\d|:?[=?])|\$'"
    r"|\b(?:cp|mv|rm|mkdir|touch)\s[^'\"\n;&|]{0,200}\{[^{}\s]{0,99},"
)
"""What the shell that tests are started by may not know, or what changes a variable in passing."""
_NO_STEP = re.compile(r"set [-+][\w ]+|shopt .*|hash -r|cd \.")
_ENDS = re.compile(r"exit(?: 0| \$\?)?")
_SHELL = re.compile(r"(?:/bin/)?(?:ba|da|z|k)?sh")
_INLINE = re.compile(r"[^'\"$`\\]{1,1000}")
_WORD = re.compile(r"[\w./-]+")
_ENDING = re.compile(r"(?:^|/)[\w-]+(?:\.(?:ba)?sh)?$")
_MOST_BYTES = 8_000
_MOST_FILES = 10


def with_shell_files(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with what its scripts hand to a shell of its own (``bash -c 'tsc && mocha'``) in brackets, and a script
    for each shell script that they call, by the name that `called_scripts` gives it."""
    inside = {name: _in_brackets(text) if "sh -c " in text else text for name, text in package.scripts.items()}
    package = package.with_scripts(inside) if inside != package.scripts else package
    named = {normpath(word) for script in package.scripts.values() for word in _WORD.findall(script)}
    paths = [path for path in sorted(named) if f"{package.start}{path}" in tree and _ENDING.search(path)][:_MOST_FILES]
    told = {f"sh {path}": text for path in paths if (text := _told(path, package, tree, read))}
    return package.with_scripts({**told, **package.scripts}) if told else package


def _in_brackets(text: str) -> str:
    for words in (command.words for command in programs_in(parse(text).body)):
        shell, option, told = (word.value or "" for word in words) if len(words) == 3 else ("", "", "")
        if _SHELL.fullmatch(shell) and option == "-c" and _INLINE.fullmatch(told) and _is_known(parse(told)):
            text = text.replace(" ".join(word.text for word in words), f"({told})")
    return text


def _told(path: str, package: Package, tree: Tree, read: ReadFile) -> str:
    """Its commands in one line; empty where they cannot be told without a shell."""
    place = f"{package.start}{path}"
    if not tree[place].mode.is_file:
        return ""
    text = as_text(read(place)[: _MOST_BYTES + 1])
    is_shell = path.endswith((".sh", ".bash")) or _SHEBANG.match(text)
    if not (is_shell and len(text) <= _MOST_BYTES and _STARTS_RUNNER.search(text)):
        return ""
    script = parse(text)
    is_strict = bool(_STRICT.search(text))
    told = _in_one_line(script.body, normpath(dirname(path)), is_strict=is_strict) if _is_known(script) else ""
    return "" if _POSITIONAL.search(told) else told


def _is_known(script: Script) -> bool:
    """Whether it does the same in any shell, and it can be told what."""
    return not script.problem and _is_plain(script.body) and not _OF_BASH.search(of_body(script.body))


def _is_plain(body: Body, *, is_inside: bool = False) -> bool:
    """`is_inside`: of a block, where nobody knows what holds after it."""
    return all(_is_plain_command(command, is_inside=is_inside) for command in commands_of(body))


def _is_plain_command(command: Command, *, is_inside: bool) -> bool:
    match command:
        case Simple(program=program, words=words, redirections=redirections):
            is_told = any(each.document is not None for each in redirections) or (is_inside and program in _MOVES)
            return not is_told and program not in _NOT_PLAIN and [word.text for word in words[:2]] != ["set", "--"]
        case Group(body=body) | Subshell(body=body):
            return _is_plain(body, is_inside=is_inside)
        case If(branches=branches):
            parts = (*(part for branch in branches for part in branch), command.otherwise)
            return all(_is_plain(part, is_inside=True) for part in parts)
        case Loop(words=words) if words is not None:
            return _is_plain(command.body, is_inside=True)
    return False


def _in_one_line(body: Body, folder: str, *, is_strict: bool) -> str:
    """With the values of plain variables in their places; empty where one of others decides. `folder`: its own."""
    known: dict[str, str] = {}
    steps: list[tuple[AndOr, str]] = []
    for each in body:
        text = _filled(_from_here(of_list(each), folder), known)
        if values := _values(each.alone, known):
            known |= values
        elif _ENDS.fullmatch(text):
            break
        elif text and not _NO_STEP.fullmatch(text):
            steps.append((each, _exported(text, known).removeprefix("exec ")))
    told = _joined(steps, is_strict=is_strict)
    commands = programs_in(tuple(each for each, _ in steps))
    decided = {each.name for command in commands for each in command.assignments}
    unknown = any(re.search(rf"\$\{{?{name}\b", told) for name in (decided - {"PATH"}) | known.keys())
    return "" if unknown or decided & known.keys() else told


def _from_here(text: str, folder: str) -> str:
    """With its own folder as it is named where it is started, which is with no words."""
    told = _OWN_FOLDER.sub(lambda found: shlex.quote(normpath(f"{folder}{found['below']}")), text)
    return _ARGUMENTS.sub("", told)


def _filled(text: str, known: Mapping[str, str]) -> str:
    """What stands in single quotes stays as it is."""
    return re.sub(r"\\.|'[^']*'|\$(?:\{(\w+)\}|(\w+))", lambda use: known.get(use[1] or use[2], use[0]), text)


def _values(command: Command | None, known: Mapping[str, str]) -> dict[str, str]:
    """Of plain variables, where it does no more than set these."""
    assignments = command.assignments if isinstance(command, Simple) and not command.words else ()
    told = {each.name: _value(each.value, known) for each in assignments}
    plain = {name: value for name, value in told.items() if value is not None and _PLAIN_TEXT.fullmatch(value)}
    return plain if len(plain) == len(told) else {}


def _value(word: Word | None, known: Mapping[str, str]) -> str | None:
    def known_value(part: Part) -> str | None:
        return known.get(part.name) if isinstance(part, Variable) and part.default is None else None

    return word.with_values(known_value) if word else None


def _exported(text: str, known: Mapping[str, str]) -> str:
    """``export A B`` with what these were set to before."""
    program, *names = text.split()
    if program != "export" or not names or not known.keys() >= set(names):
        return text
    return f"export {' '.join(f'{name}={shlex.quote(known[name])}' for name in names)}"


def _joined(steps: list[tuple[AndOr, str]], *, is_strict: bool) -> str:
    if is_strict and all(_is_simple(each) for each, _ in steps):
        return " && ".join(text for _, text in steps)
    told = " ".join(f"{text} {'&' if each.is_beside else ';'}" for each, text in steps)
    return told.removesuffix(" ;")


def _is_simple(each: AndOr) -> bool:
    """Whether ``&&`` may stand before and after it."""
    first = each.items[0][1].commands[0]
    return not each.is_beside and isinstance(first, Simple) and not is_condition(first)
