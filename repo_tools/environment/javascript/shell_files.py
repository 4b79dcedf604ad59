"""Shell scripts of a repository that its package's scripts start, as if each were a script of the package. Pure.

Only plain ones: commands in a row, conditions and loops, with variables that hold text. What a function, a trap, a
here-document or another program's answer decides is left to the shell, and then the exit code alone is known.
"""

import re
import shlex
from collections.abc import Iterator
from posixpath import dirname, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.pipes import TOKEN
from repo_tools.environment.texts import as_text

_SHEBANG = re.compile(r"#!.{0,99}\b(?:ba|da|z|k)?sh\b")
_STARTS_RUNNER = re.compile(
    r"\b(?:_?mocha|jest|vitest|tape|tap|ava|jasmine|jasmine-node|lab|nodeunit|vows|uvu|qunit"
    r"|node (?:\S+ ){0,5}--test)\b"
)
"""Worth to be read: else only the exit code would be known all the same."""
_NOT_PLAIN = re.compile(
    r"<<|\(\)|\$\{\w+:?[=?]|(?m:^\s{0,99}(?:(?:function|trap|case|while|until|select|shift|source|\.|eval|local|getopts"
    r"|read|wait|alias|readonly)\b|set\s+--))"
)
_PLAIN_TEXT = r"[^\"'$`\\;&|()<>#]*"
_ASSIGNED = re.compile(
    rf"(?P<name>[A-Za-z_]\w*)=(?P<quote>[\"'])?"
    rf"(?P<value>(?(quote){_PLAIN_TEXT}|[^\s\"'$`\\;&|()<>#]*))(?(quote)(?P=quote))"
)
_MOVES = re.compile(
    r"(?:^|[;&|({]|\bthen|\bdo|\belse)\s{0,9}(?:export|unset|cd|[A-Za-z_]\w*=\S*(?=\s*(?:$|[;&|])))(?!\S)"
)
"""What is to hold for the commands after it."""
_OPENS = re.compile(r"(?:^|[;&|]|\bthen|\bdo|\belse)\s{0,9}(?:if|for)\s")
_CLOSES = re.compile(r"(?:^|;)\s{0,9}(?:fi|done)\b")
_STRICT = re.compile(r"(?m)^#!.*\s-\w*e|^[ \t]*set (?:-\w*e|.*-o errexit\b)")
_SETS = re.compile(r"(?m)(?:^|[;&|]|\bthen|\bdo|\belse)\s*(?P<name>[A-Za-z_]\w*)=")
_OWN_FOLDER = re.compile(
    r"""(?P<quote>"?)(?:\$\(dirname (?P<inner>"?)\$(?:0|\{?BASH_SOURCE(?:\[0\]\})?)(?P=inner)\)|`dirname "?\$0"?`)"""
    r"""(?P<below>(?:/[\w.-]+)*)/?(?P=quote)"""
)
_ARGUMENTS = re.compile(r"""\s{0,9}(?:"\$[@*]"|\$[@*]|"?\$\{@\}"?)""")
_POSITIONAL = re.compile(r"\$\{?[\d#@*]")
_WITH_COMMENT = re.compile(r"""(?P<told>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?<=\S)#|[^'"\\#])*)(?:#.*)?""")
_GOES_ON = re.compile(r"(?:&&|\|\|?)$")
_INLINE = re.compile(
    r"(?<!\S)(?:/bin/)?(?:ba|da|z|k)?sh -c (?P<quote>['\"])(?P<text>[^'\"$`\\]{1,1000})(?P=quote)(?=\s*(?:$|[&|;)]))"
)
_OF_BASH = re.compile(
    r"\[\[|&>|[<>]\(|\+=|==|\$\{\w+(?:[/^,@]|:\d)|\$'|(?<!\S)(?:source|declare|typeset|let|mapfile)\s|\b(?:push|pop)d\b"
    r"|\b(?:cp|mv|rm|mkdir|touch)\s[^'\"\n;&|]{0,200}\{[^{}\s]{0,99},"
)
"""What the shell that tests are started by may not know."""
_NO_STEP = re.compile(r"set [-+][\w ]+|shopt .*|hash -r|exit(?: 0| \$\?)?|cd \.")
_WORD = re.compile(r"[\w./-]+")
_ENDING = re.compile(r"(?:^|/)[\w-]+(?:\.(?:ba)?sh)?$")
_MOST_BYTES = 8_000
_MOST_FILES = 10


def with_shell_files(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with what its scripts hand to a shell of its own (``bash -c 'tsc && mocha'``) in brackets, and a script
    for each shell script that they call, by the name that `called_scripts` gives it."""
    inside = {name: _INLINE.sub(_in_brackets, text) for name, text in package.scripts.items()}
    package = package.with_scripts(inside) if inside != package.scripts else package
    named = {normpath(word) for script in package.scripts.values() for word in _WORD.findall(script)}
    paths = [path for path in sorted(named) if f"{package.start}{path}" in tree and _ENDING.search(path)][:_MOST_FILES]
    told = {f"sh {path}": text for path in paths if (text := _told(path, package, tree, read))}
    return package.with_scripts({**told, **package.scripts}) if told else package


def _in_brackets(shell: re.Match[str]) -> str:
    return shell[0] if _OF_BASH.search(shell["text"]) else f"({shell['text']})"


def _told(path: str, package: Package, tree: Tree, read: ReadFile) -> str:
    """Its commands in one line; empty where they cannot be told without a shell."""
    place = f"{package.start}{path}"
    if not tree[place].mode.is_file:
        return ""
    text = as_text(read(place)[: _MOST_BYTES + 1]).replace("\r\n", "\n")
    is_shell = path.endswith((".sh", ".bash")) or _SHEBANG.match(text)
    is_told = is_shell and len(text) <= _MOST_BYTES and not (_NOT_PLAIN.search(text) or _OF_BASH.search(text))
    if not (is_told and _STARTS_RUNNER.search(text)):
        return ""
    below = normpath(dirname(path)) or "."
    text = _OWN_FOLDER.sub(lambda found: shlex.quote(normpath(f"{below}{found['below']}")), text)
    plain = _ARGUMENTS.sub("", text)
    return "" if _POSITIONAL.search(plain) else _in_one_line(plain)


def _in_one_line(text: str) -> str:
    """With the values of plain variables in their places; empty where one of others, or a condition, decides, and where
    a quote is open."""
    known: dict[str, str] = {}
    steps: list[str] = []
    depth = 0
    for written in _lines(text):
        line = _filled(written, known)
        opened = len(_OPENS.findall(line))
        if (depth or opened) and _MOVES.search(line):
            return ""
        depth += opened - len(_CLOSES.findall(line))
        exported = line.removeprefix("export ").split()
        if found := _ASSIGNED.fullmatch(line):
            known[found["name"]] = found["value"]
        elif exported != line.split() and known.keys() >= set(exported):
            steps.append(f"export {' '.join(f'{name}={shlex.quote(known[name])}' for name in exported)}")
        elif not depth and line.startswith("exit") and _NO_STEP.fullmatch(line):
            break
        elif not _NO_STEP.fullmatch(line):
            steps.append(line.removeprefix("exec "))
    told = (" && " if _STRICT.search(text) and not any(map(_is_of_shell, steps)) else "\n").join(steps)
    decided = {found["name"] for found in _SETS.finditer(told)} - {"PATH"}
    unknown = any(re.search(rf"\$\{{?{name}\b", told) for name in decided | known.keys())
    line = "" if unknown or decided & known.keys() else _joined(told)
    return "" if any(token["open"] or token[0].startswith("#") for token in TOKEN.finditer(line)) else line


def _lines(text: str) -> Iterator[str]:
    begun = ""
    for line in text.replace("\\\n", " ").split("\n"):
        found = _WITH_COMMENT.fullmatch(line)
        step = (found["told"] if found else line).strip().removesuffix(";").strip()
        if step and _GOES_ON.search(step):
            begun += f"{step} "
        elif step:
            yield begun + step
            begun = ""


def _filled(line: str, known: dict[str, str]) -> str:
    """What stands in single quotes stays as it is."""
    return re.sub(r"\\.|'[^']*'|\$(?:\{(\w+)\}|(\w+))", lambda use: known.get(use[1] or use[2], use[0]), line)


def _is_of_shell(line: str) -> bool:
    """Whether ``&&`` may not stand before or after it."""
    return bool(
        re.match(r"(?:if|then|else|elif|fi|for|do|done|\[|test)(?!\S)|[(){}]", line)
        or line.endswith(("then", "&", "("))
    )


def _joined(told: str) -> str:
    """The shell's own words end no command."""
    line = re.sub(r"((?<!\S)(?:then|do|else|[{(])|&)\n", r"\1 ", told)
    return line.replace("\n", "; ")
