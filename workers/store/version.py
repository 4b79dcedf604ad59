"""Which schema a database has. Apart from `migrate`, whose libraries no process needs that finds its database ready."""

from sqlalchemy import Engine, inspect, text

from workers.store.database import reading

NEWEST = "0003"  # the last of `migrations/versions`; a test compares


def has_newest_schema(engine: Engine) -> bool:
    """StoreUnavailableError."""
    with reading(engine) as connection:
        if not inspect(connection).has_table("alembic_version"):
            return False
        return list(connection.execute(text("select version_num from alembic_version")).scalars()) == [NEWEST]
