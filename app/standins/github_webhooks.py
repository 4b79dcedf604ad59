"""Signed deliveries, as GitHub sends them (https://docs.github.com/en/webhooks)."""

import hashlib
import hmac
import json
import uuid
from dataclasses import dataclass
from typing import Any

import httpx

from app.standins.github_json import Shapes
from app.standins.github_state import Account, Issue, Repository


@dataclass(frozen=True)
class Delivery:
    """One delivery and the receiver's answer; None where there was none."""

    id: str
    event: str
    body: bytes
    headers: dict[str, str]
    response: httpx.Response | None


def labeled_payload(
    shapes: Shapes, repository: Repository, issue: Issue, label: str, sender: Account
) -> dict[str, Any]:
    return {
        "action": "labeled",
        "issue": shapes.issue(repository, issue),
        "label": shapes.label(repository, label),
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
