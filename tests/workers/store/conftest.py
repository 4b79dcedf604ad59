from tests.support.databases import database_url, empty_database_url, postgresql, postgresql_with_tables, store

__all__ = ["database_url", "empty_database_url", "postgresql", "postgresql_with_tables", "store"]
