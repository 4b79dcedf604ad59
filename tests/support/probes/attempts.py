"""What a probe is: it tries one thing, and its answer says ``blocked: why`` or ``REACHED: what``.

A silent time-out counts as reached: a box refuses, it does not swallow. `control` says where the same probe has to get
through, so that none is hollow: it could show a way out if there were one.
"""

import ctypes
import errno

LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = {}
ANYBODY = "in an ordinary process of this machine"
ROOT = "as root, in namespaces that end with it"
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)


class Probe:
    """`tries`: in words. `control`: ANYBODY, ROOT, or why nobody tries it outside of a box."""

    def __init__(self, function, tries, control):
        self.name = function.__name__
        self.kind = function.__module__.rpartition(".")[2]
        self.function = function
        self.tries = tries
        self.control = control


class ReachedError(Exception):
    """The probe got somewhere."""


def probe(tries, control):
    def keep(function):
        PROBES[function.__name__] = Probe(function, tries, control)
        return function

    return keep


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


def permitted(name, *arguments):
    """The same for a call that is wrong on purpose, and so harmless: the kernel asks first who calls, and where it then
    complains of the arguments, it would have done as it was told."""
    try:
        call(name, *arguments)
    except OSError as error:
        if error.errno not in REFUSALS:
            raise ReachedError(f"{name}: {errno.errorcode[error.errno]}") from error
        raise
