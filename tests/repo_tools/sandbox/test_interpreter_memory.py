"""Code that asks for more memory than it may have gets an exception on every engine: the box and its state live on."""

from contextlib import closing

from repo_tools.changes import ChangeSet
from repo_tools.interpreter.contract import Step
from repo_tools.interpreter.session import BoxInterpreter
from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from tests.support.boxes import LIMITS
from tests.support.engine import ENGINES_WITH_GVISOR
from tests.support.files_checkout import FilesCheckout

ENGINES = ENGINES_WITH_GVISOR


def test_too_much_memory_is_an_exception_and_the_state_stays(engine: SandboxEngine) -> None:
    checkout = FilesCheckout({})
    work = ChangeSet(checkout.commit)
    open_box = lambda _: engine.start(BoxSpec(limits=LIMITS))  # noqa: E731
    with closing(BoxInterpreter(open_box, checkout, memory_bytes=200 << 20)) as interpreter:
        interpreter.run("kept = bytearray(50 << 20)", work, timeout_seconds=60)
        told = interpreter.run("much = bytearray(300 << 20)", work, timeout_seconds=60)
        assert told.output.endswith("MemoryError\n")
        assert interpreter.run("len(kept) >> 20", work, timeout_seconds=60) == Step("50\n")
