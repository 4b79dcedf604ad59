"""What a probe is: it tries one thing, and its answer says ``blocked: why`` or ``REACHED: what``.

A silent time-out counts as reached: a box refuses, it does not swallow.
"""

import ctypes
import errno

LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = {}


class ReachedError(Exception):
    """The probe got somewhere."""


def probe(function):
    PROBES[function.__name__] = function
    return function


def run(function, configuration):
    try:
        function(configuration)
    except (TimeoutError, ConnectionResetError) as error:
        return f"REACHED: somebody, who does not answer: {error}"
    except ReachedError as found:
        return f"REACHED: {found}"
    except OSError as error:
        return "blocked: %s" % (errno.errorcode.get(error.errno) or error)
    return "blocked: nothing there"


def try_each(action, values):
    """ReachedError where one of them gets through, else the last refusal."""
    refusal = None
    for value in values:
        try:
            action(value)
        except (TimeoutError, ConnectionResetError):
            raise
        except OSError as error:
            refusal = error
    if refusal:
        raise refusal


def call(name, *arguments):
    """A system call by its C function; OSError where it fails."""
    ctypes.set_errno(0)
    if getattr(LIBC, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
    raise ReachedError(name)
