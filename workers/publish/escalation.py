"""The hand-off: one comment that says why the run ended, what it cost, what was tried, and where to go on."""

from collections.abc import Mapping

from agent.attempt import Attempt
from agent.errors import GaveUp
from repo_tools.counted import counted
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification
from workers.host import Evidence
from workers.outcomes import Reason
from workers.publish.markdown import (
    code,
    cut,
    fence,
    fit_lines,
    folded,
    html_code,
    plain,
    quote,
    sections,
)
from workers.publish.parts import (
    MAX_OUTPUT,
    base,
    last_call,
    package_notes,
    patch_part,
    refused_hosts,
    spend_table,
    suite_notes,
    told_reasons,
)
from workers.publish.transcript_markdown import turn_line

MAX_LINES = 12_000
MAX_PATCH = 12_000
LIMIT = (
    "Raise `AGENT_FIX_BUDGET__{name}` (and `budgets` in `.github/agent-fix.yml`, where that is lower), or narrow the "
    "issue, and put the label on again."
)
NEXT_STEP: dict[Reason, str] = {
    Reason.PROVED: "Nothing.",
    Reason.CONTRACT_CHANGED: "Nothing.",
    Reason.ANSWERED: "Nothing.",
    Reason.LIMIT_TURNS: LIMIT.format(name="TURNS"),
    Reason.LIMIT_TOKENS: LIMIT.format(name="TOKENS"),
    Reason.LIMIT_USD: LIMIT.format(name="USD"),
    Reason.LIMIT_SECONDS: LIMIT.format(name="SECONDS"),
    Reason.LIMIT_TEST_RUNS: LIMIT.format(name="TEST_RUNS"),
    Reason.CONTEXT_FULL: (
        "Narrow the issue, or raise `AGENT_FIX_CONTEXT_TOKENS` where the model's window is larger, and put the label "
        "on again. A larger budget does not help."
    ),
    Reason.GAVE_UP: "If the model's words below show what the issue leaves open, add it and put the label on again.",
    Reason.NOT_PROVED: "The closest test is below. A failing test, or exact steps, in the issue help most.",
    Reason.NO_TOOL_CALLS: "Put the label on again, or try another model (`AGENT_FIX_MODEL`).",
    Reason.NO_TESTS: (
        "Name the command that runs the tests in `.github/agent-fix.yml` on the default branch, the test runner itself "
        "if you can (`tests: [pytest tests/unit]`, `tests: [npx mocha test/unit]`). It runs without a network, and "
        "without a browser. Where that command is known and something is missing, say there how all is set up "
        "(`setup:`)."
    ),
    Reason.SUITE_TOO_SLOW: (
        "Name a part of the suite that ends in that time in `.github/agent-fix.yml` on the default branch "
        "(`tests: [pytest tests/unit]`, `tests: [npx mocha test/unit]`), and put the label on again."
    ),
    Reason.SETUP_FAILED: (
        "Make the project install from the index, or say in `.github/agent-fix.yml` how it is installed (`setup:`). "
        "The operator may allow more hosts (`AGENT_FIX_ALLOWED_HOSTS`) and add what the sandbox lacks to its image "
        "(`AGENT_FIX_SANDBOX_IMAGE`)."
    ),
    Reason.TOOL_MISSING: (
        "Name an image that has it in `.github/agent-fix.yml`, or let the operator add it (`AGENT_FIX_SANDBOX_IMAGE`)."
    ),
    Reason.CONFIGURATION: "Put `.github/agent-fix.yml` right on the default branch.",
    Reason.REPOSITORY: "Nothing can be published until this is put right.",
    Reason.MODEL: "The operator looks at the model's key, name and limits: `agent-fix doctor`.",
    Reason.GITHUB: "The operator looks at the App's key and permissions: `agent-fix doctor`.",
    Reason.SERVICES: (
        "Where the service is missing, the operator gives it to the sandbox; where it does not come up, its words "
        "above say what of its version or variables to change."
    ),
    Reason.SANDBOX: "The operator looks at the sandbox: `agent-fix doctor`.",
    Reason.ATTEMPTS: "The operator finds in the worker's log why it died. The run is not started again by itself.",
    Reason.PERMISSION: "Someone with write access puts the label on.",
    Reason.UNWANTED: "Nothing.",
    Reason.DUPLICATE: "Nothing.",
    Reason.INTERNAL: "This is a fault of agent-fix. Its trace stands in the worker's log, or where the command ran.",
}
NOTHING_PASSES = (
    "No test passes here, with the change neither. If that is not the defect itself, say in `.github/agent-fix.yml` on "
    "the default branch how all is set up (`setup:`), or which tests run without what is missing (`tests:`)."
)
NOTHING_FAILS = "A failing test, or exact steps, in the issue help most."
AT_A_TERMINAL = {"put the label on again": "run it again", "Put the label on again": "Run it again"}
WITHOUT_ISSUE = {
    **AT_A_TERMINAL,
    "the issue": "the task",
    " (and `budgets` in `.github/agent-fix.yml`, where that is lower)": "",
    "Make the project install from the index, or say in `.github/agent-fix.yml` how it is installed (`setup:`).": (
        "Every task's packages are those of `AGENT_FIX_SOLVE_REQUIREMENTS`."
    ),
    "Name an image that has it in `.github/agent-fix.yml`, or let": "Let",
    "Nothing can be published until this is put right.": "Put this right and run it again.",
    "No pull request": "Not solved",
}
"""What an ending and the next step are called where nobody labels, and where there is no issue or repository either."""
NO_OTHER_WORDS: Mapping[str, str] = {}
TITLES = {
    Reason.LIMIT_TURNS: "Stopped at the limit of model calls",
    Reason.LIMIT_TOKENS: "Stopped at the limit of tokens",
    Reason.LIMIT_USD: "Stopped at the limit of dollars",
    Reason.LIMIT_SECONDS: "Stopped at the limit of time",
    Reason.LIMIT_TEST_RUNS: "Stopped at the limit of test runs",
    Reason.CONTEXT_FULL: "Stopped at the model's window",
    Reason.CONFIGURATION: "Badly configured",
    Reason.SUITE_TOO_SLOW: "The tests take too long",
    Reason.SERVICES: "A service that the tests need is not there",
    Reason.GAVE_UP: "The model gave up",
    Reason.NOT_PROVED: "Not proved",
}


def render_escalation(evidence: Evidence, transcript_url: str | None = None, commit_url: str | None = None) -> str:
    """Within 65,000 bytes: each part has its own bound. The addresses are those of transcript and base commit."""
    patch = patch_part(evidence.patch, "The change so far", MAX_PATCH)
    link = f"[The whole transcript]({transcript_url})" if transcript_url else ""
    footer = _footer(evidence, commit_url)
    return sections(render_reason(evidence), *render_attempt(evidence), patch, link, footer) + "\n"


def render_reason(evidence: Evidence, words: Mapping[str, str] = NO_OTHER_WORDS) -> str:
    """Why it ended and what a person can do, in other `words` where those of a labelled issue mean nothing."""
    title = _in_words(words, TITLES.get(evidence.reason, "No pull request"))
    told = evidence.reason is Reason.GAVE_UP  # its detail is the model's words, which are quoted below
    sentence, _, output = cut("" if told else evidence.detail, 1_500).partition("\n")
    detail = f" {plain(sentence, 1_500).rstrip('.')}." if sentence else ""
    output = fence(output) if output.strip() else ""
    return sections(f"**{title}.**{detail}", output, f"**Next:** {_next_of(evidence, words)}")


def _next_of(evidence: Evidence, words: Mapping[str, str]) -> str:
    """For this run: a change may have no proof because nothing can pass here, and with no test that is close to one."""
    verification = evidence.attempt.verification if evidence.attempt else None
    if evidence.reason is not Reason.NOT_PROVED or verification is None or evidence.solution:
        return next_step(evidence.reason, words)
    before, after = verification.baseline, (verification.regression, verification.green)
    if before.red and not before.passed and not any(report and report.passed for report in after):
        return _in_words(words, NOTHING_PASSES)
    return next_step(evidence.reason, words) if _closest(verification) else _in_words(words, NOTHING_FAILS)


def next_step(reason: Reason, words: Mapping[str, str] = NO_OTHER_WORDS) -> str:
    return _in_words(words, NEXT_STEP[reason])


def _in_words(words: Mapping[str, str], text: str) -> str:
    for usual, other in words.items():
        text = text.replace(usual, other)
    return text


def render_attempt(evidence: Evidence) -> tuple[str, ...]:
    """What was spent and tried, part by part; what tests and set-up said where the agent never began."""
    told = spend_table(evidence), refused_hosts(evidence), package_notes(evidence), suite_notes(evidence)
    attempt = evidence.attempt
    if attempt is None:
        return *told, _baseline_output(evidence), _setup_log(evidence)
    return *told, _own_words(attempt), _reasons(attempt), closest_test(attempt), _tried(attempt)


def _baseline_output(evidence: Evidence) -> str:
    """What the base commit's suite said where that is why there was nothing to compare with."""
    baseline = evidence.baseline
    if baseline is None or baseline.problem is None or not baseline.output.strip():
        return ""
    return folded("Output of the tests", fence(cut(baseline.output, MAX_OUTPUT)))


def _setup_log(evidence: Evidence) -> str:
    log = evidence.prepared.log if evidence.prepared else ""
    return folded("Output of the set-up", fence(cut(log, MAX_OUTPUT))) if log.strip() else ""


def _own_words(attempt: Attempt) -> str:
    """What the model said when it gave up, or else its plan."""
    if isinstance(attempt.ending, GaveUp):
        return f"The model's words:\n\n{quote(cut(attempt.ending.reason, 3_000))}"
    opening = attempt.transcript.opening
    return f"Success criterion and plan:\n\n{quote(cut(opening, 2_000))}" if opening.strip() else ""


def _reasons(attempt: Attempt) -> str:
    """Why the last verification did not prove it."""
    return told_reasons("What verification said:", attempt.verification.reasons) if attempt.verification else ""


def closest_test(attempt: Attempt) -> str:
    """The test that came nearest and what it said: of the last verification, or else the model's last test run."""
    if attempt.verification and (found := _closest(attempt.verification)):
        test, message = found
        return folded(f"The closest test: {html_code(test)}", fence(cut(message, MAX_OUTPUT)))
    run = last_call(attempt.transcript, "run_tests")
    return folded("The last test run", fence(cut(run[1], MAX_OUTPUT))) if run else ""


def _closest(verification: Verification) -> tuple[str, str] | None:
    before = verification.baseline.red
    for report, known in (
        (verification.green, frozenset[str]()),
        (verification.regression, before),
        (verification.baseline, frozenset[str]()),
    ):
        found = _first_red(report, known)
        if found:
            return found
    return None


def _first_red(report: TestReport | None, known: frozenset[str]) -> tuple[str, str] | None:
    if report is None:
        return None
    if report.problem:
        return report.problem, report.output or report.problem
    return next(((case.id, case.message or "failed") for case in report.cases if case.id in report.red - known), None)


def _tried(attempt: Attempt) -> str:
    """One line a turn, the middle ones left out where there are many."""
    lines = [f"- {turn_line(turn)}" for turn in attempt.transcript.turns]
    shown = "\n".join(fit_lines(lines, MAX_LINES, "turns"))
    return folded(f"What was tried, in {counted(len(lines), 'turn')}", shown) if lines else ""


def _footer(evidence: Evidence, commit_url: str | None) -> str:
    run = evidence.run
    return f"Asked for by {code(run.sender)}. Run {code(run.run_id)}. {base(evidence, commit_url)}".rstrip()
