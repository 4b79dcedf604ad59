"""What JavaScript product code says, as far as a verdict needs it: by its text. Pure.

This is a tripwire, not a proof: JavaScript has no end of ways to write a name. What counts is what a change has more of
than its base.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

_BEGINS = re.compile(r"""["'`]|/\*|//""")
_INSIDE = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+", re.DOTALL),
    "`": re.compile(r"(?:[^`\\]|\\.)*+", re.DOTALL),
    "/*": re.compile(r".*?(?=\*/|\Z)", re.DOTALL),
    "//": re.compile(r"[^\n]*+"),
}
_CLOSED_BY = {'"': '"', "'": "'", "`": "`", "/*": "*/", "//": ""}
_RUNNERS = (
    r"node:test|jest|@jest/[\w-]+|vitest|mocha|tape|tap|@tapjs/[\w-]+|ava|jasmine|qunit|uvu"
    r"|chai|sinon|expect|proxyquire|mock-require|rewire"
)
_BUILT_IN = "(?:Object|Function|Array|Error|Promise|Number|String|Map|Set)"
_OWN = "(?:Array|Error|Promise|Number|String|Map|Set)"
_DECLARED = re.compile(
    rf"^(?:export\s+(?:default\s+)?)?(?:(?:function|class)\s+({_OWN})\b"
    rf"|(?:var|let|const)\s+({_OWN})\s*=\s*(?:function|class)\b)",
    re.MULTILINE,
)
"""Built-in names that a file has for its own: at the beginning of a line, so that it is for the whole file."""
_NAMESPACE = "(?:Object|Array|Number|String|JSON|Math|Reflect)"
_GLOBAL = r"(?:globalThis|global|window|self)"
_MEMBER = r"\s*+(?:\.\s*+\w++|\[[^\]]{1,500}\])"
_ITSELF = rf"(?:(?<![\w$.])|\b{_GLOBAL}\s*\.\s*)"
"""Before the name of a built-in: no member of something else that is called so."""
_CLOSED = r"(?:['\"`]\s*\])?"
_ASSERT = r"['\"`](?:node:)?assert(?:/strict)?['\"`]"
_REPLACED = rf"(?:{_MEMBER}){{1,50}}+\s*+=(?![=>])"
_ASSERTIONS = "assertions, to replace them"
_CALLED_ASSERT = re.compile(
    rf"\b(\w{{1,50}}+)\s*+=\s*+(?:await\s++)?(?:require|import)\s*\(\s*{_ASSERT}\s*\)(?!\s*\.)"
    rf"|\bimport\s++(?:\*\s*as\s++)?(\w{{1,50}}+)\s++from\s*{_ASSERT}"
)
_MOST_ASSERTS = 20
"""Names of that module in one file that are looked for; more are no file's that a person wrote."""
_NO_FUNCTION = r"\s*(?:[!=]==?\s*['\"`](?:object|string|number|boolean|symbol|bigint)['\"`]|\??\.\s*\w|\[)"
"""What a runner's global is not, nor where there is none, or a member, for which there has to be one: a parameter is
asked for."""
_MENTIONS = {
    "a test runner": re.compile(rf"""(?:require\(|import\(|from|import)\s*['"`](?:{_RUNNERS})(?:/[^'"`]*)?['"`]"""),
    "a variable that test runners set": re.compile(
        r"\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST(?:_\w+)?|__vitest_\w+|MOCHA_\w+|TAP_CHILD_ID|AGENT_FIX_\w+)\b"
        r"|\bNODE_ENV\b['\"`\]\s]*[!=]==?\s*['\"`]test"
    ),
    "a test runner's globals": re.compile(
        rf"\b{_GLOBAL}\s*(?:\.\s*|\[\s*['\"`])(?:it|test|describe|expect|jest|vi|QUnit|before|after|assert"
        r"|beforeEach|afterEach|beforeAll|afterAll)\b|\bjest\s*\.\s*\w+\("
        r"|\btypeof\s+(?:jest|vi|QUnit)\b"
        rf"|\btypeof\s+(?:it|test|describe|expect|beforeEach|afterEach|beforeAll|afterAll)\b(?!{_NO_FUNCTION})"
        rf"|['\"`](?:it|test|describe|expect|jest|vi|QUnit|beforeEach|beforeAll)['\"`]\s*in\s+{_GLOBAL}\b"
        r"|\b(?:globalThis|global)\s*\.\s*(?:suite|specify)\b|\btypeof\s+suite\s*[!=]==?\s*['\"`](?:undefined|function)"
        r"|\b__karma__\b|\bjasmine\s*\.\s*getEnv\b"
    ),
    "where tests stand": re.compile(r"""['"`/\\.](?:__tests__|__mocks__|[\w-]+\.(?:test|spec)\.[cm]?[jt]sx?)"""),
}
_REACHES = {
    "Node's module loader": re.compile(
        r"\brequire\s*\.\s*(?:cache|extensions|main)\b|\bprocess\s*\.\s*mainModule\b|\bmodule\s*\.\s*(?:parent|constructor)\b|\bModule\s*\.\s*_\w+|['\"`](?:node:)?module['\"`]"
    ),
    _ASSERTIONS: re.compile(
        rf"(?:\bassert(?!ion)\w*+|{_ASSERT}\s*\)){_REPLACED}"
        r"|Object\s*\.\s*(?:assign|definePropert\w+)\s*\(\s*(?:assert|require\s*\(\s*['\"`](?:node:)?assert)"
    ),
    "what its process says, or how that ends": re.compile(
        rf"{_ITSELF}(?:console(?!\s*\.\s*(?:error|warn|trace)\b){_MEMBER}"  # no runner's result
        rf"|process\s*(?:\.\s*|\[\s*['\"`])"
        rf"(?:std(?:out|err){_CLOSED}{_MEMBER}|(?:exit|reallyExit|emit){_CLOSED}))\s*=(?![=>])"
        r"|\bObject\s*\.\s*(?:assign|definePropert\w+)\s*\(\s*(?:console|process)\s*(?:\.\s*std(?:out|err)\s*)?,"
    ),
    "the machine below": re.compile(
        r"/proc/|\bprocess\s*\.\s*(?:binding|dlopen|_\w+)|['\"`](?:node:)?(?:inspector|v8|vm)['\"`]"
    ),
    "code made at run time": re.compile(r"\beval\s*\(|\bnew\s+Function\s*\(|\bFunction\s*\(\s*['\"`]"),
    "built-in objects": re.compile(
        rf"\b{_BUILT_IN}\s*\.\s*prototype{_MEMBER}\s*=(?!=)"
        r"|\b(?:Object|Reflect)\s*\.\s*(?:assign|set\w*|definePropert\w+)\s*\(\s*"
        rf"(?:{_GLOBAL}\s*\.\s*)?(?:{_BUILT_IN}\s*\.\s*prototype|{_NAMESPACE})\s*,"
        rf"|{_ITSELF}{_NAMESPACE}{_MEMBER}\s*=(?![=>])"
        rf"|\b{_GLOBAL}\s*\.\s*(?:{_BUILT_IN}|{_NAMESPACE}|Date|RegExp)\s*=(?![=>])"
    ),
}
_NOTED = {
    "how its process was started": re.compile(
        r"\bprocess\s*\.\s*(?:argv0?|execArgv|title|listenerCount|listeners|eventNames)\b|\benv\s*\.\s*CI\b|\bNODE_ENV\b"
        r"|\bimport\s*\.\s*meta\s*\.\s*env\s*\.\s*(?:MODE|TEST|DEV|PROD)\b"
    ),
    "who called it": re.compile(
        r"(?:\bnew\s+Error\s*|(?<![\w$.])Error\s*(?=\())(?:\([^()\n]{0,200}\)\s*)?(?:\)\s*)?\.\s*stack\b"
        r"|\bprepareStackTrace\b"
    ),
}


def mentions_of_tests_in(source: bytes) -> Counter[str]:
    """How often the code names tests or what runs them."""
    return _counted(_MENTIONS, source)


def reaches_of(source: bytes) -> Counter[str]:
    """How often the code reaches for what a test in the same process stands on."""
    return _counted(_REACHES, source) + _replaced(source)


def _replaced(source: bytes) -> Counter[str]:
    """How often a member of Node's assertions is given another value, under a name that the file has for them."""
    found = chain.from_iterable(_CALLED_ASSERT.findall(source.decode("utf-8", "replace")))
    names = "|".join(sorted({name for name in found if name and not re.match("assert(?!ion)", name)})[:_MOST_ASSERTS])
    return _counted({_ASSERTIONS: re.compile(rf"(?<![\w$.])(?:{names}){_REPLACED}")} if names else {}, source)


def newly_reached(old: Sequence[bytes], new: Sequence[bytes]) -> Counter[str]:
    """What the same files have more of, as they are and without names that are their own: code that moves from a class
    to a file that only uses it is nothing new."""
    if not (more := _more(old, new)):
        return more
    apart = [*map(_apart_from_own, old, new)]
    return more & _more((before for before, _ in apart), (after for _, after in apart))


def _more(old: Iterable[bytes], new: Iterable[bytes]) -> Counter[str]:
    return sum(map(reaches_of, new), Counter[str]()) - sum(map(reaches_of, old), Counter[str]())


def _apart_from_own(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Both forms of a file, without the names that are built-in objects' elsewhere and its own functions' or classes'
    here (`Promise`, `Map`), in both of them."""
    own = "|".join(_declared(old) & _declared(new))
    if not own:
        return old, new
    called = re.compile(rf"(\.\s*+)?\b(?:{own})\b".encode())
    return called.sub(_unless_member, old), called.sub(_unless_member, new)


def _declared(source: bytes) -> set[str]:
    return {one or other for one, other in _DECLARED.findall(without_comments(source))}


def _unless_member(found: re.Match[bytes]) -> bytes:
    return found[0] if found[1] else b"_"


def doubtful_in(source: bytes) -> Counter[str]:
    """How often the code asks, for honest reasons as often as not, what could tell a test from a user."""
    return _counted(_NOTED, source)


def same_javascript(one: bytes, other: bytes) -> bool:
    """Whether two sources differ in comments and indentation alone."""
    return _lines(one) == _lines(other)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where each string, template and comment begins and ends; what is not closed is none. Once through the text,
    whatever it holds."""
    unclosed = dict.fromkeys(_INSIDE, 0)  # none of this kind that begins before is closed
    place = 0
    while begin := _BEGINS.search(text, place):
        kind, place = begin[0], begin.start() + 1
        inside = None if place <= unclosed[kind] else _INSIDE[kind].match(text, begin.end())
        if inside and text.startswith(_CLOSED_BY[kind], inside.end()):
            place = inside.end() + len(_CLOSED_BY[kind])
            yield begin.start(), place
        elif inside:
            unclosed[kind] = inside.end()


def _counted(patterns: dict[str, re.Pattern[str]], source: bytes) -> Counter[str]:
    text = source.decode(
        "utf-8", "replace"
    )  # comments too: where one begins is not to be told from a regular expression
    return Counter({what: len(pattern.findall(text)) for what, pattern in patterns.items() if pattern.search(text)})


def _lines(source: bytes) -> list[str]:
    return [line.strip() for line in without_comments(source).splitlines() if line.strip()]


def without_comments(source: bytes) -> str:
    """With a blank for each."""
    text = source.decode("utf-8", "replace")
    kept, last = [], 0
    for start, end in pieces(text):
        if text[start] == "/":
            kept += [text[last:start], " "]
            last = end
    return "".join((*kept, text[last:]))
