"""A command as people write it, in a file of theirs, as an argument list. Pure."""

import re
import shlex
from collections.abc import Container, Iterable, Iterator
from posixpath import normpath

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\[^$`\n])*"|\\[^\n]""")
"""What `shlex` and a shell read alike."""
_CONTINUED = re.compile(r"""('[^']*'|"(?:[^"\\]|\\.)*"|\\[^\n])|\\\n""", re.DOTALL)
_CLOSED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?:^|(?<=[\s;&|()]))#[^\n]*""", re.DOTALL)
_QUOTES_WITHIN = ("$(", "${", "`", "<<", "$'")
"""Where quotes begin anew, or are none."""
_BUILDS = ("setup.py", "setup.cfg", "pyproject.toml")
_FOR_A_SHELL = re.compile(r"[|&;<>()$`\\\n*?\"']|(?:^|\s)[#~]|^\s*\w+=")
_OF_A_SHELL = frozenset(("cd", "export", "source", ".", "set", "unset", "alias", "ulimit", "umask", "pushd", "popd"))
_WITHIN_ONE = frozenset((
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "{", "}",
    "!", ":", "trap", "eval", "exec", "exit", "return", "command", "type", "wait", "let", "read", "shift", "shopt",
    "hash",
))  # fmt: skip
"""What is no program: it belongs to the lines around it, or does something to the shell that has read it."""
_ASSIGNMENT = r"""[A-Za-z_]\w*=(?:'[^']*'|"[^"\\$`]*"|[\w./:,@%+=-])*"""
_ASSIGNED = re.compile(rf"(?:env\s+)?({_ASSIGNMENT})\s+(?=\S)")
_EXPORTED = re.compile(rf"export((?:\s+{_ASSIGNMENT})+)\s*(?:&&|;)\s*(?=\S)")
_PASSED_ON = re.compile(r"[^|]\|&?\s*(tee|cat|tail|sed|awk|ts)\b[^|;&\n]*$")
_FORGIVEN = re.compile(r"\s*(?:(?:cd|export|set|source|\.)\s[^\n;]*[\n;]\s*)*[^\n;]*\|\|\s*(true|:)(?![\w.-])[^|;&\n]*")
_SHOWN_LAST = re.compile(
    r"(?:[\n;]|&&)[ \t]*(?:(?:cat|echo|printf|ls|find|grep|head|tail)\b[^|;&\n]*\|\s*)+\w[^|;&\n]*$"
)
"""After what tests, and has failed by then: ``pytest`` and, in the next line, ``cat log | tail``."""
_BEHIND_A_LETTER = re.compile(r"^-[A-Za-z](?=[^-=])")
_LOOKED_UP_BY = frozenset(("PATH", "HOME"))
"""What a shell itself goes by when it starts the program behind them."""
_CHANGE_DIRECTORY = re.compile(r"cd\s+([\w./-]+)\s*&&\s*(\S.*)", re.DOTALL)


def needs_shell(text: str) -> bool:
    """Whether `text` holds what only a shell understands: operators, expansions, patterns, assignments, an open
    quote or escape. ``[`` alone is none: ``pip install .[test]`` means what it says in either."""
    return bool(_FOR_A_SHELL.search(_QUOTED.sub("x", text)))


def as_argv(text: str) -> tuple[str, ...]:
    """The words of `text`, or a shell that runs it, where it needs one."""
    whole = _joined(text)
    return ("sh", "-c", text) if needs_shell(whole) else tuple(shlex.split(whole))


def _joined(text: str) -> str:
    return _CONTINUED.sub(lambda found: found[1] or "", text)


def commands_of(text: str) -> tuple[str, ...]:
    """The lines of a script, where each is a command of its own that needs no shell; else the script as one."""
    lines = tuple(filter(None, map(str.strip, _joined(text).splitlines())))
    return (text,) if any(map(_is_no_command, lines)) else lines


def _is_no_command(line: str) -> bool:
    is_within = line.split(maxsplit=1)[0] in _WITHIN_ONE
    return is_within or needs_shell(with_variables(line)[1]) or bool(command_problem(line))


def stopping(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`argv` of `as_argv`: a shell ends with the first command that fails, as in a workflow, not with the last one."""
    return (*argv[:2], f"set -e\n{argv[2]}", *argv[3:]) if is_shell(argv) else argv


def hidden_end(text: str) -> str:
    """The program that ends well whatever stands before it (``pytest | tee log``, ``pytest || true``), or empty."""
    whole = _CLOSED.sub("x", _joined(text)).strip()
    found = _PASSED_ON.search(whole) or _FORGIVEN.fullmatch(whole)
    return found[1] if found and not _SHOWN_LAST.search(whole) else ""


def command_problem(text: str) -> str:
    """Why no shell could run `text`, or what it does is lost at once, as the end of a sentence; empty where neither."""
    if not text.strip() or "\0" in text:
        return "holds no command"
    if problem := expression_problem(text):
        return problem
    if not any(mark in text for mark in _QUOTES_WITHIN) and re.search(r"[\"'\\]", _CLOSED.sub("x", text)):
        return "opens a quote that is not closed, or ends with `\\`: close it, or write `\\` before one that opens none"
    words = text.split()
    if words[0] in _OF_A_SHELL and not needs_shell(text):
        return (
            f"does nothing for the commands after it, each of which is run on its own: join them (`{words[0]} … && …`),"
            " or use `directory` and `environment`"
        )
    return ""


def expression_problem(text: str) -> str:
    """What is wrong with an expression of GitHub's workflows, which nobody here evaluates; so in `command_problem`."""
    return "" if "${{" not in text else "holds `${{ … }}`, which only GitHub's workflows know: write what it stands for"


def is_shell(argv: tuple[str, ...]) -> bool:
    """Whether `as_argv` gave a shell."""
    return argv[:2] == ("sh", "-c")


def named_files(argv: tuple[str, ...], directory: str, tree: Container[str]) -> Iterator[str]:
    """Files of the repository that a command's words name, from where it is run or from the root (``-r deps/ci.txt``,
    ``--requirement=deps/ci.txt``, ``-rdeps/ci.txt``, ``./scripts/setup.sh``), and what builds the folders of Python
    that they name."""
    for word in _words_of(argv):
        for value in filter(None, dict.fromkeys((word, word.partition("=")[2], _BEHIND_A_LETTER.sub("", word)))):
            for path in dict.fromkeys((root_relative(value, directory), root_relative(value))):
                yield from filter(tree.__contains__, (path, *(root_relative(name, path) for name in _BUILDS)))


def _words_of(argv: tuple[str, ...]) -> Iterable[str]:
    if not is_shell(argv):
        return argv
    try:
        return (*shlex.split(argv[2], comments=True), *argv[3:])
    except ValueError:
        return (*argv[2].split(), *argv[3:])


def moved(text: str, directory: str = "") -> tuple[str, str]:
    """(command, root-relative directory) of a command that is run in `directory`: a ``cd`` in front of it moves it."""
    text = text.strip()
    while (found := _CHANGE_DIRECTORY.fullmatch(text)) and not _leaves(found[1]):
        text, directory = found[2].strip(), root_relative(found[1], directory)
    return text, directory


def _leaves(folder: str) -> bool:
    return folder.startswith("/") or ".." in folder.split("/")


def with_variables(text: str) -> tuple[dict[str, str], str]:
    """(variables, command) of a command behind plain assignments (``CI=1 pytest``, ``export CI=1 && pytest``); none
    where it needs a shell all the same."""
    variables: dict[str, str] = {}
    command = text.strip()
    while found := _EXPORTED.match(command) or _ASSIGNED.match(command):
        variables |= {name: value for name, _, value in (word.partition("=") for word in shlex.split(found[1]))}
        command = command[found.end() :]
    return ({}, text) if needs_shell(command) or _LOOKED_UP_BY & variables.keys() else (variables, command)


def root_relative(path: str, directory: str = "") -> str:
    """``./a/`` below `directory`, without dots; the root is empty."""
    joined = normpath(f"{directory}/{path}").lstrip("/")
    return "" if joined == "." else joined
