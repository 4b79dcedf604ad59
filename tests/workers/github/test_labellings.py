"""Which event put the label on."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.github import LABEL, REPOSITORY, Scene
from workers.github.labellings import LabelEvent, is_of, last_labelling

START = datetime(2026, 11, 21, 20, 15, 1, tzinfo=UTC)


def event(number: int, kind: str = "labeled", label: str = "agent-fix", minutes: float = 0) -> LabelEvent:
    return LabelEvent(number, kind, label, "maria", "User", START + timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("events", "last"),
    [
        ([], None),
        ([event(1)], 1),
        ([event(1, label="Agent-Fix")], 1),
        ([event(1), event(2, label="bug", minutes=1)], 1),
        ([event(1), event(2, "unlabeled", minutes=1)], None),
        ([event(1), event(2, "unlabeled", "bug", 1)], 1),
        ([event(1), event(2, "unlabeled", minutes=0.1), event(3, minutes=0.2)], 3),
        ([event(1), event(2, minutes=0.02)], 1),  # W09: put on twice, a second apart
        ([event(1), event(2, minutes=5)], 2),  # the label itself was deleted in between, and made again
    ],
)
def test_the_last_labelling_is_told_from_the_events(events: list[LabelEvent], last: int | None) -> None:
    found = last_labelling(events, "agent-fix")
    assert (found.id if found else None) == last


def test_an_event_that_is_older_than_the_run_is_not_its_own() -> None:
    assert is_of(event(1), None)
    assert is_of(event(1), START + timedelta(seconds=2))
    assert not is_of(event(1), START + timedelta(minutes=2))


def test_the_host_reads_the_event_of_the_label(scene: Scene) -> None:
    assert scene.host.labelling(scene.run) == scene.github.issue(REPOSITORY, 1).events[-1].id
    scene.github.unlabel_issue(REPOSITORY, 1, LABEL, "maintainer")
    assert scene.host.labelling(scene.run) is None
    scene.github.label_issue(REPOSITORY, 1, LABEL, "maintainer")
    assert scene.host.labelling(scene.run) == scene.github.issue(REPOSITORY, 1).events[-1].id
