"""The tests, and what they need: `python -m scripts.test [--long | PYTEST ARGUMENTS]`.

Starts a container engine where the machine lets it, makes the sandbox's images where they are missing, and runs pytest:
while the images are made the tests that need no box, then those that do, then the end-to-end tests, whose services
have the machine to themselves; four files at a time. What is marked `long` is left to `--long`, which runs that alone.
With other arguments there is one pytest run, with these. At the end it says what did not run and why; with CI=true
whatever cannot run is a failure.
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
A_BOX = "(docker or bubblewrap or registry)"
PACKAGES = ("tests", "--ignore=tests/e2e", *AT_ONCE, "-m")
BOXLESS = (*PACKAGES, f"not long and not {A_BOX}")
RUNS = {
    "boxed": (*PACKAGES, f"not long and {A_BOX}"),
    "end-to-end": ("tests/e2e", *AT_ONCE, "-m", "not long"),
}
LONG = {"long": ("tests", "-m", "long", *AT_ONCE)}
PROGRAMS = {"npm": "npm", "/usr/bin/cargo": "cargo", "/usr/bin/go": "golang-go", "/usr/bin/rspec": "ruby-rspec"}
"""The last three are for boxes, which see no more of this machine than `/usr`."""
NOTHING_COLLECTED = 5
IN_CI = os.environ.get("CI") == "true"


def say(text: str) -> None:
    print(f"test: {text}", file=sys.stderr, flush=True)


@contextmanager
def begun(name: str, arguments: tuple[str, ...], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A pytest, which ends with the block: where we are ended it would go on without us."""
    say(f"pytest {' '.join(arguments)}")
    REPORTS.mkdir(parents=True, exist_ok=True)
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments]
    with subprocess.Popen(argv, cwd=ROOT, env=environment) as process:
        try:
            yield process
        finally:
            process.terminate()


def run_pytest(name: str, arguments: tuple[str, ...], environment: dict[str, str]) -> int:
    with begun(name, arguments, environment) as process:
        return process.wait()


def run_all(arguments: tuple[str, ...], environment: dict[str, str], codes: dict[str, int]) -> int:
    """The first exit code that is not 0, of what has ended before too; every run is made all the same."""
    runs = LONG if arguments == ("--long",) else {"selected": arguments} if arguments else RUNS
    codes |= {name: run_pytest(name, options, environment) for name, options in runs.items()}
    report_skipped([REPORTS / f"{name}.xml" for name in codes])
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


def main(arguments: tuple[str, ...]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that an engine of ours does not stay behind
    environment, problem = dict(os.environ), ""
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # tests start hundreds of processes of the same modules
    try:
        debian.install_missing(PROGRAMS)
    except debian.ProgramsMissingError as error:
        say(f"{error}: the tests that need them will say so")
    with ExitStack() as stack:
        boxless = None if arguments else stack.enter_context(begun("boxless", BOXLESS, environment))
        try:
            environment["DOCKER_HOST"] = stack.enter_context(containers())
        except (EngineMissingError, SandboxError) as error:
            problem = f"NO CONTAINER SANDBOX: {error}"
            say(problem)
        if problem and IN_CI:
            return 1
        code = run_all(arguments, environment, {"boxless": boxless.wait()} if boxless else {})
    if problem:
        say(problem)
    return code


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
