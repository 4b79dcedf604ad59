from threading import Event, Thread

from repo_tools.errors import SandboxError
from repo_tools.sandbox.aside import discard_aside, wait_for_discards


def test_removing_goes_on_beside_and_can_be_waited_for() -> None:
    go, done = Event(), []

    def remove() -> None:
        go.wait(60)
        done.append("removed")

    discard_aside(remove)
    assert done == []
    wait_for_discards(0.01)
    assert done == [], "it waits so long and no longer"
    Thread(target=go.set).start()
    wait_for_discards(60)
    assert done == ["removed"]


def test_what_cannot_be_removed_is_nobodys_trouble() -> None:
    def remove() -> None:
        raise SandboxError("the engine is away")

    discard_aside(remove)
    wait_for_discards(60)  # a thread that ends with an exception would be a warning, and so an error


def test_what_is_being_removed_may_itself_wait_for_the_rest() -> None:
    seen: list[str] = []

    def remove() -> None:
        wait_for_discards(60)
        seen.append("went on")

    discard_aside(remove)
    wait_for_discards(60)
    assert seen == ["went on"]
