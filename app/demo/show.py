"""The demo: its table of contents, and what it prints."""

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule

from app.cli.live import LiveRun
from app.demo.repository import FILES, REPOSITORY, SOLVABLE, TOO_LARGE, DemoIssue
from app.demo.script import reply
from app.demo.service import Json, Service
from app.standins.github import GitHubStandIn
from app.standins.messages import MessagesServer

MAINTAINER = "maria"
SMALL_BUDGET = {"AGENT_FIX_BUDGET__TURNS": "3"}
KEY = "ANTHROPIC_API_KEY"

SCRIPTED = (
    "[bold yellow]No ANTHROPIC_API_KEY is set, so the model's replies are scripted.[/] Everything else is real: the "
    "service, the queue, git, the sandbox, the installation, the tests and the verdict. Spend is what the script's "
    "tokens would have cost."
)
SUMMARY = re.compile(r"<details><summary>(.*?)</summary>")
TAG = re.compile(r"</?code>")
REAL = "ANTHROPIC_API_KEY is set: the real model works, and is paid."


def show(console: Console, folder: Path, environment: Mapping[str, str], *, stay: bool) -> int:
    """0 where a draft pull request and an escalation came of it. `stay`: keep the pages up until Enter is pressed."""
    console.print(Rule("agent-fix demo"))
    console.print(REAL if environment.get(KEY) else SCRIPTED)
    with GitHubStandIn(folder / "github") as github, _model(environment) as model:
        github.create_repository(REPOSITORY, {path: content.encode() for path, content in FILES.items()})
        github.add_collaborator(REPOSITORY, MAINTAINER, "write")
        fixed = _follow(console, github, folder, model, SOLVABLE)
        handed_over = _follow(console, github, folder, {**model, **SMALL_BUDGET}, TOO_LARGE)
        pages = _show_results(console, github, folder, [fixed, handed_over])
        if stay:
            console.input(f"\nThe pages are up at {', '.join(pages)}. Press Enter to end. ")
    return 0 if [fixed["outcome"], handed_over["outcome"]] == ["draft_pull_request", "escalation"] else 1


@contextmanager
def _model(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Settings of the model's side: none where there is a key, else those of a scripted stand-in."""
    if environment.get(KEY):
        yield {}
        return
    with MessagesServer(reply) as messages:
        yield {KEY: "scripted", "ANTHROPIC_BASE_URL": messages.url}


def _follow(
    console: Console, github: GitHubStandIn, folder: Path, settings: Mapping[str, str], issue: DemoIssue
) -> Json:
    """Label one issue and watch its run to the end."""
    console.print(Rule(f"Issue: {issue.title}"))
    console.print("Starting the service ...", style="dim")
    number = github.open_issue(REPOSITORY, issue.title, issue.body)
    with Service(github, folder / "data", settings, folder / "service.log") as service:
        delivery = github.label_issue(REPOSITORY, number, "agent-fix", MAINTAINER)
        if delivery is None or delivery.response is None or delivery.response.status_code != httpx.codes.ACCEPTED:
            raise RuntimeError(f"the webhook did not take the label: {delivery}")
        run_id: str = delivery.response.json()["run"]
        with LiveRun(console, service.look) as live:
            live.follow(run_id)
            return service.wait_until_ended(run_id)


def unfolded(body: str) -> str:
    """GitHub's Markdown for a terminal, which folds nothing and shows no HTML: a fold's name stands above it."""
    named = SUMMARY.sub(lambda found: f"**{html.unescape(TAG.sub('', found[1]))}**", body)
    return named.replace("</details>", "")


def _show_results(console: Console, github: GitHubStandIn, folder: Path, runs: list[Json]) -> list[str]:
    """Print what GitHub was told, keep its pages as files, and give their addresses."""
    pages = []
    for run in runs:
        number = int(str(run["url"]).split("#")[0].rsplit("/", 1)[1]) if run["url"] else run["issue_number"]
        told = github.issue(REPOSITORY, number)
        body = told.body if told.pull else github.comments(REPOSITORY, number)[-1].body
        what = "Draft pull request" if told.pull else "Escalation comment"
        console.print(Panel(Markdown(unfolded(body)), title=f"{what}: {told.title}"))
        pages.append(github.page_url(REPOSITORY, number))
    for run, page in zip(runs, pages, strict=True):
        kept = folder / f"{run['outcome']}.html"
        kept.write_text(httpx.get(page).text, encoding="utf-8")
        console.print(f"{str(run['outcome']).replace('_', ' ')}: {page}, kept as {kept.as_uri()}", soft_wrap=True)
    return pages
