"""Which deliveries start a run."""

from collections.abc import Set
from datetime import UTC, datetime
from typing import Any

import pytest

from app.payload import Event, IssueLabeled, parse
from app.triggers import decide, ignore_event
from tests.support.deliveries import encoded, labeled
from workers.store import IssueSnapshot
from workers.triggers import Decision, Ignore, Start

NO_PERSON = "the label was not put on by a person or an allowed bot"


def decision(payload: dict[str, Any], label: str = "agent-fix", allowed_bots: Set[str] = frozenset()) -> Decision:
    event = parse("issues", encoded(payload))
    assert isinstance(event, IssueLabeled)
    return decide(event, label, allowed_bots)


def test_our_label_put_on_an_open_issue_by_a_person_starts_a_run_with_the_issue_as_it_is() -> None:
    assert decision(labeled()) == Start(
        IssueSnapshot(
            installation_id=99,
            repository_id=42,
            repository="octo/calc",
            issue_number=7,
            title="Wrong sum",
            body="1 + 1 is 3",
            sender="octocat",
            labelled_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        )
    )


def test_an_issue_without_text_has_an_empty_one() -> None:
    started = decision(labeled(body=None))
    assert isinstance(started, Start)
    assert started.issue.body == ""


def test_text_beyond_githubs_own_limit_is_cut() -> None:
    started = decision(labeled(title="t" * 100_000, body="b" * 100_000))
    assert isinstance(started, Start)
    assert (len(started.issue.title), len(started.issue.body)) == (65_536, 65_536)


@pytest.mark.parametrize(
    ("name", "configured"),
    [("agent-fix", "agent-fix"), ("Agent-Fix", "agent-fix"), ("agent-fix", "AGENT-FIX"), ("réparer", "réparer")],
)
def test_the_case_of_ascii_letters_in_a_label_does_not_matter(name: str, configured: str) -> None:
    """W11."""
    assert isinstance(decision(labeled(name), label=configured), Start)


@pytest.mark.parametrize(
    "name",
    [
        "bug",
        "",
        "agent-fix ",
        " agent-fix",
        "agent_fix",
        "agent‑fix",  # a non-breaking hyphen
        "аgent-fix",  # a Cyrillic a
        "agent-fıx",  # a dotless i
        "agent-ﬁx",  # a ligature, which casefold() would take apart
        "agent-fix\u200b",
        "agent-fix\0",
    ],
)
def test_any_other_label_does_nothing(name: str) -> None:
    """W11."""
    assert decision(labeled(name)) == Ignore("another label")


@pytest.mark.parametrize(("name", "configured"), [("Fiſ", "fis"), ("\N{KELVIN SIGN}ey", "key"), ("RÉPARER", "réparer")])
def test_letters_outside_ascii_match_only_themselves(name: str, configured: str) -> None:
    """W11."""
    assert decision(labeled(name), label=configured) == Ignore("another label")


def test_the_label_of_the_event_decides_not_the_labels_of_the_issue() -> None:
    """W10: of three labels put on at once GitHub sends three events, each with all three on the issue."""
    event = labeled("bug", labels=[{"name": "bug"}, {"name": "agent-fix"}, {"name": "ui"}])
    assert decision(event) == Ignore("another label")


def test_a_pull_request_is_no_issue() -> None:
    assert decision(labeled(pull_request={"url": "https://api.github.com/…"})) == Ignore("a pull request, not an issue")


def test_a_closed_issue_starts_nothing() -> None:
    assert decision(labeled(state="closed")) == Ignore("the issue is not open")


@pytest.mark.parametrize("kind", ["Bot", "Organization", "Mannequin", "user", ""])
def test_only_a_person_starts_a_run(kind: str) -> None:
    """G04: nor does the App itself, whatever label it puts on."""
    assert decision(labeled(sender="agent-fix[bot]", sender_type=kind)) == Ignore(NO_PERSON)


def test_an_allowed_bot_starts_a_run_whatever_the_case_of_its_login() -> None:
    event = labeled(sender="Triage[bot]", sender_type="Bot")
    assert isinstance(decision(event, allowed_bots={"triage[bot]"}), Start)
    assert decision(event, allowed_bots={"triage"}) == Ignore(NO_PERSON)


def test_a_webhook_that_is_not_the_apps_starts_nothing() -> None:
    """W13."""
    event = labeled()
    del event["installation"]
    assert decision(event) == Ignore("no installation: sent by a webhook that is not the App's")


@pytest.mark.parametrize(
    ("event", "action"), [("issues", "opened"), ("issues", None), ("pull_request", "labeled"), ("brand_new", "labeled")]
)
def test_only_a_labeled_issue_is_looked_at(event: str, action: str | None) -> None:
    """W13."""
    read = parse(event, encoded({**labeled(), "action": action}))
    assert read == Event(action=action)
    assert event in ignore_event(event, read.action).reason


def test_ping_has_its_own_word() -> None:
    assert ignore_event("ping", None) == Ignore("ping")
