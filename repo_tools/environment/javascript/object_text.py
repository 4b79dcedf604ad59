"""Objects in the source of a file of tasks or settings, as far as patterns can read them: where one ends, and what it
tells mocha. Pure."""

import re

TEXT = r"""'[^'\n]*'|"[^"\n]*\""""
"""A text in quotes."""
TEXTS = rf"\[\s*+(?:(?:{TEXT})\s*+,?+\s*+)*+\]|{TEXT}"
"""One, or a list of nothing else."""
_COMMENT = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\\n])*+'?|"(?:\\.|[^"\\\n])*+"?|`(?:\\.|[^`\\])*+`?)|//[^\n]*|/\*.*?(?:\*/|\Z)""",
    re.DOTALL,
)
"""Or a text, which may look like one: ``'test/*/*.js'``. Either may have no end: looking for that of each anew would
take the square of the time."""
_PARENTHESIS = re.compile(rf"{TEXT}|[()]")
_OPTIONS = re.compile(rf"""\b(?P<name>require|timeout|ui|compilers)['"]?\s*:\s*(?P<value>\[[^][{{}}]*\]|{TEXT}|\d+)""")
BUILDS_NOTHING = re.compile(
    r".*(?:lint|hint|jscs|standard|prettier|karma|jasmine|cover|istanbul|watch|server|connect|bump|release).*"
    r"|(?!build|compile|transpile|bundle|(?:babel|browserify|clean|coffee|concat|copy|rollup|ts|typescript|webpack)\b)"
    r".*(?:test|unit|spec).*",
    re.IGNORECASE,
)
"""Names of tasks that make nothing which tests need; what builds may be called after the tests that it is for."""


def block_of(text: str) -> str:
    """Up to the brace that closes what was open before `text`."""
    depth = 1
    for found in re.finditer(r"[{}]", text):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return text[: found.start()]
    return text


def call_of(text: str) -> str:
    """Up to the parenthesis that closes the first one of `text`; all of it where nothing does."""
    depth = 0
    for found in _PARENTHESIS.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth and found[0] == ")":
            return text[: found.end()]
    return text


def without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found["text"] or "", text)


def option_words(block: str) -> list[str]:
    """Those of an object's properties that mocha's command line knows too, as its words; each once, however many of
    its objects have it."""
    told = ((f"--{found['name']}", value) for found in _OPTIONS.finditer(block) for value in texts_of(found["value"]))
    return [word for option in dict.fromkeys(told) for word in option]


def texts_of(value: str) -> list[str]:
    """The texts in one, or a list of them, or a number."""
    return [value] if value.isdigit() else [text[1:-1] for text in re.findall(TEXT, value)]
