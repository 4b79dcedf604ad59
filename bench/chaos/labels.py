"""Many labels at once, each delivered again and again; and deliveries that GitHub never sent."""

import hashlib
import hmac
import json
import random
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from app.standins.github_webhooks import signed_headers
from bench.chaos.parts import Result
from bench.chaos.world import LABEL, Site
from tests.support.deliveries import labeled

MOST_COPIES = 20
SENDERS = 16
Sent = tuple[bytes, dict[str, str]]


def many_labels(site: Site, place: str, seed: int, *, events: int, forged: int) -> list[Result]:
    """`events` labels in 1 to 20 copies each, in any order, several senders at a time; then `forged` deliveries. The
    site has no workers: what is counted are the rows."""
    chance = random.Random(seed)
    secret = site.world.github.webhook_secret
    copies = [copy for number in range(1, events + 1) for copy in _copies(chance, secret, number)]
    chance.shuffle(copies)
    answers = Counter(_send_all(site, copies))
    made = len(site.store.list_runs(limit=events * MOST_COPIES))
    problems = [] if made == events else [f"{made} runs of {events} labels"]
    problems += [f"{count} answers {status}" for status, count in answers.items() if status != 202]
    what = "labels, each in 1 to 20 copies at once"
    first = Result(what, place, len(copies), events, problems, [f"{made} runs"], log=site.log)
    refused = Counter(_send_all(site, [_forged(chance, events + n) for n in range(1, forged + 1)]))
    accepted = len(site.store.list_runs(limit=events * MOST_COPIES)) - made
    problems = [f"{accepted} accepted"] if accepted else []
    problems += [f"{count} answers {status}" for status, count in refused.items() if not 400 <= status < 500]
    figures = [", ".join(f"{count} answers {status}" for status, count in sorted(refused.items()))]
    return [first, Result("forged deliveries", place, forged, forged, problems, figures, log=site.log)]


def _copies(chance: random.Random, secret: str, number: int) -> Iterator[Sent]:
    """Of one labelling: redeliveries, which carry the same id, and other deliveries of the same event."""
    body = _body(number)
    first = str(uuid.UUID(int=chance.getrandbits(128)))
    for copy in range(chance.randint(1, MOST_COPIES)):
        known = copy == 0 or chance.random() < 0.8
        yield (
            body,
            signed_headers(body, secret, "issues", first if known else str(uuid.UUID(int=chance.getrandbits(128)))),
        )


def _guid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128)))


def _forged(chance: random.Random, number: int) -> Sent:
    """Signed by nobody, by somebody else, with the old algorithm, or for another body."""
    body, guess = _body(number), f"{chance.getrandbits(64):x}"
    headers: dict[str, Any] = signed_headers(body, guess, "issues", _guid(chance))
    match chance.randrange(4):
        case 0:
            del headers["X-Hub-Signature-256"]
        case 1:
            headers["X-Hub-Signature-256"] = "sha1=" + hmac.new(guess.encode(), body, hashlib.sha1).hexdigest()
        case 2:
            headers["X-Hub-Signature-256"] = headers["X-Hub-Signature-256"][: chance.randrange(70)]
    return body, headers


def _body(number: int) -> bytes:
    return json.dumps(labeled(LABEL, number=number, title=f"Case {number}")).encode()


def _send_all(site: Site, sent: Sequence[Sent]) -> list[int]:
    """The status of each answer; 0 where there was none."""
    url = f"{site.service.url}/webhooks/github"
    shares = [sent[n::SENDERS] for n in range(SENDERS)]
    with ThreadPoolExecutor(SENDERS) as pool:
        return [status for share in pool.map(lambda share: _send(url, share), shares) for status in share]


def _send(url: str, sent: Sequence[Sent]) -> list[int]:
    statuses = []
    with httpx.Client(timeout=30, trust_env=False) as client:
        for body, headers in sent:
            try:
                statuses.append(client.post(url, content=body, headers=headers).status_code)
            except httpx.TransportError:
                statuses.append(0)
    return statuses
