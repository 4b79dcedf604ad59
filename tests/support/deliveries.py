"""Deliveries as GitHub sends them: real shapes, signed."""

import hashlib
import hmac
import json
import uuid
from typing import Any

SECRET = "a secret that only the tests know"


def labeled(
    label: str = "agent-fix",
    *,
    sender: str = "octocat",
    sender_type: str = "User",
    number: int = 7,
    title: str = "Wrong sum",
    body: str | None = "1 + 1 is 3",
    **issue: Any,
) -> dict[str, Any]:
    """An `issues.labeled` payload; further words are fields of the issue."""
    return {
        "action": "labeled",
        "label": {"id": 1, "name": label, "color": "ededed"},
        "issue": {
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "updated_at": "2026-01-02T03:04:05Z",
            "labels": [{"name": "bug"}, {"name": label}],
            "user": {"login": "reporter", "type": "User"},
            **issue,
        },
        "repository": {"id": 42, "full_name": "octo/calc", "private": False},
        "sender": {"login": sender, "id": 5, "type": sender_type},
        "installation": {"id": 99, "node_id": "x"},
    }


def encoded(payload: Any) -> bytes:
    return json.dumps(payload).encode()


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(body: bytes, *, event: str = "issues", delivery: str | None = None, secret: str = SECRET) -> dict[str, str]:
    """What GitHub sends with `body`."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/044aadd",
        "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": "292430182",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": "sha1=" + hmac.new(secret.encode(), body, hashlib.sha1).hexdigest(),
        "X-Hub-Signature-256": signature(body, secret),
    }


def changed(action: str, *, number: int = 7, label: str | None = None, at: str = "2026-01-02T03:05:05Z") -> Any:
    """An `issues` payload of another action, a minute after `labeled`'s."""
    payload = {**labeled(number=number, updated_at=at), "action": action}
    del payload["label"]
    return payload | ({"label": {"id": 1, "name": label}} if label else {})
