"""Every payload that GitHub's own maintainers publish as an example, sent as GitHub would send it."""

import logging
from collections import Counter

import pytest
from fastapi.testclient import TestClient

from app.payload import IssueLabeled, parse
from tests.support.deliveries import encoded, headers
from tests.support.npm import webhook_examples

pytestmark = pytest.mark.registry

OURS = ("app", "agent", "repo_tools", "workers")


def test_every_real_payload_is_understood(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    statuses: Counter[int] = Counter()
    for event, payload in webhook_examples():
        body = encoded(payload)
        response = client.post("/webhooks/github", content=body, headers=headers(body, event=event))
        statuses[response.status_code] += 1
        assert response.status_code in (200, 202), (event, payload.get("action"), response.text)
    assert sum(statuses.values()) > 300
    assert [record for record in caplog.records if record.name.partition(".")[0] in OURS] == []


def test_a_real_label_on_an_issue_starts_a_run_once_it_is_ours(client: TestClient) -> None:
    labelings = [p for event, p in webhook_examples() if (event, p.get("action")) == ("issues", "labeled")]
    assert labelings
    for number, payload in enumerate(labelings):
        read = parse("issues", encoded(payload))
        ours = {
            **payload,
            "label": {**payload["label"], "name": "agent-fix"},
            "issue": {**payload["issue"], "number": number + 1},
            "installation": {"id": 1},
        }
        body = encoded(ours)
        response = client.post("/webhooks/github", content=body, headers=headers(body))
        assert isinstance(read, IssueLabeled)
        assert read.repository.full_name == payload["repository"]["full_name"]
        assert response.status_code == 202, response.text
