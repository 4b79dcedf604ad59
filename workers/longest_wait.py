"""No answer has us wait for longer than makes sense, whatever its header says."""

import logging

LONGEST_SECONDS = 3900.0
"""GitHub's limits begin anew each hour, and five minutes are for clocks that differ: who still wants to hear nothing
then says so again. A longer time is a proxy's, or that of a clock which is wrong.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

log = logging.getLogger(__name__)


def capped(what: str, asked_seconds: float) -> float:
    """So long is waited at most. `what` was asked for."""
    if asked_seconds <= LONGEST_SECONDS:
        return asked_seconds
    log.warning("%s: told to wait for %.0f seconds; asked again after %.0f", what, asked_seconds, LONGEST_SECONDS)
    return LONGEST_SECONDS
