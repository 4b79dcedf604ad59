"""The box's program as one text that is sent over the channel: the image needs no file of ours, only a Python."""

import struct
from collections.abc import Mapping
from importlib.resources import files

PACKAGE = "repo_tools.sandbox.box"
MODULES = (
    "frames", "paths", "files", "tree", "archive", "output", "children", "unowned", "bounds", "commands",
    "processes", "channel", "relay", "syscalls", "server",
)  # fmt: skip

BOOT = """
import os
def take(count):
    parts = b""
    while len(parts) < count:
        part = os.read(0, count - len(parts))
        if not part:
            os._exit(0)
        parts += part
    return parts
exec(compile(take(int.from_bytes(take(4), "big")), "<box>", "exec"), {})
"""
LOADER = """
import sys
from importlib.machinery import ModuleSpec

class Texts:
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=not MODULES[name]) if name in MODULES else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(MODULES[module.__name__], "<" + module.__name__ + ">", "exec"), module.__dict__)

sys.meta_path.insert(0, Texts())
"""


def box_argv(python: str = "python3") -> list[str]:
    """What process 1 of a box is started with: it takes its program, `boot_message`, from the channel."""
    return [python, "-I", "-S", "-c", BOOT]


def boot_message() -> bytes:
    """The first bytes on the channel: a length and the program."""
    folder = files(PACKAGE)
    modules = {f"{PACKAGE}.{name}": (folder / f"{name}.py").read_text("utf-8") for name in MODULES}
    program = as_one_program(modules, f"{PACKAGE}.server").encode()
    return struct.pack("!I", len(program)) + program


def as_one_program(modules: Mapping[str, str], start: str) -> str:
    """One text in which `modules` (full name -> source) can import each other; the function `main` of `start` is its
    beginning."""
    packages = {name: "" for module in modules for name in _above(module)}
    return f"MODULES = { {**packages, **modules}!r}\n{LOADER}\nfrom {start} import main\nmain()\n"


def _above(module: str) -> list[str]:
    """``a.b.c`` -> ``a``, ``a.b``."""
    parts = module.split(".")[:-1]
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
