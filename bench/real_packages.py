"""The fixed list of real packages, and each of them as a git repository of its own."""

import hashlib
import re
import shutil
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import httpx

from repo_tools.environment.python.requirement import normal
from tests.support.repositories import git, make_repository

LISTS = tuple(Path(__file__).parents[1] / "tests" / name for name in ("real_packages.toml", "real_packages_npm.toml"))
PYPI = "https://pypi.org/simple/"
NPM = "https://registry.npmjs.org/"
_SECONDS = 120.0
_MOST_BYTES = 64 << 20


class PackageMissingError(Exception):
    """The index does not have it as the list names it."""


@dataclass(frozen=True)
class Package:
    """One row of the list. `by_hand`: what a person types to set it up, `test` to test it."""

    name: str
    version: str
    registry: str
    by_hand: tuple[str, ...]
    test: str

    @property
    def id(self) -> str:
        return f"{self.name}@{self.version}"


def listed() -> tuple[Package, ...]:
    """Every row, in the order of the lists."""
    return tuple(_package(row) for path in LISTS if path.exists() for row in tomllib.loads(path.read_text())["package"])


def _package(row: dict[str, object]) -> Package:
    registry, needs = str(row.get("registry", "pypi")), str(row.get("needs", ""))
    usual = ["npm install"] if registry == "npm" else [f"pip install . pytest {needs}".strip()]
    by_hand = row.get("by_hand", usual)
    test = str(row.get("test", "npm test" if registry == "npm" else "pytest"))
    typed = (by_hand,) if isinstance(by_hand, str) else by_hand
    if not isinstance(typed, (list, tuple)):
        raise PackageMissingError(f"{row['name']}: by_hand is a list of commands")
    return Package(str(row["name"]), str(row["version"]), registry, tuple(map(str, typed)), test)


def repository_of(package: Package, downloads: Path, folder: Path) -> Path:
    """Its source distribution as the one commit of a new git repository in `folder`. PackageMissingError,
    httpx.HTTPError."""
    archive = _downloaded(package, downloads)
    with tempfile.TemporaryDirectory(dir=downloads) as scratch:
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(scratch)
        else:
            with tarfile.open(archive) as tar:
                tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # not in 3.11.2
                tar.extractall(scratch)
        (top,) = (path for path in Path(scratch).iterdir() if path.is_dir())
        shutil.move(top, folder)
    make_repository(folder)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "-m", package.id)
    return folder


def _downloaded(package: Package, downloads: Path) -> Path:
    downloads.mkdir(parents=True, exist_ok=True)
    kept = [path for path in downloads.glob(f"{_safe(package.id)}.*") if path.is_file()]
    if kept:
        return kept[0]
    with httpx.Client(follow_redirects=True, timeout=_SECONDS) as client:
        url, digest = (_npm_file if package.registry == "npm" else _sdist)(client, package)
        content = client.get(url).raise_for_status().content
    if len(content) > _MOST_BYTES or (digest and hashlib.sha256(content).hexdigest() != digest):
        raise PackageMissingError(f"{url} is not what the index says, or too large")
    suffix = ".zip" if url.partition("#")[0].endswith(".zip") else ".tar"
    place = downloads / f"{_safe(package.id)}{suffix}"
    place.write_bytes(content)
    return place


def _sdist(client: httpx.Client, package: Package) -> tuple[str, str]:
    """(address, sha256): https://packaging.python.org/en/latest/specifications/simple-repository-api/"""
    page = urljoin(PYPI, f"{normal(package.name)}/")
    answer = client.get(page, headers={"Accept": "application/vnd.pypi.simple.v1+json"}).raise_for_status()
    for file in answer.json()["files"]:
        found = re.fullmatch(rf".+-{re.escape(package.version)}\.(?:tar\.\w+|tgz|zip)", file["filename"])
        if found and normal(file["filename"]).startswith(normal(package.name)):
            return urljoin(str(answer.url), file["url"]), file.get("hashes", {}).get("sha256", "")
    raise PackageMissingError(f"{package.id} has no source distribution")


def _npm_file(client: httpx.Client, package: Package) -> tuple[str, str]:
    page = urljoin(NPM, package.name.replace("/", "%2f"))
    answer = client.get(page).raise_for_status()
    try:
        return urljoin(str(answer.url), answer.json()["versions"][package.version]["dist"]["tarball"]), ""
    except KeyError as error:
        raise PackageMissingError(f"{package.id} is not in the registry") from error


def _safe(name: str) -> str:
    return name.replace("/", "+")
