"""The draft pull request: verdict first, then what was wrong, what it cost, and how it went."""

from dataclasses import dataclass

from agent.attempt import Attempt
from repo_tools.changes import ChangeSet
from repo_tools.verification.contract import Verdict, Verification
from workers.host import Evidence
from workers.publish.contract_tests import versions
from workers.publish.markdown import code, cut, inert, one_line, quote, sections, size
from workers.publish.parts import last_call, package_notes, refused_hosts, spend_table, suite_notes, told_reasons
from workers.publish.proof import conditions, failure, is_only_new, proof_sentence, table_of_tests
from workers.publish.transcript_markdown import FRAME_BYTES, paginate

MAX_BYTES = 65_000
"""GitHub takes 65,536 characters; marker and notes stand in the rest."""
MAX_COMMENTS = 5
MAX_SUBJECT = 150
"""Characters of a title; making them inert doubles some."""
MAX_OPENING = 3_000
MAX_SUMMARY = 4_000
"""Bytes; making them inert adds up to three for each."""
NOT_SEEN_TO_FAIL = "no test was seen to fail on existing behaviour"
CHANGED = (
    "**Not proved: this changes what a test demands.** It replaces a test of the base commit, or what that uses of its "
    "file. The old form fails with it; the new form fails before it and passes with it. Decide which of the two is "
    "right:"
)


@dataclass(frozen=True)
class Draft:
    """`comments` carry on the transcript, in order. `complete`: nothing of the transcript is left out."""

    title: str
    body: str
    comments: tuple[str, ...]
    complete: bool


def render_draft(evidence: Evidence, transcript_url: str | None = None, commit_url: str | None = None) -> Draft:
    """`transcript_url`: where the whole transcript stands, for what does not fit. `commit_url`: the base commit."""
    attempt, _ = proved(evidence)
    head = _head(evidence, commit_url)
    room = (max(MAX_BYTES - size(head) - FRAME_BYTES, 0), *(MAX_BYTES - FRAME_BYTES,) * MAX_COMMENTS)
    pages, complete = paginate(attempt.transcript, room, transcript_url)
    body = sections(head, _transcript_head(complete, transcript_url, len(pages)), pages[0] if pages else "")
    total = len(pages) - 1
    comments = tuple(f"### Transcript, part {n + 1} of {total + 1}\n\n{page}" for n, page in enumerate(pages[1:], 1))
    return Draft(render_title(evidence), body + "\n", comments, complete)


def proved(evidence: Evidence) -> tuple[Attempt, Verification]:
    """The attempt and the verification that a draft rests on. ValueError where there is none."""
    attempt = evidence.attempt
    if attempt is None or attempt.verification is None:
        raise ValueError("a draft needs an attempt that was verified")
    return attempt, attempt.verification


def publishable(evidence: Evidence) -> ChangeSet:
    """What was verified; paths that no verdict counts are left out."""
    return proved(evidence)[1].publishable


def render_title(evidence: Evidence) -> str:
    """At most 256 characters, GitHub's limit, whatever is in the issue's title."""
    run = evidence.run
    subject = inert(one_line(run.title, 100))[:MAX_SUBJECT]
    if proved(evidence)[1].verdict is Verdict.CONTRACT_CHANGED:
        return f"Changes a test's contract: {subject} (issue #{run.issue_number})"
    if is_only_new(proved(evidence)[1]):
        return f"Add what #{run.issue_number} asks for: {subject} ({NOT_SEEN_TO_FAIL})"
    return f"Fix #{run.issue_number}: {subject}"


def render_commit_message(evidence: Evidence) -> str:
    """`issue_number` 0: there is no issue to name."""
    run = evidence.run
    subject = (f"Fix #{run.issue_number}: " if run.issue_number else "") + inert(one_line(run.title, 60))
    return f"{subject}\n\n{inert(one_line(evidence.detail, 300))}\n\nRun: {run.run_id}\n"


def _head(evidence: Evidence, commit_url: str | None) -> str:
    run, opening = evidence.run, proved(evidence)[0].transcript.opening
    return sections(
        render_verdict(evidence, commit_url),
        f"Fixes #{run.issue_number}. Asked for by {code(run.sender)}. Run {code(run.run_id)}.",
        "### Transcript",
        f"Success criterion and plan:\n\n{quote(cut(opening, MAX_OPENING))}" if opening.strip() else "",
    )


def render_verdict(evidence: Evidence, commit_url: str | None = None) -> str:
    """What was proved and how, what was changed, what it took."""
    attempt, verification = proved(evidence)
    finish = last_call(attempt.transcript, "finish")
    told = cut(finish[0] if finish else attempt.transcript.opening, MAX_SUMMARY)
    return sections(
        _verdict(evidence, verification),
        table_of_tests(verification),
        failure(verification),
        told_reasons("**For the reviewer:**", verification.reasons),
        conditions(evidence, verification, commit_url),
        refused_hosts(evidence),
        package_notes(evidence),
        suite_notes(evidence),
        "### What was wrong, and what was changed",
        quote(told or "The model gave no summary."),
        "### What it took",
        spend_table(evidence),
    )


def _verdict(evidence: Evidence, verification: Verification) -> str:
    if verification.verdict is Verdict.CONTRACT_CHANGED:
        return sections(CHANGED, versions(evidence.patch, verification.contract_tests))
    return proof_sentence(verification)


def _transcript_head(complete: bool, url: str | None, pages: int) -> str:
    where = "" if pages <= 1 else f" It goes on in {pages - 1} comments below."
    kept = f"; [the whole transcript]({url}) is kept in a commit" if url else ""
    cut_note = "" if complete else f" Long texts are cut here{kept}."
    return f"Every turn, one line each; open a line to read it.{where}{cut_note}"
