"""Takes secrets out of text before it is shown, stored in a transcript or published.

Every pattern consumes what it looks at, so that the time is linear in the text whatever an attacker writes; what a
pattern found too much of is put back by the `is_secret` beside it.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.unseen import without_unseen

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\]*")
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
_SCHEME = re.compile(r"(?:bearer|basic|token)[ \t]+(?=\w{6})", re.IGNORECASE)
_PLACEHOLDERS = frozenset({"password", "passwd", "pass", "pwd", "secret", "token", "xxx", "***", "..."})


def _always(found: str) -> bool:  # noqa: ARG001 - a rule asks every `is_secret` alike
    return True


def _has_digits(found: str) -> bool:
    """Words joined by underscores carry none; random tokens of this length always do."""
    return any(character.isdigit() for character in found)


def _is_jwt(found: str) -> bool:
    return "." in found


def _is_header_value(found: str) -> bool:
    """With a scheme in front, or with digits; ``request.headers.get`` is neither."""
    return _SCHEME.match(found) is not None or _has_digits(found)


def _is_no_placeholder(found: str) -> bool:
    """``user:password@host`` and ``user:{password}@host`` are how documentation and code write it."""
    return found.lower() not in _PLACEHOLDERS and not found.startswith(("{", "[", "$", "%("))


def _is_random(found: str) -> bool:
    """Conservative: what a person or a program would write as an identifier, a path or a sample stays."""
    digit_runs = len(re.findall(r"\d+", found))
    letters = sum(character.isalpha() for character in found)
    counts = Counter(found).values()
    bits = -sum(n / len(found) * math.log2(n / len(found)) for n in counts)
    return digit_runs >= 3 and letters >= 3 and bits >= 3.3 and "://" not in found and not found.startswith(("$", "%"))


@dataclass(frozen=True)
class _Rule:
    """`pattern` may keep what stands before the secret in a group ``keep``. A text that holds none of `hints` (in lower
    case) needs no look."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool] = _always

    def apply(self, text: str) -> str:
        return self.pattern.sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        kept = match.groupdict().get("keep") or ""
        return f"{kept}[redacted: {self.kind}]" if self.is_secret(match[0][len(kept) :]) else match[0]


_SECRET_NAMES = ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "private_key")
_SPELLINGS = "|".join(
    spelling
    for name in _SECRET_NAMES
    for spelling in (name, name.upper(), name.capitalize(), name.replace("key", "Key"))
)
"""Spelt out, because a search that ignores case cannot skip ahead to its first letters and takes ten times as long."""

_RULES = (
    # Installation tokens are an App id and a JWT of about 520 characters, with dots, dashes and underscores.
    _Rule("github token", ("gh",), re.compile(r"gh[pousr]_[A-Za-z0-9_.\-]{16,}"), _has_digits),
    _Rule("github token", ("github_pat_",), re.compile(r"github_pat_[A-Za-z0-9_]{16,}")),
    _Rule("anthropic key", ("sk-ant-",), re.compile(r"sk-ant-[A-Za-z0-9_\-]{8,}")),
    _Rule(
        "api key", ("sk-",), re.compile(r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))sk-[A-Za-z0-9_\-]{20,}"), _has_digits
    ),
    _Rule("aws key", ("akia", "asia"), re.compile(r"A(?:KIA|SIA)[A-Z0-9]{16,}")),
    _Rule(
        "aws key",
        ("secret_access_key", "secretaccesskey"),
        re.compile(
            r"(?P<keep>(?:secret_access_key|SECRET_ACCESS_KEY|secretAccessKey|SecretAccessKey)[\"']?[ \t]{0,4}[:=]{1,2}"
            r"[ \t]{0,4}[\"']?)[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])"
        ),
    ),
    _Rule("slack token", ("xox", "xapp-"), re.compile(r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9\-]{8,}")),
    _Rule("jwt", ("eyj",), re.compile(r"eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)*"), _is_jwt),
    _Rule(
        "authorization",
        ("authorization", "x-api-key"),
        re.compile(
            r"(?P<keep>(?<![a-z])(?:authorization|x-api-key)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?)"
            r"(?:(?:bearer|basic|token)[ \t]{1,4})?[^\s\"',;\[(]{4,}",
            re.IGNORECASE,
        ),
        _is_header_value,
    ),
    _Rule(
        "authorization",
        ("bearer ", "basic "),
        re.compile(r"(?P<keep>(?:bearer|basic)[ \t]{1,4})[A-Za-z0-9+/=_.~\-]{16,}", re.IGNORECASE),
        _has_digits,
    ),
    _Rule(
        "credentials",
        ("://",),
        re.compile(r"(?P<keep>://[^\s/:@\"'<>]{0,100}:)[^\s/@\"'<>]{3,}(?=@)"),
        _is_no_placeholder,
    ),
    _Rule(
        "secret",
        _SECRET_NAMES,
        re.compile(
            rf"(?P<keep>(?:{_SPELLINGS})\w{{0,20}}[\"']?[ \t]{{0,4}}[:=]{{1,2}}[ \t]{{0,4}}[\"']?)"
            r"[^\s\"'`,;(){}<>\[\]]{12,}+(?![(\[])"  # what a parenthesis follows is a call
        ),
        _is_random,
    ),
)


def redact(text: str) -> str:
    """`text` with ``[redacted: kind]`` in place of every secret that it shows; nothing of a secret stays.

    What cannot be seen does not hide a secret: a text that shows one when read without it is given back without it.
    """
    read = without_unseen(text)
    if read == text:
        return _redacted(text)
    shown = _redacted(read)
    return _redacted(text) if shown == read else shown


def _redacted(text: str) -> str:
    text = _without_private_keys(text)
    lowered = text.lower()
    for rule in _RULES:
        if any(hint in lowered for hint in rule.hints):
            text = rule.apply(text)
    return text


def redact_json(value: Any) -> Any:
    """A JSON value with every string in it redacted, keys too."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): redact_json(item) for key, item in value.items()}
    return [redact_json(item) for item in value] if isinstance(value, list | tuple) else value


def _without_private_keys(text: str) -> str:
    """A key whose end is missing is taken to go on for as long as its alphabet does."""
    if "PRIVATE KEY" not in text:
        return text
    parts, at, last_end = [], 0, max((m.end() for m in _PEM_END.finditer(text)), default=-1)
    while begin := _PEM_BEGIN.search(text, at):
        end = _PEM_END.search(text, begin.end()) if begin.end() < last_end else None
        body = _PEM_BODY.match(text, begin.end())
        stop = end.end() if end else body.end() if body else begin.end()
        # Code that only names the first line holds no key.
        key = any(_has_digits(line[0]) for line in _PEM_LINE.finditer(text, begin.end(), stop))
        parts += [text[at : begin.start()], "[redacted: private key]" if key else text[begin.start() : stop]]
        at = stop
    return "".join(parts) + text[at:]
