"""What a package's scripts tell a shell of its own, as if it were told in the script itself. Pure.

Only words without quotes, in what each shell knows; all else is left to that shell, and the exit code alone is known.
"""

import re

from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import Script
from repo_tools.environment.shell.text import of_body
from repo_tools.environment.shell.walk import programs_in

_NOT_PLAIN = frozenset(
    (
        *("trap", "shift", "source", ".", "eval", "local", "getopts", "read", "wait", "alias", "readonly"),
        *("pushd", "popd", "declare", "typeset", "let", "mapfile"),
    )
)
_OF_BASH = re.compile(r"\[\[|&>|[<>]\(|\+=|==|\b(?:cp|mv|rm|mkdir|touch)\s[^\n;&|]{0,200}\{[^{}\s]{0,99},")
"""What the shell that tests are started by may not know."""
_SHELL = re.compile(r"(?:/bin/)?(?:ba|da|z|k)?sh")
_INLINE = re.compile(r"[^'\"$`\\]{1,1000}")


def with_shells_told(package: Package) -> Package:
    """`package` with what its scripts hand to a shell of its own (``bash -c 'tsc && mocha'``) in brackets."""
    inside = {name: _in_brackets(text) if "sh -c " in text else text for name, text in package.scripts.items()}
    return package.with_scripts(inside) if inside != package.scripts else package


def _in_brackets(text: str) -> str:
    for words in (command.words for command in programs_in(parse(text).body)):
        shell, option, told = (word.value or "" for word in words) if len(words) == 3 else ("", "", "")
        if _SHELL.fullmatch(shell) and option == "-c" and _INLINE.fullmatch(told) and _is_known(parse(told)):
            text = text.replace(" ".join(word.text for word in words), f"({told})")
    return text


def _is_known(script: Script) -> bool:
    """Whether it does the same in any shell, and it can be told what."""
    programs = (command.program for command in programs_in(script.body))
    return not script.problem and _NOT_PLAIN.isdisjoint(programs) and not _OF_BASH.search(of_body(script.body))
