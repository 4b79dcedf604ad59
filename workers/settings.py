"""The settings of the worker and of the command line: their names, kinds, limits and defaults.

Read once, at the edge (`workers.load_settings`), and passed down. Shared by web and worker is only `StoreSettings`.
Keys live in `WorkerSettings`, the webhook secret in the web's own settings (`app.settings`), so that each process holds
only what it needs.
"""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PositiveInt,
    SecretStr,
    StringConstraints,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent.budget import BudgetLimits
from agent.pricing import Price
from repo_tools.environment.solve_requirements import REQUIREMENTS
from workers.setting_values import Bots, ExactNames, Hosts, Requirements, ServiceImages, limit
from workers.store.values import Limits

PREFIX = "AGENT_FIX_"
BROKER_SCHEMES = ("redis://", "rediss://", "redis+socket://", "amqp://", "amqps://")


def default_data_directory() -> Path:
    return Path.home() / ".local" / "share" / "agent-fix"


class BudgetSettings(BaseModel):
    """Limits of one run; ``none`` for no limit, 0 is an error."""

    turns: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(40, description="model calls")
    tokens: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(2_000_000, description="tokens of all kinds")
    usd: Annotated[Annotated[Decimal, Field(gt=0)] | None, BeforeValidator(limit)] = Field(
        Decimal(3), description="US dollars"
    )
    seconds: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(
        1800, description="wall seconds under a lease"
    )
    test_runs: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(
        15, description="test runs that the model asks for"
    )

    def limits(self) -> BudgetLimits:
        return BudgetLimits(self.turns, self.tokens, self.usd, self.seconds, self.test_runs)


class PriceSettings(BaseModel):
    """US dollars for a million tokens. All four or none."""

    input: Annotated[
        Decimal,
        Field(
            ge=0,
            description="dollars for a million tokens that bypass the cache; all four or none",
        ),
    ]
    output: Annotated[
        Decimal, Field(ge=0, description="dollars for a million tokens that the model writes; all four or none")
    ]
    cache_read: Annotated[
        Decimal, Field(ge=0, description="dollars for a million tokens read from the cache; all four or none")
    ]
    cache_write: Annotated[
        Decimal, Field(ge=0, description="dollars for a million tokens written to the cache; all four or none")
    ]

    def price(self) -> Price:
        return Price(self.input, self.output, self.cache_read, self.cache_write)


def _names_a_host(url: str) -> bool:
    try:
        parsed = urlsplit(url)
        return bool(parsed.hostname) and (parsed.port is None or parsed.port > 0)
    except ValueError:
        return False


def _web_address(url: str) -> str:
    if not url.startswith(("https://", "http://")):
        raise ValueError("must start with https:// (http:// only for a stand-in on this machine)")
    if not _names_a_host(url):
        raise ValueError("names no host, or a port that is none")
    return url.rstrip("/")


def _public_address(url: str) -> str:
    if "@" in url:
        raise ValueError("stands in links: leave user and password out")
    return url


_JOINERS = dict.fromkeys((0x200C, 0x200D, *range(0xE0020, 0xE0080)))
"""Which words of some languages have, and emoji that are made of others."""


def _label_name(name: str) -> str:
    if not name.translate(_JOINERS).isprintable():
        raise ValueError("no label on GitHub is called so: it has characters that do not show")
    if "," in name:
        raise ValueError("a comma separates labels where GitHub is asked for them: choose a name without one")
    return name


WebAddress = Annotated[str, AfterValidator(_web_address)]
PublicAddress = Annotated[WebAddress, AfterValidator(_public_address)]
Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50), AfterValidator(_label_name)
]


class StoreSettings(BaseSettings):
    """Where runs are kept, how the queue is reached, and what both processes say of GitHub."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True, extra="ignore"
    )

    data_dir: Path = Field(default_factory=default_data_directory, description="mirrors, layers, the default database")
    database_url: str | None = Field(None, description="SQLAlchemy URL; default SQLite in the data directory")
    broker_url: str | None = Field(
        None, description="`redis://…`, `rediss://…` or `amqp://…`; default: embedded with `serve`"
    )
    allowed_bots: Bots = Field(
        frozenset(),
        description="logins of bots whose label counts, separated by commas, for instance `triage-bot[bot]`",
    )
    label: Label = Field("agent-fix", description="the label that starts a run")
    github_server_url: PublicAddress = Field(
        "https://github.com", description="where repositories are cloned from and pages stand"
    )

    @field_validator("broker_url")
    @classmethod
    def _known_broker(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(BROKER_SCHEMES):
            raise ValueError(f"must start with one of {', '.join(BROKER_SCHEMES)}")
        if value is not None and not value.startswith("redis+socket://") and not _names_a_host(value):
            raise ValueError("names no host, or a port that is none")
        return value

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'agent-fix.db'}"


PACKAGE_INDEXES = frozenset(
    (
        *("pypi.org", "files.pythonhosted.org"),
        *("registry.npmjs.org", "registry.yarnpkg.com"),
        *("proxy.golang.org", "sum.golang.org"),
        *("index.crates.io", "static.crates.io"),
        *("repo.maven.apache.org", "repo1.maven.org"),
        *("plugins.gradle.org", "plugins-artifacts.gradle.org"),  # where the first redirects to
        *("services.gradle.org", "downloads.gradle.org"),  # likewise
        *("rubygems.org", "index.rubygems.org"),
    )
)


class WorkerSettings(StoreSettings):
    """Everything the worker needs; holds the App's key and the model's, never the webhook secret."""

    github_api_url: WebAddress = Field(
        "https://api.github.com",
        description="REST API; on Enterprise Server `https://HOST/api/v3`, with `AGENT_FIX_GITHUB_SERVER_URL=https://HOST`",
    )
    github_app_id: str | None = Field(None, description="the App's id")
    github_private_key: SecretStr | None = Field(
        None, description="the App's private key, PEM (`\\n` escapes are understood)"
    )
    github_private_key_file: Path | None = Field(
        None, description="or a file that holds it, readable by its owner only"
    )

    sandbox: Literal["auto", "docker", "bubblewrap"] = Field("auto", description="which engine runs repository code")
    sandbox_runtime: Literal["auto", "runc", "runsc"] = Field(
        "auto", description="runtime of the Docker sandbox; `auto`: gVisor's `runsc` where the engine has it"
    )
    accept_runc: str | None = Field(
        None, description="exact version of an older runc whose distribution has back-ported the security fixes"
    )
    sandbox_image: str | None = Field(
        None, description="base image of the Docker sandbox; default: the one `agent-fix sandbox build` makes"
    )
    allowed_images: ExactNames = Field(
        frozenset(),
        description="images that a repository's `.github/agent-fix.yml` may choose (Docker), separated by commas",
    )
    mirror_cache_bytes: Annotated[int, Field(ge=1 << 30)] = Field(
        10 << 30, description="room for the repositories' mirrors, those of the last day aside; at least 1 GiB"
    )
    layer_cache_bytes: Annotated[int, Field(ge=4 << 30)] = Field(
        20 << 30, description="room for prepared environments, of all repositories together; at least 4 GiB"
    )
    layer_cache_days: Annotated[int, Field(ge=1, le=7)] = Field(
        7, description="how old a prepared environment may become; at most 7"
    )
    service_images: ServiceImages = Field(
        {},
        description="image of a service in the Docker sandbox instead of the official one, for instance "
        "`postgresql=postgis/postgis:16-3.4,redis=valkey/valkey:8`",
    )
    service_programs: Path | None = Field(
        None, description="folder with servers that the bubblewrap sandbox may start, besides those below `/usr`"
    )
    ca_bundle: Path | None = Field(
        None,
        description="CA bundle for networks with a CA of their own, for set-up in the sandbox; default `SSL_CERT_FILE`",
    )
    ssl_cert_file: Path | None = Field(None, validation_alias="SSL_CERT_FILE", description="as OpenSSL reads it")
    allowed_hosts: Hosts = Field(
        PACKAGE_INDEXES,
        description="hosts that the set-up phase may reach, separated by commas, for instance `pypi.org,*.example.org`",
    )

    model: str = Field("claude-sonnet-5-5", min_length=1, description="model name, as the provider writes it")
    allowed_models: ExactNames = Field(
        frozenset(),
        description="other models that a repository's `.github/agent-fix.yml` or `agent-fix replay` may choose,"
        " separated by commas",
    )
    price: PriceSettings | None = Field(
        None, description="dollars for a million tokens of a model without a known price"
    )
    context_tokens: Annotated[int, Field(ge=8_000)] = Field(200_000, description="the model's window")
    budget: BudgetSettings = Field(default_factory=BudgetSettings, description="limits of one run")
    run_python: bool = Field(
        False, description="whether a fix may also try Python code out, on a throw-away copy of the work tree"
    )
    solve_requirements: Requirements = Field(
        REQUIREMENTS, description="what `agent-fix solve` installs beside pytest, as pip takes it"
    )
    lease_seconds: Annotated[int, Field(ge=5)] = Field(60, description="how long a silent worker keeps its run")
    runs_per_repository: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(
        4, description="runs of one repository at a time, so that others have their turn; `none`: no limit"
    )
    runs_per_installation: Annotated[PositiveInt | None, BeforeValidator(limit)] = Field(
        20, description="runs of one installation at a time, which share its rate limit at GitHub; `none`: no limit"
    )
    patrol_seconds: Annotated[int, Field(ge=5)] = Field(
        300, description="how often GitHub is asked for deliveries that failed and labels that nobody told of"
    )

    anthropic_api_key: SecretStr | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY", description="as the SDK reads it"
    )
    anthropic_base_url: WebAddress | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="as the SDK reads it"
    )

    @property
    def run_limits(self) -> Limits:
        return Limits(self.runs_per_repository, self.runs_per_installation)
