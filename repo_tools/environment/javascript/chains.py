"""The commands of a script's one line. Pure."""

import re
import shlex
from itertools import islice, pairwise

from repo_tools.environment.javascript.groups import AndOr, alternatives, and_or_lists, grouped, in_braces
from repo_tools.environment.javascript.pipes import TOKEN, opened, that_count
from repo_tools.environment.runners.javascript_command import EACH_FILE, split_operands

_REDIRECTION = re.compile(
    r"""('[^']*'|"(?:[^"\\]|\\.)*"|\\.)|(?<!\S)(?:\d?>{1,2}|\d?<|&>{1,2})(?:&\d|&-|\s{0,9}[\w./-]+)(?!\S)""", re.DOTALL
)
_MOST_TOKENS = 2_000
_DEEPEST = 3
_FIND = re.compile(r"\$\(find (?P<told>(?:[^()`$\\]|\\[()!*]){1,400})\)|`find (?P<ticked>[^`$]{1,400})`")
_OF_ANOTHER = re.compile(
    r"""(?<!\S)(?:\$\((?P<told>(?:[^()`$'"\\]|'[^']*'|"[^"$`\\]*"){1,400})\)|`(?P<ticked>[^`$]{1,400})`)(?!\S)"""
)
_OF_FIND = re.compile(r"-o|-or|-type|f|\(|\)|-name")
_CONDITION = re.compile(r"(?:if|elif|while|until|for|case)\s.*|(?:fi|done|esac)(?:\s.*)?", re.DOTALL)
_WITH_VALUE = frozenset(
    (
        *("-m", "--max-processes", "-n", "--names", "--name-separator", "-s", "--success", "--hide", "-p", "--prefix"),
        *("-c", "--prefix-colors", "-l", "--prefix-length", "-t", "--timestamp-format", "--restart-tries"),
        *("--restart-after", "--default-input-target", "--kill-signal", "--kill-timeout", "--cwd"),
    )
)
"""Options of ``concurrently`` whose value follows."""
_OF_A_MANAGER = re.compile(r"^(?:npm|yarn|pnpm|bun):")
_IN_PARENTHESES = re.compile(
    r"(?P<before>(?:^|&&|\|\||;|(?<!\$)\()\s{0,9})\((?P<commands>[^()]{1,1000})\)(?=\s{0,9}(?:$|[&|;)]))"
)
_GOES = re.compile(r"(?:^|[\s;&|])cd ")
_UNDER_CONDITION = re.compile(r"^(?:(?:then|else|do)\s+){1,9}")
_GOES_ON = re.compile(r"(?:continue|break|exit|return)(?: [\w$?]{1,9})?")
_LOOP = re.compile(
    r"for (?P<name>\w{1,40}) in (?P<files>[^;&|`$()]{1,400});\s{0,9}do\s{1,9}"
    r"(?:(?:echo|printf)\s(?:[^;&|<>`$]|\$(?!\()){0,100}(?:;|&&)\s{0,9}){0,3}(?P<start>node\b[^;&|]{0,100}?)"
    r"\s[\"']?\$\{?(?P=name)\b\}?[\"']?\s{0,9}(?:\|\|\s{0,9}exit(?: [\w$?]{1,9})?\s{0,9})?;\s{0,9}done\b"
)
_LOOP_HEAD = re.compile(r"for (?P<name>\w{1,40}) in (?P<files>.{1,400})")
_OF_LOOP = re.compile(r"(?P<quote>[\"']?)\$(?P<brace>\{)?(?P<name>\w{1,40})(?(brace)\})(?P=quote)(?!\S)")
_STARTS_MOCHA = re.compile(r"(?:^|(?<!run)\s|/)_?mocha\s")
_CONDITIONS = (["["], ["[["], ["test"])
_NO_CHAIN = re.compile(r"\|\||;|(?<![&>])&(?![&>])")
_OF_SHELL = re.compile(r"(?:^|[\s;&|(])(?:if|for|while|until|case) ")
_OPERATORS = (";", "&", "&&", "||", "|", "{")
_ONE_AFTER_THE_OTHER = re.compile(r"[^|;<>()`$&]*(?:&&[^|;<>()`$&]*)*")


def split_chain(text: str) -> list[str]:
    """The commands of ``a && b``, each without what only shows its results (``| tap-spec``). In braces is what of it is
    not always carried out, or may fail (``{ a || b ; }``), or runs beside what follows (``{ a & }``); what a shell of
    its own does elsewhere is one too (``(cd a && b)``). An open quote: all of it as one."""
    lists = _lists(text)
    return [text] if lists is None else grouped(lists, is_flat=bool(_OF_SHELL.search(text)))


def carried_out_in(part: str) -> list[str]:
    """The chains of a group, or of a shell of its own, of which mostly one is carried out."""
    if inside := in_shell(part):
        return [inside]
    inside = in_braces(part)
    lists = (_lists(inside) or []) if inside else []
    return alternatives(lists) or [inside] * (len(lists) > 1)


def every_command(text: str, depth: int = 0) -> list[str]:
    """As `split_chain`, and those in braces each by itself."""
    if depth > _DEEPEST:
        return [text]
    of_parts = ((part, carried_out_in(part) if in_braces(part) else []) for part in split_chain(text))
    return [each for part, chains in of_parts for one in chains or [part] for each in _each(one, part, depth)]


def _each(one: str, part: str, depth: int) -> list[str]:
    return [one] if one == part else every_command(one, depth + 1)


def _lists(text: str) -> list[AndOr] | None:
    """None where a quote is open."""
    pipes: list[list[list[str]]] = [[[]]]
    operators: list[str] = []
    depth = braces = 0
    for token in islice(TOKEN.finditer(_without_parentheses(text)), _MOST_TOKENS):
        if token["open"]:
            return None
        if (token["word"] or "").startswith("#") and "\n" not in text:
            break  # a comment
        operator = token["operator"]
        begins = not pipes[-1][-1] or pipes[-1][-1][-1] in _OPERATORS
        braces += (token[0] == "{" and begins) - (token[0] == "}" and begins and braces > 0)
        if operator == "|" and not depth and not braces:
            pipes[-1].append([])
        elif operator and not depth and not braces:
            operators.append(operator)
            pipes.append([[]])
        else:
            pipes[-1][-1].append(token[0])
            depth = max(0, depth + opened(token[0]))
    told = zip(pipes, [*operators, ""], strict=True)
    return and_or_lists([(_of_pipe(commands), operator) for commands, operator in told if commands[0]])


def in_shell(part: str) -> str:
    """What ``(a && b)`` carries out; empty where it is something else."""
    inside = part[1:-1].strip() if part.startswith("(") and part.endswith(")") else ""
    return inside if not opened(inside) else ""


def _of_pipe(commands: list[list[str]]) -> str:
    return " | ".join(map(" ".join, that_count(commands)))


def without_redirections(part: str) -> str:
    """``mocha 2>&1``, ``tape test.js > results.tap``: who hears the results decides where they go."""
    return _REDIRECTION.sub(lambda found: found[1] or "", part)


def with_patterns(part: str) -> str:
    """``$(find test -name '*.test.js')`` as the pattern ``test/**/*.test.js``; the names that another command tells
    (``$(grep -l it test/*)``) as one word, of which they are made when the tests are run."""
    if re.search(r"\b(?:jest|vitest)\b", part):  # which take no patterns of files
        return part
    plain = _FIND.sub(lambda found: _pattern_of(found["told"] or found["ticked"]) or found[0], part)
    return _OF_ANOTHER.sub(lambda found: shlex.quote(f"$({found['told'] or found['ticked']})"), plain)


def _pattern_of(told: str) -> str:
    try:
        words = shlex.split(told)
    except ValueError:
        return ""
    first = next((index for index, word in enumerate(words) if word.startswith(("-", "("))), len(words))
    folders, conditions = words[:first] or ["."], words[first:]
    names = [name for option, name in pairwise(conditions) if option == "-name"]
    others = [word for before, word in pairwise(["", *conditions]) if before != "-name"]
    if not names or not all(map(_OF_FIND.fullmatch, others)):
        return ""
    return " ".join(shlex.quote(f"{folder.rstrip('/')}/**/{name}") for folder in folders for name in names)


def _without_parentheses(text: str) -> str:
    """What a shell of its own carries out, as if there were none; not where it goes elsewhere meanwhile, or is more
    than a chain among others."""

    def put(found: re.Match[str]) -> str:
        is_all = found.end() == len(found.string) and not found["before"]
        is_chain = not _NO_CHAIN.search(found["commands"]) and not found["before"].startswith("||")
        return found["before"] + found["commands"] if is_all or is_chain else found[0]

    for _ in range(_DEEPEST):
        text = _IN_PARENTHESES.sub(lambda found: found[0] if _GOES.search(found["commands"]) else put(found), text)
    return text


def without_loops(text: str) -> str:
    """``for f in test/*.js; do node $f; done`` as ``node test/*.js``, for a runner that takes file by file; what is
    only said of each file is not said."""
    return _LOOP.sub(r"\g<start> \g<files>", text)


def branches_of(parts: list[str]) -> list[str]:
    """The commands of a chain without the shell's own words around them: ``if a; then b; else c; fi`` has b and c, and
    ``for f in test/*.js; do jest $f; done`` has ``jest test/*.js``, as one run; mocha is started for each file. What a
    loop asks of a file (``[ -f $f ] || continue``) is asked of one at a time, and so of none before all are run, those
    too that it leaves out."""
    named: dict[str, str] = {}
    branches = []
    for part in parts:
        inside = _UNDER_CONDITION.sub("", part)
        if loop := _LOOP_HEAD.fullmatch(part):
            named[loop["name"]] = with_patterns(loop["files"])
        elif not _CONDITION.fullmatch(inside) and not (named and _asks(inside, named)):
            branches.append(_with_files(inside, named))
    return branches


def _asks(part: str, named: dict[str, str]) -> bool:
    """Whether it is a condition on a loop's file, or what follows one that does not hold."""
    of_file = part.split(maxsplit=1)[:1] in _CONDITIONS and any(use["name"] in named for use in _OF_LOOP.finditer(part))
    return of_file or bool(_GOES_ON.fullmatch(part))


def _with_files(part: str, named: dict[str, str]) -> str:
    """With the files of loops in the place of their names; not for node, of which all but the first are arguments."""
    if re.match(r"(?:\w+=\S* )*node\b", part):
        return part
    filled = _OF_LOOP.sub(lambda use: named.get(use["name"], use[0]), part)
    return f"{EACH_FILE} {filled}" if filled != part and _STARTS_MOCHA.search(part) else filled


def one_after_the_other(text: str) -> set[str]:
    """The commands of a script that does no more than start each once those before it have gone well."""
    return {part.strip() for part in text.split("&&")} if _ONE_AFTER_THE_OTHER.fullmatch(text) else set()


def started_together(words: tuple[str, ...]) -> list[str]:
    """The commands that ``concurrently`` starts (https://github.com/open-cli-tools/concurrently); ``npm:x`` is a
    script."""
    if words[0] not in ("concurrently", "conc"):
        return []
    wanted = [word for word in split_operands(words[1:], _WITH_VALUE)[1] if " " in word or _OF_A_MANAGER.match(word)]
    return [_OF_A_MANAGER.sub("run-s ", word) for word in wanted]
