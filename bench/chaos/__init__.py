"""Whatever dies, nothing is lost and nothing happens twice: real processes under faults, and what is left counted."""
