"""Hosts that set-up asked for in vain are told wherever a run is told."""

from dataclasses import replace

import pytest

from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.sandbox.contract import Layer
from tests.support.evidence import make_attempt, make_evidence
from workers.host import Evidence
from workers.outcomes import Reason
from workers.publish.draft import render_draft
from workers.publish.escalation import render_escalation
from workers.publish.local_report import render_report
from workers.publish.parts import MAX_HOSTS
from workers.publish.transcript_markdown import transcript_files

ENVIRONMENT = Environment("test", (), (), (), ())


def evidence(*hosts: str, **changed: object) -> Evidence:
    """`seconds` 0.0: an environment that was found, made by another run."""
    prepared = PreparedEnvironment(ENVIRONMENT, Layer("ab", "layer"), 0.0, refused_hosts=hosts)
    return replace(make_evidence(prepared=prepared), **changed)  # type: ignore[arg-type]


def tellings(hosts: tuple[str, ...]) -> dict[str, str]:
    failed = evidence(*hosts, reason=Reason.NOT_PROVED)
    return {
        "draft": render_draft(evidence(*hosts)).body,
        "escalation": render_escalation(failed),
        "escalation before the agent": render_escalation(replace(failed, attempt=None)),
        "local report": render_report(evidence(*hosts)),
        "transcript": transcript_files(evidence(*hosts, attempt=make_attempt()))["transcript.md"].decode(),
    }


@pytest.mark.parametrize("telling", tellings(()))
def test_each_host_is_named_and_what_can_be_done(telling: str) -> None:
    told = tellings(("download.example", "models.example"))[telling]
    assert "hosts that it may not reach: `download.example`, `models.example`." in told
    assert "AGENT_FIX_ALLOWED_HOSTS" in told


@pytest.mark.parametrize("telling", tellings(()))
def test_nothing_is_said_where_no_host_was_refused(telling: str) -> None:
    assert "may not reach" not in tellings(())[telling]


def test_very_many_hosts_are_counted_in_comments_and_all_named_in_the_transcript() -> None:
    hosts = tuple(f"host{number}.example" for number in range(200))
    told = tellings(hosts)
    assert f"`host{MAX_HOSTS - 1}.example` and {200 - MAX_HOSTS} more." in told["draft"]
    assert "`host199.example`" in told["transcript"]


def test_a_hosts_name_is_inert() -> None:
    """The box's code chose it."""
    told = tellings(("x`](https://evil.example) @everyone\n# head",))
    assert all("``x`](https://evil.example) @everyone # head``" in text for text in told.values())
