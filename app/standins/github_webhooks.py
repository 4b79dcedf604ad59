"""Signed deliveries, as GitHub sends them (https://docs.github.com/en/webhooks)."""

import hashlib
import hmac
import json
import secrets
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from app.standins.github_json import Shapes
from app.standins.github_state import Account, Issue, Repository, now


@dataclass(frozen=True)
class Delivery:
    """One delivery and the receiver's answer; None where there was none."""

    id: str
    event: str
    body: bytes
    headers: dict[str, str]
    response: httpx.Response | None


@dataclass(frozen=True)
class Attempt:
    """One attempt at a delivery, as the App's list shows it."""

    id: int
    delivery: Delivery
    at: str
    redelivery: bool

    @property
    def status_code(self) -> int:
        return 502 if self.delivery.response is None else self.delivery.response.status_code

    @property
    def failed(self) -> bool:
        return not 200 <= self.status_code < 300


class Hook:
    """The App's webhook: where it posts to, and every attempt that it made. Nothing is sent while `url` is None."""

    def __init__(self, new_id: Callable[[], int]) -> None:
        self.url: str | None = None
        self.secret = secrets.token_hex(20)
        self.attempts: list[Attempt] = []
        self._new_id = new_id

    def send(self, event: str, payload: dict[str, Any]) -> Delivery | None:
        """None where there is no `url`."""
        url = self.url  # who takes it away does so from another thread
        if url is None:
            return None
        return self._keep(deliver(url, self.secret, event, payload), redelivery=False)

    def again(self, attempt: Attempt) -> None:
        """The same delivery, with its id, from a thread of its own."""
        threading.Thread(target=self._send_again, args=[attempt], daemon=True).start()

    def _send_again(self, attempt: Attempt) -> None:
        sent, url = attempt.delivery, self.url
        if url is not None:
            self._keep(deliver(url, self.secret, sent.event, json.loads(sent.body), sent.id), redelivery=True)

    def _keep(self, delivery: Delivery, *, redelivery: bool) -> Delivery:
        self.attempts.append(Attempt(self._new_id(), delivery, now(), redelivery))
        return delivery


def issue_payload(
    shapes: Shapes, repository: Repository, issue: Issue, action: str, sender: Account, label: str | None = None
) -> dict[str, Any]:
    """Of `issues`; `label` is what was put on or taken off."""
    return {
        "action": action,
        "issue": shapes.issue(repository, issue),
        **({"label": shapes.label(repository, label)} if label else {}),
        "repository": shapes.repository(repository),
        "sender": shapes.user(sender),
        "installation": {"id": shapes.state.installation_id, "node_id": "MDIz"},
    }


def signed_headers(body: bytes, secret: str, event: str, delivery_id: str) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/standin",
        "X-GitHub-Delivery": delivery_id,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": f"sha256={digest}",
    }


def deliver(url: str, secret: str, event: str, payload: dict[str, Any], delivery_id: str | None = None) -> Delivery:
    """Post once and wait at most GitHub's ten seconds. GitHub repeats nothing by itself, and neither does this."""
    number = delivery_id or str(uuid.uuid4())
    body = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
    headers = signed_headers(body, secret, event, number)
    try:
        response = httpx.post(url, content=body, headers=headers, timeout=10, trust_env=False)
    except httpx.TransportError:
        response = None
    return Delivery(number, event, body, headers, response)
