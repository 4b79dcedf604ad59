"""C04: a database or a broker elsewhere that is reached without TLS, or by everybody, is told at the start."""

import pytest

from workers.exposed import exposed
from workers.settings import StoreSettings

TLS = "postgresql://u:pAss@db/x?sslmode=verify-full"
SAFE = "rediss://:pAss@queue/0"


@pytest.mark.parametrize(
    ("database", "broker", "told"),
    [
        (TLS, SAFE, []),
        (None, None, []),
        ("sqlite:////data/a.db", "redis+socket:///run/redis.sock", []),
        ("postgresql://u@/x?host=/run/postgresql", "redis://127.0.0.1:6379/0", []),
        ("postgresql://u:pAss@localhost/x", "amqps://u:pAss@queue//", []),
        ("postgresql://u:pAss[@db/x", SAFE, []),
        ("postgresql://u:pAss@db/x", SAFE, ["AGENT_FIX_DATABASE_URL: TLS"]),
        ("postgresql://u:pAss@db/x?sslmode=prefer", SAFE, ["AGENT_FIX_DATABASE_URL: TLS"]),
        ("postgresql://u:pAss@/x?host=db1&host=db2:5433", SAFE, ["AGENT_FIX_DATABASE_URL: TLS"]),
        ("postgresql://u:pAss@/x?host=localhost:5433", SAFE, []),
        (TLS, "redis://:pAss@queue/0", ["AGENT_FIX_BROKER_URL: TLS"]),
        (TLS, "rediss://queue/0", ["AGENT_FIX_BROKER_URL: password"]),
        (TLS, "amqp://queue//", ["AGENT_FIX_BROKER_URL: TLS", "AGENT_FIX_BROKER_URL: password"]),
    ],
)
def test_what_others_could_read_or_use_is_named_and_its_password_is_not(
    database: str | None, broker: str | None, told: list[str]
) -> None:
    found = exposed(StoreSettings(database_url=database, broker_url=broker))
    assert [f"{line.split(':')[0]}: {'TLS' if 'TLS' in line else 'password'}" for line in found] == told
    assert "pAss" not in str(found)


@pytest.mark.parametrize(("asked", "told"), [("", 0), ("?sslmode=prefer", 1)], ids=["by it", "the address decides"])
def test_libpq_reads_its_mode_from_the_environment_too(asked: str, told: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGSSLMODE", "require")
    assert len(exposed(StoreSettings(database_url=f"postgresql://u:pAss@db/x{asked}", broker_url=SAFE))) == told
