"""What only the operator can mend: told to people with its reason, and with none of the operator's secrets."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.standins.messages import Fault
from tests.support import calc
from tests.support.processes import eventually
from tests.support.stage import MODEL_KEY, Played, Stage, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

TRIGGER = """
create trigger if not exists refuse_steps before insert on steps when new.data like '%first price was left out%'
begin select raise(abort, 'the steps cannot be written'); end
"""


@dataclass(frozen=True)
class Trouble:
    """Four runs: one that goes well, and three that the operator must see to, one of which goes well once he has."""

    stage: Stage
    proved: Played
    model: Played
    github: Played
    internal: Played
    tokens: frozenset[str]  # of GitHub's installation, all that were made

    @property
    def log(self) -> str:
        return (self.stage.folder / "service.log").read_text()

    def secrets(self) -> list[bytes]:
        github = self.stage.github
        key = [line for line in github.private_key_pem.splitlines() if not line.startswith("--")]
        return [word.encode() for word in (MODEL_KEY, github.webhook_secret, *key, *self.tokens)]

    def places(self) -> Iterator[tuple[str, bytes]]:
        """What the service wrote, here and on GitHub, and what its API tells: (where, content)."""
        for folder, _, names in os.walk(self.stage.folder):
            for path in (Path(folder, name) for name in names):
                if (content := content_of(path)) is not None:
                    yield str(path), content
        for played in (self.proved, self.model, self.github, self.internal):
            yield f"{played.repository}: the API", json.dumps(played.run).encode()
            for body in [c.body for c in played.comments] + [p.body for p in played.pull_requests]:
                yield f"{played.repository}: GitHub", body.encode()


def content_of(path: Path) -> bytes | None:
    """None where it is no file, or none any more: the service is at work."""
    with suppress(FileNotFoundError):
        return path.read_bytes() if path.is_file() else None
    return None


@pytest.fixture(scope="module")
def trouble(stage: Stage) -> Trouble:
    proved = stage.play(calc.FILES, calc.mended())
    model = stage.play(calc.FILES, [Fault(status=404)])
    internal = without_its_journal(stage)
    tokens = frozenset(stage.github.state.tokens)
    return Trouble(stage, proved, model, without_its_key(stage), internal, tokens)


def in_the_middle(act: Callable[[], object]) -> list[Callable[[], Turn] | Turn]:
    """The turns of a fix whose second reply comes after `act`."""

    def finish() -> Sequence[dict[str, Any]]:
        act()
        return [calc.finish()]

    return [calc.mended()[0], finish]


def without_its_key(stage: Stage) -> Played:
    """GitHub takes neither the App's key nor its tokens any more, until the run is seen to wait for the operator."""
    state = stage.github.state
    key, another = state.public_key, public_key()

    def mend() -> None:
        try:
            eventually(lambda: waits_for_operator(stage), what="a run that waits for the operator")
        finally:
            state.public_key = key

    operator = Thread(target=mend)

    def revoke() -> None:
        with state.lock:
            state.public_key = another
            state.tokens.clear()
        operator.start()

    try:
        return stage.play(calc.FILES, in_the_middle(revoke))
    finally:
        operator.join()


def waits_for_operator(stage: Stage) -> bool:
    words = (run["waiting"] or "" for run in stage.service.get("/api/runs")["runs"])
    return any(text.startswith("Waits for the operator") for text in words)


def public_key() -> str:
    """Of another App."""
    key = generate_private_key(public_exponent=65537, key_size=2048).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def without_its_journal(stage: Stage) -> Played:
    """The database refuses one step in a way that no waiting heals: to the worker, a bug."""

    def execute(statement: str) -> None:
        with closing(sqlite3.connect(stage.folder / "agent-fix.db", timeout=60)) as database:
            database.execute(statement)

    try:
        return stage.play(calc.FILES, in_the_middle(lambda: execute(TRIGGER)))
    finally:
        execute("drop trigger if exists refuse_steps")


def test_a_provider_that_refuses_is_one_comment(trouble: Trouble) -> None:
    assert trouble.model.ending == ("escalation", "model")
    assert len(trouble.model.comments) == 1


def test_where_github_refuses_the_app_a_run_waits_and_goes_on_once_it_is_taken_again(trouble: Trouble) -> None:
    """Nobody could be told of an ending; the log tells the operator what to look at."""
    assert trouble.github.ending == trouble.proved.ending == ("draft_pull_request", "proved")
    assert len(trouble.github.pull_requests) == 1
    assert "Check AGENT_FIX_GITHUB_APP_ID" in trouble.log


def test_a_bug_ends_its_run_with_one_comment_that_says_nothing_of_it(trouble: Trouble) -> None:
    assert trouble.internal.ending == ("escalation", "internal")
    (comment,) = trouble.internal.comments
    assert "steps" not in comment.body
    assert "the steps cannot be written" in trouble.log


def test_a_box_that_cannot_be_had_any_more_is_one_comment(stage: Stage) -> None:
    """What every box is made with goes away between the agent's work and the verification."""
    etc = stage.folder / "bubblewrap" / "etc"
    away = etc.with_name("away")
    try:
        played = stage.play(calc.FILES, in_the_middle(lambda: etc.rename(away)))
    finally:
        away.rename(etc)
    assert played.ending == ("escalation", "sandbox")
    assert len(played.comments) == 1


def test_no_secret_is_in_the_log_the_data_or_anything_published(trouble: Trouble) -> None:
    """K04: neither in tasks, nor in log lines, nor in errors of the database, nor in what people are shown."""
    secrets = trouble.secrets()
    assert len(secrets) > 20  # the lines of the key among them
    for name, content in trouble.places():
        assert [secret for secret in secrets if secret in content] == [], name


def test_what_a_failing_statement_carried_is_not_in_the_log(trouble: Trouble) -> None:
    """K04: a step holds what the model and the repository say."""
    assert "StoreFaultError" in trouble.log
    assert "first price" not in trouble.log
