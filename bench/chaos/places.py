"""PostgreSQL and a broker that belong to no site, and sites that use them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.chaos.brokers import BrokerBeside, broker_beside
from bench.chaos.world import Site, World, open_site, open_world
from tests.support.commit_relay import CommitRelay, commit_relay
from tests.support.databases import PostgreSQLServer, postgresql_server


@dataclass(frozen=True)
class Beside:
    """A world, and the servers beside its sites."""

    world: World
    server: PostgreSQLServer
    broker: BrokerBeside

    @property
    def place(self) -> str:
        return f"PostgreSQL, {self.broker.name}"

    @contextmanager
    def site(self, workers: int, more: Mapping[str, str] | None = None) -> Iterator[tuple[Site, str]]:
        """On a new database, whose name comes with it."""
        name = self.server.new_database()
        settings = {"AGENT_FIX_DATABASE_URL": self.server.url(name), "AGENT_FIX_BROKER_URL": self.broker.url}
        with open_site(self.world, workers, {**settings, **(more or {})}) as site:
            yield site, name

    @contextmanager
    def site_through_relay(self, workers: int) -> Iterator[tuple[Site, CommitRelay]]:
        """On a new database, which it reaches through a relay that may lose commits."""
        name = self.server.new_database()
        with commit_relay(self.server.socket_folder) as relay:
            url = self.server.url(name, relay.folder)
            settings = {"AGENT_FIX_DATABASE_URL": url, "AGENT_FIX_BROKER_URL": self.broker.url}
            with open_site(self.world, workers, settings, read_from=self.server.url(name)) as site:
                yield site, relay


@contextmanager
def open_beside(layers: Path | None = None) -> Iterator[Beside]:
    """A world of its own, with `layers` as `open_world` takes them."""
    with (
        open_world(layers) as world,
        postgresql_server() as server,
        broker_beside(world.folder / "broker-beside") as broker,
    ):
        yield Beside(world, server, broker)
