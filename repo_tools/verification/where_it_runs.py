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

_OF_THE_COMMAND = re.compile(
    rb"(?:\benviron\b[^\n\w]{0,3}(?:get\()?|\b[gG]etenv\(|\bLookupEnv\(|\benv::var(?:_os)?\(|\bENV(?:\.fetch\(|\[))\s*['\"]"
    rb"(?:CI|GO(?:FLAGS|CACHE|ENV|PROXY|TOOLCHAIN|111MODULE)|VIRTUAL_ENV|CARGO_\w{1,40})['\"]"
    rb"|\bprocess\.env(?:\.|\[\s*['\"])(?:npm_(?!config_)\w|INIT_CWD\b)"
)
"""Variables that what starts tests, or builds, sets for them."""


def asks_where_it_runs(source: bytes) -> Counter[bytes]:
    """Which such words are there, and how often."""
    return Counter((*_OF_THE_BOX.findall(source), *_OF_THE_COMMAND.findall(source)))
