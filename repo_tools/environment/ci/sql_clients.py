"""A client of a database that is given what it is to do by a shell, as it could be said without one. Pure."""

import re
from collections.abc import Mapping

from repo_tools.environment.ci.script_words import words_in
from repo_tools.environment.ci.values import UNKNOWN
from repo_tools.environment.shell.syntax import Pipeline, Redirection, Simple

SQL_CLIENTS = frozenset({"mysql", "mariadb", "psql"})
STARTERS = frozenset({"docker", "docker-compose"})
_LONGEST = 1_000
_PATH = re.compile(r"[\w./-]+")


def fed_client(pipeline: Pipeline, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """``psql app < made.sql`` and ``cat made.sql | psql app`` as ``psql app --file=made.sql``; what a here-document, or
    ``echo 'select 1' | psql app``, says as one word more. None where it is something else."""
    *before, client = pipeline.commands
    if not isinstance(client, Simple) or len(before) > 1:
        return None
    words = words_in(client.words, known)
    if not words or SQL_CLIENTS.isdisjoint(words) or len(client.redirections) != (not before):
        return None
    told = _piped(before[0], words, known) if before else _read(client.redirections[0], known)
    return (*words, told) if told else None


def _read(given: Redirection, known: Mapping[str, str]) -> str:
    if given.document is not None:
        said = given.document.removesuffix("\n")
        return said if len(said) <= _LONGEST and UNKNOWN not in said else ""
    path = words_in([given.target], known) or ()
    return f"--file={path[0]}" if given.operator == "<" and len(path) == 1 and _PATH.fullmatch(path[0]) else ""


def _piped(teller: object, client: tuple[str, ...], known: Mapping[str, str]) -> str:
    """A client is one by itself, or in another user's name or a container."""
    is_client = client[0] in SQL_CLIENTS | STARTERS | {"sudo"}
    said = words_in(teller.words, known) if isinstance(teller, Simple) and not teller.redirections else None
    if not (is_client and said and len(said) == 2):
        return ""
    if said[0] == "cat":
        return f"--file={said[1]}" if _PATH.fullmatch(said[1]) else ""
    return said[1] if said[0] in ("echo", "printf") else ""
