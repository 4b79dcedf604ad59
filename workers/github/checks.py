"""What `doctor` asks about the App."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from repo_tools.errors import ConfigError
from workers.github.app_auth import EVENTS, PERMISSIONS, load_credentials
from workers.github.app_client import AppClient
from workers.github.errors import GitHubError
from workers.github.rest import Connection, Rest, why_silent
from workers.settings import WorkerSettings
from workers.triggers import WEBHOOK_PATH

MAX_SKEW_SECONDS = 30


@dataclass(frozen=True)
class Check:
    """One thing looked at; `remedy` is empty where it is well."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""


def check_app(settings: WorkerSettings) -> list[Check]:
    """Key, clock, App, permissions, events: as far as each rests on one that holds. Never raises."""
    try:
        credentials = load_credentials(settings)
    except ConfigError as error:
        return [Check("App key", False, f"{error.setting} {error.problem}", error.remedy)]
    checks = [Check("App key", True, "an RSA key"), _clock(settings.github_api_url)]
    try:
        with Connection(settings.github_api_url, max_wait_seconds=0).open(credentials.strategy) as rest:
            app = rest.get("/app")
            of_deliveries = [_asked("webhook", _webhook, rest), _asked("deliveries", _deliveries, rest)]
    except GitHubError as error:
        return [*checks, Check("App", False, error.told, error.remedy)]
    known = Check("App", True, f"{app['slug']} ({app['html_url']})")
    return [*checks, known, _permissions(app), _events(app), *of_deliveries]


def _clock(api_url: str) -> Check:
    """GitHub takes an App's JWT only while both clocks agree."""
    try:
        date = httpx.get(api_url, timeout=10).headers["date"]
        skew = abs((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())
    except (httpx.HTTPError, httpx.InvalidURL, KeyError, ValueError) as error:
        return Check(
            "GitHub", False, f"{api_url} does not answer ({why_silent(error)})", "Check AGENT_FIX_GITHUB_API_URL"
        )
    fine = skew <= MAX_SKEW_SECONDS
    return Check("clock", fine, f"{skew:.0f} s from GitHub's", "" if fine else "Set this machine's clock (NTP)")


def _permissions(app: dict[str, Any]) -> Check:
    granted = app["permissions"]
    missing = [f"{name}: {level}" for name, level in PERMISSIONS.items() if granted.get(name) not in (level, "write")]
    if missing:
        return Check(
            "permissions",
            False,
            f"missing {', '.join(missing)}",
            "Grant them in the App's settings and accept them in each installation",
        )
    more = sorted(set(granted) - set(PERMISSIONS))
    note = f"; not needed: {', '.join(more)}" if more else ""
    return Check("permissions", True, ", ".join(f"{n}: {v}" for n, v in PERMISSIONS.items()) + note)


def _events(app: dict[str, Any]) -> Check:
    missing = [event for event in EVENTS if event not in app["events"]]
    if missing:
        return Check("events", False, f"not subscribed to {', '.join(missing)}", "Tick them in the App's settings")
    return Check("events", True, ", ".join(app["events"]))


def _asked(what: str, look: Callable[[AppClient], Check], rest: Rest) -> Check:
    try:
        return look(AppClient(rest))
    except GitHubError as error:
        return Check(what, False, error.told, error.remedy)


def _webhook(client: AppClient) -> Check:
    """As it stands in the App's settings. A proxy may lead from another path to the receiver's."""
    hook = client.webhook()
    problems = (
        (not hook.url, "has no address", f"Set https://YOUR-HOST{WEBHOOK_PATH} in the App's settings"),
        (hook.content_type != "json", "sends forms", "Set its content type to application/json"),
        (not hook.has_secret, "has no secret", "Set that of AGENT_FIX_GITHUB_WEBHOOK_SECRET in the App's settings"),
    )
    for holds, problem, remedy in problems:
        if holds:
            return Check("webhook", False, problem, remedy)
    parts = urlsplit(hook.url)
    elsewhere = parts.path.rstrip("/") != WEBHOOK_PATH
    shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()  # no secret of it
    return Check("webhook", True, shown, f"The receiver answers at {WEBHOOK_PATH}" if elsewhere else "")


def _deliveries(client: AppClient) -> Check:
    """Whether the last one came through."""
    last = client.last_delivery()
    if last is None:
        return Check("deliveries", True, "none yet")
    name = f"{last.event}.{last.action}" if last.action else last.event
    remedy = "See that the receiver runs and that GitHub reaches it; the App's settings list what was sent (Advanced)"
    if last.status_code == httpx.codes.UNAUTHORIZED:
        remedy = "AGENT_FIX_GITHUB_WEBHOOK_SECRET is not the App's: set the same in both places"
    told = f"the last one ({name}) was answered {last.status_code}"
    return Check("deliveries", not last.failed, told, remedy if last.failed else "")
