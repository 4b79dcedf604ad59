"""The pages' templates and the filters that they use."""

from datetime import datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from app.journal_view import ending

REFRESH_SECONDS = 3


def open_templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("app"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["refresh_seconds"] = REFRESH_SECONDS
    environment.filters["ending"] = lambda run: ending(run["outcome"], run["reason"], run["url"])
    environment.filters["words"] = lambda name: str(name).replace("_", " ")
    environment.filters["moment"] = _moment
    environment.filters["link"] = _link
    environment.filters["amount"] = _amount
    return environment


def _moment(iso: str) -> str:
    return datetime.fromisoformat(iso).strftime("%Y-%m-%d %H:%M:%S UTC")


def _amount(number: float) -> str:
    """``12,345`` and ``0.41``: as many digits as say something."""
    return f"{number:,.2f}".rstrip("0").removesuffix(".")


def _link(address: str | None) -> str | None:
    """An address that a link may lead to; a `javascript:` one is none."""
    return address if address and address.startswith(("https://", "http://")) else None
