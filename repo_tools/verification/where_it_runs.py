"""Product code that asks where it runs or who calls it, or speaks of tests: in any language, by its words. Pure."""

import re
from collections import Counter

from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.verification.plain_source import SUFFIXES as PLAIN

_SOURCES = (".py", *JAVASCRIPT, *PLAIN)

_OF_THE_BOX = re.compile(
    rb"(?i)(?<![\w.@$})\]~/-])/workspace\b|/env/venv\b|\bgethostname\b|\bplatform\.node\b|\bos\.hostname\b|/proc/self\b"
    rb"|\bfor\s+\w+(?:, ?\w+)?\s+in\s+os\.environ\b(?!\[|\.get)|\b(?:str|repr|list|sorted|len)\(os\.environ\)"
    rb"|\btype\(sys\.std(?:in|out|err)\)|\bsys\.std(?:in|out|err)\.__class__\b"
    rb"|\b(?:Object\.\w+|JSON\.stringify)\(process\.env\)|\bfor\s*\([^()\n]{1,80}\s(?:in|of)\s+process\.env\)"
    rb"|\bos\.Args\b(?!\s*\[\s*1)|\bos\.Executable\(|\b(?:flag|CommandLine)\.(?:Lookup|VisitAll|Parsed)\("
    rb"|\bdebug\.Stack\(|\bruntime\.(?:Callers?|Stack|FuncForPC)\(|\bos\.getppid\b|/\.dockerenv\b"
    rb"|\bfaulthandler\.is_enabled\b|\bsys\.warnoptions\b|\bwarnings\.filters\b|\bprint_stack\("
    rb"|\benv::vars(?:_os)?\(|\bvar\(\s*\"(?:PROFILE|OPT_LEVEL)\"|\"CARGO_TARGET_TMPDIR\"|\bBacktrace::(?:force_)?capture\("
)
"""Places of a sandbox, and what asks for the name that it has, for what runs in it, for who calls or for all of its
variables."""

_ENVIRONMENT = (
    rb"(?:\benviron\b\W{0,3}(?:get\()?|\b(?:[gG]etenv|LookupEnv|env::var(?:_os)?)\(|\bENV(?:\.fetch\(|\[))\s*"
)
_NODES = rb"\bprocess\.env(?:\.|\[\s*['\"])"
_TEST = rb"(?:['\"`]test(?:ing|s)?['\"`]|/\^?test\$?/)"
_OF_THE_COMMAND = re.compile(
    rb"%(env)s['\"](?:CI|GO(?:FLAGS|CACHE|ENV|PROXY|TOOLCHAIN|111MODULE)|VIRTUAL_ENV|CARGO_(?!CFG_|FEATURE_)\w{1,40})['\"]"
    rb"|%(node)s(?:npm_(?!config_)\w|INIT_CWD\b)|(?:%(env)s['\"]|%(node)s)(?:[A-Z]{1,20}_){0,3}TEST(?:ING|S|_[A-Z_]{1,30})?\b"
    rb"|_ENV\b[^\n]{0,60}?%(test)s|%(test)s[^\n]{0,60}_ENV\b|\b(?:env|ENV)(?:ironment|IRONMENT)?\b[^\n=!]{0,20}[=!]==?\s?%(test)s"
    rb"|\bswitch\s*\(\s*%(node)s|\bRails\.env\.test\?|\bTESTING\b|\b(?:current_)?app\.testing\b(?!\.)|\bimport\.meta\.vitest\b"
    % {b"env": _ENVIRONMENT, b"node": _NODES, b"test": _TEST}
)
"""Variables and settings that what starts tests, or builds, sets for them."""

_TEXT = re.compile(rb"['\"`]([^'\"`\s:]{4,120})['\"`]")
_NAMES_TESTS = re.compile(
    rb"(?:^|[/.\\])(?:(?:tests?|testing|testdata|__tests__)[/.\\]|test_|\w{0,40}_tests?(?:[/.\\]|$))"
    rb"|[/.\\](?:tests?|testing|testdata|__tests__)$|\b_?(?:py\.?test|unittest|mocha|jest|vitest|rspec|minitest)(?:\b|_)"
)
"""A text that is a place, a module or a runner of tests."""
_OF_TESTS = re.compile(
    rb"[(,/]\s?['\"`](?:tests?|testdata|__tests__)['\"`]|['\"`](?:tests?|testdata|__tests__)['\"`]\s+(?:not\s+)?in\b"
    rb"|\n[ \t]{0,40}(?:import[ \t])?(?:[\w.]{1,40}[ \t])?\"testing\"\r?\n|\bgo:embed\b[^\n]{0,80}\btestdata\b"
    rb"|\b_mock_\w|\b_?isMockFunction\b|['\"](?:Magic|Async)?Mock['\"]|\basymmetricMatch\b|\b(?:assert_called|mock_calls)"
    rb"|\b(?:except\b|suppress\(|catch\s?\(|instanceof\b)[^:\n]{0,80}\bAssertionError\b|\bERR_ASSERTION\b"
    rb"|['\"`]AssertionError"
)
"""Names of tests, as places and modules have them, what mocks alone have, and assertions that are caught."""
_OF_RUBY = re.compile(
    rb"(?<![\w.@:])caller(?:_locations)?(?:\[|&?\.\w|\((?!s\)))|[=(]\s?caller(?:_locations)?\b"
    rb"|\$PROGRAM_NAME\b|\$LOADED_FEATURES\b|\bloaded_specs\b"
)
"""Who calls, and what is loaded; elsewhere ``caller`` is a name like any other."""


def asks_where_it_runs(path: str, source: bytes) -> Counter[bytes]:
    """Which such words are there, and how often."""
    patterns = [_OF_THE_BOX, _OF_THE_COMMAND]
    patterns += [_OF_TESTS] if path.endswith(_SOURCES) else []
    patterns += [_OF_RUBY] if path.endswith(".rb") else []
    texts = _TEXT.findall(source) if path.endswith(_SOURCES) else []
    words = (word for pattern in patterns for word in pattern.findall(source))
    return Counter((*words, *filter(_NAMES_TESTS.search, texts)))
