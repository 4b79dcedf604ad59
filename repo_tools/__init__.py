"""A repository and the box it runs in: mirror, checkout, environment, tests, map, sandbox, verdict."""
