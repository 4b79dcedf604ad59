"""A package set up and tested as a person would, in boxes of the same engine: the reference that a baseline is held
against. Shares nothing with detection, set-up and the reading of results but the boxes."""

import re
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from bench.real_packages import Package
from repo_tools.box_tree import commit_tree, upload_tree
from repo_tools.checkout import Checkout
from repo_tools.sandbox.contract import WORKSPACE, BoxSpec, Layer, Sandbox, SandboxEngine
from tests.support.laboratory import ca_bundle

SETUP_SECONDS = 900.0
TEST_SECONDS = 900.0
NAMES = ("passed", "failed", "error", "skipped")
_CA_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_SETUP = "set -e\nexport HOME=/env/home TMPDIR=/env/tmp PATH=/env/venv/bin:$PATH\nmkdir -p $HOME $TMPDIR\n"
_KEEP = f"\nrm -rf $HOME $TMPDIR\ncp -a {WORKSPACE} /env/tree\n"
_TEST = f"cp -a /env/tree/. {WORKSPACE}/ && export PATH=/env/venv/bin:$PATH && "

_COUNTED = {  # pytest's words and those of unittest and of JavaScript's runners: what they are to us
    "passed": "passed", "xpassed": "passed", "passing": "passed", "pass": "passed", "ok": "passed",
    "failed": "failed", "failures": "failed", "failing": "failed", "fail": "failed",
    "error": "error", "errors": "error",
    "skipped": "skipped", "xfailed": "skipped", "skip": "skipped", "pending": "skipped", "todo": "skipped",
    "expected failures": "skipped", "unexpected successes": "failed",
}  # fmt: skip


@dataclass(frozen=True)
class HandRun:
    """`counts` is None where no summary was found; `problem` says why, with the end of the output."""

    counts: Mapping[str, int] | None = None
    setup_seconds: float = 0.0
    seconds: float = 0.0
    problem: str = ""
    summary: str = ""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def run_by_hand(
    engine: SandboxEngine, checkout: Checkout, package: Package, hosts: tuple[str, ...]
) -> tuple[HandRun, Layer | None]:
    """What a person sees, and the layer to remove afterwards."""
    began = time.monotonic()
    with engine.start(BoxSpec(writable_environment=True, allowed_hosts=hosts)) as box:
        upload_tree(box, checkout)
        commit_tree(box)
        problem = _set_up(box, package)
        if problem:
            return HandRun(problem=problem, setup_seconds=time.monotonic() - began), None
        layer = engine.save_layer(secrets.token_hex(32), box)
    made = time.monotonic() - began
    with engine.start(BoxSpec(layer=layer)) as box:
        result = box.exec(["sh", "-c", _TEST + package.test], timeout_seconds=TEST_SECONDS)
    output = result.output.decode("utf-8", "replace")
    line, counts = summary_of(output)
    problem = "" if counts else f"no summary (exit code {result.exit_code}): {telling(output)}"
    return HandRun(counts, made, result.seconds, problem, line), layer


def _set_up(box: Sandbox, package: Package) -> str:
    variables: dict[str, str] = {}
    if bundle := ca_bundle():
        box.write("/env/ca.pem", bundle)
        variables = dict.fromkeys(_CA_VARIABLES, "/env/ca.pem")
    venv = "" if package.registry == "npm" else "python3 -m venv /env/venv\n"
    script = _SETUP + venv + "\n".join(package.by_hand) + _KEEP
    result = box.exec(["sh", "-c", script], timeout_seconds=SETUP_SECONDS, environment=variables)
    output = result.output.decode("utf-8", "replace")
    return "" if result.exit_code == 0 else f"set-up by hand failed: {telling(output)}"


def telling(output: str) -> str:
    """The last line that names an error, for which the page has room; below it the end of all, for who looks."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["nothing was said"]
    return (
        next((line for line in reversed(lines) if re.search(r"(?:Error|ERROR): ", line)), lines[-1])
        + f"\n{output[-1500:]}"
    )


def summary_of(output: str) -> tuple[str, dict[str, int] | None]:
    """The lines by which a runner sums itself up, and what they count; None where there are none."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    lines = [line.strip() for line in plain.splitlines()]
    for read in (_pytest, _unittest, _jest, _listed):
        found, counts = read(lines)
        if counts is not None:
            return found, {name: counts.get(name, 0) for name in NAMES}
    return "", None


def _pytest(lines: list[str]) -> tuple[str, dict[str, int] | None]:
    """``=== 1 failed, 54 passed, 2 xfailed in 1.04s ===``, with ``-q`` without the rules."""
    for line in reversed(lines):
        if re.fullmatch(r"=*\s*(?:\d+ [\w ]+, )*\d+ [\w ]+ in [\d.]+\s?s.*?=*", line):
            return line, _sum(re.findall(r"(\d+) (\w+)(?=,| in )", line))
    return "", None


def _unittest(lines: list[str]) -> tuple[str, dict[str, int] | None]:
    """``Ran 12 tests in 0.1s``, ``FAILED (failures=1, skipped=2)``."""
    ran = next((m for line in reversed(lines) if (m := re.fullmatch(r"Ran (\d+) tests? in .*", line))), None)
    verdict = next((line for line in reversed(lines) if re.fullmatch(r"(?:OK|FAILED)(?: \(.*\))?", line)), None)
    if ran is None or verdict is None:
        return "", None
    counts = _sum((number, name) for name, number in re.findall(r"([a-z ]+)=(\d+)", verdict))
    return f"{ran[0]}; {verdict}", {**counts, "passed": int(ran[1]) - sum(counts.values())}


def _jest(lines: list[str]) -> tuple[str, dict[str, int] | None]:
    """``Tests: 1 failed, 3 passed, 4 total``; vitest's ``Tests  1 failed | 3 passed (4)``."""
    for line in reversed(lines):
        if re.match(r"Tests:?\s+\d+ \w+", line):
            return line, _sum(re.findall(r"(\d+) (\w+)", line))
    return "", None


def _listed(lines: list[str]) -> tuple[str, dict[str, int] | None]:
    """A line for each number: mocha's ``12 passing (20ms)``, TAP's ``# pass 12``, node's ``ℹ pass 12``. Several
    runs of one command are added up."""
    mocha = [
        (m[1], m[2]) for line in lines if (m := re.fullmatch(r"(\d+) (passing|failing|pending)(?: \(.*\))?", line))
    ]
    tap = [(m[2], m[1]) for line in lines if (m := re.fullmatch(r"[#ℹ] (pass|fail|skip(?:ped)?|todo)\s+(\d+)", line))]
    found = mocha or tap
    return ", ".join(f"{number} {name}" for number, name in found), _sum(found) if found else None


def _sum(found: Iterable[tuple[str, str]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for number, name in found:
        kind = _COUNTED.get(name.strip())
        if kind:
            counts[kind] = counts.get(kind, 0) + int(number)
    return counts
