"""Fetching from a server: which addresses, which transports, and how a token travels."""

import base64
import ipaddress
from collections.abc import Collection
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from repo_tools.errors import RepoError
from repo_tools.git import Git, GitLimits
from repo_tools.refs import full_ref, is_commit_id

FETCH_SECONDS = 600.0
"""Time-out of one fetch; a fetch that stalls ends after two minutes."""

_PLAINLY = (
    "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force", "--end-of-options"
)  # fmt: skip


def check_url(url: str, plain_http_hosts: Collection[str] = ()) -> str:
    """`url` itself where it is ``https://host/path``; RepoError otherwise.

    ``http`` is for this machine itself and for `plain_http_hosts` (a configured server). The address may hold no user,
    password, query or fragment.
    """
    parts = _split(url)
    if parts is None or not url.isascii() or not url.isprintable() or " " in url or "::" in parts.path:
        raise RepoError(f"{url[:200]!r} is not the address of a repository.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise RepoError("The address of a repository may hold no user, password, query or fragment.")
    host = parts.hostname or ""
    plain = parts.scheme == "http" and (_is_loopback(host) or host in plain_http_hosts)
    if not host or host.startswith("-") or not (parts.scheme == "https" or plain):
        raise RepoError(f"{parts.scheme}://{host} is not a server that repositories are fetched from; https is.")
    return url


def fetch(
    git_dir: Path,
    url: str,
    wanted: str,
    into_ref: str,
    *,
    token: str | None,
    ca_bundle: Path | None = None,
    limits: GitLimits | None = None,
) -> None:
    """Fetch one commit without history into `into_ref`: `wanted` is a commit id, a branch or a full ref.

    `url` has passed `check_url`. The token goes into the environment of this one git, as a header for this server
    alone. RepoTooLargeError where the server sends more than `limits` allow.
    """
    source = wanted if is_commit_id(wanted) else full_ref(wanted)
    git = Git(git_dir, config=_config(url, token, ca_bundle), allowed_protocols=urlsplit(url).scheme, limits=limits)
    git.run("fetch", "--depth=1", *_PLAINLY, url, f"{source}:{into_ref}", timeout_seconds=FETCH_SECONDS)


def fetch_history(
    git_dir: Path,
    url: str,
    commit: str,
    since: int,
    *,
    token: str | None,
    ca_bundle: Path | None = None,
    limits: GitLimits,
    timeout_seconds: float,
) -> None:
    """Fetch the commits that led to `commit` since then (seconds since 1970) and their trees; their contents too where
    the server knows no filter. `git_dir` has its own configuration again afterwards: with the one that a filter leaves,
    any git that misses an object would ask the server for it.

    RepoError where the server refuses; RepoTooLargeError where it sends more than `limits` allow.
    """
    protocol = urlsplit(url).scheme
    # Each thread would take address space of its own.
    config = {**_config(url, token, ca_bundle), "pack.threads": "1"}
    git = Git(git_dir, config=config, allowed_protocols=protocol, limits=limits)
    what = ("--filter=blob:none", f"--shallow-since=@{since}")
    ours = (git_dir / "config").read_bytes()
    git.run("fetch", *what, *_PLAINLY, url, commit, timeout_seconds=timeout_seconds)
    (git_dir / "config").write_bytes(ours)


def _config(url: str, token: str | None, ca_bundle: Path | None) -> dict[str, str]:
    config = {"fetch.unpackLimit": "1"}
    if ca_bundle is not None:
        config["http.sslCAInfo"] = str(ca_bundle)
    if token is not None:
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        parts = urlsplit(url)
        config[f"http.{parts.scheme}://{parts.netloc}/.extraHeader"] = f"Authorization: Basic {basic}"
    return config


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
