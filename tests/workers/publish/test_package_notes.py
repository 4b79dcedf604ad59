"""Of which day the packages are is told wherever a run is told, where they are not of today."""

from dataclasses import replace

from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.sandbox.contract import Layer, Making
from tests.support.evidence import make_evidence
from workers.outcomes import Reason
from workers.publish.draft import render_draft
from workers.publish.escalation import render_escalation
from workers.publish.parts import MAX_REASONS

NOTE = "packages as of 2021-03-05"


def tellings(*notes: str) -> list[str]:
    layer = Layer("ab", "layer", Making(notes=notes))
    evidence = make_evidence(prepared=PreparedEnvironment(Environment("test", (), (), (), ()), layer, 0.0))
    failed = replace(evidence, reason=Reason.NOT_PROVED)
    early = replace(failed, attempt=None)
    return [render_draft(evidence).body, render_escalation(failed), render_escalation(early)]


def test_the_day_of_the_packages_is_told() -> None:
    assert all(f"About the environment:\n\n- {NOTE}\n" in told for told in tellings(NOTE))


def test_nothing_is_said_of_packages_of_today() -> None:
    assert not any("About the environment" in told for told in tellings())


def test_where_there_are_many_notes_it_is_told_how_many_more() -> None:
    notes = [f"note {number}" for number in range(MAX_REASONS + 2)]
    assert all(f"- note {MAX_REASONS - 1}\n- and 2 more\n" in told for told in tellings(*notes))
    assert not any("more\n" in told for told in tellings(*notes[:MAX_REASONS]))
