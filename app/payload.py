"""The few fields that a decision needs, read tolerantly: GitHub adds fields, events and actions at any time.

Documented at https://docs.github.com/webhooks/webhook-events-and-payloads#issues.
"""

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

Id = Annotated[int, Field(gt=0, lt=2**63)]
FullName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$", max_length=200)]


def _short_text(value: object) -> str | None:
    """Whatever else stands there is as good as nothing: no event that we act on has it."""
    return value[:100] if isinstance(value, str) else None


class PayloadError(Exception):
    """The body is not what its headers say. The text is for the sender and holds nothing of the body."""


class Event(BaseModel):
    """What an event of any kind may have."""

    action: Annotated[str | None, BeforeValidator(_short_text)] = None


class Label(BaseModel):
    name: str


class Issue(BaseModel):
    """`pull_request` is there where the issue is a pull request."""

    number: Id
    title: str
    body: str | None = None
    state: str
    updated_at: datetime | None = None
    pull_request: Any = None


class Repository(BaseModel):
    id: Id
    full_name: FullName


class Sender(BaseModel):
    login: str
    type: str


class Installation(BaseModel):
    id: Id
    suspended_at: datetime | None = None
    updated_at: datetime | None = None


class IssueLabeled(BaseModel):
    """`issues`, action `labeled`. `installation` is missing where another webhook than an App's sent it."""

    action: Literal["labeled"]
    label: Label
    issue: Issue
    repository: Repository
    sender: Sender
    installation: Installation | None = None


class IssueChange(BaseModel):
    """`issues`, after which a run may no longer be wanted. `label` is there for `unlabeled`."""

    action: Literal["unlabeled", "closed", "deleted", "locked", "transferred"]
    issue: Issue
    repository: Repository
    label: Label | None = None


class RepositoryId(BaseModel):
    id: Id


class ChangedRepository(RepositoryId):
    updated_at: datetime | None = None


class RepositoryChange(BaseModel):
    """`repository`, likewise. One that is renamed is followed by its id: only who works on it just then stops, and
    finds it out by itself."""

    action: Literal["archived", "deleted", "transferred"]
    repository: ChangedRepository


class InstallationChange(BaseModel):
    """`installation` and `installation_repositories`, which every App is sent."""

    action: Literal["deleted", "suspend", "removed"]
    installation: Installation
    repositories_removed: list[RepositoryId] = []


Change = IssueChange | RepositoryChange | InstallationChange
KINDS: dict[str, tuple[type[IssueLabeled] | type[Change], ...]] = {
    "issues": (IssueLabeled, IssueChange),
    "repository": (RepositoryChange,),
    "installation": (InstallationChange,),
    "installation_repositories": (InstallationChange,),
}
_Model = TypeVar("_Model", bound=BaseModel)


def parse(event: str, body: bytes | bytearray) -> IssueLabeled | Change | Event:
    """Of what can start or stop a run all that is needed, read at one go; of all others the action alone.

    PayloadError if `body` is not a JSON object in UTF-8 (or one that is nested beyond reason); for what can start or
    stop a run it names the first field that is missing or wrong.
    """
    kinds = KINDS.get(event, ())
    for kind in kinds:
        with suppress(PayloadError):
            return _parse(kind, body)
    other = _parse(Event, body)
    for kind in kinds:
        if other.action in get_args(kind.model_fields["action"].annotation):
            return _parse(kind, body)  # says what is wrong with it
    return other


def _parse(model: type[_Model], body: bytes | bytearray) -> _Model:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise PayloadError(_first_problem(error)) from None  # the chained error would print the body


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else str(first["msg"])
