"""Real repositories in real boxes: made, set up from the public package index, and verified."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.git_checkout import GitCheckout
from repo_tools.local import LocalRepository
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import MeasuredSuite, baseline
from repo_tools.verification.contract import Verification
from repo_tools.verification.verify import verify
from tests.support.repositories import make_repository

INDEX_HOSTS = ("pypi.org", "files.pythonhosted.org", "registry.npmjs.org")
RUN_SECONDS = 60.0


@dataclass(frozen=True)
class Laboratory:
    """One repository, its layer, and what its suite said on the base."""

    engine: SandboxEngine
    checkout: GitCheckout
    prepared: PreparedEnvironment
    baseline: TestReport

    def change(self, files: Mapping[str, str | None]) -> ChangeSet:
        states = {p: None if t is None else FileChange(FileMode.REGULAR, t.encode()) for p, t in files.items()}
        return ChangeSet(self.checkout.commit, states)

    @property
    def suite(self) -> MeasuredSuite:
        return MeasuredSuite(self.prepared, self.baseline)

    def verify(
        self,
        files: Mapping[str, str | None],
        timeout_seconds: float = RUN_SECONDS,
        asked_for: frozenset[str] = frozenset(),
    ) -> Verification:
        return verify(
            self.engine,
            self.checkout,
            self.suite,
            self.change(files),
            timeout_seconds=timeout_seconds,
            asked_for=asked_for,
        )

    def alike(self, folder: Path, files: Mapping[str, str | bytes]) -> "Laboratory":
        """Another repository on the same layer: for differences that set-up has no part in."""
        checkout = checkout_of(folder, files)
        prepared = replace(self.prepared, environment=detect(checkout.tree, checkout.read))
        return Laboratory(
            self.engine, checkout, prepared, baseline(self.engine, checkout, prepared, timeout_seconds=RUN_SECONDS)
        )


def ca_bundle() -> bytes | None:
    """What this machine's network needs to be trusted, if it needs anything."""
    path = os.environ.get("AGENT_FIX_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE")
    return Path(path).read_bytes() if path else None


def checkout_of(folder: Path, files: Mapping[str, str | bytes]) -> GitCheckout:
    """The only commit of a new repository."""
    repository = LocalRepository(make_repository(folder, files))
    return repository.checkout(repository.resolve("HEAD"))


def prepared_for(engine: SandboxEngine, checkout: GitCheckout) -> PreparedEnvironment:
    environment = detect(checkout.tree, checkout.read)
    return prepare(
        engine, checkout, environment, allowed_hosts=INDEX_HOSTS, ca_bundle=ca_bundle(), report=lambda _: None
    )


def laboratory(
    engine: SandboxEngine, folder: Path, files: Mapping[str, str | bytes], seconds: float = RUN_SECONDS
) -> Laboratory:
    checkout = checkout_of(folder, files)
    prepared = prepared_for(engine, checkout)
    return Laboratory(engine, checkout, prepared, baseline(engine, checkout, prepared, timeout_seconds=seconds))
