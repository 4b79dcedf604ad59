"""Product code that asks where it runs, or who calls it, in whatever language: by its words. Pure."""

import re
from collections import Counter

_OF_THE_BOX = re.compile(
    rb"(?i)(?<![\w.@$})\]~/-])/workspace\b|/env/venv\b|\bgethostname\b|\bplatform\.node\b|\bos\.hostname\b|/proc/self\b"
    rb"|\bfor\s+\w+(?:, ?\w+)?\s+in\s+os\.environ\b(?!\[|\.get)|\b(?:str|repr|list|sorted|len)\(os\.environ\)"
    rb"|\btype\(sys\.std(?:in|out|err)\)|\bsys\.std(?:in|out|err)\.__class__\b"
    rb"|\b(?:Object\.\w+|JSON\.stringify)\(process\.env\)|\bfor\s*\([^()\n]{1,80}\s(?:in|of)\s+process\.env\)"
    rb"|\bos\.Args\[0\]|\bos\.Executable\(|\bflag\.(?:Lookup|VisitAll)\(|\bdebug\.Stack\(|\bruntime\.Callers?\("
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


def asks_where_it_runs(source: bytes) -> Counter[bytes]:
    """Which such words are there, and how often."""
    return Counter((*_OF_THE_BOX.findall(source), *_OF_THE_COMMAND.findall(source)))
