"""The tests, and what they need: `python -m scripts.test [--long | PYTEST ARGUMENTS]`.

Starts a container engine where the machine lets it, makes the sandbox's images where they are missing, and runs pytest:
first the tests of the packages, then the end-to-end tests, whose services have the machine to themselves; four files
at a time. What is marked `long` is left to `--long`, which runs that alone. With other arguments there is one pytest
run, with these. At the end it says what did not run and why; with CI=true whatever cannot run is a failure.
"""

import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repo_tools.counted import counted
from repo_tools.errors import SandboxError
from scripts import debian
from scripts.containers import containers
from scripts.engine import EngineMissingError

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / ".cache" / "test"
AT_ONCE = (  # two a processor: they wait for boxes, leases and retries; `tests/conftest.py` has the order of the files
    "-n", "4", "--dist", "loadfile", "--no-loadscope-reorder",
)  # fmt: skip
SHORT = ("-m", "not long")
RUNS = {
    "parallel": ("tests", "--ignore=tests/e2e", *SHORT, *AT_ONCE),
    "end-to-end": ("tests/e2e", *SHORT, *AT_ONCE),
}
LONG = {"long": ("tests", "-m", "long", *AT_ONCE)}
PROGRAMS = {"npm": "npm", "/usr/bin/cargo": "cargo", "/usr/bin/go": "golang-go", "/usr/bin/rspec": "ruby-rspec"}
"""The last three are for boxes, which see no more of this machine than `/usr`."""
NOTHING_COLLECTED = 5
IN_CI = os.environ.get("CI") == "true"


def say(text: str) -> None:
    print(f"test: {text}", file=sys.stderr, flush=True)


def run_pytest(name: str, arguments: tuple[str, ...], environment: dict[str, str]) -> int:
    say(f"pytest {' '.join(arguments)}")
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments]
    return subprocess.run(argv, cwd=ROOT, env=environment, check=False).returncode


def run_all(arguments: tuple[str, ...], environment: dict[str, str]) -> int:
    """The first exit code that is not 0; every run is made all the same."""
    runs = LONG if arguments == ("--long",) else {"selected": arguments} if arguments else RUNS
    REPORTS.mkdir(parents=True, exist_ok=True)
    codes = {name: run_pytest(name, options, environment) for name, options in runs.items()}
    report_skipped([REPORTS / f"{name}.xml" for name in runs])
    for name, code in codes.items():
        if code:
            say(f"the {name} tests FAILED (pytest ended with {code})")
        if code == NOTHING_COLLECTED:
            say(f"no {name} test was found: nothing was proved")
    return next((code for code in codes.values() if code), 0)


def report_skipped(reports: list[Path]) -> None:
    """Say for each reason how many tests did not run."""
    reasons = Counter(
        (skipped.get("message") or "no reason given").strip()
        for report in reports if report.exists()
        for skipped in ET.parse(report).iter("skipped")
    )  # fmt: skip
    for reason, count in reasons.most_common():
        say(f"DID NOT RUN: {counted(count, 'test')}: {reason}")
    if not reasons:
        say("every one of these tests ran")


@contextmanager
def compiled_meanwhile(arguments: tuple[str, ...], environment: dict[str, str]) -> Iterator[None]:
    """The tests are collected once before they are run: what that compiles, four processes would compile each."""
    if arguments not in {(), ("--long",)}:
        yield
        return
    argv = [sys.executable, "-m", "pytest", "tests", "--collect-only", "-qq"]
    nowhere = subprocess.DEVNULL  # a file that cannot be collected is told by the runs
    with subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere) as collecting:
        try:
            yield
            collecting.wait()
        finally:
            collecting.terminate()  # where we are ended meanwhile: it would go on without us


def main(arguments: tuple[str, ...]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that an engine of ours does not stay behind
    environment, problem = dict(os.environ), ""
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # tests start hundreds of processes of the same modules
    try:
        debian.install_missing(PROGRAMS)
    except debian.ProgramsMissingError as error:
        say(f"{error}: the tests that need them will say so")
    with ExitStack() as stack:
        with compiled_meanwhile(arguments, environment):
            try:
                environment["DOCKER_HOST"] = stack.enter_context(containers())
            except (EngineMissingError, SandboxError) as error:
                problem = f"NO CONTAINER SANDBOX: {error}"
                say(problem)
        if problem and IN_CI:
            return 1
        code = run_all(arguments, environment)
    if problem:
        say(problem)
    return code


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
