"""What people see. Whatever somebody wrote into an issue, a test or a reply stays text."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.page import stage_marks
from tests.support.issues import a_claim, run_of
from tests.support.journals import BASE_COMMIT, finish, journal, new_run
from tests.support.web import make_app, web_settings
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import RunStore

PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<svg/onload=alert(1)>",
    "' onmouseover='alert(1)",
    "</pre></details><iframe src=//evil.example>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "<style>*{background:url(//evil.example)}</style>",
    '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
]
OUR_TAGS = """
html bdi head meta title link body header main nav section article div p pre h1 h2 h3 a span strong small code meter
details summary ul ol li dl dt dd table thead tbody tr th td
"""
TAGS = frozenset(OUR_TAGS.split())
ISSUE = "https://github.com/octo/calc/issues/7"


class Elements(HTMLParser):
    """Every element of a page and where it leads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.refreshes: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        if ("http-equiv", "refresh") in attrs:
            self.refreshes += [value or "" for name, value in attrs if name == "content"]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_others_wrote_is_inert(client: TestClient, store: RunStore, payload: str) -> None:
    """D01."""
    held = a_claim(store, new_run(store, title=payload, body=payload))
    journal(store, held, said=payload, result=payload)
    store.append_step(held, "nudge", {"text": payload})
    store.set_progress(held, stage=payload, model=payload, base_commit=payload)
    for path in ("/", f"/runs/{held.run.id}"):
        page = Elements(client.get(path).text)
        assert page.tags <= TAGS
        assert not {name for name in page.attributes if name.startswith("on") or name in ("style", "src", "srcdoc")}
        assert all(address.startswith(("/", "#turn-")) for address in {*page.addresses} - {ISSUE}), page.addresses
        assert page.refreshes == ["3"]


def test_a_run_whose_result_went_to_a_folder_is_told_by_its_reason_alone(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    store.finish(held, Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.ANSWERED, "Four.", url="out"), {})
    pages = [client.get(path).text for path in ("/", f"/runs/{held.run.id}")]
    assert all('<span class="badge answered">answered</span>' in page and "draft" not in page for page in pages)
    assert pages[0].count(">answered<") == 1


def test_what_no_page_can_hold_is_shown_as_a_sign(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held, said="a\0b \ud83d", result="\udfff\0")
    store.append_step(held, "nudge", {"text": "\0\ud83d"})
    shown = client.get(f"/runs/{held.run.id}").text
    told = client.get(f"/api/runs/{held.run.id}").json()
    for words in ("a␀b \ufffd", "\ufffd␀", "␀\ufffd"):
        assert words in shown
        assert words in str(told)


def test_a_link_leads_only_to_the_web(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    url = "javascript:alert(1)"
    store.finish(held, Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED, "x", url, url), {})
    assert "javascript:" not in client.get(f"/runs/{held.run.id}").text


@pytest.mark.parametrize("path", ["/", "/runs/{run}", "/runs/unknown"])
def test_the_browser_is_told_to_load_nothing_foreign_and_run_nothing(
    client: TestClient, store: RunStore, path: str
) -> None:
    """D03."""
    headers = client.get(path.format(run=new_run(store))).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_the_style_sheet_is_there_and_loads_nothing(client: TestClient) -> None:
    response = client.get("/static/style.css")
    assert response.headers["content-type"].startswith("text/css")
    assert "url(" not in response.text
    assert "@import" not in response.text


def test_an_empty_list_says_what_to_do(client: TestClient) -> None:
    assert "Put the label on an issue" in client.get("/").text


def test_the_list_leads_to_each_run_and_to_older_ones(client: TestClient, store: RunStore) -> None:
    ids = [new_run(store, number) for number in range(1, 53)]
    first = Elements(client.get("/").text)
    assert f"/runs/{ids[-1]}" in first.addresses
    [older] = [address for address in first.addresses if "before=" in address]
    second = Elements(client.get(older).text)
    shown = {address for page in (first, second) for address in page.addresses if address.startswith("/runs/")}
    assert shown == {f"/runs/{run_id}" for run_id in ids}


def test_a_run_is_shown_with_spend_tests_transcript_and_its_pull_request(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    finish(store, held)
    html = client.get(f"/runs/{held.run.id}").text
    for words in ("Wrong sum", "octo/calc#7", "draft pull request", "0.41 of 3", "12,345 of 2,000,000", "1, no limit"):
        assert words in html
    for words in ("I will fix the sum.", "read_file", "def add(a, b):", "base tests, new code", "new tests, old code"):
        assert words in html
    page = Elements(html)
    assert {"https://github.com/octo/calc/pull/8", ISSUE} <= {*page.addresses}
    assert page.refreshes == []


@pytest.mark.parametrize("server", ["https://github.com", "https://ghe.example.org"])
def test_the_base_commit_leads_to_its_page_on_the_server(tmp_path: Path, store: RunStore, server: str) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    app = make_app(web_settings(tmp_path, github_server_url=f"{server}/"), store)
    with TestClient(app, base_url="http://localhost") as client:
        page = Elements(client.get(f"/runs/{held.run.id}").text)
    assert f"{server}/octo/calc/commit/{BASE_COMMIT}" in page.addresses


def test_the_base_commit_of_a_folder_leads_nowhere(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store, installation=0))
    journal(store, held)
    html = client.get(f"/runs/{held.run.id}").text
    assert BASE_COMMIT[:12] in html
    assert not [address for address in Elements(html).addresses if "/commit/" in address or "/issues/" in address]


def test_a_page_refreshes_itself_while_something_goes_on(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    assert Elements(client.get("/").text).refreshes == ["3"]
    finish(store, held)
    assert Elements(client.get("/").text).refreshes == []


def test_a_page_stands_still_for_whoever_reads_it(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    for path in ("/", f"/runs/{held.run.id}"):
        assert f"{path}?still" in Elements(client.get(path).text).addresses
        still = client.get(f"{path}?still")
        assert Elements(still.text).refreshes == []
        assert f'<a class="reload" href="{path}">' in still.text
    finish(store, held)
    assert "reload" not in client.get(f"/runs/{held.run.id}?still").text


def test_stages_before_the_current_one_are_done(store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    store.set_progress(held, stage="baseline")
    run = run_of(store, held.run.id)
    assert [mark for _, mark in stage_marks(run, ())] == ["done", "done", "done", "now", "ahead", "ahead", "ahead"]


def test_a_run_that_was_handed_over_shows_how_far_it_came_and_which_way_it_went(
    client: TestClient, store: RunStore
) -> None:
    held = a_claim(store, new_run(store))
    for stage in ("admit", "checkout", "escalate"):
        store.append_step(held, "stage", {"name": stage})
        store.set_progress(held, stage=stage)
    html = client.get(f"/runs/{held.run.id}").text
    assert '<li class="ahead">agent<' in html, "what it never came to is not done while it is handed over"
    assert '<li class="now" aria-current="step">escalate<' in html
    store.finish(held, Outcome(OutcomeKind.ESCALATION, Reason.LIMIT_TURNS, "x"), {})
    html = client.get(f"/runs/{held.run.id}").text
    assert '<li class="done">checkout<span class="unseen">: done</span></li>' in html
    assert '<li class="ahead">agent<span class="unseen">: not reached</span></li>' in html
    assert '<li class="done">escalate' in html
    assert ">publish<" not in html


def test_a_page_of_a_run_that_is_not_there_says_so(client: TestClient) -> None:
    response = client.get("/runs/unknown")
    assert response.status_code == 404
    assert "No such run" in response.text


def test_a_long_transcript_is_sent_as_it_is_read(client: TestClient, store: RunStore) -> None:
    """D09."""
    held = a_claim(store, new_run(store))
    for number in range(120):
        journal(store, held, said=f"turn after turn {number}", result="x" * 10_000)
    html = client.get(f"/runs/{held.run.id}").text
    assert html.count("turn after turn") == 120
    assert html.rstrip().endswith("</html>")
