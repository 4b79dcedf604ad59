"""What others on the network could read or use of database and broker. Not refused: a network may be its own."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import SplitResult, parse_qs, urlsplit

from workers.settings import StoreSettings

HERE = frozenset({None, "localhost", "127.0.0.1", "::1"})
"""No other machine; None is a file or a socket."""
BOUND_TO_TLS = frozenset({"require", "verify-ca", "verify-full"})
"""https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION"""
ENCRYPTED = frozenset({"rediss", "amqps"})

log = logging.getLogger(__name__)


def tell_exposed(settings: StoreSettings) -> None:
    """At the start of a process."""
    for told in exposed(settings):
        log.warning("%s", told)


def exposed(settings: StoreSettings) -> list[str]:
    """A sentence for each thing that is open, with its setting, and without what stands in it."""
    return [*_database(_parts(settings.database_url)), *_broker(_parts(settings.broker_url))]


def _parts(address: str | None) -> SplitResult:
    """Of one that is not written by the rules nothing is known here."""
    with suppress(ValueError):
        return urlsplit(address or "")
    return urlsplit("")


def _database(url: SplitResult) -> Iterator[str]:
    asked = parse_qs(url.query)
    hosts = {url.hostname, *(host.partition(":")[0] for host in asked.get("host", ()) if not host.startswith("/"))}
    if hosts - HERE and not BOUND_TO_TLS.intersection(asked.get("sslmode", [os.environ.get("PGSSLMODE", "")])):
        yield "AGENT_FIX_DATABASE_URL: nothing binds the connection to TLS; add ?sslmode=verify-full, or require"


def _broker(url: SplitResult) -> Iterator[str]:
    if url.hostname in HERE:
        return
    if url.scheme not in ENCRYPTED:
        yield f"AGENT_FIX_BROKER_URL: the connection is not encrypted; {url.scheme}s:// would be, by TLS"
    if not url.password:
        yield "AGENT_FIX_BROKER_URL: it has no password, so that whoever reaches the broker may use it"
