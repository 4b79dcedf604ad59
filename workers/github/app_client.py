"""The few calls that the App makes as itself: its deliveries and its installations."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from workers.github.readable import readable
from workers.github.rest import Rest

DELIVERIES = "/app/hook/deliveries"
KEPT = timedelta(days=3)
"""So long GitHub keeps what it delivered."""
_LATER = (408, 425, 429)


@dataclass(frozen=True)
class SentDelivery:
    """One attempt of GitHub's at a delivery. All attempts at one have the same `guid`."""

    id: int
    guid: str
    event: str
    action: str | None
    status_code: int
    delivered_at: datetime

    @property
    def failed(self) -> bool:
        return not 200 <= self.status_code < 300

    @property
    def refused(self) -> bool:
        """The receiver is there and does not want it: no outage, and no request to come again later."""
        return 400 <= self.status_code < 500 and self.status_code not in _LATER


@dataclass(frozen=True)
class Webhook:
    """Where GitHub sends deliveries, and how. `url` may be empty."""

    url: str
    content_type: str
    has_secret: bool


class AppClient:
    """Calls with the App's own JWT."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def failed_deliveries(self, since: datetime) -> Iterator[SentDelivery]:
        """Newest first, down to `since`. GitHub keeps them for three days.

        https://docs.github.com/rest/apps/webhooks#list-deliveries-for-an-app-webhook
        """
        for sent in readable("a delivery", self._rest.cursor_pages(DELIVERIES, status="failure"), _sent):
            if sent.delivered_at < since:
                return
            if sent.failed:  # an older server knows no `status`
                yield sent

    def webhook(self) -> Webhook:
        value = self._rest.get("/app/hook/config")
        return Webhook(value.get("url") or "", value.get("content_type") or "", bool(value.get("secret")))

    def last_delivery(self) -> SentDelivery | None:
        return next(readable("a delivery", self._rest.cursor_pages(DELIVERIES), _sent), None)

    def redeliver(self, delivery_id: int) -> None:
        self._rest.post(f"{DELIVERIES}/{delivery_id}/attempts", {})

    def installations(self) -> Iterator[int]:
        """Ids of those that are not suspended."""
        for number, suspended in readable("an installation", self._rest.pages("/app/installations"), _installation):
            if not suspended:
                yield number


def _sent(value: dict[str, Any]) -> SentDelivery:
    at = datetime.fromisoformat(value["delivered_at"])
    return SentDelivery(value["id"], value["guid"], value["event"], value["action"], int(value["status_code"]), at)


def _installation(value: dict[str, Any]) -> tuple[int, bool]:
    return value["id"], value["suspended_at"] is not None
