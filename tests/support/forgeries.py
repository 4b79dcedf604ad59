"""Programs for a box that try to speak, or to hear, on the channel of its process 1."""

from importlib.resources import files

REFUSED = b"refused\n"
_REACH = (files("repo_tools.sandbox") / "reach_program.py").read_text("utf-8")

_OPENED = """
import json, os, struct, sys, time
def opened(flags):
    found = []
    for number in range(64):
        path = "/proc/1/fd/%d" % number
        try:
            if os.readlink(path) != "/dev/null":
                found.append(os.open(path, flags | os.O_NONBLOCK))
        except OSError:
            pass
    return found
def frame(kind, payload, mark=b""):
    return struct.pack("!BII", kind, 0, len(payload)) + mark + payload + mark
def say(data):
    written = 0
    for flags in (os.O_WRONLY, os.O_RDWR):
        for descriptor in opened(flags):
            try:
                written += os.write(descriptor, data)
            except OSError:
                pass
    if written and data:
        time.sleep(1000)  # the host must not need the command's end to notice
    print("refused")
    sys.exit(3)
RESULT = json.dumps({"exit_code": 0, "timed_out": False, "seconds": 0.1}).encode()
"""
"""`say` writes into everything that process 1 has open, and does not end where something took it."""

ATTACKS = {
    "a result without marks": _OPENED + "say(frame(4, RESULT))",
    "a result with marks of zeros": _OPENED + "say(frame(4, RESULT, bytes(16)))",
    "a result with guessed marks": _OPENED + "say(frame(4, RESULT, os.urandom(16)))",
    "output before the result": _OPENED + "say(frame(2, b'1 passed', os.urandom(16)))",
    "an end of the box": _OPENED + "say(frame(9, b'\"out of memory\"', bytes(16)))",
    "the start of a frame that never ends": _OPENED + "say(frame(2, b'')[:4] + b'\\xff' * 25)",
    "a header of the largest frame": _OPENED + "say(struct.pack('!BII', 2, 0, 4 << 20) + bytes(16))",
    "noise": _OPENED + "say(os.urandom(100_000))",
    "what it could read there": _OPENED
    + "heard = b''\n"
    + "for descriptor in opened(os.O_RDONLY):\n"
    + "    try: heard += os.read(descriptor, 65536)\n"
    + "    except OSError: pass\n"
    + "say(2 * (heard or frame(4, RESULT)))",
}

THIEF = (
    _OPENED
    + """
descriptors = opened(os.O_RDONLY)
print("here", flush=True)
input()
while True:
    for descriptor in descriptors:
        try:
            os.read(descriptor, 1)
        except OSError:
            pass
    time.sleep(0 if descriptors else 1)
"""
)
"""A kept process that takes single bytes from wherever it can, from the moment when it is sent a line: what it says
itself would be among the bytes."""

CHILD = f"""
import os, sys, time
pid = os.fork()
if not pid:
    time.sleep(1000)
sys.argv = ["", str(pid)]
exec({_REACH!r})
"""
"""The attempts at the memory of process 1, on a process that has nothing to hide."""
