"""Run by Alembic. The connection, its transaction and its lock are `workers.store.migrate`'s."""

from alembic import context

from workers.store.indexes import tables_and_indexes

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables_and_indexes,
    render_as_batch=True,  # SQLite alters a table by making a new one
)
with context.begin_transaction():
    context.run_migrations()
