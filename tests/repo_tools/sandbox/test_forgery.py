"""Commands that reach for the channel of process 1, on every engine: they are kept from it, or the box is over."""

import time

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, ExecResult, Sandbox, SandboxEngine
from repo_tools.sandbox.proof import ways_into
from tests.support.boxes import LIMITS, python
from tests.support.engine import ENGINES_WITH_GVISOR
from tests.support.forgeries import ATTACKS, CHILD, REFUSED, THIEF
from tests.support.long import first_of

BROKEN = "forged, altered or missing data on the channel"


ENGINES = ENGINES_WITH_GVISOR


def outcome(box: Sandbox, *command: str, timeout_seconds: float = 120) -> ExecResult | SandboxError:
    try:
        return box.exec(command, timeout_seconds=timeout_seconds)
    except SandboxError as error:
        return error


@pytest.mark.parametrize("attack", first_of(ATTACKS, always=4))
def test_a_command_that_writes_into_the_channel_is_not_believed(fresh_box: Sandbox, attack: str) -> None:
    """S08. Either it could open nothing, and its own result comes back, or the box is over: nothing in between."""
    found = outcome(fresh_box, "python3", "-c", ATTACKS[attack])
    if isinstance(found, SandboxError):
        assert BROKEN in str(found)
        with pytest.raises(SandboxError, match="closed"):
            fresh_box.exec(["true"], timeout_seconds=5)
    else:
        assert (found.exit_code, found.output) == (3, REFUSED)
        assert fresh_box.exec(["echo", "alive"], timeout_seconds=30).output == b"alive\n"


def test_a_process_that_takes_the_hosts_words_away_changes_no_answer(fresh_box: Sandbox, gvisor: bool) -> None:
    """It stays between the calls, sees each of them, and takes single bytes where it can open the descriptor. Under
    gVisor process 1's end of a command's output is one of these: what is taken there is missing, and nothing else."""
    thief = fresh_box.open_process(["python3", "-c", THIEF])
    assert thief.receive(timeout_seconds=60) == b"here\n"
    thief.send(b"go\n", timeout_seconds=60)
    enough = time.monotonic() + 30  # a busy machine gives a thief that never rests most of its time
    for number in range(50):
        if number >= 5 and time.monotonic() > enough:
            break
        done = outcome(fresh_box, "echo", str(number), timeout_seconds=20)
        if isinstance(done, SandboxError):
            assert BROKEN in str(done) or "silent" in str(done)
            return
        said = b"%d\n" % number
        assert done.exit_code == 0
        assert done.output == said or (gvisor and is_left_of(said, done.output))


def is_left_of(said: bytes, found: bytes) -> bool:
    """Whether taking bytes away from `said` can leave `found`."""
    rest = iter(said)
    return all(byte in rest for byte in found)


def test_no_command_gets_at_the_key_in_the_memory_of_process_1(fresh_box: Sandbox) -> None:
    """S08. What the engine is asked before it is taken; the same attempts do get at an ordinary process."""
    assert ways_into(fresh_box, 1) == ()
    control = python(fresh_box, CHILD)
    assert control.exit_code == 0, control.output
    assert len(control.output.splitlines()) >= 2


def test_the_words_of_a_broken_box_are_no_commands(engine: SandboxEngine) -> None:
    """Standard error of process 1 has no marks, so that nothing of it is shown once commands run."""
    program = (
        "import os\n"
        "for flags in (os.O_WRONLY, os.O_RDWR):\n"
        "  for name in range(64):\n"
        "    try: os.write(os.open('/proc/1/fd/%d' % name, flags | os.O_NONBLOCK), b'believe me')\n"
        "    except OSError: pass\n"
    )
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        found = outcome(box, "python3", "-c", program)
    assert "believe me" not in (str(found) if isinstance(found, SandboxError) else found.output.decode())
