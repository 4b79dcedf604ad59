"""What the CI of a small repository says of its tests."""

from collections.abc import Mapping
from textwrap import dedent

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from tests.support.files_checkout import FilesCheckout

WORKFLOW = ".github/workflows/ci.yml"


def jobs_in(files: Mapping[str, str]) -> tuple[WorkflowEvidence, ...]:
    checkout = FilesCheckout(files)
    return read_workflows(checkout.tree, checkout.read)


def jobs_running(*commands: str, files: Mapping[str, str]) -> tuple[WorkflowEvidence, ...]:
    """Of a workflow whose one job runs these."""
    return jobs_in({**files, **ci_running(*commands)})


def ci_running(*commands: str) -> dict[str, str]:
    """The file of that workflow."""
    return {WORKFLOW: workflow(*commands)}


def workflow(*commands: str, name: str = "test") -> str:
    """Its text; `name`: the job's."""
    steps = "".join(f"      - run: {command}\n" for command in commands)
    return f"jobs:\n  {name}:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"


def jobs_told(path: str, text: str, **more: str) -> tuple[WorkflowEvidence, ...]:
    """Of another service's file, beside Python in the root and in a folder `web`."""
    return jobs_in({path: dedent(text), "a.py": "", "web/a.py": "", **more})
