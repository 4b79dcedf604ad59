"""What a failed set-up lacked, read from the output of package managers and compilers. Pure.

Each package manager tries again by itself where the network fails it: pip five times, npm twice, cargo and bundler
three times. So set-up commands are not run twice.
"""

import re
from collections.abc import Callable

from repo_tools.sandbox.contract import DEFAULT_LIMITS

MOST = 5
NOT_BUILT = "the project cannot be built here"
"""Begins the note of a set-up that went on without that."""
ROOM = f"room on the sandbox's volumes ({DEFAULT_LIMITS.environment_bytes >> 30} GiB for all that is installed)"
MEMORY = f"memory (a sandbox has {DEFAULT_LIMITS.memory_bytes >> 30} GiB)"
PROVIDERS = {
    "Python.h": "python3-dev", "ffi.h": "libffi-dev", "jpeglib.h": "libjpeg-dev", "lber.h": "libldap-dev",
    "ldap.h": "libldap-dev", "libpq-fe.h": "libpq-dev", "mysql.h": "default-libmysqlclient-dev",
    "openssl/ssl.h": "libssl-dev", "sasl/sasl.h": "libsasl2-dev", "yaml.h": "libyaml-dev", "zlib.h": "zlib1g-dev",
    "pg_config": "libpq-dev", "mysql_config": "default-libmysqlclient-dev", "xml2-config": "libxml2-dev",
    "xslt-config": "libxslt1-dev", "pkg-config": "pkg-config", "g++": "g++", "gcc": "gcc", "gfortran": "gfortran",
    "GTest": "libgtest-dev", "GMock": "libgmock-dev", "Catch2": "catch2", "Boost": "libboost-all-dev",
    "cargo": "cargo", "rustc": "rustc", "cmake": "cmake", "make": "make", "node": "nodejs", "swig": "swig",
}  # fmt: skip
"""In which package Debian, whose packages the default image is made of, has it."""


def missing(output: str) -> tuple[str, ...]:
    """What the set-up said that is not there, in words for a person; empty where it says nothing of the kind. Whatever
    is in `output`: repository code may have written it."""
    if _NETWORK.search(output):
        return ("a network that answers",)
    found = (tell(match) for pattern, tell in _SIGNS for match in pattern.finditer(output))
    return tuple(dict.fromkeys(found))[:MOST]


def apt_note(packages: tuple[str, ...]) -> str:
    """For whoever looks for the cause: what the repository's own CI has besides; empty where that is nothing."""
    if not packages:
        return ""
    return f"Its CI installs {', '.join(packages)} with apt: the image may lack some of that."


def with_reason(note: str, log: str) -> str:
    """`note` of a set-up, with what its `log` says that it lacked, where it went on without the project's build."""
    lacking = missing(log) if note.startswith(NOT_BUILT) else ()
    return f"{note}; set-up lacked {'; '.join(lacking)}" if lacking else note


def _header(match: re.Match[str]) -> str:
    return f"the header {match[1]}{_provider(match[1])}"


def _program(match: re.Match[str]) -> str:
    name = re.sub(r"^(?:x86_64|aarch64)-linux-gnu-", "", match[1])
    return f"the program {name}{_provider(name)}"


def _library(match: re.Match[str]) -> str:
    return f"the system library {match[1]}{_provider(match[1])}"


def _provider(name: str) -> str:
    return f" (in Debian's {PROVIDERS[name]})" if name in PROVIDERS else ""


def _python(match: re.Match[str]) -> str:
    return f"Python {match[3]} for {match[1]} (the sandbox has {match[2]})"


def _npm(match: re.Match[str]) -> str:
    return f"{match[1]} {match[2]} (the sandbox has {match[3]})"


def _engine(match: re.Match[str]) -> str:
    return f"{match[2]} {match[3]} for {match[1]} (the sandbox has {match[4]})"


def _release(match: re.Match[str]) -> str:
    return f"{match[1].replace('@npm:', '@')} in the registry"


def _always(words: str) -> Callable[[re.Match[str]], str]:
    return lambda _: words


_NETWORK = re.compile(
    r"Temporary failure in name resolution|Could not resolve host|Name or service not known|ReadTimeoutError"
    r"|Connection reset by peer|\b502 \"?Bad Gateway|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|Network is unreachable"
    r"|NewConnectionError\('[^'\n]{0,200}Failed to establish a new connection"
)
_NAME = r"[\w.+/@-]{1,100}"
_VERSIONS = r"[^\s'\"{}][^'\"\n{}]{0,80}"
_RANGE = r"[^\s'\"@][^'\"\n@]{0,60}"
_SIGNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"fatal error: ['\"]?({_NAME}\.(?:h|hh|hpp|hxx))['\"]?(?: file not found|: No such file)"), _header),
    (re.compile(rf"(?m)^[ \t]*(?:Error: )?['\"]?({_NAME})['\"]? (?:executable )?not found\.?$"), _program),
    (re.compile(rf"(?m)(?:^|[\s/])(?:ba|da|z)?sh: (?:line )?\d*:? ?({_NAME}): (?:command )?not found"), _program),
    (re.compile(r"(?m)No such file or directory: ['\"]((?![./])[^'\"/\s]{1,60})['\"]$"), _program),
    (re.compile(rf"command ['\"]({_NAME})['\"] failed: No such file"), _program),
    (re.compile(rf"spawn ({_NAME}) ENOENT"), _program),
    (re.compile(rf"make sure the ({_NAME}) and ({_NAME}) development packages are installed"),
     lambda m: f"the system libraries {m[1]} and {m[2]}"),
    (re.compile(rf"No package ['\"]({_NAME})['\"] found"), _library),
    (re.compile(rf"Package ['\"]?({_NAME})['\"]?,? required by ['\"][^'\"\n]+['\"], not found"), _library),
    (re.compile(rf"Dependency \"({_NAME})\" not found"), _library),
    (re.compile(rf"cannot find -l({_NAME})"), _library),
    (re.compile(rf"(?<!-- )Could NOT find ({_NAME}) \(missing:"), _library),  # "-- " tells of what may be missing
    (re.compile(rf"Could not find a package configuration file provided by\s{{1,9}}\"({_NAME})\""),
     lambda m: f"the CMake package {m[1]}{_provider(m[1])}"),
    (re.compile(rf"Program ['\"]?({_NAME})['\"]? not found or not executable"), _program),
    (re.compile(r"(?m)(?:^|\.\.\. ?)configure: error: ['\"]?([^'\"\n]{1,120})"),
     lambda m: f"what configure looks for ({m[1].strip()})"),
    (re.compile(r"Rust not found|Cargo, the Rust package manager, is not installed|can't find Rust compiler"),
     _always("a Rust toolchain")),
    (re.compile(r"\[Errno 28\] No space left on device|ENOSPC"), _always(ROOM)),
    (re.compile(r"exit code:? (?:137|-9)\b|signal: 9\b|Killed signal terminated program|died with <Signals\.SIGKILL"
                r"|JavaScript heap out of memory"), _always(MEMORY)),
    (re.compile(r"CMake must be installed"), _always("the program cmake (in Debian's cmake)")),
    (re.compile(rf"Package '({_NAME})' requires a different Python: (\S+) not in '([^'\n]{{1,80}})'"), _python),
    (re.compile(r"No matching distribution found for ([^\s(][^\n(]{0,100}?)(?= \(from|\n|$)"),
     lambda m: f"{m[1]} on the package index, for this Python and platform"),
    (re.compile(rf"(?m)No matching version found for (?!.* with a date before)({_NAME}@{_RANGE}?)\.?"
                r"(?: while fetching .*)?$"), _release),
    (re.compile(rf"The requested resource '({_NAME}@{_RANGE})' could not be found"), _release),
    (re.compile(rf"({_NAME}@npm:{_RANGE}): No candidates found"), _release),
    (re.compile(rf"(?m)^error: ({_NAME}@{_RANGE}) failed to resolve$"), _release),
    (re.compile(rf"Couldn't find any versions for \"({_NAME})\" that matches \"({_RANGE})\""),
     lambda m: f"{m[1]}@{m[2]} in the registry"),
    (re.compile(rf"(?s)Required:\s+\{{\"(\w+)\":\"({_VERSIONS})\".{{0,200}}?"
                r"Actual:\s+\{\"node\":\"v?([\w.]+)\""), _npm),
    (re.compile(rf"error ({_NAME}): The engine \"(\w+)\" is incompatible with this module\. "
                rf"Expected version \"({_VERSIONS})\"\. Got \"([\w.]+)\""), _engine),
    (re.compile(rf"(?s)ERR_PNPM_UNSUPPORTED_ENGINE.{{0,600}}?Your (\w+) version is incompatible with \"({_NAME})\""
                rf".{{0,100}}?Expected version: ({_VERSIONS}?)\s*\n\s*Got: v?([\w.]+)"),
     lambda m: f"{m[1]} {m[3]} (the sandbox has {m[4]})"),
    (re.compile(rf"(?m)^node ({_VERSIONS}) is asked for by ({_VERSIONS}): the image has v?([\w.]+), and"),
     lambda m: f"node {m[1]} ({m[2]}; the sandbox has {m[3]})"),
    (re.compile(rf"ImportError: cannot import name '(\w{{1,100}})' from '({_NAME})' "
                r"\(\S{0,500}?/lib/python3\.\d+/(?!\w+-packages/)"),
     lambda m: f"an older Python: this one's {m[2]} has no {m[1]} any more"),
    (re.compile(r"SDK location not found\. Define|Failed to find (?:target with hash string|Build Tools revision)"),
     _always("the Android SDK (ANDROID_HOME)")),
    (re.compile(r"go\.mod requires go >= ([\d.]+) \(running go ([\d.]+)"),
     lambda m: f"Go >= {m[1]} (the sandbox has {m[2]})"),
)  # fmt: skip
