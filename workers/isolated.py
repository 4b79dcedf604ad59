"""One odd or refused thing among many ends nothing but itself: the log names it, and the next one has its turn."""

import logging
from collections.abc import Callable

from repo_tools.errors import TransientError
from workers.github.errors import GitHubError

log = logging.getLogger(__name__)


def done(what: str, act: Callable[[], bool]) -> bool:
    """Whether `act` did it; False too for what GitHub refuses and for what cannot be understood. TransientErrors pass:
    the next thing would hear the same."""
    try:
        return act()
    except TransientError:
        raise
    except GitHubError as error:
        log.warning("%s: passed over: %s", what, error)
    except Exception:  # whatever somebody else's data may do to us
        log.exception("%s: passed over", what)
    return False
