"""Compilers to which a warning is none but a warning: one that is not of a repository's day has others, and a build
that takes them for errors ends there."""

import re
from collections.abc import Iterable

from repo_tools.environment.contract import NOTE, SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT

TOLD = "warnings are not taken for errors (-Werror)"
_STRICT = re.compile(r"-Werror\b|WARNING_AS_ERROR\b")
_BIN = f"{ENVIRONMENT}/bin"
_WITHOUT = 'for word; do shift; case $word in -Werror|-Werror=*) ;; *) set -- "$@" "$word" ;; esac; done'
# They stand before the image's own on the search path, of set-up and of tests, and start these by their full paths.
_WRAP = f"""
mkdir -p {_BIN}
for name in cc gcc c++ g++; do
  own=$(command -v "$name") || continue
  case $own in {_BIN}/*) continue ;; esac
  printf '%s\\n' '#!/bin/sh' '{_WITHOUT}' "exec $own \\"\\$@\\"" >{_BIN}/$name && chmod +x {_BIN}/$name
done
echo '{NOTE}{TOLD}'
"""


def lenient(texts: Iterable[str]) -> tuple[SetupCommand, ...]:
    """What makes them, where one of a build's own `texts` is strict."""
    if not any(map(_STRICT.search, texts)):
        return ()
    return (SetupCommand(("sh", "-c", _WRAP), required=False),)
