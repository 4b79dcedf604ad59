"""How every process of the product logs: one line for each thing that happens, with its time."""

import logging

TALKATIVE = ("httpx", "httpx2", "alembic", "celery", "kombu")
"""Libraries that would tell of each request, or of each of their steps."""


def configure_log() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
