"""The message that a run waits: its task, its queue and, for Redis, its form on the wire."""

import base64
import json
import uuid

from repo_tools.errors import TransientError

RUN_TASK = "agent_fix.run"
QUEUE = "agent-fix"
ANSWER_SECONDS = 1.0  # how long a sender waits for the broker: the webhook answers GitHub in time without it


class BrokerUnavailableError(TransientError):
    """The broker cannot be reached just now; the reconciler rings later. `why` holds no password."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the broker cannot be used ({why})")


def redis_message(run_id: str) -> bytes:
    """What Celery would put on the queue's list: version 2 of its protocol, in kombu's envelope for Redis.

    https://docs.celeryq.dev/en/stable/internals/protocol.html#version-2
    """
    task_id = str(uuid.uuid4())
    body = [[run_id], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    envelope = {
        "body": base64.b64encode(json.dumps(body).encode()).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {
            "lang": "py",
            "task": RUN_TASK,
            "id": task_id,
            "root_id": task_id,
            "parent_id": None,
            "group": None,
            "retries": 0,
            "eta": None,
            "expires": None,
            "timelimit": [None, None],
            "argsrepr": repr([run_id]),
            "kwargsrepr": "{}",
        },
        "properties": {
            "correlation_id": task_id,
            "reply_to": "",
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": QUEUE},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
        },
    }
    return json.dumps(envelope).encode()
