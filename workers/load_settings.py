"""Settings read from the environment, and what is wrong with them said as the operator would correct it."""

import os
from collections.abc import Iterator, Mapping, Set
from difflib import get_close_matches
from typing import TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsError

from repo_tools.errors import ConfigError
from workers.settings import PREFIX, StoreSettings

S = TypeVar("S", bound=BaseSettings)


def load_settings(kind: type[S]) -> S:
    """Read `kind` from the environment. ConfigError names the first bad setting, never its value."""
    try:
        return kind()
    except ValidationError as error:
        raise _config_error(kind, error) from None  # the chained error would print the value
    except SettingsError as error:
        raise ConfigError(
            str(error).split('"')[1].upper() if '"' in str(error) else PREFIX,
            "is not valid JSON",
            'Write lists as JSON, for instance ["pypi.org"].',
        ) from None


def make_data_dir(settings: StoreSettings) -> None:
    """The data directory, for this user only. ConfigError where it cannot be made or written."""
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigError(
            f"{PREFIX}DATA_DIR", f"cannot be made ({error.strerror})", "Name a directory that this user may write."
        ) from None
    if not os.access(settings.data_dir, os.W_OK | os.X_OK):
        raise ConfigError(f"{PREFIX}DATA_DIR", "cannot be written", "Name a directory that this user may write.")


def setting_names(kind: type[BaseModel]) -> frozenset[str]:
    """Every variable that `kind` reads, nested ones too, as the operator writes them."""
    return frozenset(_names(kind, PREFIX))


def check_unknown(environ: Mapping[str, str], known: Set[str]) -> None:
    """ConfigError for the first variable with our prefix that is not known: a misspelt limit would be no limit."""
    for name in sorted(environ):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            likely = get_close_matches(name.upper(), known, n=1, cutoff=0.75)
            remedy = f"Did you mean {likely[0]}?" if likely else "The configuration table in README.md lists all."
            raise ConfigError(name, "is not a setting", remedy)


def _names(kind: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        own = field.validation_alias if isinstance(field.validation_alias, str) else prefix + name.upper()
        yield own
        for nested in (field.annotation, *get_args(field.annotation)):
            if isinstance(nested, type) and issubclass(nested, BaseModel):
                yield from _names(nested, own + "__")


def _nested(field: FieldInfo | None, name: str) -> FieldInfo | None:
    """The setting of this name in a group of settings."""
    kinds = (field.annotation, *get_args(field.annotation)) if field else ()
    groups = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return next((group.model_fields.get(name.lower()) for group in groups), field)


def _config_error(kind: type[BaseSettings], error: ValidationError) -> ConfigError:
    first = error.errors(include_input=False, include_url=False)[0]
    location = [part for part in first["loc"] if isinstance(part, str)]  # without the places in a list
    field = kind.model_fields.get(location[0].lower()) if location else None
    alias = field.validation_alias if field else None
    name = alias if isinstance(alias, str) else PREFIX + "__".join(location).upper()
    if location and location[0].isupper():
        name = "__".join(location)
    for part in location[1:]:
        field = _nested(field, part)
    description = field.description if field else None
    return ConfigError(
        name,
        "is not set" if first["type"] == "missing" else first["msg"].removeprefix("Value error, "),
        f"Expected: {description}." if description else "See the configuration table in README.md.",
    )
