"""`python -m bench.environments [NAME…]`: real packages, from their source to a baseline, without a word of
configuration; each beside the same suite run by hand. Writes `docs/environments.md`.

Every package is measured by a process of its own, and its row is kept below `.cache` as it comes, so that nothing that
goes wrong with one is lost to the others, and a run that was cut short goes on where it was.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from bench.by_hand import NAMES, HandRun, run_by_hand
from bench.environments_page import page
from bench.layers import removed
from bench.real_packages import Package, listed, repository_of
from repo_tools.checkout import Checkout
from repo_tools.environment.detect import detect
from repo_tools.environment.detectors import DETECTORS, LAST_RESORTS
from repo_tools.environment.prepare import prepare
from repo_tools.errors import RepoError, SandboxError
from repo_tools.local import LocalRepository
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.engines import open_engine
from repo_tools.verification.baseline import baseline
from tests.support.laboratory import ca_bundle

HOSTS = ("pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "registry.yarnpkg.com")
SETUP_SECONDS = 900.0
TEST_SECONDS = 900.0
PACKAGE_SECONDS = 4 * 900.0
SHARE = 0.9
ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".cache" / "bench-environments"
PAGE = ROOT / "docs" / "environments.md"

Row = dict[str, Any]


def main() -> int:
    """0 if at least nine of ten packages work."""
    parser = argparse.ArgumentParser(prog="python -m bench.environments", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="packages to measure again; without: all that are left"
    )
    parser.add_argument("--engine", choices=("bubblewrap", "docker"), default="bubblewrap")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--fresh", action="store_true", help="forget every row, and measure all")
    parser.add_argument("--by-hand", action="store_true", help="only the runs by hand, which are kept")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    packages = {package.id: package for package in listed()}
    KEPT.mkdir(parents=True, exist_ok=True)
    if asked.one:
        print(json.dumps(measure(packages[asked.one], asked.engine, ours=not asked.by_hand)))
        return 0
    if asked.by_hand:
        return _only_by_hand(list(packages.values()), asked)
    place = KEPT / f"{asked.engine}.jsonl"
    if asked.fresh:
        place.unlink(missing_ok=True)
    rows = {row["id"]: row for row in _lines(place) if row["detectors"] == _detectors()}
    wanted = [p for p in packages.values() if (p.name in asked.names if asked.names else p.id not in rows)]
    with ThreadPoolExecutor(asked.jobs) as pool:
        for done in as_completed([pool.submit(_measured_apart, package, asked.engine) for package in wanted]):
            row = done.result() | {"detectors": _detectors()}
            rows[row["id"]] = row
            with place.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{row['id']}: {row['result']}, {row.get('setup_seconds')} s {row['why'][:200]}", flush=True)
    rows |= {row["id"]: row for row in _lines(place) if row["detectors"] == _detectors()}  # of another run beside this
    shown = [rows[name] for name in packages if name in rows]
    PAGE.write_text(page(shown, asked.engine, len(packages)))
    working = sum(row["result"] == "same" for row in shown)
    print(f"{working} of {len(shown)} work; written to {PAGE.relative_to(ROOT)}")
    return int(len(shown) < len(packages) or working < SHARE * len(packages))


def _detectors() -> list[str]:
    """All of them, with their versions: a row that others have made says nothing of these."""
    return [detector.name for detector in (*DETECTORS, *LAST_RESORTS)]


def _only_by_hand(packages: list[Package], asked: argparse.Namespace) -> int:
    wanted = [package for package in packages if not asked.names or package.name in asked.names]
    with ThreadPoolExecutor(asked.jobs) as pool:
        for done in as_completed([pool.submit(_measured_apart, p, asked.engine, "--by-hand") for p in wanted]):
            row = done.result()
            print(f"{row['id']}: {row.get('by_hand')} {row['why'][:300]!r}", flush=True)
    return 0


def _lines(place: Path) -> list[Row]:
    return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []


def _measured_apart(package: Package, engine: str, *options: str) -> Row:
    argv = [sys.executable, "-m", "bench.environments", "--engine", engine, "--one", package.id, *options]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=PACKAGE_SECONDS, check=True, cwd=ROOT)
        row: Row = json.loads(done.stdout.splitlines()[-1])
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", None) or ""
        last = said.decode(errors="replace") if isinstance(said, bytes) else said
        return {"id": package.id, "result": "broke", "why": f"{error} {last[-1500:]}"}
    return row


def measure(package: Package, engine_name: str, *, ours: bool = True) -> Row:
    """One package on new boxes and layers, which are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="package-", dir=KEPT) as name:
        folder = Path(name)
        repository = LocalRepository(repository_of(package, KEPT / "downloads", folder / "repository"))
        checkout = repository.checkout(repository.resolve("HEAD"))
        engine = open_engine(engine_name, folder / "data")
        row = _ours(engine, checkout, package) if ours else {"id": package.id, "counts": None, "problem": ""}
        by_hand = _by_hand(engine, engine_name, checkout, package)
    row |= {"by_hand": by_hand.counts, "by_hand_seconds": round(by_hand.setup_seconds, 1)}
    row["result"], row["why"] = judged(row, by_hand)
    return row


def _ours(engine: SandboxEngine, checkout: Checkout, package: Package) -> Row:
    row: Row = {"id": package.id, "registry": package.registry, "counts": None, "problem": ""}
    try:
        environment = detect(checkout.tree, checkout.read)
        row |= {"detector": environment.detector, "evidence": environment.evidence, "tests": environment.shown_command}
        prepared = prepare(
            engine, checkout, environment, repository=package.id, allowed_hosts=HOSTS, ca_bundle=ca_bundle(),
            timeout_seconds=SETUP_SECONDS, report=lambda line: print(line, file=sys.stderr),
        )  # fmt: skip
        row["setup_seconds"] = round(prepared.seconds, 1)
        with removed(engine, prepared.layer):
            report = baseline(engine, checkout, prepared, timeout_seconds=TEST_SECONDS)
    except (RepoError, SandboxError) as error:
        return row | {"problem": f"{type(error).__name__}: {error}"[:3000]}
    counts = Counter(str(case.outcome) for case in report.cases)
    red = [(case.id, case.message[-600:]) for case in report.cases if case.id in report.red][:20]
    row |= {"counts": {kind: counts[kind] for kind in NAMES}, "red": red, "seconds": round(report.seconds, 1)}
    return row | ({"problem": report.problem, "output": report.output[-3000:]} if report.problem else {})


def _by_hand(engine: SandboxEngine, engine_name: str, checkout: Checkout, package: Package) -> HandRun:
    """Made once for each way of typing it: the package does not change."""
    place = KEPT / f"by-hand-{engine_name}.jsonl"
    key = json.dumps([package.id, package.by_hand, package.test])
    for line in reversed(_lines(place)):
        if line["key"] == key:
            return HandRun(**line["run"])
    run, layer = run_by_hand(engine, checkout, package, HOSTS)
    if layer:
        with removed(engine, layer):
            pass
    if run.counts:
        with place.open("a") as file:
            file.write(json.dumps({"key": key, "run": run.to_json()}) + "\n")
    return run


def judged(row: Row, by_hand: HandRun) -> tuple[str, str]:
    """(result, why not): ``same`` where there is a baseline and it counts what a person sees."""
    if row["problem"]:
        return "no baseline", row["problem"]
    if by_hand.counts is None:
        return "nothing to compare", by_hand.problem
    if row["counts"] != by_hand.counts:
        return "differs", f"by hand: {by_hand.summary}"
    return "same", ""


if __name__ == "__main__":
    sys.exit(main())
