"""What an issue asks for: its words by weight, and what it names outright (paths, modules, identifiers)."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from repo_tools.repo_map.tongues import tongues
from repo_tools.repo_map.traces import Frame, read_places, read_traces, with_slashes
from repo_tools.repo_map.words import WORD, terms

MAX_CHARACTERS = 100_000
MAX_TITLE = 200
"""Characters in which the part of the code is looked for."""

TITLE_WEIGHT = 2.0
"""A title's words count as if they stood there more than once: the rest repeats, digresses and quotes."""

MANY_WORDS = 25
"""Different words of a text below the title. Those of a longer one weigh together as much as so many: logs, lists and
tables say more words, not more."""

SHORTEST_FILE_NAME = 4

MAX_MODULES = 300
"""The first names of several parts: each is held against every file that is called so."""

_UNSAID = re.compile(
    r"https?://\S+|^(?:signed-off-by|co-authored-by|reviewed-by|change-id|git-svn-id):.*$"
    r"|^[ \t]*<!--(?:(?!<!--|-->)[\s\S])*-->"
    r"|(?<![\w./-])(?:0x(?:0000|ffff)?[\da-f]{9,12}|(?=[a-f]*\d)(?![a-f]{1,3}\d{4,6}\b)[\da-f]{7,64})(?![\w/-]|\.\w)"
    r"|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b"
    r"|\(cherry picked from commit \w+\)|(?<![/\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w+(?![\w.]{0,40}/)",
    re.I | re.M,
)
"""Addresses, trailers, comments of HTML (an issue's template speaks in them), places in memory, ids of commits and
the like; ``ed25519`` is a name, and ``0x80070005`` a constant."""

_NUMBER = re.compile(r"(?<!\w)\d+")
"""One that is no part of a word: it says nothing."""
_LINK = (
    r"https?://(?:[\w.-]{1,60}/(?:[^\s/]{1,100}/){2,6}(?:-/)?(?:blob|blame|src/(?:branch|commit|tag))"
    r"|bitbucket\.org/[^\s/]{1,60}/[^\s/]{1,100}/src|raw\.githubusercontent\.com/[^\s/]{1,60}/[^\s/]{1,100})"
    r"/([^\s#?)>\"']{1,300})(?:[?][^\s#]{0,100})?(?:#(?:L|lines-)(\d{1,6}))?"
)
"""To a file in a repository. What is left of it is a path, below a branch or a commit, and the line."""

_NOT_SPACED = "[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]"
_BESIDE_CODE = rf"(?<=\w)(?={_NOT_SPACED})(?<!{_NOT_SPACED})|(?<={_NOT_SPACED})(?=\w)(?!{_NOT_SPACED})"
"""Chinese, Japanese and Korean are written without a space before a name or a path. Not compiled before an issue has
some: that takes half as long as all of the other patterns of a map together."""

_SERVED = (
    r"https?://(?:(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?P<own>)|[\w.-]{1,100}|\[[\da-f:]{2,40}\])(?::\d{1,5})?"
    r"(?P<path>/[^\s?#:()]{1,300}\.\w{1,7})(?:\?[^\s:()]{0,100})?(?=(?(own)|:(?![12]:)\d{1,6}):\d)"
)
"""A server before a place in a source, as a browser's stack trace names it, and the query behind. Elsewhere than on a
developer's own machine the first lines are those of a bundle."""

_PATH = re.compile(
    r"(?<![\w./@-])(?:[A-Za-z]:)?(?:[\w./\\+@~-]|\[[\w.-]{1,40}\]|\(\w{1,40}\)/){1,300}\.[A-Za-z]\w{0,8}\b"
)
_MODULE = re.compile(
    r"(?:(?<![\w./\\-])|(?<=@/)|(?<=~/))[A-Za-z_][\w-]{0,60}(?:(?:[./#]|::|\\\\?)[A-Za-z_][\w-]{0,60}){1,12}"
)
_SEPARATOR = re.compile(r"[./#\\:]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,60}")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_CALLED = re.compile(r"\b([A-Za-z_]\w{2,60})\(")
_SHAPED = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SCOPE = re.compile(r"\W*[\w ]*?\(([^)#]{2,40})\)!?:|([\w/,. -]{2,60}?):\s")
_JOINED = re.compile(r"[A-Za-z]\w{0,60}(?:-\w{1,60}){0,8}")
_JOINED_SHAPE = re.compile(r"[-_]|[a-z][A-Z]")
PLAIN_NAME = 0.35
"""How much a plain word counts as the name of a file, beside one that is written as a name."""

_SAID_OFTEN = frozenset(
    b"the and for that this with not are was but from have has had can will would should when where which what how who "
    b"you your they them there their then than its into also been being does did doing done only some such all any may "
    b"might must could because about after before just like more most other our out over own same now too very via per "
    b"fix fixe fixed fixing close closed resolve issue bug please thank thanks hello using use used instead see etc if "
    b"in is it of on or so to up we be by do as at an am he me my no us pull request pr gh commit merge refs ref "
    b"expected actual behavior behaviour steps reproduce version description".split()
)


class Query(NamedTuple):
    """`weights`: term -> how much it counts. `scope`: terms of what stands before the title's colon (``fix(parser):``,
    ``tpl/resources:``). `file_names`: what may be the name of a file, as `file_name` gives it -> how likely, up to 1.
    `tongues`: code of a language that people speak and the issue names -> how much it is about that one, up to 1.
    `identifiers` are code by their shape, quotes or parentheses; `modules` are names of several parts (``a.b``,
    ``A::B#c``, ``a/b``); each of `traces` has its innermost frame first; `places` are lines that are named beside
    them."""

    weights: Mapping[int, float]
    scope: frozenset[int]
    file_names: Mapping[str, float]
    tongues: Mapping[str, float]
    identifiers: frozenset[str]
    words: frozenset[str]
    paths: tuple[str, ...]
    modules: tuple[str, ...]
    traces: tuple[tuple[Frame, ...], ...]
    places: tuple[Frame, ...] = ()


def read_query(issue: str) -> Query:
    """`issue` is a title, then lines of text; empty for a map of the repository as such."""
    text = _UNSAID.sub(" ", _without_addresses(_readable(issue)))
    title, _, body = text.strip().partition("\n")
    words = frozenset(_IDENTIFIER.findall(text))
    quoted = " ".join(_QUOTED.findall(text))
    shaped = frozenset(word for word in words if _SHAPED.search(word))
    return Query(
        _weights(title, body),
        _scope(title),
        _file_names(text),
        tongues(title, body),
        shaped | frozenset(_IDENTIFIER.findall(quoted)) | frozenset(_CALLED.findall(text)),
        words,
        tuple(dict.fromkeys(with_slashes(match) for match in _PATH.findall(text))),
        tuple(dict.fromkeys(_MODULE.findall(text)))[:MAX_MODULES],
        read_traces(text),
        read_places(text),
    )


def _readable(issue: str) -> str:
    text = issue[:MAX_CHARACTERS].encode("utf-8", "replace").decode()
    return text if text.isascii() else re.sub(_BESIDE_CODE, " ", text)


def _without_addresses(text: str) -> str:
    return re.sub(_SERVED, r" \g<path>", re.sub(_LINK, _linked, text)) if "://" in text else text


def _linked(link: re.Match[str]) -> str:
    return f" /{link[1]}:{link[2]} " if link[2] else f" /{link[1]} "


def _weights(title: str, body: str) -> dict[int, float]:
    """Repetition counts less and less."""
    of_title, of_body = _counted(title), _counted(_different_lines(body))
    counts: dict[int, float] = {}
    for words, weight in ((of_title, TITLE_WEIGHT), (of_body, 1.0)):
        for word, count in words.items():
            for term in terms[word]:
                counts[term] = counts.get(term, 0.0) + weight * count
    share = min(1.0, MANY_WORDS / max(len(of_body), 1))
    said = {term for word in of_title for term in terms[word]}
    return {term: (1.0 + math.log(count)) * (1.0 if term in said else share) for term, count in counts.items()}


def _counted(text: str) -> Counter[bytes]:
    return Counter(word for word in WORD.findall(text.encode()) if word.lower() not in _SAID_OFTEN)


def _different_lines(body: str) -> str:
    """A log says one thing a thousand times: lines that differ in numbers alone are one."""
    return "\n".join({_NUMBER.sub("", line): line for line in body.splitlines()}.values())


def _scope(title: str) -> frozenset[int]:
    found = _SCOPE.match(title[:MAX_TITLE])
    words = WORD.findall((found[1] or found[2]).encode()) if found else []
    return frozenset(term for word in words if word.lower() not in _SAID_OFTEN for term in terms[word])


def _file_names(text: str) -> dict[str, float]:
    names: dict[str, float] = {}
    for name in _JOINED.findall(text):
        strength = 1.0 if _JOINED_SHAPE.search(name) else PLAIN_NAME
        plain = file_name(name)
        names[plain] = max(strength, names.get(plain, 0.0))
    return {name: strength for name, strength in names.items() if len(name) >= SHORTEST_FILE_NAME}


def file_name(name: str) -> str:
    """``FirstArgument``, ``first-argument`` and ``first_argument`` are one name."""
    return name.replace("_", "").replace("-", "").lower()


def module_parts(name: str) -> list[str]:
    return _SEPARATOR.split(name)
